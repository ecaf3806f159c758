import HostPrimitives
import TestSupport
import Testing

@testable import MQTTSink

/// A connection to a broker as a value, without a socket.
@Suite("MQTT session")
struct SessionTests {
  typealias Effect = MQTTSession.Effect

  private let start = HostInstant(sinceBoot: .seconds(1_000))

  private func session(_ change: (inout MQTTSession.Limits) -> Void = { _ in }) -> MQTTSession {
    var limits = MQTTSession.Limits()
    change(&limits)
    return MQTTSession(MQTTConnect(clientID: "c", keepAlive: 30), limits: limits)
  }

  private func connected(
    _ properties: [(MQTTProperties.Identifier, MQTTProperties.Value)] = [],
    _ change: (inout MQTTSession.Limits) -> Void = { _ in }
  ) throws -> MQTTSession {
    var session = session(change)
    _ = session.begin(start)
    var connack = MQTTConnack(reason: .success)
    for (identifier, value) in properties { connack.properties.set(identifier, value) }
    #expect(try session.received(MQTTPacket.connack(connack).bytes(), start) == [.connected])
    return session
  }

  private func packets(_ effects: [Effect]) throws -> [MQTTPacket] {
    var stream = MQTTPacketStream(limit: .max)
    for case .send(let bytes) in effects { stream.append(bytes) }
    var packets: [MQTTPacket] = []
    while let packet = try stream.next() { packets.append(packet) }
    return packets
  }

  private func identifiers(_ effects: [Effect]) throws -> [UInt16] {
    try packets(effects).compactMap { if case .publish(let publish) = $0 { publish.identifier } else { nil } }
  }

  private func end(_ effects: [Effect]) -> MQTTSessionEnd? {
    for case .ended(let end) in effects { return end }
    return nil
  }

  private let hello = MQTTPublish(topic: "t", payload: [1])

  @Test("begins with CONNECT, its limits said, and publishes once it is answered")
  func begins() throws {
    var session = session()
    let begin = try packets(session.begin(start))
    guard case .connect(let connect)? = begin.first else { throw MQTTPacketError.malformed("no CONNECT") }
    #expect(connect.isCleanStart && connect.properties.twoBytes(.receiveMaximum) == 64)
    #expect(connect.properties.twoBytes(.topicAliasMaximum) == nil)
    #expect(session.publish(hello, as: 1, start).isEmpty)
    let effects = try session.received(MQTTPacket.connack(MQTTConnack(reason: .success)).bytes(), start)
    #expect(effects.first == .connected)
    #expect(try identifiers(effects) == [1])
  }

  @Test("no more is in flight than the broker takes at a time; what waits goes out in its order")
  func window() throws {
    var session = try connected([(.receiveMaximum, .twoBytes(2))])
    var sent: [UInt16] = []
    for number in 1...5 { sent += try identifiers(session.publish(hello, as: number, start)) }
    #expect(sent == [1, 2])
    let effects = try session.received(MQTTPacket.puback(MQTTPuback(identifier: 2)).bytes(), start)
    #expect(effects.first == .published(2, .acknowledged(.success, text: "")))
    #expect(try identifiers(effects) == [3])
    // An acknowledgement of nothing is passed.
    #expect(try session.received(MQTTPacket.puback(MQTTPuback(identifier: 9)).bytes(), start).isEmpty)
  }

