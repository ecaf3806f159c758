/// What one connection is at: a value that is told what comes, and says what is to be done.
package struct NATSSession: Sendable {
  /// How far it is.
  package enum Phase: Sendable, Hashable {
    /// The server has not said what it is.
    case greeting
    /// It was told who this is, and has not taken it.
    case introduced(NATSServerInfo)
    /// Both may talk.
    case ready(NATSServerInfo)
    /// It is of no more use.
    case over(NATSError)
  }

  /// What is to be done.
  package enum Action: Sendable, Hashable {
    /// Bytes are to be sent.
    case send([UInt8])
    /// The server has taken who this is: messages may travel.
    case ready(NATSServerInfo)
    /// The server has said something new of itself and the others.
    case learn(NATSServerInfo)
    /// The server has answered the oldest question whether it lives, and all that was sent before it.
    case answered
    /// A message came for a subscription.
    case deliver(subscription: UInt64, NATSMessage)
    /// The server does not do what it was asked.
    case refused(NATSServerWords)
    /// The connection is to be closed.
    case close(NATSError)
  }

  /// How far it is.
  package private(set) var phase = Phase.greeting
  private let isEncrypted: Bool
  private let name: String
  private let version: String
  private let key: NATSKeyPair?
  private let openPings: Int
  private var unanswered = 0
  /// The server's last words of the kind that ends a connection.
  private var lastWords: NATSError?

  package init(isEncrypted: Bool, name: String, version: String, key: NATSKeyPair?, openPings: Int) {
    self.isEncrypted = isEncrypted
    self.name = name
    self.version = version
    self.key = key
    self.openPings = openPings
  }

  /// What the server says of itself, once it has.
  package var info: NATSServerInfo? {
    switch phase {
    case .introduced(let info), .ready(let info): info
    case .greeting, .over: nil
    }
  }

  /// Takes what the server has sent.
  package mutating func take(_ operation: NATSServerOperation) -> [Action] {
    switch (phase, operation) {
    case (.over, _): return []
    case (.greeting, .info(let info)): return introduce(to: info)
    case (.greeting, .error(let words)), (.introduced, .error(let words)): return end(words)
    case (.greeting, _): return end(.protocolBroken("it does not begin with INFO"))
    case (_, .info(let info)):
      if case .ready = phase { phase = .ready(info) }
      return [.learn(info)]
    case (_, .ping): return [.send(NATSClientOperation.pong.bytes)]
    case (.introduced(let info), .pong):
      phase = .ready(info)
      unanswered = 0
      return [.ready(info)]
    case (.ready, .pong):
      unanswered = 0
      return [.answered]
    case (_, .ok): return []
    case (.introduced, .message): return end(.protocolBroken("a message without a subscription"))
    case (.ready, .message(let subscription, let message)):
      return [.deliver(subscription: subscription, message)]
    case (.ready, .error(let words)): return said(words)
    }
  }

  /// The peer has closed, or the connection is broken.
  package mutating func ended(_ error: NATSError? = nil) -> [Action] {
    if case .over = phase { return [] }
    return end(lastWords ?? error ?? .ended)
  }

  /// Some time has gone by: the server is asked whether it lives.
  package mutating func tick() -> [Action] {
    guard case .ready = phase else { return [] }
    guard unanswered < openPings else { return end(.silent) }
    unanswered += 1
    return [.send(NATSClientOperation.ping.bytes)]
  }

  private mutating func introduce(to info: NATSServerInfo) -> [Action] {
    guard info.takesHeaders else {
      return end(
        NATSError(
          .server, "the server of NATS \(info.version) takes no headers", hint: "use nats-server 2.10 or later"))
    }
    guard !info.wantsTLS || isEncrypted else { return end(Self.wantsTLS) }
    var introduction = NATSClientOperation.Introduction(name: name, version: version, proof: nil)
    if let key {
      guard let nonce = info.nonce else {
        // Without a nonce it asks nobody for a key: it is not the server that was set up for this client.
        return end(
          NATSError(
            .authorization, "the server of NATS asks for no key", hint: "give its users nkeys in its configuration"))
      }
      do {
        let signature = try key.signature(of: nonce)
        introduction.proof = .init(key: key.publicKey.description, signature: signature)
      } catch { return end(error) }
    }
    phase = .introduced(info)
    let bytes = NATSClientOperation.connect(introduction).bytes + NATSClientOperation.ping.bytes
    return [.learn(info), .send(bytes)]
  }

  private static let wantsTLS = NATSError(
    .tls, "the server of NATS wants TLS", hint: "write its address with tls://, and set handshake_first at the server")

  /// Words that end the connection are kept: what follows is the end itself, which says less.
  private mutating func said(_ words: NATSServerWords) -> [Action] {
    switch words {
    case .mayNotPublish, .mayNotSubscribe, .other: return [.refused(words)]
    case .maximumPayload:
      // Which message it was it does not say: the others must not be taken for too long. The next connection knows the limit.
      lastWords = NATSError(.disconnected, "the server of NATS has refused a message as too long")
      return [.refused(words)]
    case .authorization, .stale, .wantsTLS: return end(words)
    }
  }

  private mutating func end(_ words: NATSServerWords) -> [Action] {
    switch words {
    case .authorization(let text): end(.refused(text))
    case .wantsTLS: end(Self.wantsTLS)
    case .stale: end(.silent)
    case .maximumPayload, .mayNotPublish, .mayNotSubscribe: end(.protocolBroken("an error out of turn"))
    case .other(let text):
      end(NATSError(.server, "the server of NATS does not take the connection", cause: text))
    }
  }

  private mutating func end(_ error: NATSError) -> [Action] {
    phase = .over(error)
    return [.close(error)]
  }
}
