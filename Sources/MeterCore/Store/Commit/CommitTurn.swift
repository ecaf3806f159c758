internal import GRDB

/// What several submitters want on disk, in one transaction.
struct CommitTurn {
  let db: Database
  let vault: Vault
  let limits: QueueLimits
  let session: SessionRow
  let sinks: SinkList

  init(db: Database, vault: Vault, limits: QueueLimits, kinds: SinkKinds) throws {
    self.db = db
    self.vault = vault
    self.limits = limits
    session = try SessionRow.fetch(db)
    sinks = try SinkList(db, kinds)
  }

  /// Writes all that is not refused, one after the other.
  func writeEach(_ submissions: [[PreparedUnit]]) throws -> [Result<[CommitReceipt], StoreError>] {
    try submissions.map { units in
      var receipts: [CommitReceipt] = []
      do {
        try db.inSavepoint {
          receipts = try write([units]).flatMap(\.self)
          return .commit
        }
      } catch let refusal as StoreError {
        return .failure(refusal)
      }
      return .success(receipts)
    }
  }

  /// Writes all, or throws the first refusal.
  func write(_ submissions: [[PreparedUnit]]) throws -> [[CommitReceipt]] {
    let receipts = try submissions.map { units in try units.map(write) }
    if receipts.contains(where: { $0.contains(where: \.needsRoom) }) {
      try limits.check(db, nowMicroseconds: MeterStore.nowMicroseconds)
    }
    return receipts
  }

  private func write(_ unit: PreparedUnit) throws -> CommitReceipt {
    guard unit.generation == session.generation, session.ending == nil else {
      throw StoreError.staleGeneration(read: unit.generation, current: session.generation)
    }
    let settings = try MeterTable(db: db).settings(of: unit.meter.peripheralUUID)
    var receipt = try RecordCommitter(
      db: db, session: session, sinks: sinks, scale: settings?.scaleUse ?? .onePerson
    ).commit(unit.records)
    receipt.images = try ImageTable(db: db, owner: session.owner, sinks: sinks).add(unit.images)
    try StorageTable(db: db, vault: vault, session: session, family: unit.family, meter: unit.meter)
      .apply(unit.writes)
    if let imported = unit.imported {
      try HealthTable(db: db, owner: session.owner).note(imported.trace, aliases: imported.aliases)
    }
    return receipt
  }
}

extension CommitReceipt {
  /// Whether the folder holds more than before.
  fileprivate var needsRoom: Bool { !new.isEmpty || !suspects.isEmpty || !images.isEmpty }
}
