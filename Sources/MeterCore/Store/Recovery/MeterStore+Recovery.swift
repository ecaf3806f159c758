package import Foundation
internal import GRDB

/// What reading a recovery file back has come to.
public struct RecoverySummary: Sendable, Hashable {
  /// Readings that are delivered from now on.
  public var pending: [LogID] = []
  /// Readings that wait for a person again, or are never delivered, as before.
  public var held: [LogID] = []
  /// Readings that the store knew already, delivered or in the queue, or knows a newer content of.
  public var known: [LogID] = []
  /// Readings that receivers had not accepted which are not set up, whatever became of them for others: set those receivers
  /// up, and recover the file again.
  public var unplaced: [LogID] = []
  /// The names of these receivers.
  public var missingSinks: Set<String> = []
  /// Readings that were damaged before they came into the file: it holds what was left of them.
  public var damaged: Set<String> = []
  /// Images that are delivered from now on.
  public var images = 0
  /// Images that could not be taken, each with the reason.
  public var imageProblems: [String] = []
}

extension MeterStore {
  /// Records of one transaction.
  private static let recoveryChunk = 256

  /// Reads back what a session's end has left: each reading goes into the queue again under its own name, for the user
  /// whose it was. Doing it again changes nothing, and a meter that sends the same readings brings nothing new.
  ///
  /// What a receiver has refused for good is sent again. The file stays: whoever no longer needs it removes it.
  ///
  /// - Throws: ``StoreError``: ``StoreError/Code/otherUser`` when the readings are not the session's user's or there is no
  ///   session, ``StoreError/Code/recoveryFile`` when the file cannot be read, ``StoreError/Code/queueFull`` when the folder
  ///   cannot hold all of it: then a part is there, and the call can be repeated.
  package func recover(_ file: URL) throws(StoreError) -> RecoverySummary {
    let recovery = try RecoveryReader(file)
    guard try currentSession().user == recovery.user else { throw Self.otherUser(file, recovery.user) }
    var summary = RecoverySummary()
    do {
      var chunk: [RecoveryFile.Reading] = []
      try recovery.forEachReading { reading in
        chunk.append(reading)
        if chunk.count == Self.recoveryChunk {
          try restore(chunk, of: recovery.user, file, into: &summary)
          chunk = []
        }
      }
      try restore(chunk, of: recovery.user, file, into: &summary)
      try recovery.forEachDamaged { summary.damaged.insert($0) }
      try restoreImages(of: recovery, beside: file, into: &summary)
    } catch {
      throw StoreError.mapping(error)
    }
    announceChange()
    return summary
  }

  private func restore(
    _ readings: [RecoveryFile.Reading], of user: SessionUser, _ file: URL, into summary: inout RecoverySummary
  ) throws(StoreError) {
    guard !readings.isEmpty else { return }
    let part = try transaction { db in
      let session = try SessionRow.fetch(db)
      guard session.user == user, session.ending == nil else { throw Self.otherUser(file, user) }
      var part = RecoverySummary()
      let restorer = RecordRestorer(db: db, session: session, kinds: sinkKinds)
      for reading in readings { try restorer.restore(reading, into: &part) }
      if !part.pending.isEmpty || !part.held.isEmpty {
        try limits.check(db, nowMicroseconds: Self.nowMicroseconds)
      }
      return part
    }
    summary.pending += part.pending
    summary.held += part.held
    summary.known += part.known
    summary.unplaced += part.unplaced
    summary.missingSinks.formUnion(part.missingSinks)
  }

  private static func otherUser(_ file: URL, _ user: SessionUser) -> StoreError {
    StoreError(
      .otherUser,
      "\(file.path) holds readings of the user \(user.userID) of \(user.organizationID); start their session first. "
        + "Nothing was taken.")
  }

