public import Foundation

/// The way into the store: whoever has records hands them in here, whether a meter's driver, a display, a person or another program
/// has made them.
///
/// ```swift
/// let intake = Intake(store)
/// var draft = RecordDraft(type: .diabetes, time: time, source: source)
/// draft.values = [.init("blood_glucose", "112", "mg/dL")]
/// let receipts = try await intake.take([.draft(draft)], of: try store.currentSession().generation)
/// ```
///
/// Every record is checked by the same rules, named, judged and kept in one transaction with what came with it. When a call returns,
/// what it took is on disk; when it throws, nothing of it is.
public struct Intake: Sendable {
  let store: MeterStore

  /// The way into a store.
  public init(_ store: MeterStore) { self.store = store }

  /// Opens the way for one read of a meter, one display or one file: what belongs together and comes in pieces.
  public func open(_ context: IntakeContext) -> IntakeSession { IntakeSession(store, context) }

  /// Takes what comes at once and is judged by itself.
  public func take(
    _ batch: IntakeBatch, _ context: IntakeContext, clock: HostClockReading = .now
  ) async throws -> IntakeReceipt {
    let answer = try await open(context).take([batch], clock: clock)
    if let refusal = answer.refusal { throw refusal }
    return answer.receipts.first ?? IntakeReceipt()
  }

  /// Takes records that no driver has made. Each is kept by itself, and all of them or none.
  ///
  /// - Parameters:
  ///   - generation: The session that they are given in.
  ///   - asksFirst: Hold all of them until a person confirms them.
  ///   - images: Pictures that belong to each of them.
  /// - Returns: A receipt a record, in the same order.
  /// - Throws: ``IntakeRefusal``, which names the first record that cannot be; ``StoreError`` as ``MeterStore`` has it for a commit.
  public func take(
    _ entries: [IntakeEntry], of generation: SessionGeneration, clock: HostClockReading = .now, asksFirst: Bool = false,
    images: [RecordImage] = []
  ) async throws -> [CommitReceipt] {
    let units = try judged(entries, clock, asksFirst: asksFirst).map { record in
      CommitUnit(
        generation: generation, records: [record],
        images: images.map { CommitImage(logID: record.record.logID, image: $0) })
    }
    return try await store.submit(units)
  }

  /// Takes records of a health export, in one transaction with what is remembered of them. One that cannot be is left out, and told.
  ///
  /// - Returns: For each entry what became of it, in the same order.
  /// - Throws: ``StoreError`` as ``MeterStore`` has it for a commit.
  package func take(
    _ entries: [ImportedEntry], of generation: SessionGeneration, clock: HostClockReading = .now
  ) async throws(StoreError) -> [ImportedReceipt] {
    var units: [CommitUnit] = []
    var refusals: [Int: DraftError] = [:]
    for (number, entry) in entries.enumerated() {
      do throws(DraftError) {
        var unit = CommitUnit(
          generation: generation,
          records: [try IntakeEntry.imported(entry).judged(clock, asksFirst: false).named(as: entry)])
        unit.imported = CommitUnit.Imported(trace: entry.trace, aliases: entry.aliases)
        units.append(unit)
      } catch {
        refusals[number] = error
      }
    }
    var receipts = try await store.submit(units).makeIterator()
    return entries.indices.map { number in
      if let refusal = refusals[number] { return .refused(refusal) }
      return .taken(receipts.next() ?? CommitReceipt())
    }
  }

  /// Says whether records that no driver has made could be taken, and takes nothing.
  ///
  /// - Throws: ``IntakeRefusal``, which names the first record that cannot be.
  public func check(_ entries: [IntakeEntry], clock: HostClockReading = .now) throws(IntakeRefusal) {
    _ = try judged(entries, clock, asksFirst: false)
  }

  private func judged(
    _ entries: [IntakeEntry], _ clock: HostClockReading, asksFirst: Bool
  ) throws(IntakeRefusal) -> [CommitRecord] {
    var records: [CommitRecord] = []
    for (number, entry) in entries.enumerated() {
      do throws(DraftError) {
        records.append(try entry.judged(clock, asksFirst: asksFirst))
      } catch {
        throw IntakeRefusal(number: number, error)
      }
    }
    return records
  }

  /// Adds a picture to a reading that is in the queue, or was delivered.
  ///
  /// - Throws: ``StoreError`` with code `not_found` for a reading that is not known.
  public func take(_ image: RecordImage, for logID: LogID, of generation: SessionGeneration) async throws(StoreError) {
    _ = try await store.submit([
      CommitUnit(generation: generation, records: [], images: [CommitImage(logID: logID, image: image)])
    ])
  }

  /// Takes back what a session's end has left in a recovery file; see ``MeterStore/recover(_:)``.
  public func recover(_ file: URL) throws(StoreError) -> RecoverySummary { try store.recover(file) }
}
