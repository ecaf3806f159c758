import BluetoothWire
import Testing
import VirtualMeter

@Suite("OneTouch")
struct OneTouchBehaviourTests {
  /// Handles of the command and the reply characteristic, and of the reply's CCCD.
  static let (command, reply, configuration) = (UInt16(3), UInt16(5), UInt16(6))

  static func meter(
    _ behaviour: String = "", extra: String = "", faults: String = ""
  ) throws -> TestMeter {
    var meter = TestMeter(
      try TestMeter.script(
        services: #"""
          {"uuid": "AF9DF7A1-E595-11E3-96B4-0002A5D5C51B", "characteristics": [
            {"uuid": "AF9DF7A2-E595-11E3-96B4-0002A5D5C51B", "properties": ["write"]},
            {"uuid": "AF9DF7A3-E595-11E3-96B4-0002A5D5C51B", "properties": ["notify"]}]}
          """#,
        extra: #"""
          , "behaviour": {"kind": "onetouch", "clock": 800000000\#(behaviour)}, "records": [
            {"measurement": "00879f2f69000000000000", "sequence": 75},
            {"measurement": "00879f2f6a000000000000", "sequence": 76}], "faults": [\#(faults)]\#(extra)
          """#))
    #expect(try meter.ask(.writeRequest(handle: configuration, value: [1, 0])) == .writeResponse)
    return meter
  }

  /// Writes a value; what the meter notifies.
  static func write(_ value: [UInt8], to meter: inout TestMeter) throws -> [[UInt8]] {
    #expect(try meter.ask(.writeRequest(handle: command, value: value)) == .writeResponse)
    return try meter.drain().map { pdu in
      guard case .handleValueNotification(reply, let value) = pdu else {
        Issue.record("unexpected \(pdu)")
        return []
      }
      return value
    }
  }

  /// The payload of a reply in one fragment, behind the acknowledgement of the command.
  static func payload(_ values: [[UInt8]]) throws -> [UInt8] {
    try #require(values.count == 2 && values[0] == [0x81] && values[1].count > 8 && values[1][0] == 1)
    return Array(values[1][5..<values[1].count - 3])
  }

  static let readClock = hex("0102090003200203d492")
  static let readNewest = hex("01020a00030a0206030a3f")

  static func hex(_ text: String) -> [UInt8] {
    stride(from: 0, to: text.count, by: 2).compactMap { UInt8(text.dropFirst($0).prefix(2), radix: 16) }
  }

  /// A command as a client frames it, in one fragment.
  static func command(_ payload: [UInt8], prefix: UInt8 = 3) -> [UInt8] {
    let body: [UInt8] = [2, UInt8(payload.count + 7), 0, prefix] + payload + [3]
    var sum: UInt32 = 0xffff
    for byte in body {
      for bit in 0..<8 {
        let carry = (sum >> 15) ^ UInt32(byte >> UInt8(7 - bit))
        sum = (sum << 1 ^ (carry & 1 == 1 ? 0x1021 : 0)) & 0xffff
      }
    }
    return [1] + body + [UInt8(sum & 0xff), UInt8(sum >> 8)]
  }

  @Test("published commands are acknowledged and answered")
  func counters() throws {
    var meter = try Self.meter()
    #expect(try Self.payload(Self.write(Self.readClock, to: &meter)) == [6, 0x00, 0x08, 0xaf, 0x2f])
    #expect(try Self.write([0x81], to: &meter).isEmpty)
    #expect(try Self.payload(Self.write(Self.readNewest, to: &meter)) == [6, 76, 0, 0, 0])
    #expect(try Self.payload(Self.write(Self.command([0x27, 0]), to: &meter)) == [6, 2, 0])
    #expect(try Self.payload(Self.write(Self.command([0x20, 1, 1, 2, 3, 4]), to: &meter)) == [6])
    #expect(try Self.payload(Self.write(Self.readClock, to: &meter)) == [6, 1, 2, 3, 4])
  }

  @Test("records by number, and numbers that are not there")
  func records() throws {
    var meter = try Self.meter(#", "newest_number": 80"#)
    #expect(try Self.payload(Self.write(Self.readNewest, to: &meter)) == [6, 80, 0, 0, 0])
    #expect(
      try Self.payload(Self.write(Self.command([0xb3, 76, 0]), to: &meter))
        == [6, 0x00, 0x87, 0x9f, 0x2f, 0x6a, 0, 0, 0, 0, 0, 0])
    #expect(try Self.payload(Self.write(Self.command([0xb3, 77, 0]), to: &meter)) == [9])
    #expect(try Self.payload(Self.write(Self.command([0x1a]), to: &meter)) == [8])
    #expect(meter.machine.recordsLeft == 2)
  }

  @Test("an acknowledged record is kept, or forgotten where the script says so", arguments: [false, true])
  func forgetting(forgets: Bool) throws {
    var meter = try Self.meter(#", "forget_acknowledged": \#(forgets)"#)
    _ = try Self.write(Self.command([0xb3, 75, 0]), to: &meter)
    #expect(meter.machine.recordsLeft == 2)
    _ = try Self.write([0x81], to: &meter)
    #expect(meter.machine.recordsLeft == (forgets ? 1 : 2))
    _ = try Self.write([0x81], to: &meter)
    #expect(meter.machine.recordsLeft == (forgets ? 1 : 2))
    // Not acknowledged before the link broke: still there.
    _ = try Self.write(Self.command([0xb3, 76, 0]), to: &meter)
    meter.reconnect()
    _ = try meter.ask(.writeRequest(handle: Self.configuration, value: [1, 0]))
    _ = try Self.write([0x81], to: &meter)
    #expect(meter.machine.recordsLeft == (forgets ? 1 : 2))
  }

  @Test("fragments wait for the acknowledgement of the one before")
  func fragments() throws {
    var meter = try Self.meter(#", "fragment_size": 8"#)
    let first = try Self.write(Self.command([0xb3, 76, 0]), to: &meter)
    #expect(first.count == 2 && first[1].count == 8 && first[1][0] == 3)
    let second = try Self.write([0x83], to: &meter)
    #expect(second.map { $0[0] } == [0x42])
    let third = try Self.write([0x82], to: &meter)
    #expect(third.map { $0[0] } == [0x41])
    #expect((first[1][1...] + second[0][1...] + third[0][1...]).count == 19)
    #expect(try Self.write([0x81], to: &meter).isEmpty)
    // A command in two fragments.
    let whole = Self.command([0xb3, 75, 0])
    #expect(try Self.write([2] + whole[1..<6], to: &meter) == [[0x82]])
    #expect(try Self.write([0x41] + whole[6...], to: &meter).first == [0x81])
  }

  @Test("a wrong prefix, no bond and a refused command are answered with their status")
  func statuses() throws {
    var strict = try Self.meter(#", "command_prefix": "04""#)
    #expect(try Self.payload(Self.write(Self.readClock, to: &strict)) == [8])
    #expect(try Self.payload(Self.write(Self.command([0x20, 2], prefix: 4), to: &strict)).first == 6)
    var paired = try Self.meter(#", "paired_only": true"#)
    #expect(try Self.payload(Self.write(Self.readClock, to: &paired)) == [7])
    var bonded = try Self.meter(#", "paired_only": true"#, extra: #", "bonded": true"#)
    #expect(try Self.payload(Self.write(Self.readClock, to: &bonded)).first == 6)
    var refusing = try Self.meter(#", "refuse": [{"opcode": "B3", "response": "09"}]"#)
    #expect(try Self.payload(Self.write(Self.command([0xb3, 76, 0]), to: &refusing)) == [9])
  }

  @Test("an unset clock shows in the clock and in the records")
  func unsetClock() throws {
    var meter = try Self.meter(faults: #"{"kind": "unset-clock"}"#)
    #expect(try Self.payload(Self.write(Self.readClock, to: &meter)) == [6, 0, 0, 0, 0])
    #expect(
      try Self.payload(Self.write(Self.command([0xb3, 76, 0]), to: &meter)) == [6, 0, 0, 0, 0, 0x6a, 0, 0, 0, 0, 0, 0])
  }

  @Test("damage is acknowledged by its fragment and not answered; noise is not")
  func damage() throws {
    var meter = try Self.meter()
    var damaged = Self.readClock
    damaged[5] ^= 1
    #expect(try Self.write(damaged, to: &meter) == [[0x81]])
    for noise in [[], [0], [0x41, 1], [0xc1], [0x80]] as [[UInt8]] {
      #expect(try Self.write(noise, to: &meter).isEmpty)
    }
    #expect(try Self.payload(Self.write(Self.readClock, to: &meter)).first == 6)
  }
}
