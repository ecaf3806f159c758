public import Foundation
import MeterCore

/// Calls one of the session's receivers, in the process that owns the state folder.
public struct ReceiverCallRequest: ControlRequest {
  /// An outcome for each record, in their order.
  public typealias Answer = [ReceiverCallOutcome]

  /// Its name on the socket.
  public static let name = "api.call"
  /// The call.
  public var call: ReceiverCall
  /// Record documents with the names that messages call them by.
  public var documents: [SubmitRequest.Document]
  /// The zone of times that are written without one, where the session has none.
  public var zone: String

  /// A call with the records of documents.
  public init(_ call: ReceiverCall, documents: [SubmitRequest.Document] = [], zone: TimeZone? = nil) {
    self.call = call
    self.documents = documents
    self.zone = zone?.identifier ?? GatewayZone.name
  }
}
