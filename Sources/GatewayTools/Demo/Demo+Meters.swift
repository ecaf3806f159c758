import GatewayEngine
import GatewayAPI
import BluetoothWire
import HostPrimitives
import MeterBluetooth
import MeterDrivers
import MeterReceiver
import VirtualMeter

extension MeterScript {
  /// What the scripted meter's Device Information Service says.
  var deviceFacts: DeviceFacts {
    DeviceFacts(name: advertisedName, manufacturer: text(of: 0x2A29), model: text(of: 0x2A24))
  }

  /// Whether the meter plays its measurement when it is switched on, whoever listens: it is switched on to be read.
  var measuresOnce: Bool { isAdvertisementOnly }

  private var advertisedName: String? { AdvertisingData(parsing: advertisement.data).localName }

  private func text(of uuid: BluetoothUUID) -> String? {
    let characteristic = services.lazy.flatMap(\.characteristics).first { $0.uuid == uuid }
    return characteristic.flatMap { String(validating: $0.value, as: UTF8.self) }
  }
}

extension Gateway {
  /// The catalogue's entry for a meter: the most specific rule that holds (rule R21).
  ///
  /// - Throws: ``GatewayError`` with code `ambiguous_meter` or `unknown_meter`.
  func peripheral(matching report: AdvertisingReport, information: DeviceFacts) throws(GatewayError) -> UInt32 {
    var seen = SeenDevice(report)
    seen.manufacturer = information.manufacturer ?? ""
    seen.model = information.model ?? ""
    switch registry.match(seen) {
    case .chosen(let match): return match.peripheral.id
    case .ambiguous(let matches):
      let names = matches.map { "\($0.peripheral.name) (\($0.peripheral.id))" }.joined(separator: " and ")
      throw GatewayError(.failed, code: "ambiguous_meter", "\(report.address) fits \(names) equally well")
    case .none, .needsDeviceInformation:
      throw GatewayError(.failed, code: "unknown_meter", "no entry of the catalogue fits \(report.address)")
    }
  }
}

extension StoredMeasurement {
  /// The civil time of the reading: UTC plus the offset that it states; nil without an offset.
  var civilTime: String? {
    guard let offset = utcOffset, let start = WrittenTime(startTime)?.utcMicroseconds else { return nil }
    return CivilMoment(microseconds: start + Int64(offset) * 1_000_000).text(.millionths)
  }
}
