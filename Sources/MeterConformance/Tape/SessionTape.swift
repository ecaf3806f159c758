import DriverContract
import HostPrimitives

/// A session as a driver saw it: what it was told when it was opened, every event, what the host's services answered, and
/// what came of each event. It can be played to a driver again (rule R8).
struct SessionTape: Sendable {
  /// One event and what came of it.
  struct Step: Sendable, Hashable {
    var event: DriverEvent
    var unit: DriverUnit
    var cpuNanoseconds: Int64
  }

  /// A request to the services and what they said.
  struct Exchange: Sendable, Hashable {
    var request: ServiceRequest
    var answer: ServiceAnswer
  }

  /// The meter's name.
  var meter: String
  var opening: DriverOpening
  var steps: [Step] = []
  var exchanges: [Exchange] = []
  /// What ended it before its time: the driver broke a rule or died while it handled the event behind the last step.
  var fault: DriverFault?
  var fatal: DriverEvent?

  var events: [DriverEvent] { steps.map(\.event) }
  var records: [DriverRecord] { steps.flatMap(\.unit.records) }
  /// The characteristics that the driver was shown last.
  var characteristics: [DriverCharacteristic] {
    for step in steps.reversed() { if case .services(_, let list) = step.event.fact { return list } }
    return []
  }
}

extension DriverEvent {
  /// The event in a line, as reproductions write it.
  var line: String { "\(sequence) \(fact.line)" + (token == 0 ? "" : " token \(token)") }
}

extension DriverFact {
  var line: String {
    func hex(_ handle: UInt16) -> String { "0x" + handle.hexadecimal(digits: 4) }
    func hex(_ bytes: [UInt8]) -> String { bytes.isEmpty ? "(empty)" : bytes.hexadecimal }
    return switch self {
    case .connected(let mtu): "connected mtu \(mtu)"
    case .encrypted(let level): "encrypted \(level)"
    case .services(let services, let characteristics):
      "services \(services.count), characteristics \(characteristics.map { hex($0.handle) }.joined(separator: " "))"
    case .serviceChanged: "service-changed"
    case .mtu(let mtu): "mtu \(mtu)"
    case .subscribed(let handle, let status): "subscribed \(hex(handle)) status \(status)"
    case .notification(let handle, let value): "notification \(hex(handle)) \(hex(value))"
    case .indication(let handle, let value): "indication \(hex(handle)) \(hex(value))"
    case .read(let handle, let value, let status): "read \(hex(handle)) \(hex(value)) status \(status)"
    case .wrote(let handle, let status): "wrote \(hex(handle)) status \(status)"
    case .timer: "timer"
    case .advertisement(let value, let rssi): "advertisement \(hex(value)) rssi \(rssi)"
    case .userInput(let value, let status): "user-input of \(value.count) bytes, status \(status)"
    case .cancel(let grace): "cancel \(grace)"
    case .disconnected(let reason): "disconnected \(reason)"
    case .proceed: "continue"
    }
  }

  /// The bytes that the meter sent; nil when the fact carries none.
  var value: [UInt8]? {
    switch self {
    case .notification(_, let value), .indication(_, let value), .read(_, let value, _), .advertisement(let value, _):
      value
    default: nil
    }
  }

  /// The same fact with other bytes.
  func with(value: [UInt8]) -> DriverFact {
    switch self {
    case .notification(let handle, _): .notification(handle: handle, value)
    case .indication(let handle, _): .indication(handle: handle, value)
    case .read(let handle, _, let status): .read(handle: handle, value, status: status)
    case .advertisement(_, let rssi): .advertisement(value, rssi: rssi)
    default: self
    }
  }
}
