import DriverRuntime
import Foundation
import HostPrimitives
import Logging
import MeterCore
import MeterDrivers
import Synchronization

/// Turns a session's units into commits: admission, one transaction, and only then word to the caller.
final class SessionCommitter: UnitCommitter {
  private let store: MeterStore
  private let plan: ReadPlan
  private let meter: MeterDescription
  private let session: Session
  private let options: ReadOptions
  private let advertised: HostInstant
  private let clock: any HostClock
  private let ledger: ReadLedger
  private let sink: AsyncStream<ReadEvent>.Continuation
  private let state: Mutex<(admission: RecordAdmission, contexts: ContextJoiner)>
  /// How often the driver has said how far the meter's clock is ahead.
  private let clockReports = Mutex(0)

  /// Commits wait for the disk; they do so on a thread of their own and not on one that other meters need.
  private static let log = LogArea.core.logger

  init(
    store: MeterStore, plan: ReadPlan, meter: MeterDescription, session: Session, assignment: MeterAssignment?,
    options: ReadOptions,
    advertised: HostInstant, clock: any HostClock, ledger: ReadLedger, sink: AsyncStream<ReadEvent>.Continuation
  ) {
    self.store = store
    self.plan = plan
    self.meter = meter
    self.session = session
    self.options = options
    self.advertised = advertised
    self.clock = clock
    self.ledger = ledger
    self.sink = sink
    // What a meter does not say of itself, the catalogue knows; of a generic entry it is empty.
    let (maker, model) = (plan.peripheral.manufacturer, plan.peripheral.model)
    let source = RecordSource(
      peripheralID: Int(plan.peripheral.id),
      manufacturer: meter.information.manufacturer ?? (maker.isEmpty ? nil : maker),
      model: meter.information.model ?? (model.isEmpty ? nil : model), deviceID: meter.identity.displayName,
      driverID: plan.driver.id,
      driverVersion: "\(plan.driver.version)")
    let context = AdmissionContext(
      meter: meter.identity, source: source, gatewayZone: .gateway, userZone: session.options.timeZone,
      assignment: assignment, window: options.window, ranges: plan.peripheral.ranges(for: meter.facts))
    state = Mutex((RecordAdmission(context: context), ContextJoiner()))
  }

  func commit(_ units: [DriverUnit]) async throws -> RecordAllowance.Amount {
    var rejected: [String] = []
    var commits: [CommitUnit] = []
    // Of each unit how many records were refused.
    var refusals: [Int] = []
    var broken: AdmissionRejection?
    for unit in units where broken == nil {
      do throws(AdmissionRejection) {
        let before = rejected.count
        commits.append(try commitUnit(unit, rejected: &rejected))
        refusals.append(rejected.count - before)
      } catch {
        broken = error
      }
    }
    let receipts = try await store.submit(commits)
    ledger.add(receipts, rejected: rejected, after: clock.now - advertised)
    for reason in rejected {
      Self.log.warning("a record was refused: \(reason)", metadata: ["driver": "\(plan.driver.id)"])
    }
    let committed = receipts.flatMap { $0.new + $0.revised + $0.suspects }
    if !committed.isEmpty { sink.yield(.shouldSubmit(committed)) }
    // The unit of a record that cannot be is not committed, and neither is its cursor: the reading stays in the meter.
    if let broken {
      throw DriverFault(
        .brokeRule, driver: plan.driver.id, rule: "R12",
        message: "the driver reported a reading that cannot be (\(broken)); nothing was taken from there on")
    }
    return Self.known(of: units, receipts, refusals)
  }

  /// How much of the units left nothing: repeats, and what this read was not to take.
  private static func known(
    of units: [DriverUnit], _ receipts: [CommitReceipt], _ refusals: [Int]
  ) -> RecordAllowance.Amount {
    var known = RecordAllowance.Amount()
    for (unit, (receipt, refused)) in zip(units, zip(receipts, refusals)) {
      let kept = receipt.new.count + receipt.revised.count + receipt.suspects.count
      if kept == 0, refused == 0 {
        known.records += unit.durableAmount.records
        known.bytes += unit.durableAmount.bytes
      } else {
        known.records += receipt.duplicates.count
      }
    }
    return known
  }

  /// Says what never found its measurement, once the session is over.
  func finish() {
    let unmatched = state.withLock { $0.contexts.unmatched }
    ledger.reject(Array(repeating: Self.unmatchedContext, count: unmatched))
  }

  private static let unmatchedContext = "a context came without its measurement"

