import TestSupport
import Testing

@testable import NATSClient

@Suite("What servers of NATS send")
struct NATSParserTests {
  /// As nats-server 2.14.0 sends it.
  static let conversation: [(String, NATSServerOperation)] = [
    ("+OK\r\n", .ok), ("PING\r\n", .ping), ("pong\r\n", .pong),
    (
      "MSG _INBOX.gw.17 1 29\r\n{\"stream\":\"READINGS\",\"seq\":1}\r\n",
      .message(
        subscription: 1,
        NATSMessage(subject: "_INBOX.gw.17", payload: Array(#"{"stream":"READINGS","seq":1}"#.utf8)))
    ),
    (
      "MSG a.b\t9 reply.to 2\r\n\r\n\r\n",
      .message(subscription: 9, NATSMessage(subject: "a.b", reply: "reply.to", payload: [13, 10]))
    ),
    (
      "HMSG a.b 2 16 16\r\nNATS/1.0 503\r\n\r\n\r\n",
      .message(subscription: 2, NATSMessage(subject: "a.b", headers: status(503)))
    ),
    (
      "HMSG a.b 2 r.1 23 25\r\nNATS/1.0\r\nX: 1\r\nY:2\r\n\r\nhi\r\n",
      .message(
        subscription: 2,
        NATSMessage(
          subject: "a.b", reply: "r.1", headers: NATSHeaders([("X", "1"), ("Y", "2")]), payload: Array("hi".utf8)))
    ),
    (
      "HMSG a.b 2 4 6\r\nnope!!\r\n",
      .message(subscription: 2, NATSMessage(subject: "a.b", hasBrokenHeaders: true, payload: Array("!!".utf8)))
    ),
    ("-ERR 'Authorization Violation'\r\n", .error(.authorization("Authorization Violation"))),
    (
      "-ERR 'Permissions Violation for Publish to \"mh.other.x\"'\r\n", .error(.mayNotPublish(subject: "mh.other.x"))
    ),
    (
      "-ERR 'Permissions Violation for Subscription to \"_INBOX.>\" using queue \"q\"'\r\n",
      .error(.mayNotSubscribe(subject: "_INBOX.>"))
    ),
    ("-ERR 'Maximum Payload Violation'\r\n", .error(.maximumPayload)),
    ("-ERR 'Stale Connection'\r\n", .error(.stale)),
    ("-ERR 'Secure Connection - TLS Required'\r\n", .error(.wantsTLS)),
    ("-ERR 'Slow Consumer'\r\n", .error(.other("Slow Consumer"))),
  ]

  static func status(_ number: Int) -> NATSHeaders {
    NATSHeaders(Array("NATS/1.0 \(number)\r\n\r\n".utf8)) ?? NATSHeaders()
  }

  static let bytes = conversation.flatMap { Array($0.0.utf8) }

  /// All operations of pieces.
  static func operations(_ pieces: [[UInt8]]) throws -> [NATSServerOperation] {
    var parser = NATSParser()
    var operations: [NATSServerOperation] = []
    for piece in pieces {
      parser.append(piece)
      while let operation = try parser.next() { operations.append(operation) }
    }
    #expect(parser.pending == 0)
    return operations
  }

  @Test("one after the other")
  func whole() throws {
    #expect(try Self.operations([Self.bytes]) == Self.conversation.map(\.1))
  }

  @Test("whatever the pieces are: split at every byte")
  func splitAtEveryByte() throws {
    for place in 0...Self.bytes.count {
      let pieces = [Array(Self.bytes[..<place]), Array(Self.bytes[place...])]
      #expect(try Self.operations(pieces) == Self.conversation.map(\.1), "at \(place)")
    }
  }

  @Test("byte by byte")
  func singleBytes() throws {
    #expect(try Self.operations(Self.bytes.map { [$0] }) == Self.conversation.map(\.1))
  }

  @Test("what a server says of itself")
  func info() throws {
    let text = """
      INFO {"server_id":"N1","server_name":"n1","version":"2.14.0","headers":true,"max_payload":1048576,"nonce":"abc",\
      "auth_required":true,"tls_required":true,"jetstream":true,"connect_urls":["10.0.0.1:4222","[::1]:4223",7],"ldm":true} \r\n
      """
    guard case .info(let info)? = try Self.operations([Array(text.utf8)]).first else {
      Issue.record("no INFO")
      return
    }
    #expect(info.version == "2.14.0" && info.serverName == "n1" && info.takesHeaders && info.maxPayload == 1 << 20)
    #expect(info.nonce == "abc" && info.wantsAuthentication && info.wantsTLS && info.hasJetStream && info.isLeaving)
    #expect(info.addresses == ["10.0.0.1:4222", "[::1]:4223"])
  }

  @Test(
    "what no server sends ends it, and it stays ended",
    arguments: [
      "HELLO\r\n", "\r\n", "MSG\r\n", "MSG a 1\r\n", "MSG a x 1\r\n", "MSG a 1 -1\r\n", "MSG a 1 +1\r\n",
      "MSG a 1 1 1 1\r\n",
      "MSG a 1 99999999999999999999\r\n", "MSG a 1 8388609\r\n", "MSG a 1 2\r\nabc\r\n", "MSG a 1 2\r\nab\n\n",
      "HMSG a 1 5\r\n", "HMSG a 1 5 4\r\n", "INFO\r\n", "INFO []\r\n", "INFO {\"server_id\":\"x\"\r\n",
      "HTTP/1.1 400 Bad Request\r\n",
    ])
  func broken(text: String) {
    var parser = NATSParser()
    parser.append(Array(text.utf8))
    #expect(throws: NATSProtocolError.self) { while try parser.next() != nil {} }
    parser.append(Array("PING\r\n".utf8))
    #expect(throws: NATSProtocolError.self) { try parser.next() }
  }

  @Test("a line without an end is not kept for ever")
  func endlessLine() {
    var parser = NATSParser()
    var pieces = 0
    #expect(throws: NATSProtocolError.self) {
      while pieces < 100 {
        parser.append([UInt8](repeating: UInt8(ascii: "A"), count: 4096))
        pieces += 1
        _ = try parser.next()
      }
    }
    #expect(pieces == 17)
  }

  @Test("random bytes end it or say nothing, and are never kept beyond its limits", arguments: 0..<200 as Range<UInt64>)
  func random(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var parser = NATSParser(messageLimit: 10_000)
    for _ in 0..<50 {
      parser.append(generator.bytes(0...3000))
      do { while try parser.next() != nil {} } catch { return }
      #expect(parser.pending <= 64 << 10 + 10_000)
    }
  }

  @Test("a conversation with bytes changed is an error or another conversation", arguments: 0..<500 as Range<UInt64>)
  func mutated(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var bytes = Self.bytes
    for _ in 0..<Int.random(in: 1...8, using: &generator) {
      let place = Int.random(in: 0..<bytes.count, using: &generator)
      switch Int.random(in: 0..<3, using: &generator) {
      case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
      case 1: bytes.remove(at: place)
      default: bytes.insert(contentsOf: generator.bytes(1...4), at: place)
      }
    }
    var parser = NATSParser(messageLimit: 4096)
    var rest = bytes[...]
    while !rest.isEmpty {
      let size = min(rest.count, Int.random(in: 1...40, using: &generator))
      parser.append(Array(rest.prefix(size)))
      rest = rest.dropFirst(size)
      do {
        while let operation = try parser.next() {
          if case .message(_, let message) = operation { #expect(message.payload.count <= 4096) }
        }
      } catch { return }
    }
  }

  @Test("what a client publishes comes back as it was", arguments: 0..<100 as Range<UInt64>)
  func roundTrip(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var headers = NATSHeaders()
    for index in 0..<Int.random(in: 0...5, using: &generator) { headers.add("Name-\(index % 3)", "a value \(index) é") }
    let payload = generator.bytes(0...2000)
    let sent = NATSClientOperation.publish(subject: "mh.a.b", reply: "r.1", headers: headers, payload: payload).bytes
    // A server says MSG where a client says PUB, and names the subscription.
    let end = try #require(sent.firstIndex(of: 13))
    var words = String(decoding: sent[..<end], as: UTF8.self).split(separator: " ").map(String.init)
    words[0] = headers.isEmpty ? "MSG" : "HMSG"
    words.insert("5", at: 2)
    let bytes = Array(words.joined(separator: " ").utf8) + sent[end...]
    let message = NATSMessage(subject: "mh.a.b", reply: "r.1", headers: headers, payload: payload)
    #expect(try Self.operations([bytes]) == [.message(subscription: 5, message)])
  }
}
