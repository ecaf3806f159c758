import CMeterDriver
import HostErrors

/// A picture out of a file, or on its way into one: rows without padding from the top.
public struct DecodedImage: Sendable, Hashable {
  /// How a pixel is written; the raw value is its bytes.
  public enum Format: UInt32, Sendable, Hashable, CaseIterable {
    /// One byte, 0 black.
    case grey = 1
    /// Red, green, blue.
    case rgb = 3

    /// 1 for grey, 3 for colour.
    public var bytesPerPixel: Int { Int(rawValue) }
  }

  /// Columns, as the file has them.
  public var width: Int
  /// Rows, as the file has them.
  public var height: Int
  /// How a pixel is written.
  public var format: Format
  /// How to turn the pixels so that they stand upright (Exif 2.32, tag 0112): 1 to 8, 1 as they are.
  public var orientation: Int
  /// `width * height` pixels.
  public var pixels: [UInt8]

  /// A picture. One whose bytes are not as many as its size says is refused where it is used.
  public init(width: Int, height: Int, format: Format, orientation: Int = 1, pixels: [UInt8]) {
    self.width = width
    self.height = height
    self.format = format
    self.orientation = orientation
    self.pixels = pixels
  }

  /// The most bytes of a picture that is encoded: a frame of the largest size in colour.
  package static let mostEncoded = 3 * Int(MH_OCR_SIDE_MAX) * Int(MH_OCR_SIDE_MAX)

  /// The most bytes of a picture's file.
  package static let mostFile = Int(MH_IMAGE_FILE_MAX)

  /// Why this picture cannot be encoded; nil when it can.
  package var problem: String? {
    let sides = 1...Int(MH_IMAGE_SIDE_MAX)
    guard sides.contains(width), sides.contains(height), width * height * format.bytesPerPixel <= Self.mostEncoded
    else {
      return "a picture of \(width) x \(height) pixels is not encoded"
    }
    guard pixels.count == width * height * format.bytesPerPixel else { return "the picture's bytes are not its pixels" }
    return (1...8).contains(orientation) ? nil : "the orientation \(orientation) is none of Exif"
  }
}

/// What the head of a picture's file says.
public struct ImageSize: Sendable, Hashable {
  /// Columns, as the file has them.
  public let width: Int
  /// Rows, as the file has them.
  public let height: Int
  /// The format that loses nothing.
  public let format: DecodedImage.Format
  /// As in ``DecodedImage/orientation``.
  public let orientation: Int

  /// A size.
  public init(width: Int, height: Int, format: DecodedImage.Format, orientation: Int) {
    self.width = width
    self.height = height
    self.format = format
    self.orientation = orientation
  }
}

/// Why there is no picture.
public enum ImageCodecError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The file is damaged or ends early; the words say where, if the decoder does.
  case damaged(String?)
  /// A kind of file that the decoder does not know.
  case unsupported
  /// The file, a side or the number of pixels is above the limits; the words say which.
  case tooLarge(String)
  /// What was to be encoded contradicts itself.
  case invalid(String)
  /// The driver, or its worker, failed.
  case fault(DriverFault)

  /// One line for people.
  public var description: String {
    switch self {
    case .damaged(let words):
      "the picture is damaged or ends early\(words.inBrackets); take or copy it again"
    case .unsupported: "the file is no picture of a known kind; use JPEG or PNG"
    case .tooLarge(let words): "\(words); make the picture smaller"
    case .invalid(let words): words
    case .fault(let fault): fault.description
    }
  }
}
