public import HostErrors
public import BluetoothWire
package import HostPrimitives
public import LinuxSockets
internal import Synchronization

/// A virtual meter: speaks ATT as its ``MeterScript`` says, over the virtual air or over a pair of sockets.
///
/// Memory, deletions and counters live as long as this object, across connections, as a meter's do.
public final class VirtualMeter: Sendable {
  /// What it has and how it behaves, as it was made with.
  public let script: MeterScript

  private struct State {
    var machine: MeterMachine
    var isHeld = false
  }

  private let state: Mutex<State>
  let clock: any HostClock
  private let happenings = Broadcast<MeterEvent>(.unbounded)

  /// A meter that is switched off.
  public convenience init(script: MeterScript) { self.init(script: script, clock: .system) }

  /// The same by another clock.
  package init(script: MeterScript, clock: any HostClock) {
    self.script = script
    self.clock = clock
    state = Mutex(State(machine: MeterMachine(script: script)))
  }

  /// What went over the links so far.
  public var counters: MeterCounters { state.withLock { $0.machine.counters } }

  /// How many records the memory holds.
  public var recordsLeft: Int { state.withLock { $0.machine.recordsLeft } }

  /// What it can say of the clients that it has talked with.
  package var testimony: MeterTestimony {
    var testimony = state.withLock { $0.machine.testimony }
    if case .advertise(let options) = script.behaviour {
      func sent(_ step: MeterScript.Advertise.Step) -> MeterTestimony.SentValue {
        .init(nil, step.payload(behind: script.advertisement.data))
      }
      let final = Set(options.steps.filter { !$0.isSettling }.map(sent))
      testimony.settling = Set(options.steps.filter(\.isSettling).map(sent)).subtracting(final)
    }
    return testimony
  }

  /// Waits until no client holds the link: what was written last has had its effect then.
  package func untilFree() async {
    var events = events().makeAsyncIterator()
    while isHeld {
      guard await events.next() != nil else { return }
    }
  }

  /// The person puts the meter into its pairing mode, or takes it out of it.
  public func setPairingMode(_ isOn: Bool) { withMachine { $0.setPairingMode(isOn) } }

  /// The meter forgets every host that it was paired with, as after a reset or a change of batteries.
  public func forgetBonds() { withMachine { $0.forgetBonds() } }

  /// The advertisement that the host hears; of a meter whose advertisements change, the first.
  public var advertisement: AdvertisingReport { advertisements[0] }

  /// The meter's advertisements in their order, each step of a sequence once, whatever its count and its waits; never empty.
  public var advertisements: [AdvertisingReport] {
    guard case .advertise(let options) = script.behaviour, !options.steps.isEmpty else {
      return [report(of: script.advertisement.data)]
    }
    return options.steps.map { report(of: $0.payload(behind: script.advertisement.data)) }
  }

  func report(of data: [UInt8]) -> AdvertisingReport {
    AdvertisingReport(
      eventType: script.advertisement.isConnectable ? .connectable : .nonconnectable, address: script.address,
      rssi: script.advertisement.rssi, data: data)
  }

  /// What happens from now on. Each call gives an observer of its own, whose events wait without limit until they are
  /// taken; it ends with the meter or when the stream is dropped.
  public func events() -> AsyncStream<MeterEvent> { happenings.listen() }

  /// A client's end of a new link, without the air.
  ///
  /// - Throws: ``VirtualMeterError`` with code `busy` if a client holds the link, `socket` if no pair can be made.
  public func connect() throws(VirtualMeterError) -> PacketSocket {
    guard hold() else {
      throw VirtualMeterError(.busy, message: "another client holds the meter's link; close it first")
    }
    do throws(SocketError) {
      let (client, server) = try PacketSocket.pair()
      Task { await serve(server) }
      return client
    } catch {
      release()
      throw VirtualMeterError(.socket, message: "no link: \(error.message)", cause: error)
    }
  }

  /// Takes the one link; false if a client has it already.
  func hold() -> Bool {
    state.withLock { state in
      defer { state.isHeld = true }
      return !state.isHeld
    }
  }

  func release() { state.withLock { $0.isHeld = false } }

  var isHeld: Bool { state.withLock { $0.isHeld } }

  func emit(_ event: MeterEvent) { happenings.send(event) }

  func withMachine<Value: Sendable>(_ body: (inout MeterMachine) -> Value) -> Value {
    state.withLock { body(&$0.machine) }
  }
}

/// Why a virtual meter cannot do what was asked.
public struct VirtualMeterError: HostError {
  /// The kinds of failure.
  public enum Code: String, Sendable, CaseIterable {
    /// A client holds the link.
    case busy
    /// A socket failed.
    case socket
    /// Another meter with this address is in the air.
    case addressTaken = "address_taken"
    /// The air's folder cannot be used.
    case air
  }

  /// What is wrong, for programs.
  public let code: Code
  /// What is wrong and what to do, for people.
  public let message: String
  /// The error beneath.
  public let cause: (any Error)?

  init(_ code: Code, message: String, cause: (any Error)? = nil) {
    (self.code, self.message, self.cause) = (code, message, cause)
  }

  /// There is no air, or no room in it.
  public var kind: HostErrorKind { .unavailable }
}
