import Glibc
import MeterDrivers
import TestSupport
import Testing

@testable import MeterOCR

/// Writes AVI files: RIFF, a head with one video stream, pictures, and an index.
struct WrittenAVI {
  var pictures: [[UInt8]]
  var microseconds: UInt32 = 40_000
  var stream = "00dc"
  var isUnended = false

  static func chunk(_ name: String, _ body: [UInt8], length: UInt32? = nil) -> [UInt8] {
    Array(name.utf8) + word(length ?? UInt32(body.count)) + body + (body.count % 2 == 1 ? [0] : [])
  }

  static func word(_ number: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }

  var file: [UInt8] {
    let head = Self.chunk(
      "LIST",
      Array("hdrl".utf8) + Self.chunk("avih", Self.word(microseconds) + Array(repeating: 0, count: 52))
        + Self.chunk(
          "LIST", Array("strl".utf8) + Self.chunk("strh", Array("vidsMJPG".utf8) + Array(repeating: 0, count: 48))))
    let movie = Array("movi".utf8) + pictures.flatMap { Self.chunk("01wb", [1, 2, 3]) + Self.chunk(stream, $0) }
    let body =
      Array("AVI ".utf8) + head + Self.chunk("LIST", movie, length: isUnended ? 0 : nil)
      + (isUnended ? [] : Self.chunk("idx1", Array(repeating: 7, count: 64)))
    return Self.chunk("RIFF", body, length: isUnended ? 0 : nil)
  }
}

@Suite struct FilmTests {
  static let pictures = (0..<3).map { ScriptedPicture(4, 3, first: UInt8(40 * $0)) }

  static func read(_ bytes: [UInt8]) async throws -> (pixels: [[UInt8]], errors: [FrameSourceError], skipped: Int) {
    let folder = try TestFolder()
    let source = FilmSource(file: try folder.write(bytes, "film"), decoder: ScriptedDecoder())
    let read = await frames(source)
    #expect(try await source.nextFrame() == nil)
    return (read.frames.map(\.image.pixels), read.errors, await source.skipped)
  }

  @Test func picturesComeAThirtiethOfASecondApart() async throws {
    let folder = try TestFolder()
    let file = try folder.write(Self.pictures.flatMap(\.file), "film")
    let read = await frames(
      FilmSource(file: file, decoder: ScriptedDecoder(), options: FrameOptions(wantsPreview: true)))
    #expect(read.errors.isEmpty && read.frames.map(\.image.pixels) == Self.pictures.map(\.pixels))
    #expect(read.frames.map(\.moment) == [0, 33_333_333, 66_666_666])
    #expect(read.frames.allSatisfy { !$0.isStill && $0.name == file && $0.preview != nil })
  }

  @Test func picturesInsideOfPicturesAreNotPictures() async throws {
    // A block with a small picture of its own, as cameras write it.
    let thumbnail = ScriptedPicture(1, 1).file
    let block = [0xFF, 0xE1, 0, UInt8(thumbnail.count + 2)] + thumbnail
    let whole = Self.pictures[0].file
    let film = Array(whole.prefix(2)) + block + whole.dropFirst(2) + Self.pictures[1].file
    let folder = try TestFolder()
    let path = try folder.write(film, "film")
    let (reader, file) = (try FilmFile(path: path), film)
    var stream = JPEGStream()
    #expect(try stream.next(reader) == .picture(Array(file.prefix(whole.count + block.count))))
    #expect(try stream.next(reader) == .picture(Self.pictures[1].file))
    #expect(try stream.next(reader) == nil)
  }

  @Test func aFilmMayBeCutAnywhere() async throws {
    let film = Self.pictures.flatMap(\.file)
    let each = film.count / 3
    for end in 0..<film.count {
      let read = try await Self.read(Array(film.prefix(end)))
      #expect(read.pixels == Self.pictures.prefix(end / each).map(\.pixels), "cut at \(end)")
      #expect(read.errors.map(\.code) == (end < each ? [.damagedFilm] : []))
      #expect(read.skipped == (end % each >= 3 ? 1 : 0))
    }
  }

