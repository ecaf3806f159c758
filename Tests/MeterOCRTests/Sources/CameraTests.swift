import Glibc
import Testing

@testable import MeterOCR

@Suite struct CameraTests {
  static func source(_ device: String?) -> CameraSource { CameraSource(device: device, decoder: ScriptedDecoder()) }

  @Test(.timeLimit(.minutes(60))) func whatIsNoCameraIsSaidToBeNone() async throws {
    let folder = try TestFolder()
    let file = try folder.write([1, 2, 3], "video0")
    #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
    let cases: [(String, FrameSourceError.Code)] = [
      (folder.path("none"), .cameraNotFound), (file, .notACamera), (folder.root, .notACamera),
      (folder.path("pipe"), .notACamera), ("/dev/null", .notACamera), ("/dev/tty-none", .cameraNotFound),
      (file + "/below", .cameraNotFound),
    ]
    for (device, code) in cases {
      let source = Self.source(device)
      let error = await failure(source)
      #expect(error?.code == code && error?.path == device, "\(device): \(error.map { "\($0)" } ?? "nothing")")
      // The same again, and nothing to wait for.
      #expect(await failure(source)?.code == code)
      await source.close()
    }
  }

  @Test(.enabled(if: geteuid() != 0)) func aDeviceOfOthersIsDenied() async throws {
    let folder = try TestFolder()
    let file = try folder.write([1], "video0")
    #expect(chmod(file, 0) == 0)
    #expect(await failure(Self.source(file))?.code == .cameraDenied)
  }

  @Test func closeEndsWhatNobodyHasBegun() async throws {
    let source = Self.source("/dev/null")
    await source.close()
    await source.close()
    #expect(try await source.nextFrame() == nil)
  }

  @Test func aCancelledTaskGetsNothing() async throws {
    let source = Self.source("/dev/null")
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await source.nextFrame()
    }
    #expect(try await task.value == nil)
  }

  @Test(
    arguments: [
      (.seconds(5), 5_000_000_000), (.zero, 1_000_000), (.seconds(-5), 1_000_000),
      (.seconds(Int64.max), 3_600_000_000_000), (.seconds(Int64.min), 1_000_000),
    ] as [(Duration, UInt64)])
  func anySilenceIsWaitedFor(_ silence: Duration, _ nanoseconds: UInt64) {
    #expect(CameraStream.patience(silence) == nanoseconds)
  }

  @Test(
    arguments: [
      (EACCES, .cameraDenied), (EPERM, .cameraDenied), (ENOENT, .cameraNotFound), (ENXIO, .cameraNotFound),
      (EBUSY, .cameraBusy), (ENODEV, .cameraGone), (EIO, .cameraFailed), (ENOMEM, .cameraFailed),
      (EINVAL, .cameraFailed),
    ] as [(Int32, FrameSourceError.Code)])
  func everyRefusalHasItsCode(_ number: Int32, _ code: FrameSourceError.Code) {
    let error = FrameSourceError.camera(-number, "/dev/video0", "give a picture")
    #expect(error.code == code && error.message.contains("; ") && error.cause != nil)
    #expect(!error.concernsOneImage)
  }

  @Test func theCureOfADeniedCameraIsTheGroup() {
    let error = FrameSourceError.camera(-EACCES, "/dev/video0", "be opened", isOpening: true)
    #expect(error.message.contains("usermod -aG video"))
    #expect(FrameSourceError.camera(-ENODEV, "/dev/video0", "be opened", isOpening: true).code == .cameraNotFound)
    #expect(FrameSourceError.camera(-EINVAL, "/dev/video0", "be opened", isOpening: true).code == .notACamera)
  }

  @Test func onlyCamerasAreListed() throws {
    let folder = try TestFolder()
    for name in ["video0", "video1", "videos", "video-1", "radio0"] { try folder.write([1], name) }
    #expect(symlink("/dev/null", folder.path("video2")) == 0)
    #expect(mkfifo(folder.path("video3"), 0o600) == 0)
    #expect(CameraList.cameras(in: folder.root).isEmpty)
    #expect(CameraList.cameras(in: folder.path("none")).isEmpty)
    #expect(throws: FrameSourceError.self) { try CameraList.first(in: folder.root) }
    do { _ = try CameraList.first(in: folder.root) } catch { #expect(error.code == .cameraNotFound) }
  }

  @Test func aCameraThatCannotBeAskedIsListedWithItsReason() {
    let denied = CameraDescription(device: "/dev/video1", name: nil)
    #expect(CameraList.listed("/dev/video1", .success(denied)) == denied && denied.isDenied && !denied.isBusy)
    let busy = CameraList.listed("/dev/video2", .failure(.init(status: -EBUSY)))
    #expect(busy?.isBusy == true && busy?.isDenied == false && busy?.name == nil)
    #expect(CameraList.listed("/dev/video3", .failure(.init(status: 0))) == nil)
    #expect(CameraList.listed("/dev/video4", .failure(.init(status: -ENOTTY))) == nil)
  }

  /// What can be done about a camera, and never the list of meters.
  @Test(arguments: [
    (ENOENT, "meterhost snap cameras"), (ENOTTY, "meterhost snap cameras"), (EISDIR, "meterhost snap cameras"),
    (EACCES, "usermod -aG video"), (EBUSY, "fuser -v /dev/video9"), (ENODEV, "plug it in"), (EIO, "plug it in"),
  ])
  func everyRefusalHasItsCure(_ number: Int32, _ cure: String) {
    let error = FrameSourceError.camera(-number, "/dev/video9", "be opened", isOpening: true)
    #expect(error.message.contains(cure) && !error.message.contains("snap list"), "\(error.message)")
  }

  @Test func aBusyCameraIsNotAnAbsentOne() throws {
    typealias Answer = Result<CameraDescription, CameraList.NoCamera>
    let (busy, none) = (Answer.failure(.init(status: -EBUSY)), Answer.failure(.init(status: -ENOTTY)))
    let (denied, usable) = (
      Answer.success(CameraDescription(device: "/dev/video2", name: nil)),
      Answer.success(CameraDescription(device: "/dev/video3", name: "camera"))
    )
    let cases: [([Answer], FrameSourceError.Code?)] = [
      ([none, busy, none], .cameraBusy), ([denied, busy], .cameraBusy), ([none, denied], .cameraDenied),
      ([none], .cameraNotFound), ([], .cameraNotFound), ([busy, denied, usable], nil),
    ]
    for (answers, code) in cases {
      let devices = answers.enumerated().map { (device: "/dev/video\($0)", answer: $1) }
      var (found, failure): (String?, FrameSourceError.Code?) = (nil, nil)
      do { found = try CameraList.first(devices, in: "/dev") } catch { failure = error.code }
      #expect(failure == code && found == (code == nil ? "/dev/video3" : nil))
    }
  }
}

