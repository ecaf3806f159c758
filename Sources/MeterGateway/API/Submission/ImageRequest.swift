public import Foundation
public import MeterCore

/// Puts an image of a reading into the queue; it follows its reading to the receivers.
public struct ImageRequest: ControlRequest {
  /// Its name on the socket.
  public static let name = "image.submit"
  /// The reading.
  public var logID: LogID
  /// The image file's content.
  public var content: Data
  /// Deliver at once.
  public var delivers: Bool

  /// Submits an image.
  public init(_ logID: LogID, content: Data, delivers: Bool = true) {
    self.logID = logID
    self.content = content
    self.delivers = delivers
  }

  /// The image is on disk when it returns.
  ///
  /// - Returns: The image's deliveries; none when every receiver has it.
  /// - Throws: ``GatewayError`` with code `no_session`, `session_ended` when the receiver has refused the token, or that of a `RecordImage.Refusal`; `StoreError` with code
  ///   `not_found` for a reading
  ///   that is not known.
  public func perform(on owner: GatewayOwner) async throws -> [ImageItem] {
    let image = try RecordImage.taken(Array(content))
    let generation = try owner.submittingSession().generation
    try await Intake(owner.store).take(image, for: logID, of: generation)
    if delivers, let left = try await owner.deliver([logID], of: generation) { throw left.error("the image is") }
    return try owner.store.imageSnapshot(of: logID).filter { $0.checksum == image.checksum }.map(ImageItem.init)
  }
}

/// A page of the images that are not delivered.
public struct ImageListRequest: ControlRequest {
  /// Its name on the socket.
  public static let name = "image.list"
  /// Only images behind this position.
  public var after: Int64
  /// The most images.
  public var limit: Int

  /// Asks for a page.
  public init(after: Int64, limit: Int) {
    self.after = after
    self.limit = limit
  }

  /// Performs it.
  public func perform(on owner: GatewayOwner) throws -> [ImageItem] {
    try owner.store.imageSnapshot(after: after, limit: min(max(limit, 1), QueueListRequest.longest)).map(ImageItem.init)
  }
}

extension RecordImage {
  /// An image from outside.
  ///
  /// - Throws: ``GatewayError`` with the refusal's code.
  static func taken(_ bytes: [UInt8]) throws(GatewayError) -> RecordImage {
    do { return try RecordImage(bytes) } catch {
      throw GatewayError(.usage, code: "image_\(error.code.rawValue)", error.message, cause: error)
    }
  }
}
