import BluetoothWire
import TestSupport
import Testing
import VirtualMeter

@Suite("ATT server")
struct ATTServerTests {
  /// Handles: 1 service 1800, 2-3 name, 4 vendor service, 5-6 long value, 7 service 180F, 8-10 level with CCCD,
  /// 11-12 encrypted, 13-14 authenticated, 15-16 writable, 17 description.
  static func meter(_ extra: String = "") throws -> TestMeter {
    let long = String(repeating: "abcdefghij", count: 6)
    return TestMeter(
      try TestMeter.script(
        services: #"""
          {"uuid": "1800", "characteristics": [{"uuid": "2A00", "properties": ["read"], "text": "Name"}]},
          {"uuid": "AF9DF7A1-E595-11E3-96B4-0002A5D5C51B", "characteristics": [
            {"uuid": "AF9DF7A2-E595-11E3-96B4-0002A5D5C51B", "properties": ["read"], "text": "\#(long)"}]},
          {"uuid": "180F", "characteristics": [
            {"uuid": "2A19", "properties": ["read", "notify"], "value": "64"},
            {"uuid": "2A2B", "properties": ["read"], "requires": "encryption"},
            {"uuid": "2A08", "properties": ["read", "write"], "requires": "authentication"},
            {"uuid": "FFF1", "properties": ["write", "write-without-response", "read"], "value": "",
              "descriptors": [{"uuid": "2901", "text": "scratch"}]}]}
          """#, extra: extra))
  }

  @Test("services are found group by group, each form of UUID in a response of its own")
  func services() throws {
    var meter = try Self.meter()
    let vendor = try #require(BluetoothUUID("AF9DF7A1-E595-11E3-96B4-0002A5D5C51B"))
    let expected: [ATTPDU] = [
      .readByGroupTypeResponse([.init(range: .init(first: 1, last: 3), value: [0, 0x18])]),
      .readByGroupTypeResponse([.init(range: .init(first: 4, last: 6), value: vendor.littleEndianBytes)]),
      .readByGroupTypeResponse([.init(range: .init(first: 7, last: 17), value: [0x0F, 0x18])]),
      .errorResponse(request: .readByGroupTypeRequest, handle: 18, code: .attributeNotFound),
    ]
    for (first, answer) in zip([1, 4, 7, 18] as [UInt16], expected) {
      let request = ATTPDU.readByGroupTypeRequest(range: .init(first: first, last: 0xFFFF), type: .primaryService)
      #expect(try meter.ask(request) == answer)
    }
    #expect(
      try meter.ask(.findByTypeValueRequest(range: .all, type: 0x2800, value: [0x0F, 0x18]))
        == .findByTypeValueResponse([.init(first: 7, last: 17)]))
    #expect(
      try meter.ask(.findByTypeValueRequest(range: .all, type: 0x2800, value: [0x08, 0x18]))
        == .errorResponse(request: .findByTypeValueRequest, handle: 1, code: .attributeNotFound))
  }

  @Test("characteristics and descriptors are found within the MTU")
  func characteristics() throws {
    var meter = try Self.meter()
    let request = { (first: UInt16) in
      ATTPDU.readByTypeRequest(range: .init(first: first, last: 17), type: .characteristic)
    }
    // Entries of 7 bytes: three fit into 23.
    #expect(
      try meter.ask(request(7))
        == .readByTypeResponse([
          .init(handle: 8, value: [0x12, 9, 0, 0x19, 0x2A]), .init(handle: 11, value: [0x02, 12, 0, 0x2B, 0x2A]),
          .init(handle: 13, value: [0x0A, 14, 0, 0x08, 0x2A]),
        ]))
    #expect(try meter.ask(request(14)) == .readByTypeResponse([.init(handle: 15, value: [0x0E, 16, 0, 0xF1, 0xFF])]))
    #expect(
      try meter.ask(.findInformationRequest(range: .init(first: 10, last: 10)))
        == .findInformationResponse([.init(handle: 10, type: .clientCharacteristicConfiguration)]))
    #expect(
      try meter.ask(.findInformationRequest(range: .init(first: 16, last: 0xFFFF)))
        == .findInformationResponse([.init(handle: 16, type: 0xFFF1), .init(handle: 17, type: .userDescription)]))
    // A type of the other length ends the response.
    guard case .findInformationResponse(let list)? = try meter.ask(.findInformationRequest(range: .all)) else {
      Issue.record("no list")
      return
    }
    #expect(list.map(\.handle) == [1, 2, 3, 4, 5])
  }

  @Test("a long value is read in parts, and more of it at once after an MTU exchange")
  func longRead() throws {
    var meter = try Self.meter(#", "mtu": 50"#)
    let long = Array(String(repeating: "abcdefghij", count: 6).utf8)
    #expect(try meter.ask(.readRequest(handle: 6)) == .readResponse(value: Array(long[..<22])))
    #expect(try meter.ask(.readBlobRequest(handle: 6, offset: 22)) == .readBlobResponse(value: Array(long[22..<44])))
    #expect(try meter.ask(.readBlobRequest(handle: 6, offset: 44)) == .readBlobResponse(value: Array(long[44...])))
    #expect(try meter.ask(.readBlobRequest(handle: 6, offset: 60)) == .readBlobResponse(value: []))
    #expect(try meter.ask(.exchangeMTURequest(clientMTU: 517)) == .exchangeMTUResponse(serverMTU: 50))
    #expect(try meter.ask(.readRequest(handle: 6)) == .readResponse(value: Array(long[..<49])))
    #expect(
      try meter.ask(.readMultipleRequest(handles: [3, 9])) == .readMultipleResponse(values: Array("Name".utf8) + [0x64])
    )
    meter.reconnect()
    #expect(try meter.ask(.readRequest(handle: 6)) == .readResponse(value: Array(long[..<22])))
  }

  @Test(
    "what is not allowed is refused with the right code",
    arguments: [
      (.readRequest(handle: 0), .invalidHandle), (.readRequest(handle: 18), .invalidHandle),
      (.readRequest(handle: 12), .insufficientEncryption), (.readBlobRequest(handle: 6, offset: 61), .invalidOffset),
      (.writeRequest(handle: 14, value: [1]), .insufficientAuthentication),
      (.prepareWriteRequest(handle: 14, offset: 0, value: [1]), .insufficientAuthentication),
      (.writeRequest(handle: 3, value: [1]), .writeNotPermitted),
      (.writeRequest(handle: 1, value: [1]), .writeNotPermitted),
      (.writeRequest(handle: 10, value: [1]), .invalidAttributeValueLength),
      (.writeRequest(handle: 10, value: [2, 0]), .valueNotAllowed),
      (.readMultipleRequest(handles: [3, 99]), .invalidHandle),
      (.findInformationRequest(range: .init(first: 0, last: 5)), .invalidHandle),
      (.findInformationRequest(range: .init(first: 5, last: 4)), .invalidHandle),
      (.readByGroupTypeRequest(range: .all, type: .characteristic), .unsupportedGroupType),
      (.readByTypeRequest(range: .all, type: 0x2A2B), .insufficientEncryption),
      (.readByTypeRequest(range: .all, type: 0x2A77), .attributeNotFound),
    ] as [(ATTPDU, ATTErrorCode)])
  func refusals(request: ATTPDU, code: ATTErrorCode) throws {
    var meter = try Self.meter()
    guard case .errorResponse(let opcode, _, let answered)? = try meter.ask(request) else {
      Issue.record("no error for \(request)")
      return
    }
    #expect(opcode == request.opcode && answered == code)
  }

  @Test("malformed and unknown requests are refused; commands, responses and confirmations are not answered")
  func malformed() throws {
    var meter = try Self.meter()
    #expect(meter.machine.receive([0x0A, 1]).packets == [[1, 0x0A, 0, 0, 0x04]])
    #expect(meter.machine.receive([0x20, 1, 0, 2, 0]).packets == [[1, 0x20, 0, 0, 0x06]])
    #expect(meter.machine.receive([0x12] + [UInt8](repeating: 16, count: 30)).packets == [[1, 0x12, 0, 0, 0x04]])
    for packet in [[], [0x52, 1], [0x7F, 1], [0x1E], [0x1E, 1], [0x0B, 1, 2], [0x1B, 1, 0, 5], [0xD2, 1, 0]]
      as [[UInt8]]
    {
      #expect(meter.machine.receive(packet).packets.isEmpty, "\(packet)")
    }
  }

  @Test("values are written whole, without response, and in prepared parts")
  func writing() throws {
    var meter = try Self.meter()
    #expect(try meter.ask(.writeRequest(handle: 16, value: [1, 2])) == .writeResponse)
    #expect(try meter.ask(.readRequest(handle: 16)) == .readResponse(value: [1, 2]))
    #expect(meter.send(.writeCommand(handle: 16, value: [3])).packets.isEmpty)
    #expect(try meter.ask(.readRequest(handle: 16)) == .readResponse(value: [3]))
    for (offset, value) in [(0, [4, 5]), (2, [6])] as [(UInt16, [UInt8])] {
      #expect(
        try meter.ask(.prepareWriteRequest(handle: 16, offset: offset, value: value))
          == .prepareWriteResponse(handle: 16, offset: offset, value: value))
    }
    #expect(try meter.ask(.executeWriteRequest(commit: true)) == .executeWriteResponse)
    #expect(try meter.ask(.readRequest(handle: 16)) == .readResponse(value: [4, 5, 6]))
    _ = try meter.ask(.prepareWriteRequest(handle: 16, offset: 0, value: [9]))
    #expect(try meter.ask(.executeWriteRequest(commit: false)) == .executeWriteResponse)
    _ = try meter.ask(.prepareWriteRequest(handle: 16, offset: 5, value: [9]))
    #expect(
      try meter.ask(.executeWriteRequest(commit: true))
        == .errorResponse(request: .executeWriteRequest, handle: 16, code: .invalidOffset))
    #expect(try meter.ask(.readRequest(handle: 16)) == .readResponse(value: [4, 5, 6]))
    for _ in 0..<64 { _ = try meter.ask(.prepareWriteRequest(handle: 16, offset: 0, value: [9])) }
    #expect(
      try meter.ask(.prepareWriteRequest(handle: 16, offset: 0, value: [9]))
        == .errorResponse(request: .prepareWriteRequest, handle: 16, code: .prepareQueueFull))
  }

  @Test("a subscription ends with the link, unless there is a bond", arguments: [false, true])
  func subscriptions(bonded: Bool) throws {
    var meter = try Self.meter(#", "bonded": \#(bonded)"#)
    #expect(try meter.ask(.writeRequest(handle: 10, value: [1, 0])) == .writeResponse)
    #expect(try meter.ask(.readRequest(handle: 10)) == .readResponse(value: [1, 0]))
    meter.reconnect()
    #expect(try meter.ask(.readRequest(handle: 10)) == .readResponse(value: [bonded ? 1 : 0, 0]))
    if bonded { #expect(try meter.ask(.writeRequest(handle: 14, value: [7])) == .writeResponse) }
  }

  @Test("whatever a client sends, the answers are PDUs within the MTU", arguments: ShippedScripts.names)
  func fuzz(name: String) throws {
    var random = SeededGenerator(seed: name.utf8.reduce(0) { $0 &* 31 &+ UInt64($1) })
    let valid: [ATTPDU] = [
      .readByGroupTypeRequest(range: .all, type: .primaryService), .writeRequest(handle: 4, value: [1, 0]),
      .readByTypeRequest(range: .all, type: .characteristic), .readRequest(handle: 3), .handleValueConfirmation,
      .findInformationRequest(range: .all), .prepareWriteRequest(handle: 5, offset: 0, value: [1, 1]),
      .executeWriteRequest(commit: true), .exchangeMTURequest(clientMTU: 100),
    ]
    var meter = TestMeter(try ShippedScripts.load(name))
    for _ in 0..<4000 {
      var packet = random.bytes(0...30)
      if Bool.random(using: &random), let request = valid.randomElement(using: &random) {
        packet = request.encoded
        let index = Int.random(in: 0..<packet.count, using: &random)
        if Bool.random(using: &random) { packet[index] = UInt8.random(in: 0...40, using: &random) }
      } else if packet.count > 2 {
        packet[0] = [0x12, 0x12, 0x0A, 0x08, 0x04, 0x10, 0x16, 0x18, 0x52].randomElement(using: &random) ?? 0x12
        packet[1] = UInt8.random(in: 0...30, using: &random)
        packet[2] = 0
        if packet[0] == 0x12, Bool.random(using: &random) { packet = Array(packet.prefix(3)) + [2, 0] }
      }
      // Pairing on the virtual air, which is answered in kind.
      guard !VirtualSecurity.isSecurity(packet) else { continue }
      for answer in try meter.send(packet: packet) + meter.drain(limit: 50) {
        #expect(answer.encoded.count <= 100)
      }
      if Int.random(in: 0..<200, using: &random) == 0 { meter.reconnect() }
    }
  }
}

extension TestMeter {
  mutating func send(packet: [UInt8]) throws -> [ATTPDU] { try machine.receive(packet).pdus }
}
