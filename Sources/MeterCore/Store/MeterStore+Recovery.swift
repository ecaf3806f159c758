public import Foundation
internal import GRDB

/// What reading a recovery file back has come to.
public struct RecoverySummary: Sendable, Hashable {
  /// Readings that are delivered from now on.
  public var pending: [LogID] = []
  /// Readings that wait for a person again, or are never delivered, as before.
  public var held: [LogID] = []
  /// Readings that the store knew already, delivered or in the queue, or knows a newer content of.
  public var known: [LogID] = []
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
  public func recover(_ file: URL) throws(StoreError) -> RecoverySummary {
    let recovery = try RecoveryFile(reading: file)
    try checkUser(of: recovery, file)
    var summary = RecoverySummary()
    var rest = recovery.readings[...]
    while !rest.isEmpty {
      let chunk = rest.prefix(Self.recoveryChunk)
      rest = rest.dropFirst(chunk.count)
      let part = try transaction { db in
        let session = try SessionRow.fetch(db)
        guard session.user == recovery.user, session.ending == nil else { throw Self.otherUser(file, recovery.user) }
        var part = RecoverySummary()
        let restorer = RecordRestorer(db: db, session: session)
        for reading in chunk { try restorer.restore(reading, into: &part) }
        if !part.pending.isEmpty || !part.held.isEmpty {
          try limits.check(db, nowMicroseconds: Self.nowMicroseconds)
        }
        return part
      }
      summary.pending += part.pending
      summary.held += part.held
      summary.known += part.known
    }
    try restoreImages(of: recovery, beside: file, into: &summary)
    announceChange()
    return summary
  }

  private func checkUser(of recovery: RecoveryFile, _ file: URL) throws(StoreError) {
    guard try currentSession().user == recovery.user else { throw Self.otherUser(file, recovery.user) }
  }

  private static func otherUser(_ file: URL, _ user: SessionUser) -> StoreError {
    StoreError(
      .otherUser,
      "\(file.path) holds readings of the user \(user.userID) of \(user.organizationID); start their session first. "
        + "Nothing was taken.")
  }

  private func restoreImages(
    of recovery: RecoveryFile, beside file: URL, into summary: inout RecoverySummary
  ) throws(StoreError) {
    var done: Set<String> = []
    for entry in recovery.images ?? [] where done.insert("\(entry.logID) \(entry.checksum)").inserted {
      do throws(StoreError) {
        let image = try entry.load(beside: file)
        let added = try transaction { db in
          let session = try SessionRow.fetch(db)
          guard session.user == recovery.user, session.ending == nil else {
            throw Self.otherUser(file, recovery.user)
          }
          let added = try ImageTable(db: db, owner: session.owner, sinks: SinkRow.names(db))
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

  func restore(_ reading: RecoveryFile.Reading, into summary: inout RecoverySummary) throws {
    let record = reading.record
    let isSuspect = record.flags.contains(.identitySuspect)
    let names = try SinkRow.names(db)
    let sinks = reading.sinks.filter { names.contains($0) }
    let seen = try Seen.fetch(db, owner: session.owner, logID: record.logID.description)
      .filter { $0.isSuspect == isSuspect }
    let isKnown = seen.contains { $0.contentHash == Data(record.contentHash) }
    let isOlder = seen.last.map { $0.revision >= reading.revision } ?? false
    guard !sinks.isEmpty, !isKnown, isSuspect || !isOlder else { return summary.known.append(record.logID) }
    var restored = record
    restored.revision = isSuspect ? (seen.last?.revision ?? 0) + 1 : max(1, reading.revision)
    let committer = RecordCommitter(db: db, session: session, sinks: sinks)
    // Another reading has taken the name meanwhile, as after a reset of the meter.
    if let latest = seen.last, !isSuspect, record.identityClass != .summary,
      latest.primaryHash != Data(record.primaryHash)
    {
      restored.flags.formUnion(.identitySuspect)
      restored.revision = 1
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
}

extension RecoveryFile {
  /// A reading with all the sinks that had not accepted it.
  struct Reading {
    let record: Record
    let revision: Int
    var sinks: [String]
    /// What a receiver has refused is sent again; what waited for a person goes on waiting.
    let disposition: Disposition
  }

  /// Bytes of a recovery file at most: more than the queue holds.
  private static let sizeLimit = 8 << 30

  init(reading file: URL) throws(StoreError) {
    do {
      let size = try file.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
      guard size <= Self.sizeLimit else { throw StoreError(.recoveryFile, "\(file.path) is too large.") }
      self = try JSONDecoder().decode(RecoveryFile.self, from: Data(contentsOf: file))
    } catch let error as StoreError {
      throw error
    } catch let error as DecodingError {
      throw StoreError(
        .recoveryFile, "\(file.path) is no recovery file, or is damaged; give one of the folder \(Self.folder).",
        cause: Self.place(of: error))
    } catch {
      throw StoreError(
        .recoveryFile, "\(file.path) cannot be read; check path and owner.", cause: error.localizedDescription)
    }
    guard version == Self.currentVersion else {
      throw StoreError(
        .recoveryFile, "\(file.path) was written by another version of MeterHost (\(version)); use that one.")
    }
    guard isIntact else {
      throw StoreError(
        .recoveryFile, "\(file.path) was changed since it was written, so its readings cannot be trusted; use a copy.")
    }
  }

  /// Where a text does not fit; never what stands there.
  private static func place(of error: DecodingError) -> String {
    let context: DecodingError.Context? =
      switch error {
      case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
        .dataCorrupted(let context):
        context
      @unknown default: nil
      }
    let path = (context?.codingPath ?? []).map { $0.intValue.map(String.init) ?? $0.stringValue }
    return path.isEmpty ? "the text as a whole" : path.joined(separator: ".")
  }

  /// The readings in the file's order.
  var readings: [Reading] {
    struct Name: Hashable {
      let logID: LogID
      let isSuspect: Bool
      let revision: Int
    }
    var places: [Name: Int] = [:]
    var result: [Reading] = []
    for entry in entries {
      let name = Name(
        logID: entry.record.logID, isSuspect: entry.record.flags.contains(.identitySuspect), revision: entry.revision)
      if let place = places[name] {
        result[place].sinks.append(entry.sink)
      } else {
        places[name] = result.count
        result.append(
          Reading(
            record: entry.record, revision: entry.revision, sinks: [entry.sink], disposition: entry.disposition))
      }
    }
    return result
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
    guard !file.contains("/"), file != "..", file != "." else {
      throw StoreError(.recoveryFile, "the file's name leads elsewhere.")
    }
    let path = recovery.deletingLastPathComponent().appendingPathComponent(file)
    let bytes: [UInt8]
    do {
      bytes = Array(try Data(contentsOf: path))
    } catch {
      throw StoreError(.recoveryFile, "it cannot be read.", cause: error.localizedDescription)
    }
    do throws(RecordImage.Refusal) {
      let image = try RecordImage(bytes, contentType: contentType)
      guard image.checksum == checksum else { throw RecordImage.Refusal(code: .otherType, message: "") }
      return image
    } catch {
      throw StoreError(.recoveryFile, "it is not the image that was kept.")
    }
  }
}
