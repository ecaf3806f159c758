import DriverContract
import Glibc
import MeterDrivers
import Testing

@testable import MeterOCR

@Suite struct ImageFileTests {
  static func source(_ files: [String], preview: Bool = false) -> ImageFileSource {
    ImageFileSource(files: files, decoder: ScriptedDecoder(), options: FrameOptions(wantsPreview: preview))
  }

  @Test func filesComeInTheirOrder() async throws {
    let folder = try TestFolder()
    let pictures = (0..<4).map { ScriptedPicture(3 + $0, 2, first: UInt8($0)) }
    let files = try pictures.enumerated().map { try folder.write($1.file, "\(9 - $0).jpg") }
    let read = await frames(Self.source(files))
    #expect(read.errors.isEmpty && read.frames.map(\.image.pixels) == pictures.map(\.pixels))
    #expect(read.frames.allSatisfy { $0.isStill && $0.preview == nil && $0.divisor == 1 })
    #expect(read.frames.map(\.name) == files)
    #expect(zip(read.frames, read.frames.dropFirst()).allSatisfy { $0.moment <= $1.moment })
  }

  @Test(arguments: 1...8) func photographsStandUpright(_ orientation: Int) async throws {
    let folder = try TestFolder()
    let picture = ScriptedPicture(3, 2, format: .rgb, orientation: orientation)
    let frame = try #require(
      await frames(Self.source([try folder.write(picture.file, "a.jpg")], preview: true)).frames.first)
    let turn = try #require(ImageOrientation(rawValue: orientation))
    let grey = GreyImage(width: 3, height: 2, pixels: stride(from: 0, to: 18, by: 3).map { picture.pixels[$0] })
    #expect(frame.image == grey.turned(turn))
    let colours = DecodedImage(width: 3, height: 2, format: .rgb, pixels: picture.pixels)
    #expect(frame.preview == colours.turned(turn))
  }

  @Test func aGreyPhotographHasAGreyPreview() async throws {
    let folder = try TestFolder()
    let read = await frames(Self.source([try folder.write(ScriptedPicture(3, 2).file, "a.jpg")], preview: true))
    #expect(read.frames.first?.preview?.format == .grey)
  }

  @Test(arguments: [(4096, 2, 1), (4097, 2, 2), (2, 8192, 2), (8193, 1, 4), (16384, 1, 4)])
  func aLargePhotographIsDivided(_ width: Int, _ height: Int, _ divisor: Int) async throws {
    let folder = try TestFolder()
    let file = try folder.write(ScriptedPicture(width, height).file, "a.jpg")
    let frame = try #require(await frames(Self.source([file])).frames.first)
    #expect(frame.divisor == divisor)
    #expect(
      frame.image.width == (width + divisor - 1) / divisor && frame.image.height == (height + divisor - 1) / divisor)
    #expect(max(frame.image.width, frame.image.height) <= 4096)
  }

  @Test func aDamagedFileDoesNotHideTheOthers() async throws {
    let folder = try TestFolder()
    let whole = ScriptedPicture(4, 4).file
    let files = [
      try folder.write(whole, "1"), try folder.write(whole.dropLast(5) + [], "2"), try folder.write([], "3"),
      try folder.write(Array("no picture".utf8), "4"), folder.path("5"), try folder.write(whole, "6"),
    ]
    let read = await frames(Self.source(files))
    #expect(read.frames.map(\.name) == [files[0], files[5]])
    #expect(read.errors.map(\.code) == [.damagedImage, .unsupportedImage, .unsupportedImage, .notFound])
    #expect(read.errors.map(\.path) == Array(files[1...4]))
  }

  @Test func everyLengthOfAFileEndsInAnError() async throws {
    let folder = try TestFolder()
    let whole = ScriptedPicture(5, 5).file
    for end in 0..<whole.count {
      let error = await failure(Self.source([try folder.write(Array(whole.prefix(end)), "cut")]))
      #expect(error?.code == .damagedImage || error?.code == .unsupportedImage, "\(end)")
    }
  }

  @Test(.timeLimit(.minutes(60))) func whatIsNoRegularFileIsRefusedAtOnce() async throws {
    let folder = try TestFolder()
    let picture = try folder.write(ScriptedPicture(4, 4).file, "picture")
    #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
    #expect(symlink(picture, folder.path("link")) == 0)
    for path in [folder.path("pipe"), folder.path("link"), folder.root, "/dev/null", "/dev/zero"] {
      #expect(await failure(Self.source([path]))?.code == .notARegularFile, "\(path)")
    }
    #expect(await failure(Self.source([folder.path("none")]))?.code == .notFound)
    #expect(await failure(Self.source([picture + "/below"]))?.code == .notFound)
  }

  @Test func aFileAboveTheLimitIsNotRead() async throws {
    let folder = try TestFolder()
    let file = try folder.write(ScriptedPicture(4, 4).file, "large")
    #expect(truncate(file, off_t(PictureFile.limit) + 1) == 0)
    #expect(await failure(Self.source([file]))?.code == .imageTooLarge)
  }

  @Test(.enabled(if: geteuid() != 0)) func aFileThatMayNotBeReadIsDenied() async throws {
    let folder = try TestFolder()
    let file = try folder.write(ScriptedPicture(4, 4).file, "secret")
    #expect(chmod(file, 0) == 0)
    #expect(await failure(Self.source([file]))?.code == .denied)
  }

  @Test func whatTheDecoderSaysIsTyped() async throws {
    let folder = try TestFolder()
    let file = try folder.write(ScriptedPicture(4, 4).file, "picture")
    let fault = DriverFault(.crashed, driver: "codec", message: "it crashed")
    let cases: [(ImageCodecError, FrameSourceError.Code)] = [
      (.damaged(nil), .damagedImage), (.unsupported, .unsupportedImage), (.tooLarge("x"), .imageTooLarge),
      (.fault(fault), .decoderFailed),
    ]
    for (failure, code) in cases {
      let source = ImageFileSource(files: [file], decoder: ScriptedDecoder(failure: failure))
      let error = await MeterOCRTests.failure(source)
      #expect(error?.code == code && error?.path == file && (error?.message.count ?? 0) > 20)
    }
  }

  @Test func behindCloseThereIsNothing() async throws {
    let folder = try TestFolder()
    let file = try folder.write(ScriptedPicture(4, 4).file, "picture")
    let source = Self.source([file, file])
    #expect(try await source.nextFrame() != nil)
    await source.close()
    #expect(try await source.nextFrame() == nil)
  }
}

