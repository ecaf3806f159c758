import BluetoothWire
import Testing
import VirtualMeter

@Suite("Faults")
struct FaultTests {
  @Test("the link breaks after PDU n, whichever direction counts", arguments: ["any", "in", "out"])
  func disconnects(direction: String) throws {
    for count in 1...6 {
      var meter = try TestMeter.glucose(
        faults: #"{"kind": "disconnect-after-pdu", "count": \#(count), "direction": "\#(direction)"}"#)
      var (seenIn, seenOut, broken) = (0, 0, false)
      for request in [4, 7, 12, 4, 7, 12, 4] as [UInt16] where !broken {
        let actions = meter.send(.writeRequest(handle: request, value: [request == 12 ? 2 : 1, 0]))
        seenIn += 1
        seenOut += actions.packets.count
        broken = actions.last == .disconnect(.fault)
      }
      #expect(broken)
      #expect((direction == "any" ? seenIn + seenOut : direction == "in" ? seenIn : seenOut) == count)
      #expect(meter.send(.readRequest(handle: 9)).isEmpty && meter.machine.next().isEmpty)
      meter.reconnect()
      #expect(try meter.ask(.readRequest(handle: 9)) == .readResponse(value: [0, 0]) || count == 1)
    }
  }

  @Test("a confirmation that is the last PDU still deletes its record")
  func lastPDUHasEffect() throws {
    var meter = try TestMeter.thermometer(
      #", "delete_on_confirmation": true"#,
      faults: #"{"kind": "disconnect-after-pdu", "count": 4, "only_connection": 1}"#)
    _ = try meter.ask(.writeRequest(handle: 4, value: [2, 0]))
    #expect(try meter.drain().count == 1)
    #expect(meter.send(.handleValueConfirmation).disconnection == .fault)
    #expect(meter.machine.recordsLeft == 1)
    meter.reconnect()
    _ = try meter.ask(.writeRequest(handle: 4, value: [2, 0]))
    #expect(try meter.drain() == [.handleValueIndication(handle: 3, value: IndicateBehaviourTests.second)])
    #expect(meter.send(.handleValueConfirmation).disconnection == nil)
  }

  @Test("a PDU that is lost with the link has no effect, or is never received")
  func lostPDU() throws {
    func meter(_ count: Int) throws -> TestMeter {
      try TestMeter.thermometer(
        #", "delete_on_confirmation": true"#,
        faults: #"{"kind": "disconnect-after-pdu", "count": \#(count), "lost": true, "only_connection": 1}"#)
    }
    var confirming = try meter(4)
    _ = try confirming.ask(.writeRequest(handle: 4, value: [2, 0]))
    #expect(try confirming.drain().count == 1)
    #expect(confirming.send(.handleValueConfirmation).disconnection == .fault)
    #expect(confirming.machine.recordsLeft == 2 && confirming.machine.counters.pdusIn == 2)
    var indicating = try meter(3)
    _ = try indicating.ask(.writeRequest(handle: 4, value: [2, 0]))
    let actions = indicating.machine.next()
    #expect(actions.packets.isEmpty && actions.last == .disconnect(.fault))
    #expect(indicating.machine.counters.pdusOut == 2 && indicating.machine.recordsLeft == 2)
    indicating.reconnect()
    _ = try indicating.ask(.writeRequest(handle: 4, value: [2, 0]))
    #expect(try indicating.drain().count == 1)
  }

  @Test(
    "an operation on a characteristic or a handle is refused",
    arguments: [
      (#""operation": "read", "characteristic": "2A51", "code": "05""#, .readRequest(handle: 9)),
      (#""operation": "read", "handle": 9, "code": "0x05""#, .readBlobRequest(handle: 9, offset: 0)),
      (
        #""operation": "read", "characteristic": "2A51", "code": "05""#,
        .readByTypeRequest(range: .all, type: .glucoseFeature)
      ),
      (#""operation": "write", "characteristic": "2A52", "code": "05""#, .writeRequest(handle: 11, value: [1, 1])),
      (#""operation": "subscribe", "characteristic": "2A18", "code": "05""#, .writeRequest(handle: 4, value: [1, 0])),
      (#""operation": "subscribe", "handle": 12, "code": "05""#, .writeRequest(handle: 12, value: [2, 0])),
    ] as [(String, ATTPDU)])
  func errors(fault: String, request: ATTPDU) throws {
    var meter = try TestMeter.glucose(faults: #"{"kind": "error", \#(fault), "times": 1}"#)
    guard case .errorResponse(request.opcode, _, .insufficientAuthentication)? = try meter.ask(request) else {
      Issue.record("no error")
      return
    }
    if case .errorResponse(_, _, .insufficientAuthentication)? = try meter.ask(request) {
      Issue.record("the fault struck twice")
    }
    #expect(try meter.ask(.readRequest(handle: 1))?.opcode == .readResponse)
  }

  @Test("delays meet their traffic", arguments: ["all", "response", "notification", "indication"])
  func delays(on: String) throws {
    var meter = try TestMeter.glucose(faults: #"{"kind": "delay", "milliseconds": 7, "on": "\#(on)"}"#)
    try meter.subscribe()
    let response = meter.send(.writeRequest(handle: 11, value: [1, 5]))
    let (notification, indication) = (meter.machine.next(), meter.machine.next())
    let delay = { (actions: [MeterAction]) -> Int? in
      if case .send(_, let milliseconds)? = actions.first(where: { !$0.isEvent }) { milliseconds } else { nil }
    }
    #expect(delay(response) == (["all", "response"].contains(on) ? 7 : 0))
    #expect(delay(notification) == (["all", "notification"].contains(on) ? 7 : 0))
    #expect(delay(indication) == (["all", "indication"].contains(on) ? 7 : 0))
  }

  @Test("notifications come twice, indications do not")
  func duplicates() throws {
    var meter = try TestMeter.glucose(faults: #"{"kind": "duplicate-notifications"}"#)
    try meter.subscribe()
    let result = try meter.racp([1, 1])
    #expect(result.reported == [10, 10, 11, 11, 12, 12])
    #expect(result.contexts == [11, 11])
    #expect(result.response == [6, 0, 1, 1])
  }

  @Test("an unset clock zeroes the time stamps and nothing else")
  func unsetClock() throws {
    var glucose = try TestMeter.glucose(faults: #"{"kind": "unset-clock", "only_connection": 1}"#)
    try glucose.subscribe()
    _ = try glucose.ask(.writeRequest(handle: 11, value: [1, 5]))
    let stamped: [UInt8] = [3, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x70, 0xB0, 0x11]
    #expect(try glucose.drain().first == .handleValueNotification(handle: 3, value: stamped))
    var thermometer = try TestMeter.thermometer(faults: #"{"kind": "unset-clock"}"#)
    _ = try thermometer.ask(.writeRequest(handle: 4, value: [2, 0]))
    let value: [UInt8] = [0x06, 0x70, 0x01, 0x00, 0xFF, 0, 0, 0, 0, 0, 0, 0, 2]
    #expect(try thermometer.drain() == [.handleValueIndication(handle: 3, value: value)])
  }

  @Test(
    "malformed PDUs leave as scripted",
    arguments: [
      ("10", "11", "truncated", [0x11, 6, 1, 0, 12, 0, 8]),
      ("10", "11", "lying-length", [0x11, 7, 1, 0, 12, 0, 8, 0x18]),
      ("10", "11", "wrong-opcode", [0x13, 6, 1, 0, 12, 0, 8, 0x18]), ("10", "11", "silent", nil),
      ("10", "11", "handles-out-of-order", [0x11, 6, 1, 0, 1, 0, 8, 0x18]),
      ("08", "09", "handles-out-of-order", [9, 7, 5, 0, 0x10, 6, 0, 0x34, 0x2A, 2, 0, 0x10, 3, 0, 0x18, 0x2A]),
      ("08", "09", "lying-length", [9, 8, 2, 0, 0x10, 3, 0, 0x18, 0x2A, 5, 0, 0x10, 6, 0, 0x34, 0x2A]),
      ("04", "05", "lying-length", [5, 2, 4, 0, 0x02, 0x29]),
      ("04", "05", "handles-out-of-order", [5, 1, 1, 0, 0x02, 0x29]),
    ] as [(String, String, String, [UInt8]?)])
  func malformed(request: String, opcode: String, how: String, bytes: [UInt8]?) throws {
    var meter = try TestMeter.glucose(
      faults: #"{"kind": "malformed", "opcode": "\#(opcode)", "how": "\#(how)", "times": 1}"#)
    let requests: [String: ATTPDU] = [
      "10": .readByGroupTypeRequest(range: .all, type: .primaryService),
      "08": .readByTypeRequest(range: .init(first: 1, last: 7), type: .characteristic),
      "04": .findInformationRequest(range: .init(first: 4, last: 4)),
    ]
    let pdu = try #require(requests[request])
    #expect(meter.send(pdu).packets == (bytes.map { [$0] } ?? []))
    // The fault strikes once; then the server is honest again.
    #expect(try meter.ask(pdu)?.opcode.rawValue == UInt8(opcode, radix: 16))
  }

  @Test("a swallowed notification does not stop the others")
  func swallowed() throws {
    var meter = try TestMeter.glucose(
      faults: #"{"kind": "malformed", "opcode": "1B", "how": "silent", "times": 2}"#)
    try meter.subscribe()
    let result = try meter.racp([1, 1])
    #expect(result.reported == [12] && result.contexts == [11])
  }

  @Test("the MTU exchange is refused, and the MTU stays")
  func refuseMTU() throws {
    var meter = try TestMeter.glucose(faults: #"{"kind": "refuse-mtu"}"#, extra: #", "mtu": 100"#)
    #expect(
      try meter.ask(.exchangeMTURequest(clientMTU: 100))
        == .errorResponse(request: .exchangeMTURequest, handle: 0, code: .requestNotSupported))
  }

  @Test("a report that does not complete says so, and what was sent is known")
  func notCompleted() throws {
    var meter = try TestMeter.glucose(
      faults: #"{"kind": "procedure-not-completed", "after_records": 2, "only_connection": 1}"#)
    try meter.subscribe()
    let result = try meter.racp([1, 1])
    #expect(result.reported == [10, 11] && result.response == [6, 0, 1, 8])
    meter.reconnect()
    try meter.subscribe()
    #expect(try meter.racp([1, 1]).response == [6, 0, 1, 1])
  }
}

extension MeterAction {
  var isEvent: Bool { if case .event = self { true } else { false } }
}
