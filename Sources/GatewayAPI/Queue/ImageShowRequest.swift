public import Foundation
public import MeterCore

/// The pictures of a reading that are kept here: of a display, what the camera saw.
public struct ImageShowRequest: ControlRequest {
  /// A picture.
  public struct Picture: Codable, Sendable, Hashable {
    /// SHA-256 of its bytes in hexadecimal.
    public var image: String
    /// `image/jpeg` or `image/png`.
    public var contentType: String
    /// Its bytes.
    public var content: Data

    enum CodingKeys: String, CodingKey {
      case image, content
      case contentType = "content_type"
    }

    package init(image: String, contentType: String, content: Data) {
      (self.image, self.contentType, self.content) = (image, contentType, content)
    }
  }

  /// The pictures, oldest first, four at most; none after delivery.
  public typealias Answer = [Picture]

  /// Its name on the socket.
  public static let name = "image.show"
  /// It changes nothing.
  public static let onlyLooks = true
  /// Which reading, by the name that the queue shows.
  public var reading: QueueName

  /// Asks for a reading's pictures.
  public init(_ reading: QueueName) { self.reading = reading }
}
