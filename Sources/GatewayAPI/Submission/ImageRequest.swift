public import Foundation
public import MeterCore

/// Puts an image of a reading into the queue; it follows its reading to the receivers.
public struct ImageRequest: ControlRequest {
  /// The image's deliveries; none when every receiver has it.
  public typealias Answer = [ImageItem]

  /// Its name on the socket.
  public static let name = "image.submit"
  /// The log_id of the reading that it belongs to.
  public var logID: LogID
  /// The bytes of the image file, JPEG or PNG.
  public var content: Data
  /// Whether delivery is tried before the answer; else the image is left to the queue, which a service empties.
  public var delivers: Bool

  /// Submits an image.
  public init(_ logID: LogID, content: Data, delivers: Bool = true) {
    self.logID = logID
    self.content = content
    self.delivers = delivers
  }
}

extension ImageRequest {
  enum CodingKeys: String, CodingKey {
    case content, delivers
    case logID = "log_id"
  }

  /// Reads a request; what is left out has its default.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      try container.decode(LogID.self, forKey: .logID), content: try container.decode(Data.self, forKey: .content),
      delivers: try container.decode(.delivers, else: true))
  }
}
