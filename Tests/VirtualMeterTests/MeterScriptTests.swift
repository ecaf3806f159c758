import BluetoothWire
import Foundation
import HostErrors
import Testing
import VirtualMeter

@Suite("Scripts")
struct MeterScriptTests {
  /// Bytes of real meters, by script; contexts behind a slash, compositions behind a plus. They stand here again so that nobody changes one unseen.
  static let bytes: [String: [String]] = [
    "accu-chek-guide": ["1b0f00e807011e053a1b53016fb0f80000"],
    "beurer-bf720": ["0e783eea07050c12353601ee002607+9803c200df1a9701cc2fca21a811", "0edc32ea07050d07000002e6009006"],
    "beurer-bm85": [
      "566a0047000000ea07080b121f00003f000000", "56760050000000ea07080b141b00003c000004",
      "56710049000000ea07080b1438000041010000", "56770046000000ea07080b1439000057010040",
    ],
    "blood-pressure-memory": [
      "def6f416f3ff07e4070114082b00b2f2018000", "1666003c004800e407060111331d3f000000",
      "16ff07ff07ff07e80706170e230aff070000", "167c0056006100e807060f11111b33000000",
    ],
    "caresens-dual": ["130400e807030f081e00000005b011/02040006"],
    "contour-next-one": [
      "131e00e2070914051b075cfe6fb0f1/021e0002", "133200e2070a07110b0b5cfe76b0f1/02320002",
    ],
    "glucose-molar": ["070100e3070815061f0db4003bc0f1", "0b0400e407050e0c311d4e0168b0f80000"],
    "ketone-filler": ["030000e407030e171700000070b011", "030100e407030e1717000000ffff11"],
    "omron-x4-smart": ["167c0056006100e807060f11111b33000000", "16760051005d00e807061007050036000000"],
    "pyle-thermometer": ["045c0d00fe09", "04530d00fe09"],
    "thermometer-with-clock": ["06700100ffe207030a141b0002", "06680100ffe207030a15340002"],
    "weight-scale": [
      "0a7c3ae807030a071e00f8001407+1210c200e807030a071e009701+0212c200e807030a071e00a811", "01a640",
    ],
  ]

  @Test("a script's records are the bytes of its meter", arguments: bytes.keys.sorted())
  func records(name: String) throws {
    let script = try ShippedScripts.load(name)
    let hex = { (bytes: [UInt8]) in bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
    #expect(
      script.records.map { record in
        hex(record.measurement) + (record.context.map { "/" + hex($0) } ?? "")
          + record.composition.map { "+" + hex($0) }.joined()
      } == Self.bytes[name])
  }

  @Test(
    "a shipped script that can be connected to says who made the meter, and has a note", arguments: ShippedScripts.names
  )
  func shipped(name: String) throws {
    let script = try ShippedScripts.load(name)
    if !script.services.isEmpty {
      #expect(!script.manufacturer.isEmpty)
      // Some meters call out services that they do not have.
      let advertised = Set(AdvertisingData(parsing: script.advertisement.data).serviceUUIDs)
      let isOdd = ["omron-bp7150", "omron-m700", "omron-rs7", "omron-x2-plus", "yunmai-mini-2"].contains(name)
      #expect(advertised.isSubset(of: script.services.map(\.uuid)) != isOdd)
    }
    #expect(script.note.count > 80)
    #expect(!script.name.isEmpty)
  }

  @Test("the strap's stream is a real one's, behind two values without contact")
  func stream() throws {
    guard case .stream(let stream) = try ShippedScripts.load("polar-h7").behaviour else {
      Issue.record("no stream")
      return
    }
    #expect(stream.values.prefix(2).map(\.value) == [[0x04, 0], [0x04, 0]])
    let real: Set<[UInt8]> = [[0x16, 0x4D, 0x16, 3], [0x16, 0x4F, 2, 3]]
    #expect(Set(stream.values.dropFirst(2).map(\.value)) == real && stream.periodMilliseconds == 1000)
  }

  @Test("all shipped meters can be in one air")
  func addresses() throws {
    let addresses = try ShippedScripts.names.map { try ShippedScripts.load($0).address }
    #expect(Set(addresses).count == addresses.count)
  }

  static let characteristic = #"{"uuid": "2A00", "properties": ["read"]}"#

