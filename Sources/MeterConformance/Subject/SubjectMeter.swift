import BluetoothWire
import Foundation
import HostPrimitives
import MeterBluetooth
import MeterDrivers
import VirtualMeter

/// A virtual meter that a driver is tried on, and the catalogue's entry that it is read as.
struct SubjectMeter: Sendable {
  /// The script's file name without its ending.
  var name: String
  var script: MeterScript
  var peripheral: Peripheral

  /// A fresh meter, with more faults than its script has.
  ///
  /// A bond exists already, and a meter whose end shows by its silence alone closes the link: nobody waits for that.
  func make(faults: [MeterFault] = []) -> VirtualMeter {
    var script = script
    script.faults += faults
    if script.pairing != nil {
      script.pairing = nil
      script.bonded = true
    }
    switch script.behaviour {
    case .indicateOnConnect, .scale: script.disconnectsAfterProcedure = true
    default: break
    }
    return VirtualMeter(script: script)
  }

  /// What the person at the scripted meter would answer to the driver's question: the consent code of the scale's first
  /// user.
  var answer: String? {
    guard case .scale(let options) = script.behaviour, let slot = options.slots.first else { return nil }
    return Int64(slot.consent).digits(4)
  }

  /// The meter's user whose readings are wanted.
  var userSlot: UInt16? {
    guard case .scale(let options) = script.behaviour else { return nil }
    return options.slots.first.map { UInt16($0.index) }
  }

  /// How many readings of the person who is asked for the script has.
  var readings: Int {
    let stored = script.records.count { record in
      record.isReading && (userSlot == nil || record.user == nil || record.user.map { UInt16($0) } == userSlot)
    }
    guard case .responder(let options) = script.behaviour else { return stored }
    return stored + options.readings
  }

  /// Whether the script says what is asked and what is answered.
  var isScripted: Bool { if case .responder = script.behaviour { true } else { false } }

  /// The key that is printed on the scripted meter.
  var key: [UInt8]? { if case .keyed(let options) = script.behaviour { options.key } else { nil } }

  /// The text of a characteristic; nil when the meter has none.
  func text(of uuid: BluetoothUUID) -> String? {
    let found = script.services.lazy.flatMap(\.characteristics).first { $0.uuid == uuid }
    return found.flatMap { String(validating: $0.value, as: UTF8.self) }
  }

  /// Whether its readings are in its advertisements.
  var isAdvertisementOnly: Bool { script.isAdvertisementOnly }

  /// What its Device Information Service says.
  static func facts(of script: MeterScript) -> DeviceFacts {
    func text(_ uuid: BluetoothUUID) -> String? {
      let found = script.services.lazy.flatMap(\.characteristics).first { $0.uuid == uuid }
      return found.flatMap { String(validating: $0.value, as: UTF8.self) }
    }
    return DeviceFacts(
      name: AdvertisingData(parsing: script.advertisement.data).localName, manufacturer: text(0x2A29),
      model: text(0x2A24))
  }

  /// What a host sees of the scripted meter.
  static func seen(_ script: MeterScript) -> SeenDevice {
    let facts = facts(of: script)
    var seen = SeenDevice(VirtualMeter(script: script).advertisement)
    seen.manufacturer = facts.manufacturer ?? ""
    seen.model = facts.model ?? ""
    return seen
  }
}