  @Test func aHoleInAFilmCostsOnePicture() async throws {
    let files = Self.pictures.map(\.file)
    for hole in 1..<files[1].count - 1 {
      let read = try await Self.read(files[0] + files[1].prefix(hole) + files[2])
      // A hole in the head may take marks of the picture behind it for its own; the two are then one damaged picture.
      let isOne = hole < 16 && read.pixels.count == 1
      let expected = isOne ? [Self.pictures[0].pixels] : [Self.pictures[0].pixels, Self.pictures[2].pixels]
      #expect(read.pixels == expected && read.skipped <= 1, "\(hole)")
    }
  }

  @Test func whatStandsBetweenPicturesIsPassedOver() async throws {
    let before: [UInt8] = Array("--boundary\r\n".utf8) + [0xFF, 0x00, 0xFF]
    let film = Self.pictures.flatMap { picture -> [UInt8] in before + picture.file + [0, 0, 0xFF] }
    #expect(try await Self.read(film).pixels == Self.pictures.map(\.pixels))
  }

  @Test func aFilmLongerThanAWindowIsReadPieceByPiece() async throws {
    let pictures = (0..<40).map { ScriptedPicture(200, 100, first: UInt8($0)) }
    #expect(try await Self.read(pictures.flatMap(\.file)).pixels == pictures.map(\.pixels))
  }

  @Test(arguments: [[], [0xFF], Array("RIFF\u{4}\0\0\0AVI ".utf8), Array(repeating: 0xFF, count: 5000)] as [[UInt8]])
  func aFilmWithoutPicturesIsDamaged(_ bytes: [UInt8]) async throws {
    let read = try await Self.read(bytes)
    #expect(read.pixels.isEmpty && read.errors.map(\.code) == [.damagedFilm])
  }

  /// Each beginning goes over all that is behind it: without a limit, this takes hours.
  @Test(.timeLimit(.minutes(60))) func beginningsWithoutEndAreDamaged() async throws {
    let film = (0..<175_000).flatMap { _ in [0xFF, 0xD8, 0xFF, 0xFE, 0x00, 0x04] as [UInt8] }
    let read = try await Self.read(film)
    #expect(read.pixels.isEmpty && read.errors.map(\.code) == [.damagedFilm])
    // Each of them goes over one megabyte, and four are the most.
    #expect((1...5).contains(read.skipped))
  }

  @Test func manyDamagedPicturesAreTheEnd() async throws {
    let damaged: [UInt8] = [0xFF, 0xD8, 0xFF, 0x00]
    for (count, isEnd) in [(FilmSource.mostDamaged - 1, false), (FilmSource.mostDamaged, true)] {
      let row = (0..<count).flatMap { _ in damaged }
      let read = try await Self.read(Self.pictures[0].file + row + Self.pictures[1].file + row)
      #expect(read.pixels == Self.pictures.prefix(isEnd ? 1 : 2).map(\.pixels))
      #expect(read.errors.map(\.code) == (isEnd ? [.damagedFilm] : []))
      #expect(read.skipped == (isEnd ? count : 2 * count))
    }
  }

  /// A damaged picture and then nothing, for longer than anybody waits.
  @Test(.timeLimit(.minutes(60)), arguments: [false, true])
  func aFilmThatIsLookedThroughCanBeClosed(_ isCancelled: Bool) async throws {
    let folder = try TestFolder()
    let file = try folder.write([0xFF, 0xD8, 0xFF, 0x00], "film")
    #expect(truncate(file, 1 << 40) == 0)
    let source = FilmSource(file: file, decoder: ScriptedDecoder())
    let reading = Task { try await source.nextFrame() }
    while await source.skipped == 0 { await Task.yield() }
    if isCancelled { reading.cancel() } else { await source.close() }
    #expect(try await reading.value == nil)
    await source.close()
    #expect(try await source.nextFrame() == nil)
  }

  @Test func whatIsNoFileIsNoFilm() async throws {
    let folder = try TestFolder()
    #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
    let cases: [(String, FrameSourceError.Code)] = [
      (folder.path("none"), .notFound), (folder.path("pipe"), .notARegularFile), (folder.root, .notARegularFile),
    ]
    for (path, code) in cases {
      #expect(await failure(FilmSource(file: path, decoder: ScriptedDecoder()))?.code == code)
    }
  }

