internal import GRDB
internal import Logging

extension MeterStore {
  /// Writes records, their deliveries and the drivers' keys of all units in one transaction (R25).
  ///
  /// When it returns, everything is on disk; when it throws, nothing of any unit is.
  ///
  /// - Parameter units: The units in the driver's order.
  /// - Returns: A receipt a unit, in the same order.
  /// - Throws: ``StoreError``: ``StoreError/Code/staleGeneration`` when the user changed since a unit's read started,
  ///   ``StoreError/Code/queueFull`` when new records are beyond the limits, ``StoreError/Code/imageRefused`` and
  ///   ``StoreError/Code/notFound`` for an image without a reading that is delivered, ``StoreError/Code/storageLimit``
  ///   and ``StoreError/Code/storageKey`` for a driver that breaks R23, and the
  ///   database's own.
  package func commit(_ units: [CommitUnit]) throws(StoreError) -> [CommitReceipt] {
    let units = try PreparedUnit.prepare(units)
    let receipts = try transaction { db in
      try CommitTurn(db: db, vault: self.vault, limits: self.limits, kinds: self.sinkKinds).write([units]).flatMap(
        \.self)
    }
    announce(receipts)
    return receipts
  }

  /// The same, in one transaction with what others submit at the same time: many meters share one wait for the disk.
  ///
  /// - Throws: as ``commit(_:)``; what is refused here takes nothing of the others with it.
  package func submit(_ units: [CommitUnit]) async throws(StoreError) -> [CommitReceipt] {
    // On the submitter's thread: the one that writes is what all wait for.
    let units = try PreparedUnit.prepare(units)
    let result = await withCheckedContinuation { continuation in
      let submission = CommitGroup.Submission(units: units) { continuation.resume(returning: $0) }
      // Weak: who waits holds the store. The group's thread lives on for a moment after the last answer, and would keep
      // the folder from the next owner.
      group.submit(submission) { [weak self] in self?.write($0) ?? [] }
    }
    return try result.get()
  }

  /// Writes what several submitters want: all that is not refused is on disk when it returns, or nothing is.
  private func write(_ submissions: [[PreparedUnit]]) -> [Result<[CommitReceipt], StoreError>] {
    do throws(StoreError) {
      let together = try writeTogether(submissions)
      let results = if let together { together } else { try writeEach(submissions) }
      for case .success(let receipts) in results { announce(receipts) }
      return results
    } catch {
      return submissions.map { _ in .failure(error) }
    }
  }

  /// - Returns: nil, with nothing written, when one of several is refused: they have to be told apart.
  private func writeTogether(
    _ submissions: [[PreparedUnit]]
  ) throws(StoreError) -> [Result<[CommitReceipt], StoreError>]? {
    do throws(StoreError) {
      return try transaction { db in
        try CommitTurn(db: db, vault: self.vault, limits: self.limits, kinds: self.sinkKinds).write(submissions).map {
          .success($0)
        }
      }
    } catch {
      guard submissions.count > 1, !Self.isOfFolder(error) else { throw error }
      return nil
    }
  }

  /// What concerns all of them, and may come when they are written already: told apart, they would all be known.
  private static func isOfFolder(_ error: StoreError) -> Bool {
    [.moved, .inputOutput, .diskFull, .readOnly, .corrupt, .locked].contains(error.code)
  }

  private func writeEach(
    _ submissions: [[PreparedUnit]]
  ) throws(StoreError) -> [Result<[CommitReceipt], StoreError>] {
    try transaction { db in
      try CommitTurn(db: db, vault: self.vault, limits: self.limits, kinds: self.sinkKinds).writeEach(submissions)
    }
  }

  private static let logger = LogArea.core.logger

  private func announce(_ receipts: [CommitReceipt]) {
    for item in receipts.flatMap({ $0.new + $0.revised + $0.suspects }) {
      // Values only for those who have asked for them.
      let values = LogSwitch.shared.showsValues ? item.record.values.map(\.logText).joined(separator: ", ") : nil
      Self.logger.debug(
        "a record was committed",
        metadata: ["log_id": "\(item.record.logID)", "revision": "\(item.record.revision)"]
          .merging(values.map { ["values": "\($0)"] } ?? [:]) { $1 })
    }
    for receipt in receipts {
      for item in receipt.new + receipt.suspects {
        counted.tell(.filed(item.record.type, FiledState(item.disposition)))
      }
      for item in receipt.revised { counted.tell(.filed(item.record.type, .revised)) }
    }
    let isChange = receipts.contains {
      !$0.new.isEmpty || !$0.revised.isEmpty || !$0.suspects.isEmpty || !$0.images.isEmpty
    }
    if isChange { announceChange() }
  }
}

extension RecordValue {
  fileprivate var logText: String { "\(metricName) \(number) \(ucum)" }
}
