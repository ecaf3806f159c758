import DriverContract
import DriverProbe
import MeterDrivers

/// Plays a tape to one session of a probe and checks what comes back as the host would. Blocks its caller.
final class TapePlayer {
  let tape: SessionTape
  private let probe: ProbeProcess
  private let number: UInt32
  private let driver: String
  private let trace: Trace
  private var services: TapeServices
  private var isDisconnected = false
  private(set) var units: [DriverUnit] = []
  private(set) var hasEnded = false
  /// Fields of the opening that this play changes.
  private var opening: DriverOpening

  init(
    _ tape: SessionTape, on probe: ProbeProcess, driver: String, session number: UInt32 = 1, trace: Trace,
    opening: DriverOpening? = nil
  ) {
    self.tape = tape
    self.probe = probe
    self.driver = driver
    self.number = number
    self.trace = trace
    self.opening = opening ?? tape.opening
    services = TapeServices(tape.exchanges)
  }

  /// Opens the session; the status is the driver's.
  @discardableResult
  func open(purpose: UInt32 = 0) throws(DriverFault) -> Int32 {
    trace.begin(tape.meter, "open purpose \(purpose == 0 ? opening.purpose.rawValue : purpose)")
    do throws(ProbeFailure) {
      return try probe.client.open(number, driver: driver, opening, purpose: purpose, services: services)
    } catch { throw probe.fault(error) }
  }

  /// Hands over one event; nil when the session has ended before.
  @discardableResult
  func play(_ event: DriverEvent, kind: UInt32 = 0) throws(DriverFault) -> DriverUnit? {
    guard !hasEnded else { return nil }
    trace.note(kind == 0 ? event.line : "\(event.sequence) event of the unknown kind \(kind)")
    if kind == 0, case .disconnected = event.fact { isDisconnected = true }
    let raw: ProbedUnit
    do throws(ProbeFailure) { raw = try probe.client.event(number, event, kind: kind, services: services) } catch {
      throw probe.fault(error)
    }
    let unit = try raw.checked(driver: driver, isDisconnected: isDisconnected)
    units.append(unit)
    // As the host: nothing follows the end but close.
    if !unit.sessionGoesOn || unit.actions.contains(.finish) { hasEnded = true }
    return unit
  }

  /// The whole tape from open to close.
  func playAll() throws(DriverFault) {
    guard try open() == 0 else {
      throw DriverFault(
        .brokeRule, driver: driver, message: "the driver refused a session that it had opened before")
    }
    for step in tape.steps { try play(step.event) }
    try close()
  }

  func close() throws(DriverFault) {
    trace.note("close")
    do throws(ProbeFailure) { try probe.client.close(number) } catch { throw probe.fault(error) }
  }
}
