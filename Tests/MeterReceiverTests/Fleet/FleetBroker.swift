import CurlHTTP
import Foundation

@testable import MeterReceiver

/// A message server in memory, with a stream of readings and its consumer: as much of NATS and JetStream as a receiver sees. Redelivery
/// waits for no clock: what was given out and not answered comes again when its connection breaks, and what is put off at once.
actor FleetBroker: ByteDialer {
  /// What the broker keeps of a message.
  struct Kept: Sendable {
    enum State: Sendable, Equatable { case waiting, out(connection: Int), stored, refused }

    let message: FleetMessage
    var state = State.waiting
    var deliveries = 0
  }

  /// A message that a receiver has sent to a gateway.
  struct Confirmation: Sendable, Equatable {
    let subject: String
    let payload: String
  }

  private struct Pull {
    let connection: Int
    let inbox: String
    let count: Int
  }

  private(set) var messages: [Kept] = []
  private(set) var confirmations: [Confirmation] = []
  /// The most messages that were asked for at a time.
  private(set) var sizes: [Int] = []
  /// How long messages were put off, in nanoseconds.
  private(set) var delays: [Int64] = []
  /// How many answers of a receiver are still heard; then its connection breaks, and these are lost. Nil hears all.
  private var answersLeft: Int?

  private var lastConnection = 0
  private var connections: [Int: BrokerConnection] = [:]
  private var buffers: [Int: [UInt8]] = [:]
  /// Inboxes by connection and subject.
  private var subscriptions: [Int: [String: String]] = [:]
  private var pulls: [Pull] = []
  private var watchers: [(isReached: @Sendable ([Kept]) -> Bool, CheckedContinuation<Void, Never>)] = []

  // MARK: What tests do

  func publish(_ more: [FleetMessage]) {
    messages += more.map { Kept(message: $0) }
    serve()
  }

  /// Breaks the connection after so many more answers, once.
  func breakAfter(answers: Int) { answersLeft = answers }

  /// Ends every connection, as a server that is killed does.
  func breakConnections() { for number in connections.keys { end(number) } }

  /// Waits until the messages are so.
  func until(_ isReached: @escaping @Sendable ([Kept]) -> Bool) async {
    guard !isReached(messages) else { return }
    await withCheckedContinuation { watchers.append((isReached, $0)) }
  }

  /// Waits until every message is settled for good.
  func untilSettled() async { await until { $0.allSatisfy { $0.state == .stored || $0.state == .refused } } }

  // MARK: Connections

  func connect(_ address: ByteConnectionAddress) async throws(ByteConnectionError) -> any ByteConnection {
    lastConnection += 1
    let connection = BrokerConnection(lastConnection, of: self)
    connections[lastConnection] = connection
    connection.say(
      Array(#"INFO {"server_id":"T","version":"2.14.0","headers":true,"max_payload":1048576}"#.utf8) + [13, 10])
    return connection
  }

  private func end(_ number: Int) {
    connections.removeValue(forKey: number)?.end()
    (buffers[number], subscriptions[number]) = (nil, nil)
    pulls.removeAll { $0.connection == number }
    for index in messages.indices where messages[index].state == .out(connection: number) {
      messages[index].state = .waiting
    }
    changed()
  }

  func heard(_ bytes: [UInt8], from number: Int) {
    guard connections[number] != nil else { return }
    buffers[number, default: []] += bytes
    while connections[number] != nil, let words = nextLine(number) { take(words, from: number) }
    serve()
  }

  /// The words of the next line, with the content of a message as the last of them; nil where not all of it has come.
  private func nextLine(_ number: Int) -> (words: [String], payload: [UInt8])? {
    guard let buffer = buffers[number], let end = buffer.firstIndex(of: 13), end + 1 < buffer.count else { return nil }
    let words = String(decoding: buffer[..<end], as: UTF8.self).split(separator: " ").map(String.init)
    var rest = buffer[(end + 2)...]
    guard words.first == "PUB", let count = words.last.flatMap({ Int($0) }) else {
      buffers[number] = Array(rest)
      return (words, [])
    }
    guard rest.count >= count + 2 else { return nil }
    let payload = Array(rest.prefix(count))
    rest = rest.dropFirst(count + 2)
    buffers[number] = Array(rest)
    return (words, payload)
  }

  private func take(_ line: (words: [String], payload: [UInt8]), from number: Int) {
    let words = line.words
    switch words.first {
    case "PING": connections[number]?.say(Array("PONG\r\n".utf8))
    case "SUB": subscriptions[number, default: [:]][words[1]] = words.last
    case "UNSUB":
      let gone = subscriptions[number]?.first { $0.value == words[1] }?.key
      if let gone { subscriptions[number]?[gone] = nil }
      pulls.removeAll { $0.connection == number && $0.inbox == gone }
    case "PUB": published(words, line.payload, from: number)
    default: break
    }
  }

  // MARK: Messages

  private func published(_ words: [String], _ payload: [UInt8], from number: Int) {
    let text = String(decoding: payload, as: UTF8.self)
    if words[1] == "$JS.API.CONSUMER.MSG.NEXT.READINGS.postgres" {
      let batch = (try? JSONSerialization.jsonObject(with: Data(payload))) as? [String: Any]
      let count = batch?["batch"] as? Int ?? 0
      sizes.append(count)
      pulls.append(Pull(connection: number, inbox: words[2], count: count))
      return
    }
    if let left = answersLeft {
      guard left > 0 else {
        answersLeft = nil
        return end(number)
      }
      answersLeft = left - 1
    }
    guard words[1].hasPrefix("$JS.ACK.") else {
      confirmations.append(Confirmation(subject: words[1], payload: text))
      return
    }
    acknowledged(words[1], text)
  }

  private func acknowledged(_ subject: String, _ text: String) {
    let tokens = subject.split(separator: ".")
    guard let index = Int(tokens[5]).map({ $0 - 1 }), messages.indices.contains(index) else { return }
    switch text {
    case "+ACK": messages[index].state = .stored
    case "+TERM": messages[index].state = .refused
    default:
      messages[index].state = .waiting
      delays.append(Int64(text.filter(\.isNumber)) ?? 0)
    }
    changed()
  }

  private func changed() {
    let reached = watchers.filter { $0.isReached(messages) }
    watchers.removeAll { $0.isReached(messages) }
    for (_, waiter) in reached { waiter.resume() }
  }

  /// Gives what waits to those that ask.
  private func serve() {
    while let pull = pulls.first {
      let waiting = messages.indices.filter { messages[$0].state == .waiting }.prefix(pull.count)
      guard !waiting.isEmpty else { return }
      pulls.removeFirst()
      guard let subscription = subscriptions[pull.connection]?[pull.inbox] else { continue }
      var bytes: [UInt8] = []
      for index in waiting {
        messages[index].deliveries += 1
        messages[index].state = .out(connection: pull.connection)
        bytes += Self.bytes(messages[index], number: index + 1, subscription)
      }
      if waiting.count < pull.count {
        let end = "NATS/1.0 404 No Messages\r\n\r\n"
        bytes += "HMSG \(pull.inbox) \(subscription) \(end.utf8.count) \(end.utf8.count)\r\n\(end)\r\n".utf8
      }
      connections[pull.connection]?.say(bytes)
    }
  }

  private static func bytes(_ kept: Kept, number: Int, _ subscription: String) -> [UInt8] {
    let message = kept.message
    let header = "NATS/1.0\r\n" + message.headers.map { "\($0.key): \($0.value)\r\n" }.joined() + "\r\n"
    let mark = "$JS.ACK.READINGS.postgres.\(kept.deliveries).\(number).\(number).1.0"
    let (first, all) = (header.utf8.count, header.utf8.count + message.payload.count)
    return Array("HMSG \(message.subject) \(subscription) \(mark) \(first) \(all)\r\n\(header)".utf8)
      + message.payload + [13, 10]
  }
}