  private func restoreImages(
    of recovery: RecoveryReader, beside file: URL, into summary: inout RecoverySummary
  ) throws {
    var last: RecoveryFile.Image?
    try recovery.forEachImage { entry in
      // One line for each receiver, one image for all of them.
      defer { last = entry }
      guard last?.logID != entry.logID || last?.checksum != entry.checksum else { return }
      do throws(StoreError) {
        let image = try entry.load(beside: file)
        let added = try transaction { db in
          let session = try SessionRow.fetch(db)
          guard session.user == recovery.user, session.ending == nil else {
            throw Self.otherUser(file, recovery.user)
          }
          let added = try ImageTable(db: db, owner: session.owner, sinks: SinkList(db, sinkKinds))
            .add([CommitImage(logID: entry.logID, image: image)])
          try limits.check(db, nowMicroseconds: Self.nowMicroseconds)
          return added
        }
        summary.images += added.count
      } catch {
        guard [.imageRefused, .notFound, .recoveryFile].contains(error.code) else { throw error }
        summary.imageProblems.append("\(entry.file): \(error.message)")
      }
    }
  }
}

/// Puts readings of a recovery file back.
private struct RecordRestorer {
  let db: Database
  let session: SessionRow
  let kinds: SinkKinds

  func restore(_ reading: RecoveryFile.Reading, into summary: inout RecoverySummary) throws {
    let record = reading.record
    let isSuspect = record.flags.contains(.identitySuspect)
    let all = try SinkList(db, kinds)
    let names = all.names
    let sinks = reading.sinks.filter { names.contains($0) }
    if sinks.count < reading.sinks.count {
      summary.unplaced.append(record.logID)
      summary.missingSinks.formUnion(reading.sinks.filter { !names.contains($0) })
      guard !sinks.isEmpty else { return }
    }
    let seen = try Seen.fetch(db, owner: session.owner, logID: record.logID.description)
      .filter { $0.isSuspect == isSuspect }
    let isKnown = seen.contains { $0.contentHash == Data(record.contentHash) }
    let isOlder = seen.last.map { $0.revision >= reading.revision } ?? false
    let isThrownAway = Seen.isThrownAway(record, seen, isSuspect: isSuspect)
    let isNamed =
      try isSuspect
      && !Seen.fetch(db, owner: session.owner, logID: LogID.collision(of: record).description).isEmpty
    if reading.isKept, isKnown, !isSuspect, !isThrownAway, seen.last?.revision == reading.revision {
      let isSent = try sendAgain(reading, all.named(sinks))
      return isSent ? summary.pending.append(record.logID) : summary.known.append(record.logID)
    }
    if isKnown, !isSuspect, !isThrownAway, seen.last?.revision == reading.revision,
      try restoreRest(reading, all.named(sinks))
    {
      return summary.pending.append(record.logID)
    }
    guard !sinks.isEmpty, !isKnown, isSuspect || !isOlder, !isThrownAway, !isNamed else {
      return summary.known.append(record.logID)
    }
    var restored = record
    restored.revision = isSuspect ? (seen.last?.revision ?? 0) + 1 : max(1, reading.revision)
    let committer = RecordCommitter(db: db, session: session, sinks: all.named(sinks))
    // Another reading has taken the name meanwhile, as after a reset of the meter.
    if let latest = seen.last, !isSuspect, record.identityClass != .summary,
      latest.primaryHash != Data(record.primaryHash)
    {
      restored.flags.formUnion(.identitySuspect)
      restored.revision = try Seen.nextSuspect(db, owner: session.owner, logID: record.logID.description)
      try committer.restore(restored, .held(.identityCollision), isSuspect: true)
      return summary.held.append(record.logID)
    }
    try committer.restore(restored, reading.disposition, isSuspect: isSuspect)
    if reading.disposition == .pending {
      summary.pending.append(record.logID)
    } else {
      summary.held.append(record.logID)
    }
  }

