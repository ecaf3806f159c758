import HostPrimitives
import DriverContract
import CMeterDriver

/// The head of a picture as a driver gave it, unchecked.
package struct RawPicture: Sendable, Hashable {
  var status: Int32
  var width: UInt32 = 0
  var height: UInt32 = 0
  var format: UInt32 = 0
  var orientation: UInt32 = 0
  /// What the driver logged about it.
  var words: String = ""
}

/// What a decoder is asked for.
package struct ImageRequest: Sendable, Hashable {
  var format: DecodedImage.Format
  /// The least that is enough; 0: all of it.
  var width: UInt32
  var height: UInt32
}

/// Believes nothing of what a driver says of a picture. The same check for workers and for this process.
struct ImageCheck {
  let driver: String

  static func checkFile(_ count: Int) throws(ImageCodecError) {
    guard count <= Int(MH_IMAGE_FILE_MAX) else {
      throw .tooLarge("the file has \(count) bytes; at most \(MH_IMAGE_FILE_MAX) are read")
    }
  }

  func size(_ raw: RawPicture) throws(ImageCodecError) -> ImageSize {
    try expectDone(raw)
    guard let format = DecodedImage.Format(rawValue: raw.format), (1...8).contains(raw.orientation), raw.width > 0,
      raw.height > 0
    else { throw fault("the picture has no size, or an unknown format or orientation") }
    let side = UInt32(MH_IMAGE_SIDE_MAX)
    guard raw.width <= side, raw.height <= side, UInt64(raw.width) * UInt64(raw.height) <= UInt64(MH_IMAGE_PIXELS_MAX)
    else {
      throw .tooLarge("the picture has \(raw.width) x \(raw.height) pixels; at most \(MH_IMAGE_PIXELS_MAX) are read")
    }
    return ImageSize(
      width: Int(raw.width), height: Int(raw.height), format: format, orientation: Int(raw.orientation))
  }

  /// - Parameter count: The bytes of the pixels.
  func decoded(_ raw: RawPicture, count: Int, for request: ImageRequest) throws(ImageCodecError) -> ImageSize {
    let size = try size(raw)
    guard size.format == request.format, count == size.width * size.height * size.format.bytesPerPixel else {
      throw fault("the decoder gave another format, or other bytes than its picture has")
    }
    return size
  }

  func encoded(_ raw: RawPicture, _ file: [UInt8]) throws(ImageCodecError) -> [UInt8] {
    try expectDone(raw)
    guard file.count <= Int(MH_IMAGE_FILE_MAX), file.starts(with: [0xff, 0xd8]) else {
      throw fault("the encoder gave no JPEG")
    }
    return file
  }

  func expectDone(_ raw: RawPicture) throws(ImageCodecError) {
    switch raw.status {
    case MH_OK: return
    case MH_E_PROTOCOL: throw .damaged(raw.words.isEmpty ? nil : raw.words.oneLine(atMost: 256))
    case MH_E_UNSUPPORTED: throw .unsupported
    case MH_E_DENIED: throw .tooLarge("the picture is above the limits of what is read")
    case MH_E_FULL: throw .tooLarge("the picture does not fit its room")
    case MH_E_MEMORY: throw .tooLarge("there is no memory for the picture")
    default: throw fault("it returned \(statusName(raw.status)), which it may not")
    }
  }

  func fault(_ what: String) -> ImageCodecError {
    .fault(
      DriverFault(
        .brokeRule, driver: driver, rule: "R17", message: "\(what); the driver must be repaired by its author"))
  }
}
