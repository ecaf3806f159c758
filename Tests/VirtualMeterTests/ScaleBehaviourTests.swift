import BluetoothWire
import Testing
import VirtualMeter

@Suite("Weight scales")
struct ScaleBehaviourTests {
  /// Handles of a scale with 181D, 181B and 181C in this order.
  enum Handle {
    static let weight: UInt16 = 3
    static let composition: UInt16 = 7
    static let control: UInt16 = 11
  }

  static func meter(_ behaviour: String = "") throws -> TestMeter {
    TestMeter(
      try TestMeter.script(
        services: #"""
          {"uuid": "181D", "characteristics": [{"uuid": "2A9D", "properties": ["indicate"]}]},
          {"uuid": "181B", "characteristics": [{"uuid": "2A9C", "properties": ["indicate"]}]},
          {"uuid": "181C", "characteristics": [{"uuid": "2A9F", "properties": ["write", "indicate"]}]}
          """#,
        extra: #"""
          , "behaviour": {"kind": "scale"\#(behaviour)}, "records": [
            {"user": 1, "measurement": "00a0", "composition": ["00a1", "00a2"]}, {"user": 2, "measurement": "00b0"}]
          """#))
  }

  static let slots = #", "slots": [{"index": 1, "consent": 3752}, {"index": 2, "consent": 1}]"#

  func subscribe(_ meter: inout TestMeter, _ handles: UInt16...) throws {
    for handle in handles {
      #expect(try meter.ask(.writeRequest(handle: handle + 1, value: [2, 0])) == .writeResponse)
    }
  }

  /// Takes all that comes, confirming each.
  func takeAll(_ meter: inout TestMeter) throws -> [ATTPDU] {
    var all: [ATTPDU] = []
    while let pdu = try meter.drain().first {
      all.append(pdu)
      meter.send(.handleValueConfirmation)
    }
    return all
  }

  @Test("a weight, then its composition packet by packet, each after a confirmation; once in the meter's life")
  func order() throws {
    var meter = try Self.meter()
    try subscribe(&meter, Handle.composition, Handle.weight)
    #expect(try meter.drain() == [.handleValueIndication(handle: Handle.weight, value: [0, 0xA0])])
    #expect(try meter.drain().isEmpty)
    meter.reconnect()
    try subscribe(&meter, Handle.composition, Handle.weight)
    #expect(
      try takeAll(&meter) == [
        .handleValueIndication(handle: Handle.weight, value: [0, 0xA0]),
        .handleValueIndication(handle: Handle.composition, value: [0, 0xA1]),
        .handleValueIndication(handle: Handle.composition, value: [0, 0xA2]),
        .handleValueIndication(handle: Handle.weight, value: [0, 0xB0]),
      ])
    meter.reconnect()
    try subscribe(&meter, Handle.weight)
    #expect(try takeAll(&meter).isEmpty && meter.machine.recordsLeft == 2)
  }

  @Test("deleted on confirmation, and no composition for who does not subscribe to it")
  func deleting() throws {
    var meter = try Self.meter(#", "delete_on_confirmation": true"#)
    try subscribe(&meter, Handle.weight)
    #expect(try takeAll(&meter).count == 2)
    #expect(meter.machine.recordsLeft == 0)
  }

  @Test(
    "a user's measurements come after that user's consent only",
    arguments: [
      ([2, 1, 0xA8, 0x0E], [0x20, 2, 1], 3), ([2, 2, 1, 0], [0x20, 2, 1], 1), ([2, 1, 1, 0], [0x20, 2, 5], 0),
      ([2, 9, 1, 0], [0x20, 2, 5], 0), ([2, 1], [0x20, 2, 3], 0), ([1, 1, 0], [0x20, 1, 2], 0),
    ] as [([UInt8], [UInt8], Int)])
  func consent(request: [UInt8], answer: [UInt8], packets: Int) throws {
    var meter = try Self.meter(Self.slots)
    try subscribe(&meter, Handle.weight, Handle.composition)
    #expect(try meter.drain().isEmpty)
    let improper = try meter.ask(.writeRequest(handle: Handle.control, value: request))
    #expect(
      improper
        == .errorResponse(request: .writeRequest, handle: Handle.control, code: .cccdImproperlyConfigured))
    try subscribe(&meter, Handle.control)
    #expect(try meter.ask(.writeRequest(handle: Handle.control, value: request)) == .writeResponse)
    let again = try meter.ask(.writeRequest(handle: Handle.control, value: request))
    #expect(
      again == .errorResponse(request: .writeRequest, handle: Handle.control, code: .procedureAlreadyInProgress))
    var all = try takeAll(&meter)
    #expect(all.removeFirst() == .handleValueIndication(handle: Handle.control, value: answer))
    #expect(all.count == packets)
  }
}
