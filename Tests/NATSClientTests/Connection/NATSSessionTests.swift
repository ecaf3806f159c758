import Testing

@testable import NATSClient

@Suite("What a connection to NATS is at")
struct NATSSessionTests {
  static func session(_ key: NATSKeyPair? = nil, isEncrypted: Bool = true) -> NATSSession {
    NATSSession(isEncrypted: isEncrypted, name: "gw", version: "1", key: key, openPings: 2)
  }

  static func info(nonce: String? = nil, headers: Bool = true, tls: Bool = false) -> NATSServerInfo {
    var info = NATSServerInfo()
    (info.nonce, info.takesHeaders, info.wantsTLS) = (nonce, headers, tls)
    return info
  }

  static func ready() -> NATSSession {
    var session = session()
    _ = session.take(.info(info()))
    _ = session.take(.pong)
    return session
  }

  static func end(_ actions: [NATSSession.Action]) -> NATSError? {
    if case .close(let error)? = actions.last { error } else { nil }
  }

  @Test("it introduces itself once the server has spoken, and is ready when that is taken")
  func begins() throws {
    let key = NATSKeyPair()
    var session = Self.session(key)
    let actions = session.take(.info(Self.info(nonce: "abc")))
    guard case .send(let bytes)? = actions.last else {
      Issue.record("nothing is sent")
      return
    }
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(text.hasPrefix("CONNECT {") && text.hasSuffix("}\r\nPING\r\n"))
    #expect(text.contains(#""nkey":"\#(key.publicKey)""#) && text.contains(#""sig":""#) && !text.contains(key.seed))
    #expect(
      text.contains(#""verbose":false"#) && text.contains(#""headers":true"#) && text.contains(#""no_responders":true"#)
    )
    #expect(session.take(.pong) == [.ready(Self.info(nonce: "abc"))])
    #expect(session.phase == .ready(Self.info(nonce: "abc")))
  }

  @Test("it is of no use to a server that is not what it has to be")
  func unfit() {
    let cases: [(NATSSession, NATSServerOperation, NATSError.Code)] = [
      (Self.session(), .info(Self.info(headers: false)), .server),
      (Self.session(isEncrypted: false), .info(Self.info(tls: true)), .tls),
      (Self.session(NATSKeyPair()), .info(Self.info()), .authorization),
      (Self.session(), .ping, .server), (Self.session(), .pong, .server),
      (Self.session(), .error(.authorization("Authorization Timeout")), .authorization),
      (Self.session(), .error(.wantsTLS), .tls),
      (Self.session(), .error(.other("maximum connections exceeded")), .server),
    ]
    for (start, operation, code) in cases {
      var session = start
      #expect(Self.end(session.take(operation))?.code == code, "\(operation)")
      #expect(session.take(.ping).isEmpty && session.tick().isEmpty && session.ended().isEmpty)
    }
  }

  @Test("a refused key, while it begins and later")
  func refusedKey() {
    var session = Self.session()
    _ = session.take(.info(Self.info()))
    let error = Self.end(session.take(.error(.authorization("Authorization Violation"))))
    #expect(error?.code == .authorization && error?.cause == "Authorization Violation")
    session = Self.ready()
    #expect(Self.end(session.take(.error(.authorization("User Authentication Revoked"))))?.code == .authorization)
  }

  @Test("what a key may not is told, and the connection goes on")
  func refusals() {
    var session = Self.ready()
    for words in [
      NATSServerWords.mayNotPublish(subject: "a"), .mayNotSubscribe(subject: "b"), .other("Invalid Subject"),
    ] {
      #expect(session.take(.error(words)) == [.refused(words)])
    }
    #expect(session.take(.ping) == [.send(Array("PONG\r\n".utf8))])
  }

  @Test("of a message that was too long the end says which end it was, and blames no other message")
  func tooLong() {
    var session = Self.ready()
    #expect(session.take(.error(.maximumPayload)) == [.refused(.maximumPayload)])
    #expect(Self.end(session.ended())?.code == .disconnected)
  }

  @Test("a server that does not answer two questions is dead")
  func silence() {
    var session = Self.ready()
    let ping = [NATSSession.Action.send(Array("PING\r\n".utf8))]
    #expect(session.tick() == ping && session.tick() == ping)
    #expect(session.take(.pong) == [.answered])
    #expect(session.tick() == ping && session.tick() == ping)
    #expect(Self.end(session.tick())?.code == .disconnected)
  }

  @Test("messages go to their subscriptions, news of the cluster are learnt")
  func messages() {
    var session = Self.ready()
    let message = NATSMessage(subject: "a", payload: [1])
    #expect(session.take(.message(subscription: 7, message)) == [.deliver(subscription: 7, message)])
    var news = Self.info()
    news.maxPayload = 100
    #expect(session.take(.info(news)) == [.learn(news)])
    #expect(session.info?.maxPayload == 100)
  }
}
