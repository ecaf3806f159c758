import BluetoothWire
import DriverContract
import HostPrimitives
import Synchronization

/// A session's advertisements: what one address sends, as long as it sends. Nothing can be sent to it.
final class AdvertisementLink: SessionLink {
  private struct State {
    var lastHeard: HostInstant
    var error: GATTError?
    var unread: [AdvertisingReport] = []
  }

  /// Changed payloads that may wait for the driver; more end the session.
  static let maximumWaiting = SessionMachine.maximumWaitingFacts

  let medium = SessionMachine.Medium.advertisements
  private let reports: AsyncStream<AdvertisingReport>
  private let sink: AsyncStream<AdvertisingReport>.Continuation
  private let state: Mutex<State>
  private let clock: any HostClock
  private let began: HostInstant

  init(clock: any HostClock) {
    self.clock = clock
    began = clock.now
    state = Mutex(State(lastHeard: began))
    (reports, sink) = AsyncStream.makeStream()
  }

  var lastHeard: HostInstant { state.withLock(\.lastHeard) }
  var report: LinkReport { LinkReport(error: state.withLock(\.error), began: began) }

  /// What was heard and the driver has not: when it has ended, another session begins with it.
  var unread: [AdvertisingReport] { state.withLock(\.unread) }

  /// The address has sent something new.
  func hear(_ report: AdvertisingReport) {
    state.withLock { state in
      guard state.error == nil else { return }
      state.lastHeard = clock.now
      guard state.unread.count < Self.maximumWaiting else {
        state.error = GATTError(.flooded, "more than \(Self.maximumWaiting) advertisements wait; the meter was left")
        return sink.finish()
      }
      state.unread.append(report)
      sink.yield(report)
    }
  }

  /// The address is silent: the session ends behind what was heard.
  func fallSilent() { sink.finish() }

  func listen(_ post: @escaping @Sendable (SessionMachine.Input) -> Void) async {
    for await report in reports {
      post(.fact(.advertisement(report.data, rssi: Int32(report.rssi)), token: 0))
    }
    // Connection Timeout (Core Specification, Vol 1 Part F 2.8).
    post(.linkLost(reason: 0x08))
  }

  func delivers(_ fact: DriverFact) {
    guard case .advertisement = fact else { return }
    state.withLock { state in if !state.unread.isEmpty { state.unread.removeFirst() } }
  }

  func close() { sink.finish() }
}

/// What needs a connection: the machine breaks a session off rather than ask a link for it that has none.
extension SessionLink {
  func run(_ procedure: SessionMachine.Procedure) async {}
  func write(_ value: [UInt8], to handle: UInt16) async {}
  func confirmIndication() async {}
}
