import BluetoothWire
import DriverContract
import MeterDrivers
import VirtualMeter

/// A registry fragment for a library that has none: what the library says of itself, and a peripheral for each meter that
/// it is tried on, with everything that the meter has.
struct MadeUpFragment {
  let library: String
  let drivers: [DriverDescription]
  let meters: [MeterScript]

  private static let firstPeripheral = 990_000
  private static let family = "tested-bundle"

  var object: [String: Any] {
    var peripherals: [[String: Any]] = []
    for (index, driver) in drivers.enumerated() {
      for (place, meter) in meters.enumerated() {
        peripherals.append(peripheral(meter, of: driver, id: Self.firstPeripheral + 100 * index + place))
      }
    }
    return [
      "registry_version": 1, "families": [["id": Self.family, "name": "The tested bundle"]],
      "drivers": drivers.map(entry), "peripherals": peripherals,
    ]
  }

  private func entry(_ driver: DriverDescription) -> [String: Any] {
    let capabilities: [(DriverCapabilities, DriverEntry.Capability)] = [
      (.connect, .connect), (.advertisementOnly, .advertisementOnly), (.decode, .decode),
    ]
    return [
      "id": driver.id, "version": driver.version, "vendor": driver.vendor, "license": "LicenseRef-unknown",
      "family": Self.family, "library": library,
      "abi": ["major": Int(ContractVersion.host.major), "minor": Int(ContractVersion.host.minor)],
      "capabilities": capabilities.filter { driver.capabilities.contains($0.0) }.map(\.1.rawValue),
      "functions": driver.functions.map { ["name": $0.name, "signature": $0.signature, "summary": "not described"] },
    ]
  }

  private func peripheral(_ meter: MeterScript, of driver: DriverDescription, id: Int) -> [String: Any] {
    let facts = SubjectMeter.facts(of: meter)
    let services = meter.services.filter { $0.uuid != 0x180A && $0.uuid != 0x1800 && $0.uuid != 0x1801 }
    return [
      "id": id, "kind": "bluetooth", "name": meter.name, "manufacturer": facts.manufacturer ?? meter.manufacturer,
      "model": facts.model ?? "", "type": "none", "requires_pairing": false, "instructions": "Switch the meter on.",
      "reading_instructions": "Measure now.",
      "connection_kind": meter.isAdvertisementOnly ? "advertisement" : "connect",
      "supported_since": "0.1.0", "maturity": "alpha", "stored_history": false, "passive": "no",
      "announces_before_measurement": false, "driver": driver.id, "match": [match(meter)],
      "services": services.map { service in
        [
          "uuid": "\(service.uuid)", "required": false,
          "characteristics": service.characteristics.map {
            ["uuid": "\($0.uuid)", "required": false] as [String: Any]
          },
        ] as [String: Any]
      },
    ]
  }

  private func match(_ meter: MeterScript) -> [String: Any] {
    let data = AdvertisingData(parsing: meter.advertisement.data)
    var rule: [String: Any] = [:]
    if let name = data.localName { rule["name_prefix"] = name }
    if !data.serviceUUIDs.isEmpty { rule["services"] = data.serviceUUIDs.map { "\($0)" } }
    if let company = data.manufacturerData.first?.company { rule["company_id"] = Int(company) }
    return rule
  }
}
