public import Foundation
import MeterCore

/// Calls one of the session's receivers, in the process that owns the state folder.
public struct ReceiverCallRequest: ControlRequest {
  /// An outcome for each record, in their order.
  public typealias Answer = [ReceiverCallOutcome]

  /// Its name on the socket.
  public static let name = "api.call"
  /// What is to be done, and at which receiver.
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

extension ReceiverCallRequest {
  private enum CodingKeys: String, CodingKey { case documents, zone }

  /// Reads a request; what is left out has its default.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(try ReceiverCall(from: decoder), documents: try container.decode(.documents, else: []))
    zone = try container.decode(.zone, else: zone)
  }

  /// Writes the call and what belongs to it into one object.
  public func encode(to encoder: any Encoder) throws {
    try call.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(documents, forKey: .documents)
    try container.encode(zone, forKey: .zone)
  }
}