  private func commitUnit(_ unit: DriverUnit, rejected: inout [String]) throws(AdmissionRejection) -> CommitUnit {
    let reported = unit.records.filter(\.isDurable).map(ReportedRecord.init)
    let reading = HostClockReading(
      utcMicroseconds: clock.unixMicroseconds, isSynchronized: options.clockTrust.isSynchronized)
    // What is in the air only is in no meter for a later read.
    let mayForget = unit.meterMayForget || plan.peripheral.connectionKind == .advertisement
    let (admitted, lost) = state.withLock { state in
      let (records, lost) = state.contexts.join(reported)
      return (state.admission.admit(records, clock: reading, meterMayForget: mayForget), lost)
    }
    rejected += Array(repeating: Self.unmatchedContext, count: lost)
    var records: [CommitRecord] = []
    var left: [LeaveReason] = []
    for outcome in admitted {
      switch outcome {
      case .commit(let record): records.append(withConsent(record))
      case .rejected(let rejection): throw rejection
      case .left(let reason): left.append(reason)
      case .unmatchedContext: rejected.append(Self.unmatchedContext)
      case .deviceInformation(let record): sink.yield(.meterFacts(facts(record)))
      case .provisional, .diagnostic, .joined: break
      }
    }
    ledger.leave(left)
    let writes = unit.writes.map { StorageWrite(key: $0.key, value: $0.value) }
    return CommitUnit(
      generation: session.generation, meter: meter.identity, family: plan.driver.familyID, records: records,
      writes: options.window.isBounded ? writes.filter { !$0.isResumeCursor } : writes)
  }

  /// What a meter says about itself. A driver that may set its clock, and says a second time how far that is ahead, has set it;
  /// the first time it may have said that the clock had no time.
  private func facts(_ record: ReportedRecord) -> MeterFacts {
    var facts = MeterFacts(record)
    guard facts.clockOffsetSeconds != nil || record.flags.contains(.clockSuspect) else { return facts }
    let reports = clockReports.withLock { reports in
      reports += 1
      return reports
    }
    if reports > 1, options.setsClock == true, options.knowsDate(at: clock.unixMicroseconds) { facts.isClockSet = true }
    return facts
  }

  /// With `confirmFirst` nothing is delivered before a person has said so.
  private func withConsent(_ record: CommitRecord) -> CommitRecord {
    guard options.submission == .confirmFirst, record.disposition == .pending else { return record }
    return CommitRecord(record: record.record, disposition: .held(.awaitingConfirmation), isUntimed: record.isUntimed)
  }
}

extension ReportedRecord {
  /// A checked record of a driver, in the words of the core.
  init(_ record: DriverRecord) {
    self.init(
      kind: Kind(record.kind), flags: Flags(rawValue: record.flags.rawValue), deviceUser: record.deviceUser,
      timeKind: TimeKind(record.timeKind), startMicroseconds: record.startMicroseconds,
      endMicroseconds: record.endMicroseconds, utcOffsetSeconds: record.utcOffsetSeconds,
      deviceSequence: record.deviceSequence, identity: record.identity,
      identityClass: IdentityClass(record.identityClass), values: record.values.map(ReportedValue.init),
      texts: record.texts.map { RecordNote(field: $0.field, text: $0.text) })
  }
}

extension ReportedRecord.Kind {
  fileprivate init(_ kind: DriverRecordKind) {
    self =
      switch kind {
      case .measurement: .measurement
      case .context: .context
      case .deviceInfo: .deviceInformation
      case .diagnostic: .diagnostic
      }
  }
}

extension ReportedRecord.TimeKind {
  fileprivate init(_ kind: DriverTimeKind) {
    self =
      switch kind {
      case .none: .none
      case .civil: .civil
      case .civilWithOffset: .civilWithOffset
      case .utc: .utc
      }
  }
}

extension IdentityClass {
  fileprivate init(_ identityClass: DriverIdentityClass) {
    self =
      switch identityClass {
      case .stored: .stored
      case .summary: .summary
      case .live, .unidentified: .live
      }
  }
}

extension ReportedValue {
  fileprivate init(_ value: DriverValue) {
    let qualifier: ValueQualifier =
      switch value.qualifier {
      case .exact: .exact
      case .above: .above
      case .below: .below
      case .questionable: .questionable
      }
    self.init(
      metric: value.metric, unit: value.unit, raw: value.raw, exponent: value.exponent, value: value.value,
      qualifier: qualifier, isRounded: value.isRounded)
  }
}
