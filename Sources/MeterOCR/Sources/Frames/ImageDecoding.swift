public import DriverContract
public import MeterDrivers

/// Turns files of pictures into pixels, outside this process: files are hostile.
public protocol ImageDecoding: Sendable {
  /// What the head of a file says.
  func measure(_ file: [UInt8]) async throws(ImageCodecError) -> ImageSize
  /// The picture; a larger one than `atLeast` may be divided (nil: it is not).
  func decode(
    _ file: [UInt8], format: DecodedImage.Format, atLeast: (width: Int, height: Int)?
  ) async throws(ImageCodecError) -> DecodedImage
}

extension ImageCodec: ImageDecoding {}

extension ImageDecoding {
  /// A file as a frame: divided until it is no larger than what is read, and upright.
  ///
  /// Who is cancelled waits for the picture all the same, which takes milliseconds: the decoder's worker would have to be
  /// killed otherwise, and others use it.
  func frame(
    _ file: [UInt8], _ options: FrameOptions, moment: UInt64, isStill: Bool, name: String?
  ) async throws(ImageCodecError) -> CapturedFrame {
    let result = await Task {
      do throws(ImageCodecError) {
        return Result<CapturedFrame, ImageCodecError>.success(
          try await decodedFrame(file, options, moment: moment, isStill: isStill, name: name))
      } catch { return .failure(error) }
    }.value
    return try result.get()
  }

  private func decodedFrame(
    _ file: [UInt8], _ options: FrameOptions, moment: UInt64, isStill: Bool, name: String?
  ) async throws(ImageCodecError) -> CapturedFrame {
    let head = try await measure(file)
    let divisor = FrameLimits.divisor(head.width, head.height)
    let grey = try await divided(file, head, divisor, .grey).upright()
    var frame = CapturedFrame(
      image: GreyImage(width: grey.width, height: grey.height, pixels: grey.pixels), moment: moment,
      isStill: isStill, name: name, divisor: divisor)
    if options.wantsPreview {
      frame.preview = head.format == .grey ? grey : try await divided(file, head, divisor, .rgb).upright()
    }
    return frame
  }

  private func divided(
    _ file: [UInt8], _ head: ImageSize, _ divisor: Int, _ format: DecodedImage.Format
  ) async throws(ImageCodecError) -> DecodedImage {
    let (width, height) = (FrameLimits.divided(head.width, divisor), FrameLimits.divided(head.height, divisor))
    let image = try await decode(file, format: format, atLeast: divisor == 1 ? nil : (width, height))
    // A decoder is asked for one picture and may not give another one.
    guard image.format == format, image.width == width, image.height == height,
      image.pixels.count == width * height * format.bytesPerPixel
    else { throw .damaged("the decoder gave another picture than it was asked for") }
    return image
  }
}

/// The size of frames.
enum FrameLimits {
  /// The longest side (`MH_OCR_SIDE_MAX`).
  static let side = 4096

  /// By how much a picture is divided.
  static func divisor(_ width: Int, _ height: Int) -> Int {
    var divisor = 1
    while divisor < 8, divided(max(width, height), divisor) > side { divisor *= 2 }
    return divisor
  }

  /// A side, with a last part.
  static func divided(_ side: Int, _ divisor: Int) -> Int { (side + divisor - 1) / divisor }
}

extension ImageCodecError {
  /// The error of the file at a path.
  func error(_ path: String) -> FrameSourceError {
    switch self {
    case .damaged(let words):
      FrameSourceError(
        .damagedImage, path: path, message: "the picture is damaged or not complete; copy or take it again",
        cause: words)
    case .unsupported:
      FrameSourceError(
        .unsupportedImage, path: path, message: "this is no picture that is read here; give a JPEG or PNG file")
    case .tooLarge(let words):
      FrameSourceError(
        .imageTooLarge, path: path, message: "the picture is above the limits; make it smaller", cause: words)
    case .invalid(let words):
      FrameSourceError(.decoderFailed, path: path, message: "the picture cannot be used", cause: words)
    case .fault(let fault):
      FrameSourceError(
        .decoderFailed, path: path, message: "the bundle that decodes pictures failed; see `meterhost doctor`",
        cause: "\(fault)")
    }
  }
}
