import BluetoothWire
import Testing

@testable import VirtualMeter

@Suite("A database that changes")
struct CachingTests {
  /// Handles: 1 service 1801, 2-4 Service Changed with CCCD, 5-6 Database Hash, 7 service 180F, 8-10 level with CCCD.
  private static func meter(_ moves: String, bonded: Bool = true) throws -> TestMeter {
    TestMeter(
      try TestMeter.script(
        services: #"""
          {"uuid": "180F", "characteristics": [{"uuid": "2A19", "properties": ["read", "notify"], "value": "64"}]}
          """#,
        extra: #"""
          , "bonded": \#(bonded), "caching": {"hash": true, "service_changed": true, "moves": [\#(moves)]}
          """#))
  }

  private static let inserted =
    #""services": [{"uuid": "FFF0", "characteristics": [{"uuid": "FFF1", "properties": ["read"]}]}]"#
  private static let hash = ATTPDU.readByTypeRequest(range: .all, type: .databaseHash)

  /// The example of the Core Specification, Vol 3 Part G Appendix B.
  @Test("the hash is that of the specification's example")
  func example() {
    let database: [(handle: UInt16, type: BluetoothUUID, value: [UInt8])] = [
      (1, 0x2800, [0x00, 0x18]), (2, 0x2803, [0x0A, 3, 0, 0x00, 0x2A]), (3, 0x2A00, []),
      (4, 0x2803, [0x02, 5, 0, 0x01, 0x2A]), (5, 0x2A01, []),
      (6, 0x2800, [0x01, 0x18]), (7, 0x2803, [0x20, 8, 0, 0x05, 0x2A]), (8, 0x2A05, []), (9, 0x2902, []),
      (10, 0x2803, [0x0A, 0x0B, 0, 0x29, 0x2B]), (11, 0x2B29, []), (12, 0x2803, [0x02, 0x0D, 0, 0x2A, 0x2B]),
      (13, 0x2B2A, []), (14, 0x2800, [0x08, 0x18]), (15, 0x2802, [0x14, 0, 0x16, 0, 0x0F, 0x18]),
      (16, 0x2803, [0xA2, 0x11, 0, 0x18, 0x2A]), (17, 0x2A18, []), (18, 0x2902, []), (19, 0x2900, [0, 0]),
      (20, 0x2801, [0x0F, 0x18]), (21, 0x2803, [0x02, 0x16, 0, 0x19, 0x2A]), (22, 0x2A19, []),
    ]
    let expected: [UInt8] = [
      0xF1, 0xCA, 0x2D, 0x48, 0xEC, 0xF5, 0x8B, 0xAC, 0x8A, 0x88, 0x30, 0xBB, 0xB9, 0xFB, 0xA9, 0x90,
    ]
    #expect(DatabaseHash.of(database) == expected.reversed())
  }

  @Test("a move shifts attributes with their values and subscriptions, and changes the hash")
  func moves() throws {
    var meter = try Self.meter(#"{"connection": 2, \#(Self.inserted)}"#)
    let before = try #require(try meter.ask(Self.hash))
    #expect(try meter.ask(.readRequest(handle: 9)) == .readResponse(value: [0x64]))
    #expect(try meter.ask(.writeRequest(handle: 10, value: [1, 0])) == .writeResponse)
    meter.reconnect()
    let after = try #require(try meter.ask(Self.hash))
    guard case .readByTypeResponse(let old) = before, case .readByTypeResponse(let new) = after else {
      Issue.record("\(before) \(after)")
      return
    }
    #expect(old.map(\.handle) == [6] && new.map(\.handle) == [6])
    #expect(old[0].value.count == 16 && old[0].value != new[0].value)
    // Three handles of the new service.
    #expect(try meter.ask(.readRequest(handle: 12)) == .readResponse(value: [0x64]))
    #expect(try meter.ask(.readRequest(handle: 13)) == .readResponse(value: [1, 0]))
    #expect(
      try meter.ask(.findByTypeValueRequest(range: .all, type: 0x2800, value: [0x0F, 0x18]))
        == .findByTypeValueResponse([.init(first: 10, last: 13)]))
  }

  @Test("who has subscribed hears of it once, when the link is free", arguments: [true, false])
  func serviceChanged(isSubscribed: Bool) throws {
    var meter = try Self.meter(#"{"connection": 1, "after_pdus": 6, \#(Self.inserted)}"#)
    #expect(try meter.ask(.writeRequest(handle: 4, value: [isSubscribed ? 2 : 0, 0])) == .writeResponse)
    #expect(try meter.drain().isEmpty)
    _ = try meter.ask(.readRequest(handle: 9))
    _ = try meter.ask(.readRequest(handle: 9))
    let told = try meter.drain()
    #expect(told == (isSubscribed ? [.handleValueIndication(handle: 3, value: [7, 0, 0xFF, 0xFF])] : []))
    meter.send(.handleValueConfirmation)
    #expect(try meter.drain().isEmpty)
    meter.reconnect()
    #expect(try meter.drain().isEmpty)
  }

  @Test("with a bond it is told at the next connection, without one to nobody", arguments: [true, false])
  func betweenConnections(bonded: Bool) throws {
    var meter = try Self.meter(#"{"connection": 2, \#(Self.inserted)}"#, bonded: bonded)
    #expect(try meter.ask(.writeRequest(handle: 4, value: [2, 0])) == .writeResponse)
    meter.reconnect()
    #expect(try meter.drain().count == (bonded ? 1 : 0))
  }

  @Test("the n-th request of a connection is refused, whatever it is")
  func errorAtRequest() throws {
    var meter = TestMeter(
      try TestMeter.script(
        services: #"{"uuid": "180F", "characteristics": [{"uuid": "2A19", "properties": ["read"], "value": "64"}]}"#,
        extra: #", "faults": [{"kind": "error-at-request", "count": 2, "code": "0x0E", "only_connection": 1}]"#))
    let request = ATTPDU.readRequest(handle: 3)
    meter.send(.handleValueConfirmation)
    #expect(try meter.ask(request) == .readResponse(value: [0x64]))
    #expect(try meter.ask(request) == .errorResponse(request: .readRequest, handle: 1, code: .unlikelyError))
    #expect(try meter.ask(request) == .readResponse(value: [0x64]))
    meter.reconnect()
    for _ in 0..<3 { #expect(try meter.ask(request) == .readResponse(value: [0x64])) }
  }

  @Test(
    "what is wrong is named",
    arguments: [
      (#"{"moves": [{"connection": 0, "services": []}]}"#, "$.caching.moves[0].connection"),
      (#"{"moves": [{"connection": 1}]}"#, "$.caching.moves[0].services"),
      (#"{"moves": [{"services": []}]}"#, "$.caching.moves[0].connection"), (#"{"hsah": true}"#, "$.caching.hsah"),
    ])
  func errors(caching: String, path: String) {
    let error = #expect(throws: MeterScriptError.self) {
      try TestMeter.script(services: "", extra: #", "caching": \#(caching)"#)
    }
    #expect(error?.path == path)
  }
}
