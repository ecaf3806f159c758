package import GatewayAPI
import Foundation
import MeterCore

extension ReceiverCallRequest: HandledRequest {
  /// Performs it.
  ///
  /// - Throws: as ``ReceiverCall/perform(_:store:)``, and ``GatewayError`` naming document, line and member.
  package func perform(on owner: GatewayOwner) async throws -> [ReceiverCallOutcome] {
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
