package import GatewayAPI
import Foundation
import MeterCore

extension ImageRequest: HandledRequest {
  /// The image is on disk when it returns.
  ///
  /// - Returns: The image's deliveries; none when every receiver has it.
  /// - Throws: ``GatewayError`` with code `no_session`, `session_ended` when the receiver has refused the token, or that of a `RecordImage.Refusal`; `StoreError` with code
  ///   `not_found` for a reading
  ///   that is not known.
  package func perform(on owner: GatewayOwner) async throws -> [ImageItem] {
    let image = try RecordImage.taken(Array(content))
    let generation = try owner.submittingSession().generation
    try await Intake(owner.store).take(image, for: logID, of: generation)
    if delivers, let left = try await owner.deliver([logID], of: generation) { throw left.error("the image is") }
    return try owner.store.imageSnapshot(of: logID).filter { $0.checksum == image.checksum }.map(ImageItem.init)
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
