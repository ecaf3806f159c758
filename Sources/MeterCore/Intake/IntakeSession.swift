import DriverContract
import Synchronization

/// The way into the store for what belongs together and comes in pieces: a read of a meter.
///
/// It remembers what admission needs from one piece to the next: which context waits for its measurement, how much of what the
/// caller wants was taken, and how repeats of what has no identity are named.
public final class IntakeSession: Sendable {
  private struct State {
    var admission: RecordAdmission
    var contexts = ContextJoiner()
  }

  private struct Judged {
    var unit: CommitUnit
    var receipt = IntakeReceipt()
  }

  private let store: MeterStore
  private let context: IntakeContext
  private let state: Mutex<State>

  init(_ store: MeterStore, _ context: IntakeContext) {
    self.store = store
    self.context = context
    state = Mutex(State(admission: RecordAdmission(context: context.admission)))
  }

  /// Contexts that still wait for their measurement.
  package var waitingContexts: Int { state.withLock { $0.contexts.unmatched } }

  /// Takes batches in their order, in one transaction. A batch of which a record cannot be is not taken, and none behind it:
  /// neither are its driver's cursors, so that all of it stays in the meter.
  ///
  /// - Throws: ``StoreError``; nothing is taken then.
  public func take(
    _ batches: [IntakeBatch], clock: HostClockReading = .now
  ) async throws(StoreError) -> IntakeAnswer {
    var judged: [Judged] = []
    var refusal: AdmissionRejection?
    for batch in batches where refusal == nil {
      do throws(AdmissionRejection) { judged.append(try judge(batch, clock)) } catch { refusal = error }
    }
    let commits = try await store.submit(judged.map(\.unit))
    let receipts = zip(judged, commits).map { judged, commit in
      var receipt = judged.receipt
      receipt.commit = commit
      return receipt
    }
    return IntakeAnswer(receipts: receipts, refusal: refusal)
  }

  private func judge(_ batch: IntakeBatch, _ clock: HostClockReading) throws(AdmissionRejection) -> Judged {
    let reported = batch.records.filter(\.isDurable).map { $0.stated(at: batch.circumstances?.time) }
    let (admitted, lost) = state.withLock { state in
      let (records, lost) = state.contexts.join(reported)
      let mayForget = batch.meterMayForget || context.isHeardOnce
      return (state.admission.admit(records, clock: clock, meterMayForget: mayForget), lost)
    }
    var receipt = IntakeReceipt()
    receipt.lostContexts = lost
    var records: [CommitRecord] = []
    for outcome in admitted {
      switch outcome {
      case .commit(let record):
        records.append(named(record, records.count, batch.circumstances).asked(context.asksFirst))
      case .rejected(let rejection): throw rejection
      case .left(let reason): receipt.left.append(reason)
      case .unmatchedContext: receipt.lostContexts += 1
      case .deviceInformation(let record): receipt.information.append(record)
      case .provisional, .diagnostic, .joined: break
      }
    }
    // A read that takes a part of the memory must not move the place where the next one goes on.
    let isPart = context.admission.window.isBounded
    let unit = CommitUnit(
      generation: context.generation, meter: context.admission.meter, family: context.family, records: records,
      writes: isPart ? batch.writes.filter { !$0.isResumeCursor } : batch.writes,
      images: records.flatMap { record in
        context.hasUser ? batch.images.map { CommitImage(logID: record.record.logID, image: $0) } : []
      })
    return Judged(unit: unit, receipt: receipt)
  }

  /// The record under its reading's own name: admission gives a random one, which is another one each time.
  private func named(
    _ admitted: CommitRecord, _ number: Int, _ circumstances: IntakeBatch.Circumstances?
  ) -> CommitRecord {
    guard let circumstances else { return admitted }
    let record = admitted.record
    return CommitRecord(
      record: Record(
        logID: .live(submission: circumstances.reading, number: number), identityClass: .live, type: record.type,
        // The same moment, with the offset that was written beside it.
        time: circumstances.time ?? record.time, values: record.values, notes: record.notes + circumstances.notes,
        source: record.source, origin: circumstances.isCorrected ? .manual : record.origin, flags: record.flags),
      disposition: admitted.disposition, isUntimed: admitted.isUntimed, arrival: circumstances.arrival)
  }
}

extension CommitRecord {
  /// The same, held until a person has said so where it would be delivered.
  fileprivate func asked(_ asksFirst: Bool) -> CommitRecord {
    guard asksFirst, disposition == .pending else { return self }
    return CommitRecord(
      record: record, disposition: .held(.awaitingConfirmation), isUntimed: isUntimed, arrival: arrival)
  }
}

extension DriverRecord {
  /// The record at a time that somebody has said.
  fileprivate func stated(at time: RecordTime?) -> DriverRecord {
    guard let time else { return self }
    var record = self
    record.timeKind = .utc
    (record.startMicroseconds, record.endMicroseconds) = (time.startMicroseconds, time.endMicroseconds)
    return record
  }
}
