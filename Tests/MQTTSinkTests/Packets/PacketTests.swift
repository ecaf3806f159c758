import TestSupport
import Testing

@testable import MQTTSink

/// The packets of MQTT 5 as bytes.
@Suite("MQTT packets")
struct PacketTests {
  /// Every packet that the bytes hold, and what is wrong with the rest.
  private func read(_ bytes: [UInt8], in pieces: Int = .max, limit: Int = 1 << 20) -> ([MQTTPacket], MQTTPacketError?) {
    var stream = MQTTPacketStream(limit: limit)
    var packets: [MQTTPacket] = []
    var rest = bytes[...]
    do throws(MQTTPacketError) {
      repeat {
        stream.append(Array(rest.prefix(pieces)))
        rest = rest.dropFirst(pieces)
        while let packet = try stream.next() { packets.append(packet) }
      } while !rest.isEmpty
      return (packets, nil)
    } catch {
      return (packets, error)
    }
  }

  @Test("bytes that brokers and clients have sent")
  func vectors() throws {
    // mosquitto 2.0.11's answer: at most 20 messages at a time, 10 aliases.
    let connack = read([0x20, 0x09, 0x00, 0x00, 0x06, 0x22, 0x00, 0x0A, 0x21, 0x00, 0x14])
    guard case .connack(let answer)? = connack.0.first else { throw MQTTPacketError.malformed("no CONNACK") }
    #expect(answer.reason == .success && answer.properties.twoBytes(.receiveMaximum) == 20)
    #expect(answer.properties.twoBytes(.topicAliasMaximum) == 10)
    #expect(read([0x40, 0x02, 0x00, 0x07]).0 == [.puback(MQTTPuback(identifier: 7))])
    #expect(
      read([0x40, 0x03, 0x00, 0x07, 0x10]).0 == [.puback(MQTTPuback(identifier: 7, reason: .noMatchingSubscribers))])
    #expect(
      read([0x40, 0x04, 0x00, 0x07, 0x87, 0x00]).0 == [.puback(MQTTPuback(identifier: 7, reason: .notAuthorized))])
    #expect(read([0xE0, 0x02, 0x8E, 0x00]).0 == [.disconnect(MQTTDisconnect(reason: .sessionTakenOver))])
    var connect = MQTTConnect(clientID: "cc", keepAlive: 30)
    (connect.userName, connect.password) = ("gw1", Array("secret".utf8))
    #expect(
      try MQTTPacket.connect(connect).bytes() == [
        0x10, 0x1C, 0, 4, 0x4D, 0x51, 0x54, 0x54, 5, 0xC2, 0, 30, 0, 0, 2, 0x63, 0x63, 0, 3, 0x67, 0x77, 0x31, 0, 6,
        0x73,
        0x65, 0x63, 0x72, 0x65, 0x74,
      ])
    #expect(
      try MQTTPacket.publish(MQTTPublish(topic: "a/b", payload: [0x68, 0x69], identifier: 7, isRetained: true)).bytes()
        == [0x33, 0x0A, 0, 3, 0x61, 0x2F, 0x62, 0, 7, 0, 0x68, 0x69])
    #expect(try MQTTPacket.pingreq.bytes() == [0xC0, 0])
  }

  @Test("what is written is read again, in pieces of any size, and a part of it is no packet", arguments: UInt64(1)...8)
  func roundTrips(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<150 {
      let packets = (0..<3).map { _ in generator.packet() }
      let bytes = try packets.flatMap { try $0.bytes() }
      for pieces in [1, 7, bytes.count] {
        let (found, error) = read(bytes, in: pieces)
        #expect(found == packets && error == nil)
      }
      // Torn at every byte: never a packet more, never an error, never a crash.
      let first = try packets[0].bytes()
      for count in 0..<first.count {
        let (found, error) = read(Array(first.prefix(count)))
        #expect(found.isEmpty && error == nil)
      }
      // Cut short with its length put right: a packet of another meaning at most, or a typed error.
      for count in 2..<min(first.count, 120) where first[1] < 0x80 {
        var short = Array(first.prefix(count))
        short[1] = UInt8(count - 2)
        _ = read(short)
      }
    }
  }

  @Test("random and damaged bytes are packets or a typed error, whatever the pieces", arguments: UInt64(1)...8)
  func fuzz(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<2_000 {
      var bytes = Bool.random(using: &generator) ? generator.bytes(0...60) : try generator.packet().bytes()
      for _ in 0..<Int.random(in: 0...3, using: &generator) where !bytes.isEmpty {
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
      }
      let whole = read(bytes)
      let slow = read(bytes, in: 1)
      #expect(slow.0 == whole.0 && slow.1 == whole.1)
      // What was read has a form of its own, and that is read as the same.
      for packet in whole.0 {
        guard let again = try? packet.bytes() else { continue }
        #expect(read(again).0 == [packet])
      }
    }
  }

  @Test(
    "what MQTT 5 does not have is refused",
    arguments: [
      [0x00, 0x00], [0x10, 0x80, 0x80, 0x80, 0x80, 0x01], [0x40, 0x82, 0x00, 0x00, 0x07], [0x40, 0x02, 0x00, 0x00],
      [0x20, 0x02, 0x00, 0x00, 0xFF], [0x20, 0x03, 0x02, 0x00, 0x00], [0x36, 0x05, 0x00, 0x01, 0x61, 0x00, 0x01],
      [0x34, 0x06, 0x00, 0x01, 0x61, 0x00, 0x01, 0x00], [0x38, 0x04, 0x00, 0x01, 0x61, 0x00],
      [0x30, 0x04, 0x00, 0x01, 0x23, 0x00], [0x30, 0x04, 0x00, 0x01, 0xFF, 0x00], [0x50, 0x02, 0x00, 0x01],
      [0xF0, 0x00], [0x90, 0x03, 0x00, 0x01, 0x00], [0xD0, 0x01, 0x00],
      // A property twice, one that there is not, and one that is longer than the rest.
      [0x20, 0x09, 0x00, 0x00, 0x06, 0x21, 0x00, 0x01, 0x21, 0x00, 0x02], [0x20, 0x05, 0x00, 0x00, 0x02, 0x7E, 0x00],
      [0x20, 0x06, 0x00, 0x00, 0x03, 0x1F, 0x00, 0x09],
    ] as [[UInt8]])
  func refused(bytes: [UInt8]) {
    let (packets, error) = read(bytes)
    #expect(packets.isEmpty && error != nil)
  }

  @Test("a packet beyond the limit is refused by its length alone")
  func limit() {
    #expect(read([0x30, 0xFF, 0xFF, 0x7F], limit: 1_000).1?.code == .tooLarge)
    #expect(read([0x30, 0x05, 0x00], limit: 7).1 == nil)
    #expect(read([0x30, 0x06, 0x00], limit: 7).1?.code == .tooLarge)
  }

  @Test("what has no form is not written")
  func unwritable() {
    for packet: MQTTPacket in [
      .publish(MQTTPublish(topic: "", payload: [])), .publish(MQTTPublish(topic: "a/+", payload: [])),
      .publish(MQTTPublish(topic: "a\u{0}b", payload: [])),
      .publish(MQTTPublish(topic: String(repeating: "a", count: 65_536), payload: [])),
      .publish(MQTTPublish(topic: "a", payload: [UInt8](repeating: 0, count: 268_435_456))),
    ] { #expect(throws: MQTTPacketError.self) { try packet.bytes() } }
  }
}
