import DriverContract
import MeterDrivers
import MeterOCR

/// A picture as the tests write it: marks of a JPEG file around plain pixels. What is not exactly one is damaged.
struct ScriptedPicture: Equatable {
  var width = 4
  var height = 3
  var format = DecodedImage.Format.grey
  var orientation = 1
  var pixels: [UInt8]

  init(_ width: Int, _ height: Int, format: DecodedImage.Format = .grey, orientation: Int = 1, first: UInt8 = 0) {
    (self.width, self.height, self.format, self.orientation) = (width, height, format, orientation)
    // No FF: within a scan it would begin a mark.
    pixels = (0..<width * height * format.bytesPerPixel).map { UInt8((Int(first) + $0 * 7) % 250) }
  }

  var file: [UInt8] {
    let head = [UInt8(width >> 8), UInt8(width & 0xFF), UInt8(height >> 8), UInt8(height & 0xFF)]
    return [0xFF, 0xD8, 0xFF, 0xFE, 0, 8] + head + [UInt8(format.rawValue), UInt8(orientation)]
      + [0xFF, 0xDA, 0, 2] + pixels + [0xFF, 0xD9]
  }

  init(file: [UInt8]) throws(ImageCodecError) {
    guard file.starts(with: [0xFF, 0xD8, 0xFF]) else { throw .unsupported }
    guard file.count >= 18, let format = DecodedImage.Format(rawValue: UInt32(file[10])) else { throw .damaged("head") }
    let (width, height) = (Int(file[6]) << 8 | Int(file[7]), Int(file[8]) << 8 | Int(file[9]))
    // Before there is room for what a damaged head promises.
    guard width * height * format.bytesPerPixel == file.count - 18 else { throw .damaged(nil) }
    self.init(width, height, format: format, orientation: Int(file[11]))
    pixels = Array(file[16..<file.count - 2])
    guard self.file == file else { throw .damaged(nil) }
  }
}

/// Decodes the tests' own pictures, and notes what it was asked for.
struct ScriptedDecoder: ImageDecoding {
  var failure: ImageCodecError?
  /// More pixels than this are above its limits.
  var mostPixels = 1 << 24

  func measure(_ file: [UInt8]) async throws(ImageCodecError) -> ImageSize {
    if let failure { throw failure }
    let picture = try ScriptedPicture(file: file)
    guard picture.width * picture.height <= mostPixels else { throw .tooLarge("too many pixels") }
    return ImageSize(
      width: picture.width, height: picture.height, format: picture.format, orientation: picture.orientation)
  }

  func decode(
    _ file: [UInt8], format: DecodedImage.Format, atLeast: (width: Int, height: Int)?
  ) async throws(ImageCodecError) -> DecodedImage {
    let size = try await measure(file)
    let picture = try ScriptedPicture(file: file)
    var divisor = 8
    while divisor > 1, let atLeast,
      (size.width + divisor - 1) / divisor < atLeast.width || (size.height + divisor - 1) / divisor < atLeast.height
    { divisor /= 2 }
    if atLeast == nil { divisor = 1 }
    var pixels: [UInt8] = []
    let channels = picture.format.bytesPerPixel
    for y in stride(from: 0, to: size.height, by: divisor) {
      for x in stride(from: 0, to: size.width, by: divisor) {
        let pixel = Array(picture.pixels[((y * size.width) + x) * channels..<((y * size.width) + x + 1) * channels])
        if format == .grey {
          pixels.append(pixel[0])
        } else {
          pixels += channels == 3 ? pixel : [pixel[0], pixel[0], pixel[0]]
        }
      }
    }
    return DecodedImage(
      width: (size.width + divisor - 1) / divisor, height: (size.height + divisor - 1) / divisor, format: format,
      orientation: size.orientation, pixels: pixels)
  }
}
