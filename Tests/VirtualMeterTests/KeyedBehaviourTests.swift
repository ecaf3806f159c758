import BluetoothWire
import Testing

@testable import VirtualMeter

/// The keyed test meter by itself, without pairing: what it answers, and that no message uses a nonce twice.
@Suite("Keyed meters")
struct KeyedBehaviourTests {
  static let (control, data, information): (UInt16, UInt16, UInt16) = (3, 6, 9)

  static func meter(_ behaviour: String = "") throws -> TestMeter {
    let uuid = { (number: Int) in "F0D4000\(number)6D684B6589644D6574657200" }
    var meter = TestMeter(
      try TestMeter.script(
        services: #"""
          {"uuid": "\#(uuid(1))", "characteristics": [
            {"uuid": "\#(uuid(2))", "properties": ["write", "indicate"]},
            {"uuid": "\#(uuid(3))", "properties": ["notify"]}, {"uuid": "\#(uuid(4))", "properties": ["read"]}]}
          """#,
        extra: #"""
          , "mtu": 64, "behaviour": {"kind": "keyed", "key": "8f1d2c3b4a5968778695a4b3c2d1e0f0",
            "meter_id": "4b54303030310001"\#(behaviour)}, "records": [
            {"measurement": "0100f824ee30180000"}, {"measurement": "0200fc62f7301f0000"},
            {"measurement": "0700249b00311c0000"}]
          """#))
    _ = try meter.ask(.exchangeMTURequest(clientMTU: 64))
    return meter
  }

  /// The first record under counter 0, as another implementation of AES-CCM seals it (Python's cryptography).
  static let sealed4: [UInt8] = [
    0x00, 0x00, 0x00, 0x00, 0xdf, 0x78, 0xaa, 0xf7, 0x7d, 0x9a, 0xa9, 0xe3, 0x77, 0xc5, 0x93, 0xd3, 0x53,
  ]
  static let sealed8: [UInt8] = [
    0x00, 0x00, 0x00, 0x00, 0xdf, 0x78, 0xaa, 0xf7, 0x7d, 0x9a, 0xa9, 0xe3, 0x77, 0xa4, 0xae, 0xe0, 0x59, 0x11, 0x86,
    0x0f, 0x4f,
  ]

  private func subscribe(_ meter: inout TestMeter) throws {
    #expect(try meter.ask(.writeRequest(handle: Self.control + 1, value: [2, 0])) == .writeResponse)
    #expect(try meter.ask(.writeRequest(handle: Self.data + 1, value: [1, 0])) == .writeResponse)
  }

  /// What the meter sends after a command: packets with readings, then its answer.
  private func ask(_ meter: inout TestMeter, _ command: [UInt8]) throws -> (packets: [[UInt8]], answer: [UInt8]?) {
    #expect(try meter.ask(.writeRequest(handle: Self.control, value: command)) == .writeResponse)
    var packets: [[UInt8]] = []
    var answer: [UInt8]?
    for pdu in try meter.drain() {
      switch pdu {
      case .handleValueNotification(Self.data, let value): packets.append(value)
      case .handleValueIndication(Self.control, let value): answer = value
      default: Issue.record("\(pdu)")
      }
    }
    meter.send(.handleValueConfirmation)
    return (packets, answer)
  }

  @Test("it says who it is, and proves that it knows its key")
  func proof() throws {
    var meter = try Self.meter()
    let information: [UInt8] = [0x4b, 0x54, 0x30, 0x30, 0x30, 0x31, 0x00, 0x01, 8, 7, 0]
    #expect(try meter.ask(.readRequest(handle: Self.information)) == .readResponse(value: information))
    try subscribe(&meter)
    // `openssl mac CMAC` over "VERIFY", the challenge and the id.
    let answer = try ask(&meter, [1, 1, 2, 3, 4, 5, 6, 7, 8]).answer
    #expect(answer == [0x81, 0x87, 0x0b, 0x57, 0x87, 0x2b, 0xba, 0xea, 0x1e])
    #expect(try ask(&meter, [1, 8, 7, 6, 5, 4, 3, 2, 1]).answer != answer)
  }

  @Test("it reports from a number on, and no message has another's counter", arguments: [4, 8])
  func report(tagLength: Int) throws {
    var meter = try Self.meter(#", "tag_length": \#(tagLength)"#)
    try subscribe(&meter)
    var counters: [[UInt8]] = []
    var first: [UInt8]?
    for (number, count) in [(1, 3), (2, 2), (3, 1), (8, 0), (0, 3)] as [(UInt8, UInt8)] {
      let (packets, answer) = try ask(&meter, [2, number, 0])
      #expect(packets.count == Int(count) && answer == [0x82, count, 0])
      #expect(packets.allSatisfy { $0.count == 4 + 9 + tagLength })
      if counters.isEmpty { first = packets.first }
      counters += packets.map { Array($0.prefix(4)) }
    }
    #expect(Set(counters).count == 9)
    #expect(first == (tagLength == 4 ? Self.sealed4 : Self.sealed8))
    // A new connection goes on counting.
    meter.reconnect()
    _ = try meter.ask(.exchangeMTURequest(clientMTU: 64))
    try subscribe(&meter)
    let later = try ask(&meter, [2, 1, 0]).packets.map { Array($0.prefix(4)) }
    #expect(later.count == 3 && Set(later).isDisjoint(with: counters))
  }

  @Test("what is acknowledged goes only if the script says so", arguments: [false, true])
  func acknowledgement(isDeleted: Bool) throws {
    var meter = try Self.meter(#", "delete_on_acknowledgement": \#(isDeleted)"#)
    try subscribe(&meter)
    #expect(try ask(&meter, [3, 2, 0]).answer == [0x83])
    #expect(try ask(&meter, [2, 1, 0]).answer == [0x82, isDeleted ? 1 : 3, 0])
    // Its last number stays: it counts the meter's life.
    guard case .readResponse(let value) = try meter.ask(.readRequest(handle: Self.information)) else {
      Issue.record("no information")
      return
    }
    #expect(value.suffix(2) == [7, 0])
  }

  @Test("commands of another length, and without a subscription, are refused")
  func refusals() throws {
    var meter = try Self.meter()
    let refused = try meter.ask(.writeRequest(handle: Self.control, value: [2, 1, 0]))
    #expect(refused == .errorResponse(request: .writeRequest, handle: Self.control, code: ATTErrorCode(rawValue: 0xFD)))
    try subscribe(&meter)
    for command in [[], [0], [1], [1, 2, 3, 4, 5, 6, 7, 8], [2, 1], [2, 1, 0, 0], [3], [4, 0, 0], [0xff]] as [[UInt8]] {
      let answer = try meter.ask(.writeRequest(handle: Self.control, value: command))
      #expect(
        answer == .errorResponse(request: .writeRequest, handle: Self.control, code: .invalidAttributeValueLength),
        "\(command)")
      #expect(try meter.drain().isEmpty)
    }
  }
}
