import Foundation
import Glibc
import NATSClient
import StrictJSON
import Synchronization

/// One connection of a ``PlayedNATS``, on a thread of its own.
final class PlayedConnection {
  private let server: PlayedNATS
  private let socket: Int32
  private let number: Int
  private var input: [UInt8] = []
  private var pings = 0
  private var subscriptions: [(subject: String, number: String)] = []

  init(_ server: PlayedNATS, _ socket: Int32, _ number: Int) {
    (self.server, self.socket, self.number) = (server, socket, number)
    // As nats-server does: what is written waits for nothing.
    var isOn: Int32 = 1
    setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
  }

  func serve() {
    defer { end() }
    let script = server.script
    guard number > script.refusedConnections, !script.isSilent else {
      if script.isSilent { while receive() {} }
      return
    }
    var members = [
      #""server_id":"played","version":"2.14.0","headers":true,"jetstream":true"#,
      #""max_payload":\#(script.maxPayload)"#,
    ]
    if script.key != nil { members.append(#""auth_required":true,"nonce":"\#(PlayedNATS.nonce)""#) }
    send("INFO {\((script.info + members).joined(separator: ","))} \r\n")
    while let line = line() { guard take(line) else { return } }
  }

  private func end() {
    server.state.withLock { _ = $0.open.removeValue(forKey: number) }
    _ = Glibc.close(socket)
  }

  // MARK: What comes

  private func take(_ line: String) -> Bool {
    let words = line.split(separator: " ").map(String.init)
    switch words.first {
    case "CONNECT": return introduce(String(line.dropFirst("CONNECT ".count)))
    case "PING":
      pings += 1
      if pings <= server.script.answeredPings { send("PONG\r\n") }
      return true
    case "PONG": return true
    case "SUB" where words.count == 3 || words.count == 4: return subscribe(words[1], words[words.count - 1])
    case "UNSUB" where words.count == 2:
      subscriptions.removeAll { $0.number == words[1] }
      return true
    case "PUB" where words.count == 3 || words.count == 4:
      return publish(words[1], words.count == 4 ? words[2] : nil, header: 0, total: Int(words[words.count - 1]))
    case "HPUB" where words.count == 4 || words.count == 5:
      return publish(
        words[1], words.count == 5 ? words[2] : nil, header: Int(words[words.count - 2]),
        total: Int(words[words.count - 1]))
    default: return fault("Unknown Protocol Operation")
    }
  }

  private func introduce(_ json: String) -> Bool {
    server.state.withLock { $0.connects.append(json) }
    guard let key = server.script.key else { return true }
    guard let document = try? JSONDocument(Array(json.utf8), rules: JSONRules(depth: 4)),
      document.root.member("nkey")?.asString == key.description,
      let text = document.root.member("sig")?.asString, let signature = Self.bytes(base64URL: text),
      key.accepts(signature, over: Array(PlayedNATS.nonce.utf8))
    else {
      send("-ERR 'Authorization Violation'\r\n")
      return false
    }
    return true
  }

  private static func bytes(base64URL text: String) -> [UInt8]? {
    let plain = text.replacing("-", with: "+").replacing("_", with: "/")
    return Data(base64Encoded: plain + String(repeating: "=", count: (4 - plain.count % 4) % 4)).map { Array($0) }
  }

  private func subscribe(_ subject: String, _ subscription: String) -> Bool {
    server.state.withLock { $0.subscriptions.append(subject) }
    if server.script.mayNotSubscribe(subject) {
      send("-ERR 'Permissions Violation for Subscription to \"\(subject)\"'\r\n")
    } else {
      subscriptions.append((subject, subscription))
    }
    return true
  }

  private func publish(_ subject: String, _ reply: String?, header: Int?, total: Int?) -> Bool {
    guard let header, let total, header <= total, let bytes = take(total + 2) else { return fault("sizes") }
    guard bytes.suffix(2).elementsEqual([0x0D, 0x0A]) else { return fault("no end") }
    guard total <= server.script.maxPayload else {
      send("-ERR 'Maximum Payload Violation'\r\n")
      return false
    }
    guard let headers = header == 0 ? NATSHeaders() : NATSHeaders(bytes.prefix(header)) else { return fault("header") }
    if server.script.mayNotPublish(subject) {
      send("-ERR 'Permissions Violation for Publish to \"\(subject)\"'\r\n")
      return true
    }
    let message = server.state.withLock { state in
      let message = PlayedNATS.Published(
        subject: subject, reply: reply, headers: headers, payload: Array(bytes[header..<total]), connection: number,
        earlier: state.published.count)
      state.published.append(message)
      return message
    }
    for reaction in server.script.published(message) { guard react(reaction) else { return false } }
    return true
  }

  private func react(_ reaction: PlayedNATS.Reaction) -> Bool {
    switch reaction {
    case .publish(let subject, let payload):
      for subscription in subscriptions where NATSSubject.matches(subject, subscription.subject) {
        send("MSG \(subject) \(subscription.number) \(payload.utf8.count)\r\n\(payload)\r\n")
      }
    case .status(let subject, let status, let text):
      let header = "NATS/1.0 \(status)\(text.isEmpty ? "" : " " + text)\r\n\r\n"
      for subscription in subscriptions where NATSSubject.matches(subject, subscription.subject) {
        send("HMSG \(subject) \(subscription.number) \(header.utf8.count) \(header.utf8.count)\r\n\(header)\r\n")
      }
    case .error(let text): send("-ERR '\(text)'\r\n")
    case .raw(let text): send(text)
    case .close: return false
    }
    return true
  }

  private func fault(_ what: String) -> Bool {
    // A connection that was dropped in the middle of something is no fault of its client.
    let isDropped = server.state.withLock { $0.isStopped } || what != "Unknown Protocol Operation"
    if !isDropped { server.state.withLock { $0.faults.append(what) } }
    send("-ERR 'Unknown Protocol Operation'\r\n")
    return false
  }

  // MARK: Bytes

  private func send(_ text: String) {
    let bytes = Array(text.utf8)
    let size = server.script.isDripping ? 1 : max(1, bytes.count)
    for start in stride(from: 0, to: bytes.count, by: size) {
      var part = bytes[start..<min(start + size, bytes.count)]
      while !part.isEmpty {
        let count = part.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        guard count > 0 else { return }
        part = part.dropFirst(count)
      }
    }
  }

  private func receive() -> Bool {
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    let count = buffer.withUnsafeMutableBytes { recv(socket, $0.baseAddress, $0.count, 0) }
    guard count > 0 else { return false }
    input += buffer.prefix(count)
    return true
  }

  private func take(_ count: Int) -> [UInt8]? {
    while input.count < count { guard receive() else { return nil } }
    defer { input.removeFirst(count) }
    return Array(input.prefix(count))
  }

  private func line() -> String? {
    while true {
      if let end = input.firstIndex(of: 0x0A) {
        defer { input.removeFirst(end + 1) }
        return String(decoding: input[..<end].filter { $0 != 0x0D }, as: UTF8.self)
      }
      guard receive() else { return nil }
    }
  }
}
