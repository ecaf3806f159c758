import CBus
import Foundation
import HostPrimitives
import Synchronization

@testable import KernelBluetooth

/// Answers on a bus under bluetoothd's name, as a test wishes.
final class StandInDaemon: Sendable {
  /// What it does with a call.
  enum Action: Sendable {
    /// Answers with these arguments.
    case answer([BusValue])
    /// Refuses with this error.
    case refuse(String)
    /// Says nothing, ever.
    case keepSilent
    /// Answers later, with the desk's ``Desk/settle``.
    case later
    /// Ends, as a program that crashes.
    case die
  }

  /// The meter that it knows, and what it was asked.
  struct State: Sendable {
    var properties: [String: BusValue]? = [
      "Address": .variant(.text("F0:F1:F2:F3:F4:F5")), "AddressType": .variant(.text("random")),
      "Paired": .variant(.truth(false)), "Bonded": .variant(.truth(false)), "Connected": .variant(.truth(true)),
    ]
    var path = DaemonPairingTests.path
    var asked: [String] = []
    var isStopped = false
  }

  /// What it is on its thread.
  final class Desk {
    let connection: BusConnection
    let daemon: StandInDaemon
    /// Calls of the agent that were made and wait for their answer.
    var waiting: [UInt32: (Desk, Result<[BusValue], BusRefusal>) -> Void] = [:]

    fileprivate init(_ connection: BusConnection, _ daemon: StandInDaemon) {
      self.connection = connection
      self.daemon = daemon
    }

    /// Ends the call that was put off.
    var settle: ((Action) -> Void)?

    /// Asks the agent of who has called.
    func askAgent(
      of caller: String, _ member: String, _ arguments: [BusValue],
      then body: @escaping (Desk, Result<[BusValue], BusRefusal>) -> Void
    ) throws {
      let call = BusCall(
        destination: caller, path: AgentRequest.path, interface: AgentRequest.interface, member: member,
        arguments: arguments)
      waiting[try connection.send(call)] = body
    }

    /// Changes the meter and tells it.
    func change(_ changes: [String: Bool]) throws {
      let path = daemon.state.withLock { state in
        for (key, value) in changes { state.properties?[key] = .variant(.truth(value)) }
        return state.path
      }
      try connection.tellChange(of: path)
    }
  }

  typealias Handler = @Sendable (BusMessage, Desk) throws -> Action?

  let state = Mutex(State())
  private let ready = DispatchSemaphore(value: 0)
  private let wake: BusWake

  /// Starts it; it owns the name when this returns.
  ///
  /// - Parameter handler: What it does other than usual; nil is as usual.
  init(_ bus: PrivateBus, _ handler: @escaping Handler = { _, _ in nil }) throws {
    wake = try BusWake()
    let address = bus.address
    let thread = Thread { [self] in
      do { try serve(address, handler) } catch { ready.signal() }
    }
    thread.start()
    ready.wait()
  }

  /// It ends.
  func stop() {
    state.withLock { $0.isStopped = true }
    wake.call()
  }

  /// The methods that it was asked for, without those that look at properties.
  var asked: [String] { state.withLock { $0.asked.filter { $0 != "GetAll" } } }

  private func serve(_ address: String, _ handler: Handler) throws {
    let soon = SystemClock().now + .seconds(10)
    guard let connection = try BusConnection.open(address, until: soon) else {
      throw PrivateBus.Failure(reason: "no bus")
    }
    var name = BusCall.bus("RequestName", BusCall.daemon)
    name.arguments.append(.number(4))
    _ = try connection.ask(name, until: soon)
    ready.signal()
    let desk = Desk(connection, self)
    while !state.withLock(\.isStopped), connection.isOpen {
      while let (message, raw) = connection.next() {
        switch message.kind {
        case .call:
          state.withLock { $0.asked.append(message.member) }
          let action = try handler(message, desk) ?? usual(message)
          if case .later = action {
            desk.settle = { action in
              try? connection.carryOut(action, for: raw)
              mh_bus_free(raw)
            }
            continue
          }
          if case .die = action { return }
          try connection.carryOut(action, for: raw)
        case .answer(let number): desk.waiting.removeValue(forKey: number)?(desk, .success(message.arguments ?? []))
        case .refusal(let number, let name):
          desk.waiting.removeValue(forKey: number)?(desk, .failure(BusRefusal(name: name)))
        case .signal: break
        }
        mh_bus_free(raw)
      }
      connection.wait(until: SystemClock().now + .seconds(60), wake: wake)
    }
  }

  private func usual(_ message: BusMessage) -> Action {
    state.withLock { state -> Action in
      switch message.member {
      case "GetAll" where message.path == state.path:
        return state.properties.map { .answer([.dictionary($0)]) }
          ?? .refuse("org.freedesktop.DBus.Error.UnknownObject")
      case "GetAll": return .refuse("org.freedesktop.DBus.Error.UnknownObject")
      case "GetManagedObjects":
        let interfaces = BusValue.dictionary(["org.bluez.Device1": .dictionary(state.properties ?? [:])])
        return .answer([.dictionary([state.path: interfaces])])
      case "RegisterAgent": return .answer([])
      case "RemoveDevice" where state.properties == nil: return .refuse("org.bluez.Error.DoesNotExist")
      case "RemoveDevice":
        state.properties = nil
        return .answer([])
      default: return .keepSilent
      }
    }
  }
}

extension BusConnection {
  fileprivate func carryOut(_ action: StandInDaemon.Action, for call: OpaquePointer) throws {
    switch action {
    case .answer(let arguments): try answer(call, with: arguments)
    case .refuse(let name): try answer(call, .failure(BusRefusal(name: name)))
    case .keepSilent, .later, .die: break
    }
  }
}
