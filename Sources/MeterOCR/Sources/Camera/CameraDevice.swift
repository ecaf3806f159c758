import CV4L
import Glibc

/// One open camera, in the order of its calls: open, set up, then pictures. It belongs to one thread.
final class CameraDevice {
  /// Buffers between the camera and this host.
  private static let bufferCount: UInt32 = 4

  let path: String
  private let camera: OpaquePointer
  private(set) var format = CameraFormat.grey
  private(set) var picture = mh_camera_format()

  /// Opens a camera and agrees with it on how pictures come.
  ///
  /// - Parameter formats: Those to ask for, best first.
  init(path: String, formats: [CameraFormat] = CameraNegotiation.order) throws(FrameSourceError) {
    if let reason = mh_v4l_load() {
      throw FrameSourceError(
        .noCameraLibrary, path: path,
        message: "cameras need libv4l2, which cannot be loaded; install the package libv4l-0",
        cause: String(cString: reason))
    }
    self.path = path
    var camera = try Self.open(path, converts: false)
    do {
      (format, picture) = try Self.negotiate(camera, path, formats)
    } catch {
      mh_camera_close(camera)
      guard error.code == .noUsableFormat else { throw error }
      // What the camera has must be converted.
      camera = try Self.open(path, converts: true)
      do { (format, picture) = try Self.negotiate(camera, path, formats) } catch {
        mh_camera_close(camera)
        throw error
      }
    }
    let started = mh_camera_start(camera, Self.bufferCount)
    guard started >= 0 else {
      mh_camera_close(camera)
      throw .camera(started, path, "let pictures come")
    }
    self.camera = camera
  }

  deinit { mh_camera_close(camera) }

  private static func open(_ path: String, converts: Bool) throws(FrameSourceError) -> OpaquePointer {
    var camera: OpaquePointer?
    let status = mh_camera_open(path, converts ? 1 : 0, &camera)
    guard status >= 0, let camera else { throw .camera(status, path, "be opened", isOpening: true) }
    return camera
  }

  private static func negotiate(
    _ camera: OpaquePointer, _ path: String, _ formats: [CameraFormat]
  ) throws(FrameSourceError) -> (CameraFormat, mh_camera_format) {
    for choice in CameraNegotiation.choices(offers(camera), in: formats) {
      for code in choice.format.codes {
        var picture = mh_camera_format()
        (picture.pixel_format, picture.width, picture.height) = (
          code, UInt32(choice.size.width), UInt32(choice.size.height)
        )
        let status = mh_camera_set_format(camera, &picture)
        if status == -EBUSY || status == -ENODEV { throw .camera(status, path, "take a format") }
        guard status >= 0, picture.pixel_format == code, picture.isUsable(choice.format) else { continue }
        return (choice.format, picture)
      }
    }
    throw FrameSourceError(
      .noUsableFormat, path: path,
      message: "the camera has no picture format that is read here (YUYV, GREY or MJPEG, \(FrameLimits.side) pixels a "
        + "side at most); use another camera")
  }

  private static func offers(_ camera: OpaquePointer) -> [CameraOffer] {
    var offers: [CameraOffer] = []
    // Cameras have a few formats with some tens of sizes each; one that never ends is not believed.
    for index in 0..<UInt32(64) {
      var code: UInt32 = 0
      guard mh_camera_format_at(camera, index, &code) == 0 else { break }
      guard let format = CameraFormat.allCases.first(where: { $0.codes.contains(code) }) else { continue }
      var offer = CameraOffer(format: format, sizes: [])
      for index in 0..<UInt32(256) {
        var sizes = mh_camera_sizes()
        guard mh_camera_sizes_at(camera, code, index, &sizes) == 0 else { break }
        if let usable = CameraOffer.Sizes(sizes) { offer.sizes.append(usable) }
      }
      offers.append(offer)
    }
    return offers
  }

  /// What came of waiting.
  enum Wait { case picture, nothing, woken }

