import DriverContract
import Foundation
import HostPrimitives
import Logging
import MeterCore
import MeterDrivers
import Synchronization

/// Hands a session's units in, and only then tells the caller of them.
final class SessionCommitter: UnitCommitter {
  private let plan: ReadPlan
  private let options: ReadOptions
  private let advertised: HostInstant
  private let clock: any HostClock
  private let ledger: ReadLedger
  private let sink: AsyncStream<ReadEvent>.Continuation
  private let intake: IntakeSession
  private let counted: CountedEvents
  private let meter: UUID
  /// How often the driver has said how far the meter's clock is ahead.
  private let clockReports = Mutex(0)
  private let kept = Mutex(ToldFacts())

  private static let log = LogArea.core.logger

  init(
    store: MeterStore, plan: ReadPlan, meter: MeterDescription, session: Session, assignment: MeterAssignment?,
    options: ReadOptions,
    advertised: HostInstant, clock: any HostClock, ledger: ReadLedger, sink: AsyncStream<ReadEvent>.Continuation
  ) {
    self.plan = plan
    self.options = options
    self.advertised = advertised
    self.clock = clock
    self.ledger = ledger
    self.sink = sink
    (counted, self.meter) = (store.counted, meter.identity.peripheralUUID)
    // What a meter does not say of itself, the catalogue knows; of a generic entry it is empty.
    let (maker, model) = (plan.peripheral.manufacturer, plan.peripheral.model)
    let source = RecordSource(
      peripheralID: Int(plan.peripheral.id),
      manufacturer: meter.information.manufacturer ?? (maker.isEmpty ? nil : maker),
      model: meter.information.model ?? (model.isEmpty ? nil : model), deviceID: meter.identity.displayName,
      driverID: plan.driver.id,
      driverVersion: "\(plan.driver.version)")
    var context = IntakeContext(
      session, family: plan.driver.familyID,
      admission: AdmissionContext(
        meter: meter.identity, source: source, gatewayZone: .gateway, userZone: session.options.timeZone,
        assignment: assignment, window: options.window, ranges: plan.peripheral.ranges(for: meter.facts),
        body: session.body))
    context.asksFirst = options.submission == .confirmFirst
    // What is in the air only is in no meter for a later read.
    context.isHeardOnce = plan.peripheral.connectionKind == .advertisement
    intake = Intake(store).open(context)
  }

  func commit(_ units: [DriverUnit]) async throws -> RecordAllowance.Amount {
    let reading = HostClockReading(
      utcMicroseconds: clock.unixMicroseconds, isSynchronized: options.clockTrust.isSynchronized)
    let answer = try await intake.take(units.map { IntakeBatch($0) }, clock: reading)
    let receipts = answer.receipts
    let lost = Array(repeating: Self.unmatchedContext, count: receipts.reduce(0) { $0 + $1.lostContexts })
    ledger.leave(receipts.flatMap(\.left))
    ledger.add(receipts.map(\.commit), rejected: lost, after: clock.now - advertised)
    for reason in lost {
      Self.log.warning("a record was refused: \(reason)", metadata: ["driver": "\(plan.driver.id)"])
    }
    for record in receipts.flatMap(\.information) { tell(facts(record)) }
    let committed = receipts.flatMap { $0.commit.new + $0.commit.revised + $0.commit.suspects }
    if !committed.isEmpty { sink.yield(.shouldSubmit(committed)) }
    // The unit of a record that cannot be is not committed, and neither is its cursor: the reading stays in the meter.
    if let refusal = answer.refusal {
      throw DriverFault(
        .brokeRule, driver: plan.driver.id, rule: "R12",
        message: "the driver reported a reading that cannot be (\(refusal)); nothing was taken from there on")
    }
    return Self.known(of: units, receipts)
  }

  private func tell(_ facts: MeterFacts) {
    sink.yield(.meterFacts(facts))
    if let ratio = facts.batteryRatio { counted.tell(.batteryTold(meter: meter, ratio: ratio)) }
    kept.withLock { facts.add(to: &$0) }
  }

  /// What the meter has told of itself up to now, for the list of meters.
  var told: ToldFacts { kept.withLock(\.self) }

  /// How much of the units left nothing: repeats, and what this read was not to take.
  private static func known(of units: [DriverUnit], _ receipts: [IntakeReceipt]) -> RecordAllowance.Amount {
    var known = RecordAllowance.Amount()
    for (unit, receipt) in zip(units, receipts) {
      let kept = receipt.commit.new.count + receipt.commit.revised.count + receipt.commit.suspects.count
      if kept == 0, receipt.lostContexts == 0 {
        known.records += unit.durableAmount.records
        known.bytes += unit.durableAmount.bytes
      } else {
        known.records += receipt.commit.duplicates.count
      }
    }
    return known
  }

  /// Says what never found its measurement, once the session is over.
  func finish() {
    ledger.reject(Array(repeating: Self.unmatchedContext, count: intake.waitingContexts))
  }

  private static let unmatchedContext = "a context came without its measurement"

  /// What a meter says about itself. A driver that may set its clock, and says a second time how far that is ahead, has set it;
  /// the first time it may have said that the clock had no time.
  private func facts(_ record: DriverRecord) -> MeterFacts {
    var facts = MeterFacts(record)
    guard facts.clockOffsetSeconds != nil || record.flags.contains(.clockSuspect) else { return facts }
    let reports = clockReports.withLock { reports in
      reports += 1
      return reports
    }
    if reports > 1, options.setsClock == true, options.knowsDate(at: clock.unixMicroseconds) { facts.isClockSet = true }
    return facts
  }
}
