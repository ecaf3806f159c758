import StrictJSON

/// What a client sends. Subjects were looked at before (``NATSSubject``): nothing here can end a line.
enum NATSClientOperation: Sendable, Hashable {
  /// Who it is.
  case connect(Introduction)
  /// A message.
  case publish(subject: String, reply: String?, headers: NATSHeaders, payload: [UInt8])
  case subscribe(subject: String, queue: String?, subscription: UInt64)
  case unsubscribe(subscription: UInt64)
  case ping
  case pong

  /// What a client says of itself.
  struct Introduction: Sendable, Hashable {
    /// A name for people, in the server's monitoring.
    var name: String
    /// The program's version.
    var version: String
    /// The public key, and its signature of the nonce.
    var proof: Proof?

    struct Proof: Sendable, Hashable {
      var key: String
      var signature: String
    }
  }

  /// The operation as it travels.
  var bytes: [UInt8] {
    switch self {
    case .connect(let introduction): Array("CONNECT ".utf8) + introduction.json + NATSLine.end
    case .publish(let subject, let reply, let headers, let payload): Self.publish(subject, reply, headers, payload)
    case .subscribe(let subject, let queue, let subscription):
      Array("SUB \(subject) \(queue.map { $0 + " " } ?? "")\(subscription)\r\n".utf8)
    case .unsubscribe(let subscription): Array("UNSUB \(subscription)\r\n".utf8)
    case .ping: Array("PING\r\n".utf8)
    case .pong: Array("PONG\r\n".utf8)
    }
  }

  private static func publish(
    _ subject: String, _ reply: String?, _ headers: NATSHeaders, _ payload: [UInt8]
  ) -> [UInt8] {
    let reply = reply.map { $0 + " " } ?? ""
    let header = headers.isEmpty ? [] : headers.bytes
    let line =
      header.isEmpty
      ? "PUB \(subject) \(reply)\(payload.count)\r\n"
      : "HPUB \(subject) \(reply)\(header.count) \(header.count + payload.count)\r\n"
    var bytes: [UInt8] = []
    bytes.reserveCapacity(line.utf8.count + header.count + payload.count + 2)
    bytes += line.utf8
    bytes += header
    bytes += payload
    bytes += NATSLine.end
    return bytes
  }
}

extension NATSClientOperation.Introduction {
  fileprivate var json: [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.member("verbose", flag: false)
      json.member("pedantic", flag: false)
      json.member("lang", "swift")
      json.member("name", name)
      json.member("version", version)
      json.member("protocol", integer: 1)
      json.member("headers", flag: true)
      json.member("no_responders", flag: true)
      if let proof {
        json.member("nkey", proof.key)
        json.member("sig", proof.signature)
      }
    }
    return json.bytes
  }
}
