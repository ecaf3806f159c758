import BluetoothWire
import Testing
import VirtualMeter

@Suite("Indications on connect")
struct IndicateBehaviourTests {
  static let first: [UInt8] = [0x06, 0x70, 0x01, 0x00, 0xFF, 0xE2, 0x07, 3, 0x0A, 0x14, 0x1B, 0, 2]
  static let second: [UInt8] = [0x06, 0x68, 0x01, 0x00, 0xFF, 0xE2, 0x07, 3, 0x0A, 0x15, 0x34, 0, 2]

  @Test("the next record leaves only after the confirmation of the one before")
  func oneAtATime() throws {
    var meter = try TestMeter.thermometer()
    #expect(try meter.drain().isEmpty)
    #expect(try meter.ask(.writeRequest(handle: 4, value: [2, 0])) == .writeResponse)
    #expect(try meter.drain() == [.handleValueIndication(handle: 3, value: Self.first)])
    #expect(try meter.drain().isEmpty)
    meter.send(.handleValueConfirmation)
    #expect(try meter.drain() == [.handleValueIndication(handle: 3, value: Self.second)])
    let actions = meter.send(.handleValueConfirmation)
    #expect(actions.contains(.event(.procedureDone("indications"))))
    meter.send(.handleValueConfirmation)
    #expect(try meter.drain().isEmpty)
  }

  @Test(
    "a meter that has nothing to send is done when it is subscribed to, and closes the link where the script says so")
  func nothingToSend() throws {
    var meter = try TestMeter.thermometer()
    for _ in 0..<2 {
      _ = try meter.ask(.writeRequest(handle: 4, value: [2, 0]))
      for _ in 0..<2 {
        _ = meter.machine.next()
        meter.send(.handleValueConfirmation)
      }
      meter.reconnect()
    }
    #expect(meter.machine.next().isEmpty, "nobody has subscribed")
    _ = try meter.ask(.writeRequest(handle: 4, value: [2, 0]))
    #expect(meter.machine.next() == [.event(.procedureDone("indications"))])
    #expect(meter.machine.next().isEmpty)
  }

  @Test("intermediate values precede their measurement if subscribed")
  func intermediate() throws {
    var meter = try TestMeter.thermometer()
    #expect(try meter.ask(.writeRequest(handle: 7, value: [1, 0])) == .writeResponse)
    #expect(try meter.ask(.writeRequest(handle: 4, value: [2, 0])) == .writeResponse)
    #expect(
      try meter.drain() == [
        .handleValueNotification(handle: 6, value: [0, 1, 0, 0, 0xFF]),
        .handleValueNotification(handle: 6, value: [0, 2, 0, 0, 0xFF]),
        .handleValueIndication(handle: 3, value: Self.first),
      ])
  }

  /// What three connections see, each confirming one record.
  @Test(
    "what a new connection sees",
    arguments: [
      ("", [Self.first, Self.second, nil], 2),
      (#", "delete_on_confirmation": true"#, [Self.first, Self.second, nil], 0),
      (#", "resend_all": true"#, [Self.first, Self.first, Self.first], 2),
      (#", "resend_all": true, "order": "newest-first""#, [Self.second, Self.second, Self.second], 2),
    ] as [(String, [[UInt8]?], Int)])
  func reconnecting(behaviour: String, seen: [[UInt8]?], left: Int) throws {
    var meter = try TestMeter.thermometer(behaviour)
    for value in seen {
      _ = try meter.ask(.writeRequest(handle: 4, value: [2, 0]))
      #expect(try meter.drain() == (value.map { [.handleValueIndication(handle: 3, value: $0)] } ?? []))
      meter.send(.handleValueConfirmation)
      meter.reconnect()
    }
    #expect(meter.machine.recordsLeft == left)
  }

  @Test("a record that was indicated but not confirmed stays in the memory")
  func unconfirmed() throws {
    var meter = try TestMeter.thermometer(#", "delete_on_confirmation": true"#)
    for _ in 0..<3 {
      _ = try meter.ask(.writeRequest(handle: 4, value: [2, 0]))
      #expect(try meter.drain() == [.handleValueIndication(handle: 3, value: Self.first)])
      #expect(meter.machine.recordsLeft == 2)
      meter.reconnect()
    }
    // A confirmation of nothing confirms nothing.
    meter.send(.handleValueConfirmation)
    #expect(meter.machine.recordsLeft == 2)
  }
}
