import DriverContract
import DriverProbe
import MeterDrivers
import Synchronization

/// Opens sessions in probes and keeps a tape of each.
final class TapeDeck: SessionOpener {
  private let configuration: DriverHostConfiguration
  private let meter: String
  private let kept = Mutex<[TapedSession]>([])

  init(meter: String, configuration: DriverHostConfiguration) {
    self.meter = meter
    self.configuration = configuration
  }

  func open(
    _ bundle: VerifiedBundle, driver id: String, opening: DriverOpening, limits: DriverLimits,
    services: (any SessionServices)?, recorder: SessionRecorder?
  ) async throws(DriverFault) -> any DriverSession {
    let session = TapedSession(bundle, driver: id, meter: meter, opening: opening, services: services)
    kept.withLock { $0.append(session) }
    try await session.open(configuration)
    return session
  }

  func prepare() {}

  /// The suite judges for itself.
  func failsAlone(
    _ bundle: VerifiedBundle, driver id: String, opening: DriverOpening, limits: DriverLimits
  ) async -> Bool { false }

  /// The tapes of all sessions so far.
  func tapes() async -> [SessionTape] {
    var tapes: [SessionTape] = []
    for session in kept.withLock({ $0 }) { tapes.append(await session.tape) }
    return tapes
  }
}

/// A session in a probe that writes a tape.
actor TapedSession: DriverSession {
  private let executor = BlockingExecutor(label: "meterhost.probe")
  private let bundle: VerifiedBundle
  private let driver: String
  private let services: RecordingServices
  private var probe: ProbeProcess?
  private var isDisconnected = false
  private var written: SessionTape

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(
    _ bundle: VerifiedBundle, driver: String, meter: String, opening: DriverOpening, services: (any SessionServices)?
  ) {
    self.bundle = bundle
    self.driver = driver
    self.services = RecordingServices(services)
    written = SessionTape(meter: meter, opening: opening)
  }

  var tape: SessionTape {
    var tape = written
    tape.exchanges = services.exchanges
    return tape
  }

  func open(_ configuration: DriverHostConfiguration) throws(DriverFault) {
    do throws(DriverFault) {
      let probe = try ProbeProcess(bundle, manner: [], configuration: configuration)
      let status: Int32
      do throws(ProbeFailure) {
        status = try probe.client.open(1, driver: driver, written.opening, services: services)
      } catch { throw probe.fault(error) }
      guard status == 0 else {
        throw DriverFault(
          .refused, driver: driver, rule: "R9", message: "open answered \(status) to a meter of its own")
      }
      self.probe = probe
    } catch {
      written.fault = error
      throw error
    }
  }

  func handle(_ event: DriverEvent) throws(DriverFault) -> DriverUnit {
    guard let probe else { throw DriverFault(.closed, driver: driver, message: "the session has ended") }
    if case .disconnected = event.fact { isDisconnected = true }
    do throws(DriverFault) {
      let raw: ProbedUnit
      do throws(ProbeFailure) { raw = try probe.client.event(1, event, services: services) } catch {
        throw probe.fault(error)
      }
      let unit = try raw.checked(driver: driver, isDisconnected: isDisconnected)
      written.steps.append(.init(event: event, unit: unit, cpuNanoseconds: raw.cpuNanoseconds))
      return unit
    } catch {
      written.fault = error
      written.fatal = event
      self.probe = nil
      throw error
    }
  }

  @discardableResult
  func close() -> DriverFault? {
    guard let probe else { return nil }
    self.probe = nil
    do throws(ProbeFailure) {
      try probe.client.close(1)
      return nil
    } catch {
      let fault = probe.fault(error)
      written.fault = fault
      return fault
    }
  }
}

/// Services that keep what was asked and answered.
private final class RecordingServices: SessionServices {
  private let base: (any SessionServices)?
  private let kept = Mutex<[SessionTape.Exchange]>([])

  init(_ base: (any SessionServices)?) { self.base = base }

  var exchanges: [SessionTape.Exchange] { kept.withLock { $0 } }

  func answer(_ request: ServiceRequest) -> ServiceAnswer {
    let answer = base?.answer(request) ?? TapeServices.denied
    kept.withLock { $0.append(.init(request: request, answer: answer)) }
    return answer
  }
}

/// Services that say what they said when the tape was written, in the same order; to another request they say no.
final class TapeServices: SessionServices {
  private let exchanges: [SessionTape.Exchange]
  private let next = Mutex(0)

  static let denied = ServiceAnswer(status: -6)

  init(_ exchanges: [SessionTape.Exchange]) { self.exchanges = exchanges }

  func answer(_ request: ServiceRequest) -> ServiceAnswer {
    next.withLock { next in
      guard let index = exchanges[next...].firstIndex(where: { $0.request == request }) else { return Self.denied }
      next = index + 1
      return exchanges[index].answer
    }
  }
}
