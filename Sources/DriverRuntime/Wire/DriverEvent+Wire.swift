package import DriverContract
import CMeterDriver

extension DriverEvent {
  package func encode(to writer: inout WireWriter) {
    writer.put(sequence)
    writer.put(token)
    writer.put(monotonicNanoseconds)
    writer.put(unixMicroseconds)
    fact.encode(to: &writer)
  }

  package init(from reader: inout WireReader) throws(WireError) {
    self.init(
      sequence: try reader.number(), token: try reader.number(), monotonicNanoseconds: try reader.number(),
      unixMicroseconds: try reader.number(), fact: try DriverFact(from: &reader))
  }
}

extension DriverFact {
  package func encode(to writer: inout WireWriter) {
    writer.put(kind)
    switch self {
    case .connected(let mtu), .mtu(let mtu): writer.put(mtu)
    case .encrypted(let number), .disconnected(let number): writer.put(number)
    case .services(let services, let characteristics):
      writer.put(services) { $1.encode(to: &$0) }
      writer.put(characteristics) { $1.encode(to: &$0) }
    case .subscribed(let handle, let status), .wrote(let handle, let status):
      writer.put(handle)
      writer.put(status)
    case .notification(let handle, let value), .indication(let handle, let value):
      writer.put(handle)
      writer.put(value)
    case .read(let handle, let value, let status):
      writer.put(handle)
      writer.put(value)
      writer.put(status)
    case .advertisement(let value, let number), .userInput(let value, let number):
      writer.put(value)
      writer.put(number)
    case .cancel(let grace): writer.put(grace)
    case .serviceChanged, .timer, .proceed: break
    }
  }

  package init(from reader: inout WireReader) throws(WireError) {
    switch try reader.number(UInt32.self) {
    case MH_EV_CONNECTED: self = .connected(mtu: try reader.number())
    case MH_EV_ENCRYPTED: self = .encrypted(level: try reader.number())
    case MH_EV_SERVICES:
      let services = try reader.list(least: 20) { reader throws(WireError) in try DriverService(from: &reader) }
      let characteristics = try reader.list(least: 24) { reader throws(WireError) in
        try DriverCharacteristic(from: &reader)
      }
      guard characteristics.allSatisfy({ $0.serviceIndex < services.count }) else {
        throw WireError(message: "a characteristic names a service that is not in the list")
      }
      self = .services(services, characteristics)
    case MH_EV_SERVICE_CHANGED: self = .serviceChanged
    case MH_EV_MTU: self = .mtu(try reader.number())
    case MH_EV_SUBSCRIBED: self = .subscribed(handle: try reader.number(), status: try reader.number())
    case MH_EV_NOTIFICATION: self = .notification(handle: try reader.number(), try reader.content())
    case MH_EV_INDICATION: self = .indication(handle: try reader.number(), try reader.content())
    case MH_EV_READ:
      self = .read(handle: try reader.number(), try reader.content(), status: try reader.number())
    case MH_EV_WROTE: self = .wrote(handle: try reader.number(), status: try reader.number())
    case MH_EV_TIMER: self = .timer
    case MH_EV_ADVERTISEMENT: self = .advertisement(try reader.content(), rssi: try reader.number())
    case MH_EV_USER_INPUT: self = .userInput(try reader.content(), status: try reader.number())
    case MH_EV_CANCEL: self = .cancel(graceNanoseconds: try reader.number())
    case MH_EV_DISCONNECTED: self = .disconnected(reason: try reader.number())
    case MH_EV_CONTINUE: self = .proceed
    default: throw WireError(message: "the event's kind is unknown")
    }
  }
}

extension DriverUUID {
  package func encode(to writer: inout WireWriter) {
    writer.put(high)
    writer.put(low)
  }

  package init(from reader: inout WireReader) throws(WireError) {
    self.init(high: try reader.number(), low: try reader.number())
  }
}

extension DriverService {
  package func encode(to writer: inout WireWriter) {
    writer.put(firstHandle)
    writer.put(lastHandle)
    uuid.encode(to: &writer)
  }

  package init(from reader: inout WireReader) throws(WireError) {
    self.init(
      firstHandle: try reader.number(), lastHandle: try reader.number(), uuid: try DriverUUID(from: &reader))
  }
}

extension DriverCharacteristic {
  package func encode(to writer: inout WireWriter) {
    writer.put(handle)
    writer.put(properties)
    writer.put(serviceIndex)
    uuid.encode(to: &writer)
  }

  package init(from reader: inout WireReader) throws(WireError) {
    self.init(
      handle: try reader.number(), properties: try reader.number(), serviceIndex: try reader.number(),
      uuid: try DriverUUID(from: &reader))
  }
}
