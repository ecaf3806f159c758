public import Foundation
import MeterCore

/// Calls one of the session's receivers, in the process that owns the state folder.
public struct ReceiverCallRequest: ControlRequest {
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

  /// Performs it.
  ///
  /// - Throws: as ``ReceiverCall/perform(_:store:)``, and ``GatewayError`` naming document, line and member.
  public func perform(on owner: GatewayOwner) async throws -> [ReceiverCallOutcome] {
    let person = try owner.personZone(else: zone)
    var entries: [RecordDocument.Entry] = []
    for document in documents {
      let read = try RecordDocument(
        Array(document.text.utf8), name: document.name, zone: person.zone, source: person.source)
      try read.checkTimes()
      entries += read.entries
    }
    return try await call.perform(entries, store: owner.store)
  }
}