  @Test(
    "an error names the JSON path and what is allowed",
    arguments: [
      (#"{"uuid": "18O8", "characteristics": []}"#, "", "$.services[0].uuid", "2A18"),
      (#"{"characteristics": []}"#, "", "$.services[0].uuid", "needed"),
      (
        #"{"uuid": "1808", "characteristics": [{"uuid": "2A18", "properties": ["tell"]}]}"#, "",
        "$.services[0].characteristics[0].properties", "notify"
      ),
      (
        #"{"uuid": "1808", "characteristics": [{"uuid": "2A18", "properties": ["read"], "vaule": "00"}]}"#, "",
        "$.services[0].characteristics[0].vaule", "value"
      ),
      (
        #"{"uuid": "1808", "characteristics": [{"uuid": "2A18", "properties": ["read"], "value": "0"}]}"#, "",
        "$.services[0].characteristics[0].value", "two digits"
      ),
      (#"{"uuid": "1808", "characteristics": {}}"#, "", "$.services[0].characteristics", "a list"),
      (#"{"uuid": "1808", "characteristics": 3}"#, "", "$.services[0].characteristics", "a list"),
      (#"{"uuid": 1808, "characteristics": []}"#, "", "$.services[0].uuid", "a string"),
      ("", #", "mtu": 12"#, "$.mtu", "23 to 517"),
      ("", #", "mtu": "12""#, "$.mtu", "whole number"),
      ("", #", "bonded": 1"#, "$.bonded", "true or false"),
      ("", #", "address_kind": "private""#, "$.address_kind", "public, random"),
      ("", #", "behaviour": {"kind": "glucos"}"#, "$.behaviour.kind", "indicate-on-connect"),
      ("", #", "behaviour": {"kind": "glucose"}"#, "$.behaviour", "2A18"),
      ("", #", "behaviour": {"kind": "database", "order": "oldest-first"}"#, "$.behaviour.order", "kind"),
      ("", #", "behaviour": "glucose""#, "$.behaviour", "an object"),
      ("", #", "records": [{"measurement": "00"}]"#, "$.records", "behaviour"),
      ("", #", "faults": [{"kind": "delay"}]"#, "$.faults[0].milliseconds", "needed"),
      ("", #", "faults": [{"kind": "refuse-mtu"}, {"kind": "refuse-mtu", "count": 1}]"#, "$.faults[1].count", "times"),
      ("", #", "faults": [{"kind": "malformed", "opcode": "0x1G", "how": "silent"}]"#, "$.faults[0].opcode", "byte"),
      ("", #", "faults": [{"kind": "explode"}]"#, "$.faults[0].kind", "disconnect-after-pdu"),
      (
        "", #", "faults": [{"kind": "error", "operation": "read", "code": "05"}]"#, "$.faults[0].characteristic",
        "needed"
      ),
      ("", #", "idle_ms": 0"#, "$.idle_ms", "1 to"),
      ("", #", "idel_ms": 10"#, "$.idel_ms", "idle_ms"),
      ("", #", "idle_ms": 10, "idle_ms": 20"#, "$", "\"idle_ms\" stands twice"),
      (#"{"uuid": "1808", "uuid": "1809", "characteristics": []}"#, "", "$", "\"uuid\" stands twice"),
    ])
  func errors(services: String, extra: String, path: String, allowed: String) throws {
    let error = #expect(throws: MeterScriptError.self) { try TestMeter.script(services: services, extra: extra) }
    #expect(error?.path == path)
    #expect(error?.message.contains(allowed) == true, "\(error?.message ?? "")")
  }

  @Test("advertisements and addresses are checked")
  func advertisements() {
    func parse(_ address: String, _ advertisement: String) throws -> MeterScript {
      try MeterScript.parse(
        json: #"{"name": "t", "manufacturer": "t", "address": "\#(address)", "services": [], "#
          + #""advertisement": \#(advertisement)}"#)
    }
    #expect(throws: MeterScriptError.self) { try parse("00:11:22:33:44", "{}") }
    #expect(throws: MeterScriptError.self) { try parse("00:11:22:33:44:55", #"{"raw": "0201", "local_name": "x"}"#) }
    #expect(throws: MeterScriptError.self) {
      try parse("00:11:22:33:44:55", #"{"raw": "\#(String(repeating: "00", count: 256))"}"#)
    }
    #expect(throws: Never.self) {
      let script = try parse("00:11:22:33:44:55", #"{"raw": "020106", "rssi": -80}"#)
      #expect(script.advertisement.data == [2, 1, 6] && script.advertisement.rssi == -80)
    }
  }

  @Test("a file's errors name the file")
  func files() throws {
    let path = NSTemporaryDirectory() + "script-\(UUID().uuidString).json"
    let missing = #expect(throws: MeterScriptError.self) { try MeterScript.load(file: path) }
    #expect(missing?.code == .unreadable && missing?.file == path)
    defer { try? FileManager.default.removeItem(atPath: path) }
    try Data("{ nonsense".utf8).write(to: URL(filePath: path))
    let broken = #expect(throws: MeterScriptError.self) { try MeterScript.load(file: path) }
    #expect(broken?.code == .notJSON, "\(broken.debugDescription)")
    #expect(broken?.description.hasPrefix("\(path): $: ") == true)
    try Data(#"{"manufacturer": 7}"#.utf8).write(to: URL(filePath: path))
    let key = #expect(throws: MeterScriptError.self) { try MeterScript.load(file: path) }
    #expect(key?.file == path && key?.path == "$.name" && key?.code == .missingKey)
  }
}