@Suite struct PictureFolderTests {
  @Test func picturesAreFoundByContentAndSortedByName() async throws {
    let folder = try TestFolder()
    for name in ["b.jpg", "a.txt", "10", "9", "ä.png"] { try folder.write(ScriptedPicture(2, 2).file, name) }
    try folder.write([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], "picture.png")
    try folder.write(Array("no".utf8), "c.jpg")
    try folder.write([], "d.jpg")
    #expect(mkdir(folder.path("e.jpg"), 0o700) == 0 && mkfifo(folder.path("f.jpg"), 0o600) == 0)
    #expect(symlink(folder.path("9"), folder.path("g.jpg")) == 0)
    let source = ImageFileSource(directory: folder.root, decoder: ScriptedDecoder())
    let names = try await source.files().map { String($0.split(separator: "/").last ?? "") }
    #expect(names == ["10", "9", "a.txt", "b.jpg", "picture.png", "ä.png"])
    let read = await frames(source)
    #expect(read.frames.count == 5)
    #expect(read.errors.map(\.code) == [.unsupportedImage])
  }

  @Test func aFolderWithoutPicturesIsAnError() async throws {
    let folder = try TestFolder()
    try folder.write(Array("no".utf8), "c.jpg")
    let cases: [(String, FrameSourceError.Code)] = [
      (folder.root, .emptyDirectory), (folder.path("none"), .notFound), (folder.path("c.jpg"), .notFound),
    ]
    for (path, code) in cases {
      let error = await failure(ImageFileSource(directory: path, decoder: ScriptedDecoder()))
      #expect(error?.code == code && error?.path == path)
    }
  }

  /// Who goes on behind an error of one picture must come to an end.
  @Test(.timeLimit(.minutes(60))) func theErrorOfAFolderIsToldOnce() async throws {
    let folder = try TestFolder()
    try folder.write(Array("no".utf8), "c.jpg")
    for (path, code) in [(folder.path("none"), FrameSourceError.Code.notFound), (folder.root, .emptyDirectory)] {
      let source = ImageFileSource(directory: path, decoder: ScriptedDecoder())
      var codes: [FrameSourceError.Code] = []
      var isOver = false
      while !isOver, codes.count < 3 {
        do { isOver = try await source.nextFrame() == nil } catch { codes.append(error.code) }
      }
      #expect(isOver && codes == [code])
    }
  }
}
