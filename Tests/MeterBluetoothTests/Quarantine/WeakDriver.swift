import Foundation
import MeterDrivers
import TestSupport
import VirtualMeter

/// A driver that dies of what bad meters send (Tests/Fixtures/Misbehaving/weak.c), installed as the thermometer's.
enum WeakDriver {
  static let peripheral: UInt32 = 4000
  static let id = "org.meterhost.thermometer"

  static func staged(_ defines: String...) throws -> StagedRegistry {
    let bundle = try CompiledBundle.make(["weak.c"], in: "Misbehaving", defines: defines)
    return try StagedRegistry(others: [bundle]) {
      $0.replacing("drivers/libmh-thermometer.so", with: "drivers/\(bundle.lastPathComponent)")
    }
  }

  /// A thermometer with so many readings, and at their end what kills the driver if it `isHostile`.
  static func meter(_ number: Int, readings: Int = 2, isHostile: Bool = false, name: String = "bench") throws
    -> VirtualMeter
  {
    let values =
      (0..<readings).map { value(0x68 + $0, minute: $0) } + (isHostile ? [value(0xee, minute: readings)] : [])
    return VirtualMeter(
      script: try MeterScript.parse(
        json: #"""
          {"name": "\#(name)", "manufacturer": "bench", "address": "00:00:00:00:01:\#(hex(number))",
           "advertisement": {"services": ["1809"], "local_name": "\#(name)"},
           "services": [{"uuid": "1809", "characteristics": [{"uuid": "2A1C", "properties": ["indicate"]}]},
             {"uuid": "180A", "characteristics": [{"uuid": "2A25", "properties": ["read"], "text": "W-\#(number)"}]}],
           "behaviour": {"kind": "indicate-on-connect"}, "records": [\#(values.joined(separator: ","))],
           "disconnect_after_procedure": true}
          """#), clock: .ofTest)
  }

  private static func value(_ mantissa: Int, minute: Int) -> String {
    #"{"measurement": "06\#(hex(mantissa))0100ffe207030a15\#(hex(minute))0002"}"#
  }

  private static func hex(_ number: Int) -> String {
    let digits = String(number, radix: 16)
    return digits.count == 1 ? "0" + digits : digits
  }
}
