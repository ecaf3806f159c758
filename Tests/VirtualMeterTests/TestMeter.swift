import BluetoothWire
import Foundation
import Testing
import VirtualMeter

/// A meter in the test's hands: a machine with its client's side.
struct TestMeter {
  var machine: MeterMachine

  init(_ script: MeterScript) {
    machine = MeterMachine(script: script)
    _ = machine.connect()
  }

  /// A glucose meter with `count` records of sequence numbers 10, 11, ...; every second one has a context.
  static func glucose(
    _ behaviour: String = "", records: Int = 3, faults: String = "", extra: String = ""
  ) throws -> TestMeter {
    let list = (0..<records).map { index in
      let context = index % 2 == 1 ? #", "context": "02\#(hex(10 + index))0001""# : ""
      return #"{"measurement": "03\#(hex(10 + index))00e407030e171700000070b011"\#(context)}"#
    }
    return TestMeter(
      try script(
        services: #"""
          {"uuid": "1808", "characteristics": [
            {"uuid": "2A18", "properties": ["notify"]}, {"uuid": "2A34", "properties": ["notify"]},
            {"uuid": "2A51", "properties": ["read"], "value": "0000"},
            {"uuid": "2A52", "properties": ["write", "indicate"]}]}
          """#,
        extra: #"""
          , "behaviour": {"kind": "glucose"\#(behaviour)}, "records": [\#(list.joined(separator: ","))],
          "faults": [\#(faults)]\#(extra)
          """#))
  }

  static func thermometer(
    _ behaviour: String = "", faults: String = "", extra: String = ""
  ) throws -> TestMeter {
    TestMeter(
      try script(
        services: #"""
          {"uuid": "1809", "characteristics": [
            {"uuid": "2A1C", "properties": ["indicate"]}, {"uuid": "2A1E", "properties": ["notify"]}]}
          """#,
        extra: #"""
          , "behaviour": {"kind": "indicate-on-connect"\#(behaviour)}, "records": [
            {"measurement": "06700100ffe207030a141b0002", "intermediate": ["00010000ff", "00020000ff"]},
            {"measurement": "06680100ffe207030a15340002"}],
          "faults": [\#(faults)]\#(extra)
          """#))
  }

  static func script(services: String, extra: String = "") throws -> MeterScript {
    try MeterScript.parse(
      json: #"""
        {"name": "test", "manufacturer": "test", "address": "00:00:00:00:00:01",
         "advertisement": {"interval_ms": 20, "services": ["1808"], "local_name": "T"},
         "services": [\#(services)]\#(extra)}
        """#)
  }

  private static func hex(_ value: Int) -> String { (value < 16 ? "0" : "") + String(value, radix: 16) }

  // MARK: The client's side

  /// Sends a packet; what the meter answers at once.
  @discardableResult
  mutating func send(_ pdu: ATTPDU) -> [MeterAction] { machine.receive(pdu.encoded) }

  /// Sends a request; its answer.
  mutating func ask(_ pdu: ATTPDU) throws -> ATTPDU? { try send(pdu).pdus.first }

  /// Takes what the meter sends of its own, up to a limit, until it waits.
  mutating func drain(limit: Int = 1000) throws -> [ATTPDU] {
    var all: [ATTPDU] = []
    for _ in 0..<limit {
      let actions = machine.next()
      if actions.isEmpty { break }
      all += try actions.pdus
    }
    return all
  }

  mutating func subscribe(glucoseTo handles: [UInt16] = [4, 7, 12]) throws {
    for handle in handles {
      #expect(try ask(.writeRequest(handle: handle, value: [handle == 12 ? 2 : 1, 0])) == .writeResponse)
    }
  }

  /// Writes to the RACP, takes everything and confirms the response.
  mutating func racp(_ request: [UInt8]) throws -> (reported: [UInt8], contexts: [UInt8], response: [UInt8]?) {
    #expect(try ask(.writeRequest(handle: 11, value: request)) == .writeResponse)
    var result: (reported: [UInt8], contexts: [UInt8], response: [UInt8]?) = ([], [], nil)
    for pdu in try drain() {
      switch pdu {
      case .handleValueNotification(3, let value): result.reported.append(value[1])
      case .handleValueNotification(6, let value): result.contexts.append(value[1])
      case .handleValueIndication(11, let value): result.response = value
      default: Issue.record("unexpected \(pdu)")
      }
    }
    send(.handleValueConfirmation)
    return result
  }

  /// The link breaks and comes again.
  mutating func reconnect() {
    machine.disconnect()
    _ = machine.connect()
  }
}

extension [MeterAction] {
  /// The packets that are sent.
  var packets: [[UInt8]] { compactMap { if case .send(let bytes, _) = $0 { bytes } else { nil } } }

  /// The packets as PDUs.
  var pdus: [ATTPDU] {
    get throws { try packets.map { try ATTPDU(decoding: $0) } }
  }

  var disconnection: MeterEvent.Reason? {
    lazy.compactMap { if case .disconnect(let reason) = $0 { reason } else { nil } }.first
  }
}

/// The scripts that the SDK ships.
enum ShippedScripts {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "SDK/meters")

  static let names = [
    "accu-chek-guide", "caresens-dual", "contour-next-one", "glucose-molar", "ketone-filler", "keyed-meter",
    "pyle-thermometer", "thermometer-with-clock",
  ]

  static func load(_ name: String) throws -> MeterScript {
    try MeterScript.load(file: folder.appending(path: "\(name).json").path)
  }
}