  @Test("the broker's word comes with its words for people, in one line")
  func words() throws {
    var session = try connected()
    _ = session.publish(hello, as: 1, start)
    var puback = MQTTPuback(identifier: 1, reason: .quotaExceeded)
    puback.properties.set(.reasonString, .text("full\nof it"))
    #expect(
      try session.received(MQTTPacket.puback(puback).bytes(), start) == [
        .published(1, .acknowledged(.quotaExceeded, text: "full of it"))
      ])
  }

  @Test("identifiers of what is still in flight are not given twice")
  func identifiersWrap() throws {
    var session = try connected([(.receiveMaximum, .twoBytes(3))])
    _ = session.publish(hello, as: 0, start)
    var seen: Set<UInt16> = [1]
    for number in 1..<70_000 {
      let given = try identifiers(session.publish(hello, as: number, start))
      #expect(given.count == 1 && given[0] != 0 && given[0] != 1)
      seen.formUnion(given)
      _ = try session.received(MQTTPacket.puback(MQTTPuback(identifier: given[0])).bytes(), start)
    }
    #expect(seen.count == 65_535)
  }

  @Test("what is larger than the broker takes is answered here; what it does not keep is not asked to be kept")
  func brokerLimits() throws {
    var session = try connected([(.maximumPacketSize, .fourBytes(20)), (.retainAvailable, .byte(0))])
    let large = MQTTPublish(topic: "t", payload: [UInt8](repeating: 0, count: 30))
    #expect(session.publish(large, as: 1, start) == [.published(1, .tooLarge)])
    guard
      case .publish(let sent)? = try packets(
        session.publish(MQTTPublish(topic: "t", payload: [], isRetained: true), as: 2, start)
      ).first
    else { throw MQTTPacketError.malformed("nothing was sent") }
    #expect(!sent.isRetained)
  }

  @Test(
    "an answer that refuses, or that lacks what is needed, ends it",
    arguments: [
      ([0x20, 0x03, 0x00, 0x87, 0x00], .refused(.notAuthorized)),
      ([0x20, 0x03, 0x00, 0x84, 0x00], .refused(.unsupportedVersion)),
      ([0x20, 0x05, 0x00, 0x00, 0x02, 0x24, 0x00], .unusable), ([0x20, 0x02, 0x00, 0x01], .unusable),
      ([0x20, 0x06, 0x00, 0x00, 0x03, 0x21, 0x00, 0x00], .unusable), ([0x40, 0x02, 0x00, 0x01], .unusable),
      (Array("HTTP/1.1 400".utf8), .unusable),
    ] as [([UInt8], MQTTSessionEnd.Cause)])
  func refused(bytes: [UInt8], cause: MQTTSessionEnd.Cause) {
    var session = session()
    _ = session.begin(start)
    _ = session.publish(hello, as: 7, start)
    let effects = session.received(bytes, start)
    let end = self.end(effects)
    #expect(end?.cause == cause)
    if let end { #expect(effects.contains(.published(7, .lost(end)))) }
    #expect(session.deadline == nil)
  }

  @Test("silence ends it: no CONNACK, no PUBACK, no PINGRESP")
  func silence() throws {
    var session = session()
    _ = session.begin(start)
    #expect(session.deadline == start + .seconds(15))
    #expect(session.passed(start + .seconds(14)).isEmpty)
    #expect(end(session.passed(start + .seconds(15)))?.cause == .silent)

    session = try connected()
    _ = session.publish(hello, as: 1, start)
    #expect(session.passed(start + .seconds(29)).isEmpty)
    #expect(end(session.passed(start + .seconds(30)))?.cause == .silent)

    session = try connected()
    #expect(session.deadline == start + .seconds(30))
    #expect(try packets(session.passed(start + .seconds(30))) == [.pingreq])
    #expect(session.passed(start + .seconds(59)).isEmpty)
    var answered = session
    #expect(try answered.received(MQTTPacket.pingresp.bytes(), start + .seconds(59)).isEmpty)
    #expect(try packets(answered.passed(start + .seconds(60))) == [.pingreq])
    #expect(end(session.passed(start + .seconds(60)))?.cause == .silent)
  }

  @Test(
    "the broker's own time to stay alive holds, and none is none",
    arguments: [(10, 10), (0, nil)] as [(UInt16, Int64?)])
  func keepAlive(seconds: UInt16, after: Int64?) throws {
    let session = try connected([(.serverKeepAlive, .twoBytes(seconds))])
    #expect(session.deadline == after.map { start + .seconds($0) })
  }

  @Test("messages are acknowledged and handed on; those with aliases, which were not allowed, end it")
  func messages() throws {
    var session = try connected()
    let message = MQTTPublish(topic: "t", payload: [5], identifier: 77)
    let effects = try session.received(MQTTPacket.publish(message).bytes(), start)
    #expect(try packets(effects) == [.puback(MQTTPuback(identifier: 77))] && effects.last == .message(message))
    var alias = MQTTPublish(topic: "t", payload: [])
    alias.properties.set(.topicAlias, .twoBytes(1))
    let last = try session.received(MQTTPacket.publish(alias).bytes(), start)
    #expect(try packets(last) == [.disconnect(MQTTDisconnect(reason: .protocolError))])
    #expect(end(last)?.cause == .unusable)
  }

  @Test("an end answers everything that waits, once, and nothing is taken afterwards")
  func ends() throws {
    var session = try connected([(.receiveMaximum, .twoBytes(1))])
    _ = session.publish(hello, as: 1, start)
    _ = session.publish(hello, as: 2, start)
    _ = session.subscribe([MQTTSubscribe.Filter(topic: "#", quality: 1)], as: 3, start)
    _ = session.ping(as: 4, start)
    let effects = try session.received(
      MQTTPacket.disconnect(MQTTDisconnect(reason: .sessionTakenOver)).bytes(), start)
    let end = try #require(self.end(effects))
    #expect(end.cause == .disconnected(.sessionTakenOver))
    #expect(
      effects == [
        .published(1, .lost(end)), .published(2, .lost(end)), .subscribed(3, nil), .pinged(4, false), .ended(end),
      ])
    #expect(session.broken(end).isEmpty && session.leave(start).isEmpty)
    #expect(session.publish(hello, as: 5, start) == [.published(5, .lost(end))])
    #expect(session.ping(as: 6, start) == [.pinged(6, false)])
  }

  @Test("a good-bye tells the broker, so that it publishes no will")
  func leaves() throws {
    var session = try connected()
    let effects = session.leave(start)
    #expect(try packets(effects) == [.disconnect(MQTTDisconnect())])
    #expect(end(effects)?.cause == .left)
  }

  @Test("a hostile broker gets no crash and no answer twice", arguments: UInt64(1)...6)
  func fuzz(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      var session = Bool.random(using: &generator) ? session() : try connected()
      var (answered, asked): (Set<Int>, Int) = ([], 0)
      var now = start
      var effects = session.begin(now)
      for _ in 0..<40 {
        now = now + .seconds(Int64.random(in: 0...8, using: &generator))
        switch Int.random(in: 0...5, using: &generator) {
        case 0:
          asked += 1
          effects = session.publish(hello, as: asked, now)
        case 1:
          asked += 1
          effects = session.subscribe([MQTTSubscribe.Filter(topic: "a", quality: 0)], as: asked, now)
        case 2:
          asked += 1
          effects = session.ping(as: asked, now)
        case 3: effects = session.passed(now)
        case 4: effects = session.received(generator.bytes(0...12), now)
        default:
          effects = session.received(
            Int.random(in: 0...2, using: &generator) > 0
              ? try MQTTPacket.puback(MQTTPuback(identifier: UInt16.random(in: 1...4, using: &generator))).bytes()
              : try generator.packet().bytes(), now)
        }
        for effect in effects {
          switch effect {
          case .published(let number, _), .subscribed(let number, _), .pinged(let number, _):
            #expect(answered.insert(number).inserted)
          case .send, .connected, .message, .ended: break
          }
        }
      }
      let end = MQTTSessionEnd(.left, "")
      for effect in session.broken(end) {
        switch effect {
        case .published(let number, _), .subscribed(let number, _), .pinged(let number, _):
          #expect(answered.insert(number).inserted)
        case .send, .connected, .message, .ended: break
        }
      }
      #expect(answered.count == asked)
    }
  }
}