  @Test func aDecoderThatFailsEndsTheFilm() async throws {
    let folder = try TestFolder()
    let file = try folder.write(Self.pictures.flatMap(\.file), "film")
    let fault = DriverFault(.crashed, driver: "codec", message: "it crashed")
    let source = FilmSource(file: file, decoder: ScriptedDecoder(failure: .fault(fault)))
    #expect(await failure(source)?.code == .decoderFailed)
    #expect(try await source.nextFrame() == nil)
  }

  @Test(arguments: 0..<40 as Range<UInt64>) func anyDamageEnds(_ seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    for film in [Self.pictures.flatMap(\.file), WrittenAVI(pictures: Self.pictures.map(\.file)).file] {
      for _ in 0..<10 {
        var film = film
        for _ in 0..<Int.random(in: 1...8, using: &generator) {
          film[Int.random(in: 0..<film.count, using: &generator)] = .random(in: 0...255, using: &generator)
        }
        let read = try await Self.read(film)
        #expect(read.pixels.count <= 3 && (read.pixels.isEmpty ? read.errors.count == 1 : read.errors.isEmpty))
      }
    }
  }
}

@Suite struct AVITests {
  static let files = FilmTests.pictures.map(\.file)

  @Test(arguments: [("00dc", false), ("00db", false), ("00dc", true)])
  func picturesComeAsOftenAsTheFilmSays(_ stream: String, _ isUnended: Bool) async throws {
    let folder = try TestFolder()
    let avi = WrittenAVI(pictures: Self.files, stream: stream, isUnended: isUnended)
    let read = await frames(FilmSource(file: try folder.write(avi.file, "film"), decoder: ScriptedDecoder()))
    #expect(read.errors.isEmpty && read.frames.map(\.image.pixels) == FilmTests.pictures.map(\.pixels))
    #expect(read.frames.map(\.moment) == [0, 40_000_000, 80_000_000])
  }

  @Test func aFilmMayBeCutAnywhere() async throws {
    let whole = WrittenAVI(pictures: Self.files).file
    var last = 0
    for end in 12..<whole.count {
      let read = try await FilmTests.read(Array(whole.prefix(end)))
      #expect(read.pixels == FilmTests.pictures.prefix(read.pixels.count).map(\.pixels), "cut at \(end)")
      #expect(read.pixels.count >= last && read.errors.count == (read.pixels.isEmpty ? 1 : 0))
      last = read.pixels.count
    }
    #expect(last == 3)
  }

  @Test func momentsWithoutAPictureKeepTheTime() async throws {
    let folder = try TestFolder()
    let avi = WrittenAVI(pictures: [Self.files[0], [], Self.files[1]])
    let source = FilmSource(file: try folder.write(avi.file, "film"), decoder: ScriptedDecoder())
    #expect(await frames(source).frames.map(\.moment) == [0, 80_000_000])
    #expect(await source.skipped == 0)
  }

  @Test(arguments: [0, 1, 4, 0x7FFF_FFFF, 0xFFFF_FFFF] as [UInt32])
  func anyLengthAnywhereEnds(_ length: UInt32) async throws {
    let whole = WrittenAVI(pictures: Self.files).file
    for at in stride(from: 4, to: whole.count - 4, by: 4) {
      var film = whole
      film.replaceSubrange(at..<at + 4, with: WrittenAVI.word(length))
      let read = try await FilmTests.read(film)
      #expect(read.pixels.count <= 3)
    }
  }

  @Test(arguments: [0, 3999, 10_000_001, 0xFFFF_FFFF] as [UInt32])
  func aRateThatCannotBeIsAThirtieth(_ microseconds: UInt32) async throws {
    let folder = try TestFolder()
    let avi = WrittenAVI(pictures: Self.files, microseconds: microseconds)
    let read = await frames(FilmSource(file: try folder.write(avi.file, "film"), decoder: ScriptedDecoder()))
    #expect(read.frames.map(\.moment) == [0, 33_333_333, 66_666_666])
  }

  @Test func chunksWithoutEndAreAnError() async throws {
    let empty = WrittenAVI.chunk("junk", [])
    let body = Array("AVI ".utf8) + (0..<120_000).flatMap { _ in empty }
    let read = try await FilmTests.read(WrittenAVI.chunk("RIFF", body))
    #expect(read.errors.map(\.code) == [.damagedFilm])
  }
}