@Suite struct CameraNegotiationTests {
  static func one(_ width: Int, _ height: Int) -> CameraOffer.Sizes {
    CameraOffer.Sizes(width: width...width, height: height...height, step: (1, 1))
  }

  @Test func formatsThatNeedNoDecodingComeFirst() {
    let offers = [CameraFormat.mjpeg, .yuv420, .grey, .yuyv].map { CameraOffer(format: $0, sizes: []) }
    #expect(CameraNegotiation.choices(offers).map(\.format) == [.yuyv, .grey, .mjpeg, .yuv420])
    #expect(CameraNegotiation.choices(Array(offers.prefix(1))).map(\.format) == [.mjpeg])
    #expect(CameraNegotiation.choices([]).isEmpty)
  }

  @Test func theNearestSizeIsTaken() {
    let nearest = CameraNegotiation.nearest
    #expect(nearest([]) == CameraSize(width: 640, height: 480))
    #expect(
      nearest([Self.one(1280, 720), Self.one(640, 480), Self.one(320, 240)]) == CameraSize(width: 640, height: 480))
    #expect(nearest([Self.one(1280, 720), Self.one(160, 120)]) == CameraSize(width: 1280, height: 720))
    #expect(nearest([Self.one(640, 360), Self.one(1920, 1080)]) == CameraSize(width: 640, height: 360))
    // As far away: the larger shows more.
    #expect(nearest([Self.one(600, 480), Self.one(680, 480)]) == CameraSize(width: 680, height: 480))
  }

  @Test(arguments: [
    (16...4096, 16...4096, (16, 16), (640, 480)), (48...320, 32...240, (1, 1), (320, 240)),
    (800...1600, 600...1200, (8, 8), (800, 600)), (10...1000, 10...1000, (100, 100), (610, 510)),
    (10...1000, 10...1000, (0, 0), (640, 480)), (10...650, 10...500, (400, 400), (410, 410)),
  ])
  func sizesInStepsAreMet(
    _ width: ClosedRange<Int>, _ height: ClosedRange<Int>, _ step: (Int, Int), _ expected: (Int, Int)
  ) {
    let sizes = CameraOffer.Sizes(width: width, height: height, step: (step.0, step.1))
    let size = CameraNegotiation.nearest([sizes])
    #expect((size.width, size.height) == expected)
    #expect(width.contains(size.width) && height.contains(size.height))
  }
}