  /// What only a broker has acknowledged, for those who ask for it again.
  ///
  /// - Returns: False where it is in the queue.
  private func sendAgain(_ reading: RecoveryFile.Reading, _ sinks: SinkList) throws -> Bool {
    let logID = reading.record.logID.description
    guard try !RecordCommitter.isWaiting(db, owner: session.owner, logID: logID) else { return false }
    var record = reading.record
    record.revision = reading.revision
    try KeptRecords.forgetDelivery(db, owner: session.owner, logID, revision: reading.revision)
    try RecordCommitter(db: db, session: session, sinks: sinks).restoreKnown(record)
    return true
  }

  /// What the session's own receiver has, for the receivers beside it that have it not.
  ///
  /// - Returns: Whether there were any.
  private func restoreRest(_ reading: RecoveryFile.Reading, _ sinks: SinkList) throws -> Bool {
    let logID = reading.record.logID.description
    guard reading.disposition == .pending, try !RecordCommitter.isWaiting(db, owner: session.owner, logID: logID) else {
      return false
    }
    let missing = try sinks.names.filter { sink in
      try sink != MeterStore.defaultSink && !Acceptance.isNoted(db, owner: session.owner, logID: logID, sink: sink)
    }
    guard !missing.isEmpty else { return false }
    var record = reading.record
    record.revision = reading.revision
    try RecordCommitter(db: db, session: session, sinks: sinks.named(missing)).restoreKnown(record)
    return true
  }
}

extension RecoveryFile {
  /// A reading with all the sinks that had not accepted it.
  struct Reading {
    let record: Record
    let revision: Int
    var sinks: [String]
    /// What a receiver has refused is sent again; what waited for a person goes on waiting.
    let disposition: Disposition
    /// Whether it was delivered, as far as a broker's word goes.
    let isKept: Bool
  }
}

extension RecoveryReader {
  /// Hands out the readings in the file's order, each with all sinks of its lines, which follow each other.
  func forEachReading(_ body: (RecoveryFile.Reading) throws -> Void) throws {
    var current: RecoveryFile.Reading?
    try forEachEntry { entry in
      if let reading = current {
        if reading.isSame(as: entry) {
          current?.sinks.append(entry.sink)
          return
        }
        try body(reading)
      }
      current = RecoveryFile.Reading(
        record: entry.record, revision: entry.revision, sinks: [entry.sink], disposition: entry.disposition,
        isKept: entry.state == .delivered)
    }
    if let current { try body(current) }
  }
}

extension RecoveryFile.Reading {
  fileprivate func isSame(as entry: RecoveryFile.Entry) -> Bool {
    record.logID == entry.record.logID && revision == entry.revision
      && record.flags.contains(.identitySuspect) == entry.record.flags.contains(.identitySuspect)
  }
}

extension RecoveryFile.Entry {
  fileprivate var disposition: Disposition {
    switch state {
    case .pending, .inFlight, .delivered, .dead: .pending
    case .held: .held(reason.flatMap(HoldReason.init(rawValue:)) ?? .awaitingConfirmation)
    case .excluded: .excluded(reason.flatMap(ExclusionReason.init(rawValue:)) ?? .controlSolution)
    }
  }
}

extension RecoveryFile.Image {
  /// The image, with the bytes that its name promises.
  fileprivate func load(beside recovery: URL) throws(StoreError) -> RecordImage {
    // By its bytes: the system would take a name up to a NUL, and tells two spellings of a letter apart.
    let name = Array(file.utf8)
    let isPlain = !name.contains(UInt8(ascii: "/")) && !name.contains(0) && !["", ".", ".."].contains(file)
    guard isPlain else { throw StoreError(.recoveryFile, "the file's name leads elsewhere.") }
    let path = "\(recovery.deletingLastPathComponent().path)/\(file)"
    guard let bytes = try? PlainFile.contents(path) else {
      throw StoreError(.recoveryFile, "it cannot be read, or is no file.")
    }
    do throws(RecordImage.Refusal) {
      let image = try RecordImage(Array(bytes), contentType: contentType)
      guard image.checksum == checksum else { throw RecordImage.Refusal(code: .otherType, message: "") }
      return image
    } catch {
      throw StoreError(.recoveryFile, "it is not the image that was kept.")
    }
  }
}