  /// Waits for a picture.
  func wait(_ wake: Int32, milliseconds: Int32) throws(FrameSourceError) -> Wait {
    switch mh_camera_wait(camera, wake, milliseconds) {
    case 0: return .nothing
    case 1: return .picture
    case 2: return .woken
    case let status: throw .camera(status, path, "be waited for")
    }
  }

  /// Takes a picture that is there; nil for none, or one that the camera itself calls damaged.
  func take() throws(FrameSourceError) -> RawPicture? {
    var taken = mh_camera_picture()
    let status = mh_camera_take(camera, &taken)
    // The camera lost a picture, and may go on; one that says so all the time must not cost a whole processor.
    if status == -EIO { usleep(10_000) }
    if status == -EIO || status == 0 { return nil }
    guard status > 0 else { throw .camera(status, path, "give a picture") }
    let raw = RawPicture(
      format: format, width: Int(picture.width), height: Int(picture.height), row: Int(picture.row),
      bytes: Array(UnsafeBufferPointer(start: taken.bytes, count: Int(taken.count))),
      moment: taken.moment == 0 ? MonotonicClock.now : taken.moment)
    let given = mh_camera_give_back(camera, &taken)
    guard given >= 0 else { throw .camera(given, path, "take a buffer back") }
    return taken.is_damaged == 0 && raw.isWhole ? raw : nil
  }
}

extension CameraFormat {
  /// Its numbers for the kernel.
  fileprivate var codes: [UInt32] {
    switch self {
    case .yuyv: [mh_camera_yuyv()]
    case .grey: [mh_camera_grey()]
    case .mjpeg: [mh_camera_mjpeg(), mh_camera_jpeg()]
    case .yuv420: [mh_camera_yuv420()]
    }
  }
}

extension mh_camera_format {
  /// Whether the camera's answer makes sense and is within what is read.
  fileprivate func isUsable(_ format: CameraFormat) -> Bool {
    guard (1...FrameLimits.side).contains(Int(width)), (1...FrameLimits.side).contains(Int(height)) else {
      return false
    }
    return format == .mjpeg || Int(row) >= format.row(Int(width)) && row <= 1 << 16
  }
}

extension CameraOffer.Sizes {
  fileprivate init?(_ sizes: mh_camera_sizes) {
    let most = UInt32(FrameLimits.side)
    guard (1...most).contains(sizes.least_width), (1...most).contains(sizes.least_height),
      sizes.least_width <= sizes.most_width, sizes.least_height <= sizes.most_height
    else { return nil }
    self.init(
      width: Int(sizes.least_width)...Int(min(sizes.most_width, most)),
      height: Int(sizes.least_height)...Int(min(sizes.most_height, most)),
      step: (Int(min(sizes.step_width, most)), Int(min(sizes.step_height, most))))
  }
}

extension FrameSourceError {
  /// A call that a camera's driver refused.
  static func camera(
    _ status: Int32, _ path: String, _ action: String, isOpening: Bool = false
  ) -> FrameSourceError {
    let number = -status
    let cause = String(cString: strerror(number))
    func error(_ code: Code, _ message: String) -> FrameSourceError {
      FrameSourceError(code, path: path, message: message, cause: cause)
    }
    return switch number {
    case EACCES, EPERM:
      error(
        .cameraDenied,
        "this account may not use the camera; add it to the group video (sudo usermod -aG video NAME) and log in again")
    case ENOENT, ENOTDIR, ENXIO:
      error(
        .cameraNotFound,
        "there is no such camera; plug it in, or name another one (`meterhost snap cameras` lists them)")
    // A device file whose driver has gone.
    case ENODEV where isOpening: error(.cameraNotFound, "the camera was unplugged; plug it in and begin again")
    case ENODEV: error(.cameraGone, "the camera was unplugged; plug it in and begin again")
    case EBUSY:
      error(.cameraBusy, "another program uses the camera; end it (`fuser -v \(path)` names it) and begin again")
    case ENOTTY where isOpening, EINVAL where isOpening, EISDIR, ELOOP:
      error(.notACamera, "this is no camera; name one (`meterhost snap cameras` lists them)")
    default: error(.cameraFailed, "the camera cannot \(action); unplug it, plug it in and begin again")
    }
  }
}
