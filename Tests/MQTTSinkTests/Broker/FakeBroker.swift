import CurlHTTP
import Foundation
import Synchronization

@testable import MQTTSink

/// A broker in memory: it keeps what is retained, hands messages on to who has subscribed, and answers as a script says.
final class FakeBroker: ByteDialer {
  struct State {
    var connects: [MQTTConnect] = []
    var published: [MQTTPublish] = []
    var retained: [String: MQTTPublish] = [:]
    var clients: [Int: Client] = [:]
    var next = 0
    var isDown = false
    /// The answer to a connection.
    var connack = MQTTConnack(reason: .success)
    /// The answer to a message by its topic; nil for what a broker would say.
    var answers: [String: MQTTReason] = [:]
    /// Topics whose messages are answered by nothing.
    var silent: Set<String> = []
    /// Topics that somebody else has subscribed to.
    var others: Set<String> = []
    var refusesSubscriptions = false
    var goodbyes = 0
  }

  struct Client {
    let clientID: String
    var filters: [MQTTSubscribe.Filter] = []
    let connection: FakeConnection
  }

  let state = Mutex(State())
  private let changed = Mutex<[CheckedContinuation<Void, Never>]>([])

  func connect(_ address: ByteConnectionAddress) async throws(ByteConnectionError) -> any ByteConnection {
    let connection: FakeConnection? = state.withLock { state in
      guard !state.isDown else { return nil }
      state.next += 1
      return FakeConnection(self, state.next)
    }
    guard let connection else { throw ByteConnectionError(.unreachable, "the server cannot be reached") }
    return connection
  }

  var published: [MQTTPublish] { state.withLock(\.published) }

  /// What was published to a topic, as text.
  func texts(_ topic: String) -> [String] {
    published.filter { $0.topic == topic }.map { String(decoding: $0.payload, as: UTF8.self) }
  }

  /// Where the last reading's answer is to go.
  var responseTopic: String? {
    for message in published.reversed() {
      if let topic = message.properties.text(.responseTopic) { return topic }
    }
    return nil
  }

  func retained(_ topic: String) -> String? {
    state.withLock { $0.retained[topic].map { String(decoding: $0.payload, as: UTF8.self) } }
  }

  /// Waits until a condition holds of what the broker has seen.
  func wait(_ condition: @Sendable (State) -> Bool) async {
    while true {
      if state.withLock({ condition($0) }) { return }
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          if condition(state) { return true }
          changed.withLock { $0.append(continuation) }
          return false
        }
        if isOver { continuation.resume() }
      }
    }
  }

  private func tell() {
    let waiting = changed.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
    for continuation in waiting { continuation.resume() }
  }

  /// A message of somebody else.
  func publish(_ topic: String, _ text: String, isRetained: Bool = false) {
    state.withLock { state in
      handOn(MQTTPublish(topic: topic, payload: Array(text.utf8), isRetained: isRetained), from: nil, &state)
    }
    tell()
  }

  /// Ends every connection, as a broker that is killed.
  func cut() {
    state.withLock { state in
      for client in state.clients.values { client.connection.deliver(nil) }
      state.clients = [:]
    }
    tell()
  }

  func closed(_ number: Int) {
    state.withLock { $0.clients[number] = nil }
    tell()
  }

  func received(_ packet: MQTTPacket, from number: Int, _ connection: FakeConnection) {
    state.withLock { state in
      switch packet {
      case .connect(let connect):
        state.connects.append(connect)
        connection.send(.connack(state.connack))
        guard !state.connack.reason.isFailure else { return connection.deliver(nil) }
        for (other, client) in state.clients where client.clientID == connect.clientID {
          client.connection.send(.disconnect(MQTTDisconnect(reason: .sessionTakenOver)))
          client.connection.deliver(nil)
          state.clients[other] = nil
        }
        state.clients[number] = Client(clientID: connect.clientID, connection: connection)
      case .publish(let publish):
        state.published.append(publish)
        let heard = handOn(publish, from: number, &state)
        guard let identifier = publish.identifier, !state.silent.contains(publish.topic) else { return }
        let reason = state.answers[publish.topic] ?? (heard ? .success : .noMatchingSubscribers)
        connection.send(.puback(MQTTPuback(identifier: identifier, reason: reason)))
      case .subscribe(let subscribe):
        let reason = state.refusesSubscriptions ? MQTTReason.notAuthorized : .success
        connection.send(
          .suback(MQTTSuback(identifier: subscribe.identifier, reasons: subscribe.filters.map { _ in reason })))
        guard !reason.isFailure else { return }
        state.clients[number]?.filters += subscribe.filters
        for (topic, publish) in state.retained.sorted(by: { $0.key < $1.key }) {
          let isWanted = subscribe.filters.contains { !$0.isWithoutRetained && Self.matches($0.topic, topic) }
          if isWanted { connection.send(.publish(publish)) }
        }
      case .pingreq: connection.send(.pingresp)
      case .disconnect:
        state.goodbyes += 1
        state.clients[number] = nil
        connection.deliver(nil)
      case .connack, .puback, .suback, .pingresp: break
      }
    }
    tell()
  }

  @discardableResult
  private func handOn(_ publish: MQTTPublish, from number: Int?, _ state: inout State) -> Bool {
    if publish.isRetained { state.retained[publish.topic] = publish.payload.isEmpty ? nil : publish.kept }
    var isHeard = state.others.contains(publish.topic)
    for (other, client) in state.clients {
      let isWanted = client.filters.contains {
        Self.matches($0.topic, publish.topic) && !($0.isWithoutOwn && other == number)
      }
      guard isWanted else { continue }
      isHeard = true
      var copy = publish.kept
      copy.isRetained = false
      client.connection.send(.publish(copy))
    }
    return isHeard
  }

  private static func matches(_ filter: String, _ topic: String) -> Bool {
    let (wanted, given) = (filter.split(separator: "/"), topic.split(separator: "/"))
    return wanted.count == given.count && zip(wanted, given).allSatisfy { $0 == "+" || $0 == $1 }
  }
}

extension MQTTPublish {
  /// As a broker hands it on at quality of service 0.
  fileprivate var kept: MQTTPublish { MQTTPublish(topic: topic, payload: payload, isRetained: isRetained) }
}

/// A client's connection to it.
final class FakeConnection: ByteConnection {
  private let broker: FakeBroker
  private let number: Int
  private let stream = Mutex(MQTTPacketStream(limit: 1 << 20))
  private let bytes: AsyncStream<[UInt8]>
  private let sink: AsyncStream<[UInt8]>.Continuation

  init(_ broker: FakeBroker, _ number: Int) {
    (self.broker, self.number) = (broker, number)
    (bytes, sink) = AsyncStream.makeStream(of: [UInt8].self)
  }

  func send(_ packet: MQTTPacket) { if let bytes = try? packet.bytes() { deliver(bytes) } }

  /// Bytes for the client; nil is the end.
  func deliver(_ bytes: [UInt8]?) {
    if let bytes { sink.yield(bytes) } else { sink.finish() }
  }

  func send(_ bytes: [UInt8]) async throws(ByteConnectionError) {
    let packets = stream.withLock { stream in
      stream.append(bytes)
      var packets: [MQTTPacket] = []
      while let packet = try? stream.next() { packets.append(packet) }
      return packets
    }
    for packet in packets { broker.received(packet, from: number, self) }
  }

  func receive() async throws(ByteConnectionError) -> [UInt8] {
    for await next in bytes { return next }
    return []
  }

  func close() {
    sink.finish()
    broker.closed(number)
  }
}
