import Foundation
import TestSupport
import VirtualMeter

/// Meters for the bench.
enum BenchMeter {
  static func shipped(_ name: String, change: (String) -> String = { $0 }) throws -> VirtualMeter {
    let text = try String(contentsOf: BuildProducts.meterScript(name), encoding: .utf8)
    return VirtualMeter(script: try MeterScript.parse(json: change(text)), clock: .ofTest)
  }

  /// A shipped script with faults.
  static func shipped(_ name: String, faults: String...) throws -> VirtualMeter {
    try shipped(name) { text in
      String(text[..<(text.lastIndex(of: "}") ?? text.endIndex)]) + ", \"faults\": [\(faults.joined(separator: ","))]}"
    }
  }

  /// A glucose meter: sequence numbers from 10, values from 100 mg/dL, every second record with a context.
  static func glucose(
    _ behaviour: String = "", records: Int = 5, faults: String = "", prefix: String = "", address: String = "01"
  ) throws -> VirtualMeter {
    VirtualMeter(
      script: try MeterScript.parse(json: glucoseText(behaviour, records, faults, prefix: prefix, address: address)),
      clock: .ofTest)
  }

  /// The script of ``glucose(_:records:faults:prefix:address:)``.
  static func glucoseText(
    _ behaviour: String = "", _ records: Int = 5, _ faults: String = "", prefix: String = "", address: String = "01"
  ) -> String {
    let list = (0..<records).map { index in
      let context = index % 2 == 1 ? #", "context": "02\#(hex(10 + index))0001""# : ""
      // 100 + n mg/dL as kg/L: n x 10^-5, exponent -5 is 0xB in the upper four bits.
      let flags = index % 2 == 1 ? "13" : "03"
      return #"""
        {"measurement": "\#(flags)\#(hex(10 + index))00e407030e17\#(hex(index))000000\#(hex(100 + index))b011"\#(context)}
        """#
    }
    return #"""
      {"name": "bench", "manufacturer": "bench", "address": "00:00:00:00:00:\#(address)",
       "advertisement": {"services": ["1808"], "local_name": "bench"},
       "services": [\#(prefix){"uuid": "1808", "characteristics": [
         {"uuid": "2A18", "properties": ["notify"]}, {"uuid": "2A34", "properties": ["notify"]},
         {"uuid": "2A52", "properties": ["write", "indicate"]}]},
         {"uuid": "180A", "characteristics": [{"uuid": "2A25", "properties": ["read"], "text": "B-1"}]}],
       "behaviour": {"kind": "glucose"\#(behaviour)}, "records": [\#(list.joined(separator: ","))],
       "faults": [\#(faults)]}
      """#
  }

  static func glucoseReadings(_ count: Int = 5) -> [Reading] {
    (0..<count).map { index in
      Reading(
        metric: "blood_glucose", value: Double(100 + index), unit: "mg/dL",
        civilTime: "2020-03-14T23:\(index < 10 ? "0" : "")\(index):00")
    }
  }

  /// A thermometer that closes the link when everything is confirmed: the read then ends at once.
  static func thermometer(
    _ behaviour: String = "", hasClock: Bool = true, records: Int = 3, faults: String = ""
  ) throws -> VirtualMeter {
    let list = (0..<records).map { index in
      let number = "\(hex(0x68 + index))0100ff"
      return hasClock
        ? #"{"measurement": "06\#(number)e207030a15\#(hex(index))0002"}"# : #"{"measurement": "04\#(number)02"}"#
    }
    return VirtualMeter(
      script: try MeterScript.parse(
        json: #"""
          {"name": "bench", "manufacturer": "bench", "address": "00:00:00:00:00:02",
           "advertisement": {"services": ["1809"], "local_name": "bench"},
           "services": [{"uuid": "1809", "characteristics": [{"uuid": "2A1C", "properties": ["indicate"]}]},
             {"uuid": "180A", "characteristics": [{"uuid": "2A25", "properties": ["read"], "text": "T-1"}]}],
           "behaviour": {"kind": "indicate-on-connect"\#(behaviour)}, "records": [\#(list.joined(separator: ","))],
           "faults": [\#(faults)], "disconnect_after_procedure": \#(records > 0)}
          """#), clock: .ofTest)
  }

  static func thermometerReadings(_ count: Int = 3) -> [Reading] {
    (0..<count).map { index in
      Reading(
        metric: "body_temperature", value: Double(360 + index) / 10, unit: "Cel",
        civilTime: "2018-03-10T21:0\(index):00")
    }
  }

  private static func hex(_ number: Int) -> String {
    let digits = String(number, radix: 16)
    return digits.count == 1 ? "0" + digits : digits
  }
}
