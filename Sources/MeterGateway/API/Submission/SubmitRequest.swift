public import Foundation
public import MeterCore

/// What became of a submitted record.
public struct SubmittedRecord: Sendable, Codable, Hashable {
  /// How the record was received.
  public enum Outcome: String, Sendable, Codable {
    /// It was not known.
    case new
    /// It was known and has changed.
    case revised
    /// It was known as it is; nothing happens.
    case duplicate
    /// Its name belongs to a record with other values; it is held.
    case suspect
  }

  /// The record's name.
  public var logID: LogID
  /// How it was received.
  public var outcome: Outcome
  /// Where its deliveries stand; with one receiver it is one. Of a session that has ended meanwhile nothing stands in the
  /// queue.
  public var deliveries: [QueueItem]
  /// The file that keeps it, when the session has ended before it was delivered: it is not to be submitted again.
  public var recoveryFile: String?
  /// Why the session has ended then.
  public var endReason: HostEvent.EndReason?
  /// The receivers to which nothing is sent for a while; nil for none.
  public var waits: [SinkWaitDescription]?

  enum CodingKeys: String, CodingKey {
    case logID = "log_id"
    case recoveryFile = "recovery_file"
    case endReason = "session_ended"
    case outcome, deliveries, waits
  }

  /// A record that was submitted, and what has become of it.
  init(_ logID: LogID, _ outcome: Outcome, in store: MeterStore, _ left: LeftBehind?) throws {
    self.logID = logID
    self.outcome = outcome
    deliveries = try store.queueEntry(logID).map { QueueItem($0) }
    if let left, left.records.contains(logID) { (recoveryFile, endReason) = (left.file, left.reason) }
    if deliveries.contains(where: { $0.state == DeliveryState.pending.word }) {
      waits = try SinkWaitDescription.all(in: store)
    }
  }

  /// The error of a command some of whose records were left behind by the end of their session; nil when none was.
  public static func failure(of records: [SubmittedRecord]) -> GatewayError? {
    let left = records.filter { $0.recoveryFile != nil }
    guard let first = left.first else { return nil }
    return .sessionEnded(
      left.count == 1 ? "the record is" : "\(left.count) records are", in: first.recoveryFile, first.endReason)
  }
}

/// Puts records that no driver has read into the queue, and delivers them.
public struct SubmitRequest: ControlRequest {
  /// Its name on the socket.
  public static let name = "record.submit"
  /// Record documents with the names that messages call them by.
  public var documents: [Document]
  /// The zone of times that are written without one, where the session has none.
  public var zone: String
  /// Hold values outside the plausible range for a person's word instead of refusing them.
  public var holdsImplausible = false
  /// Hold everything until a person confirms it.
  public var confirmsFirst = false
  /// Images that belong to the record; only one record may be submitted with them.
  public var images: [Data] = []
  /// Deliver at once.
  public var delivers = true
  /// What records without a name of their own are named by, so that the request can be repeated.
  public var submission = UUID()

  /// Performed twice, it submits once.
  public static let isRepeatable = true

  /// A record document.
  public struct Document: Sendable, Codable {
    /// What messages call it.
    public var name: String
    /// JSON, as ``RecordDocument`` reads it.
    public var text: String

    /// A document.
    public init(name: String, text: String) {
      self.name = name
      self.text = text
    }
  }

  /// A submission of documents.
  public init(_ documents: [Document], zone: TimeZone? = nil) {
    self.documents = documents
    self.zone = zone?.identifier ?? GatewayZone.name
  }

  /// All records are on disk when it returns, or none is.
  ///
  /// - Throws: ``GatewayError`` naming document, line and member, or with code `no_session`; `StoreError`.
  public func perform(on owner: GatewayOwner) async throws -> [SubmittedRecord] {
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
    let generation = try owner.submittingSession().generation
    let receipts = try await take(entries, images, of: generation, in: owner.store)
    let names = entries.map(\.name.logID)
    let left = delivers ? try await owner.deliver(names, of: generation) : nil
    return try zip(names, receipts).map { name, receipt in
      try SubmittedRecord(name, .init(receipt), in: owner.store, left)
    }
  }

  private func take(
    _ entries: [RecordDocument.Entry], _ images: [RecordImage], of generation: SessionGeneration, in store: MeterStore
  ) async throws -> [CommitReceipt] {
    do {
      return try await Intake(store).take(
        entries.map { entry in
          var taken = IntakeEntry.draft(entry.draft, named: entry.name)
          taken.holdsImplausible = holdsImplausible
          return taken
        }, of: generation, asksFirst: confirmsFirst, images: images)
    } catch let refusal as IntakeRefusal {
      throw GatewayError(refusal.draft, at: entries[refusal.number].place)
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
