package import GatewayAPI
import Foundation
import MeterCore

extension SubmitRequest: HandledRequest {
  /// All records are on disk when it returns, or none is.
  ///
  /// - Throws: ``GatewayError`` naming document, line and member, or with code `no_session`; `StoreError`.
  package func perform(on owner: GatewayOwner) async throws -> [SubmittedRecord] {
    let person = try owner.personZone(else: zone)
    var entries: [RecordDocument.Entry] = []
    for document in documents {
      for var entry in try RecordDocument(
        Array(document.text.utf8), name: document.name, zone: person.zone, source: person.source
      ).entries {
        if entry.name == .random { entry.name = .given(.live(submission: submission, number: entries.count)) }
        entries.append(entry)
      }
    }
    guard images.isEmpty || entries.count == 1 else {
      throw GatewayError(
        .usage, code: "image_ambiguous", "\(entries.count) records were given with an image, which belongs to one",
        hint: "submit them apart")
    }
    let images = try images.map { image throws(GatewayError) in try RecordImage.taken(Array(image)) }
    let intake = Intake(owner.store)
    let taken = entries.map(entry)
    let generation: SessionGeneration
    let receipts: [CommitReceipt]
    do {
      // What is wrong with a record is said before what is wrong with the session.
      try intake.check(taken)
      generation = try owner.submittingSession().generation
      receipts = try await intake.take(taken, of: generation, asksFirst: confirmsFirst, images: images)
    } catch let refusal as IntakeRefusal {
      throw GatewayError(refusal.draft, at: entries[refusal.number].place)
    }
    let names = entries.map(\.name.logID)
    let left = delivers ? try await owner.deliver(names, of: generation) : nil
    return try zip(names, receipts).map { name, receipt in
      try SubmittedRecord(name, .init(receipt), in: owner.store, left)
    }
  }

  private func entry(_ entry: RecordDocument.Entry) -> IntakeEntry {
    var taken = IntakeEntry.draft(entry.draft, named: entry.name)
    taken.holdsImplausible = holdsImplausible
    return taken
  }
}

extension SubmittedRecord {
  /// A record that was submitted, and what has become of it.
  init(_ logID: LogID, _ outcome: Outcome, in store: MeterStore, _ left: LeftBehind?) throws {
    self.init(
      logID: logID, outcome: outcome, deliveries: QueueItem.all(try store.queueEntry(logID), in: store))
    if let left, left.records.contains(logID) { (recoveryFile, endReason) = (left.file, left.reason) }
    if deliveries.contains(where: { $0.state == DeliveryState.pending.word }) {
      waits = try SinkWaitDescription.all(in: store)
    }
  }
}

extension SubmittedRecord.Outcome {
  /// What became of the one record of a commit.
  init(_ receipt: CommitReceipt) {
    self =
      !receipt.new.isEmpty
      ? .new : !receipt.revised.isEmpty ? .revised : receipt.suspects.isEmpty ? .duplicate : .suspect
  }

  /// What became of one of several records of a commit.
  init(_ receipt: CommitReceipt, of name: LogID) {
    func has(_ records: [CommitRecord]) -> Bool { records.contains { $0.record.logID == name } }
    self = has(receipt.new) ? .new : has(receipt.revised) ? .revised : has(receipt.suspects) ? .suspect : .duplicate
  }
}
