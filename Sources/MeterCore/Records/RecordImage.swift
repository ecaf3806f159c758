public import HostErrors
internal import Crypto
import HostPrimitives

/// An image that belongs to a record, as it goes to receivers.
public struct RecordImage: Sendable, Hashable {
  /// The forms that receivers take.
  public enum ContentType: String, Sendable, Hashable, Codable, CaseIterable {
    /// JPEG (ISO/IEC 10918-1).
    case jpeg = "image/jpeg"
    /// PNG (W3C Recommendation, third edition).
    case png = "image/png"

    /// The end of a file's name.
    package var fileExtension: String { self == .jpeg ? "jpg" : "png" }

    /// What the first bytes say; nil for neither.
    init?(_ bytes: [UInt8]) {
      if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
        self = .jpeg
      } else if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
        self = .png
      } else {
        return nil
      }
    }
  }

  /// Why bytes cannot be a record's image.
  public struct Refusal: HostError, Hashable {
    /// Stable names of the reasons.
    public enum Code: String, Sendable, Hashable, CaseIterable {
      /// There are no bytes.
      case empty
      /// There are more bytes than ``RecordImage/byteLimit``.
      case tooLarge = "too_large"
      /// The first bytes are those of neither JPEG nor PNG.
      case notAnImage = "not_an_image"
      /// The bytes are of another form than was stated.
      case otherType = "other_type"
    }

    /// The reason.
    public let code: Code
    /// What is wrong and what to do.
    public let message: String
    /// It is the fault of what was given.
    public var kind: HostErrorKind { .usage }
  }

  /// Bytes of one image at most: what the receiver takes.
  package static let byteLimit = 8 << 20
  /// Images of one record at most.
  package static let countLimit = 16

  /// What the image is.
  public let contentType: ContentType
  /// The file's content.
  public let bytes: [UInt8]
  /// SHA-256 of the bytes in hexadecimal: the image's name beside its record's `log_id`.
  package let checksum: String

  /// An image from a file's content.
  ///
  /// - Parameter contentType: What the sender says that it is; nil leaves it to the first bytes.
  public init(_ bytes: [UInt8], contentType: ContentType? = nil) throws(Refusal) {
    guard !bytes.isEmpty else { throw Refusal(code: .empty, message: "the image is empty") }
    guard bytes.count <= Self.byteLimit else {
      throw Refusal(
        code: .tooLarge,
        message: "the image has \(bytes.count) bytes, and at most \(Self.byteLimit) are taken; make it smaller")
    }
    guard let found = ContentType(bytes) else {
      throw Refusal(code: .notAnImage, message: "the image is neither JPEG nor PNG by its first bytes; convert it")
    }
    guard contentType == nil || contentType == found else {
      throw Refusal(code: .otherType, message: "the image is \(found.rawValue), and something else was stated")
    }
    self.init(stored: bytes, found)
  }

  /// An image that was checked when it was taken.
  init(stored bytes: [UInt8], _ contentType: ContentType) {
    self.contentType = contentType
    self.bytes = bytes
    checksum = SHA256.hash(data: bytes).hexadecimal
  }
}
