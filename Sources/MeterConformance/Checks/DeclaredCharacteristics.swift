import BluetoothWire
import DriverContract
import MeterDrivers
import VirtualMeter

// A meter that shows more than the registry lists, as no host would.
extension DriverFact {
  /// The services with what else the meter has, and one that nobody knows, behind every handle of the meter.
  func withStrangers(of meter: SubjectMeter) -> DriverFact {
    guard case .services(var services, var characteristics) = self else { return self }
    let known = Set(characteristics.map(\.uuid))
    var handle = Self.firstStranger
    for (service, more) in Self.everything(of: meter) {
      let (index, first) = (UInt32(services.count), handle)
      for (uuid, properties) in more where !known.contains(uuid) {
        characteristics.append(
          DriverCharacteristic(handle: handle + 2, properties: properties, serviceIndex: index, uuid: uuid))
        handle += 4
      }
      guard handle > first else { continue }
      services.append(DriverService(firstHandle: first, lastHandle: handle, uuid: service))
      handle += 1
    }
    return .services(services, characteristics)
  }

  /// What a handle stands for.
  func name(of handle: UInt16) -> String {
    guard case .services(_, let characteristics) = self,
      let found = characteristics.first(where: { $0.handle == handle }),
      let uuid = UUIDString(bigEndian: found.uuid.bigEndianBytes)
    else { return "handle \(handle)" }
    return "characteristic \(uuid)"
  }

  private static let firstStranger: UInt16 = 0xF000

  private typealias Entry = (service: DriverUUID, characteristics: [(uuid: DriverUUID, properties: UInt16)])

  private static func everything(of meter: SubjectMeter) -> [Entry] {
    let own = meter.script.services.compactMap { service -> Entry? in
      guard let uuid = DriverUUID(bigEndian: service.uuid.bytes) else { return nil }
      let characteristics = service.characteristics.compactMap { characteristic in
        DriverUUID(bigEndian: characteristic.uuid.bytes).map { ($0, UInt16(characteristic.properties.rawValue)) }
      }
      return (uuid, characteristics)
    }
    // Readable, writable, notifying, and of nobody.
    return own + [(DriverUUID(short: 0xFFFE), [(DriverUUID(short: 0xFFFD), 0x1A)])]
  }
}
