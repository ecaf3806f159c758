import CurlHTTP
import DeliverySupport
import Foundation
import HostPrimitives
import NATSSupport
import TestSupport
import Testing

@testable import NATSClient

@Suite("A connection to NATS", .jumpingTime, .timeLimit(.minutes(60)))
struct NATSConnectionTests {
  static func connection(
    _ servers: PlayedNATS..., key: NATSKeyPair? = nil, _ change: (inout NATSOptions) -> Void = { _ in }
  ) throws -> NATSConnection {
    var options = NATSOptions(servers: try servers.map { try NATSAddress($0.address) }, inboxPrefix: "_INBOX.gw")
    if let key { options.key = { () throws(NATSError) in key } }
    change(&options)
    return NATSConnection(options, dialer: CurlDialer(settings: CurlTransport.Settings()), clock: .ofTest)
  }

  /// A server that answers with what it got.
  static func echo() -> PlayedNATS.Script {
    var script = PlayedNATS.Script()
    script.published = { [.publish($0.reply ?? "", String(decoding: $0.payload, as: UTF8.self))] }
    return script
  }

  static func code(_ body: () async throws -> Void) async -> NATSError.Code? {
    do { try await body() } catch { return (error as? NATSError)?.code }
    return nil
  }

  @Test("a question is answered, also one byte at a time", arguments: [false, true])
  func request(isDripping: Bool) async throws {
    var script = Self.echo()
    script.isDripping = isDripping
    let server = try PlayedNATS(script)
    defer { server.stop() }
    let connection = try Self.connection(server)
    let answer = try await connection.request("a.b", headers: NATSHeaders([("X", "1")]), payload: Array("hello".utf8))
    #expect(answer.payload == Array("hello".utf8))
    #expect(server.published.first?.headers["X"] == "1" && server.faults.isEmpty)
    #expect(server.subscriptions.allSatisfy { $0.hasPrefix("_INBOX.gw.") && $0.hasSuffix(".*") })
    await connection.close()
  }

  @Test("hundreds of questions at once get each its own answer")
  func manyRequests() async throws {
    let server = try PlayedNATS(Self.echo())
    defer { server.stop() }
    let connection = try Self.connection(server)
    let wrong = await withTaskGroup(of: Bool.self) { group in
      for index in 0..<500 {
        group.addTask {
          (try? await connection.request("a.b", payload: Array("\(index)".utf8)))?.payload != Array("\(index)".utf8)
        }
      }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(wrong == 0 && server.connections == 1)
    await connection.close()
  }

  @Test("the key is proved by the server's nonce, and another key is refused")
  func key() async throws {
    let pair = NATSKeyPair()
    var script = Self.echo()
    script.key = pair.publicKey
    let server = try PlayedNATS(script)
    defer { server.stop() }
    let connection = try Self.connection(server, key: pair)
    _ = try await connection.request("a")
    await connection.close()
    let other = try Self.connection(server, key: NATSKeyPair())
    #expect(await Self.code { _ = try await other.request("a") } == .authorization)
    await other.close()
  }

  @Test("what goes wrong is told as what it is")
  func errors() async throws {
    var script = PlayedNATS.Script()
    script.maxPayload = 1000
    script.mayNotPublish = { $0.hasPrefix("denied") }
    script.published = { message in
      switch message.subject {
      case "nobody": [.status(message.reply ?? "", 503, "")]
      case "cut": [.close]
      case "garbage": [.raw("SSH-2.0-OpenSSH_9.2\r\n")]
      case "never": []
      default: [.publish(message.reply ?? "", "ok")]
      }
    }
    let server = try PlayedNATS(script)
    defer { server.stop() }
    let connection = try Self.connection(server)
    let expected: [(String, Int, NATSError.Code?)] = [
      ("fine", 10, nil), ("nobody", 10, .noResponders), ("denied.x", 10, .permission), ("fine", 1001, .payload),
      ("a b", 1, .subject), ("a.*", 1, .subject), ("never", 1, .timeout), ("cut", 1, .disconnected),
      ("garbage", 1, .disconnected), ("fine", 10, nil),
    ]
    for (subject, count, code) in expected {
      let found = await Self.code {
        _ = try await connection.request(subject, payload: [UInt8](repeating: 65, count: count))
      }
      #expect(found == code, "\(subject)")
    }
    #expect(server.faults.isEmpty)
    await connection.close()
    #expect(await Self.code { _ = try await connection.request("fine") } == .cancelled)
  }

  @Test("a refusal of one subject ends the questions to it, and no other")
  func oneRefusal() async throws {
    var script = PlayedNATS.Script()
    script.mayNotPublish = { $0 == "denied" }
    script.published = { $0.subject == "go" ? [.publish("late", ""), .publish($0.reply ?? "", "")] : [] }
    let server = try PlayedNATS(script)
    defer { server.stop() }
    let connection = try Self.connection(server)
    async let slow = Self.code { _ = try await connection.request("slow") }
    #expect(await Self.code { _ = try await connection.request("denied") } == .permission)
    #expect(await slow == .timeout)
    await connection.close()
  }

  @Test("a server that does not let the key hear answers is no server to wait for")
  func deniedInbox() async throws {
    var script = Self.echo()
    script.mayNotSubscribe = { $0.hasPrefix("_INBOX") }
    let server = try PlayedNATS(script)
    defer { server.stop() }
    let connection = try Self.connection(server)
    #expect(await Self.code { _ = try await connection.request("a") } == .permission)
    #expect(await Self.code { _ = try await connection.request("a") } == .permission)
    await connection.close()
  }

  @Test("subscriptions live on over a connection that breaks, and learn what comes")
  func reconnect() async throws {
    var script = PlayedNATS.Script()
    script.published = { [.publish("news", "\($0.connection)"), .publish($0.reply ?? "", "")] }
    let server = try PlayedNATS(script)
    defer { server.stop() }
    let connection = try Self.connection(server)
    let news = try await connection.subscribe("news")
    var heard = news.makeAsyncIterator()
    _ = try await connection.request("a")
    #expect(await heard.next()?.payload == Array("1".utf8))
    server.dropConnections()
    var answered = false
    while !answered { answered = (try? await connection.request("a")) != nil }
    #expect(await heard.next()?.payload == Array("2".utf8))
    await connection.close()
    #expect(await heard.next() == nil)
  }

  @Test("of several servers any will do, and one that fails is left")
  func severalServers() async throws {
    var refusing = Self.echo()
    refusing.refusedConnections = .max
    var silent = Self.echo()
    silent.isSilent = true
    let (first, second, third) = (try PlayedNATS(refusing), try PlayedNATS(silent), try PlayedNATS(Self.echo()))
    defer { for server in [first, second, third] { server.stop() } }
    let connection = try Self.connection(first, second, third) { $0.requestTimeout = .seconds(60) }
    #expect(try await connection.request("a", payload: [65]).payload == [65])
    #expect(await connection.status == .connected(try NATSAddress(third.address)))
    await connection.close()
  }

  @Test("where no server can be reached, that is told at once, and each time")
  func unreachable() async throws {
    // A port that was free once may be another test's at the next moment.
    let place = try listenAtLoopback(backlog: nil)
    defer { close(place.descriptor) }
    let options = NATSOptions(servers: [try NATSAddress("nats://127.0.0.1:\(place.port)")], inboxPrefix: "_INBOX.gw")
    let connection = NATSConnection(
      options, dialer: CurlDialer(settings: CurlTransport.Settings()), clock: .ofTest)
    #expect(await Self.code { _ = try await connection.request("a") } == .unreachable)
    #expect(await Self.code { _ = try await connection.request("a") } == .unreachable)
    await connection.close()
  }

  @Test("a server that no longer answers is left, and one that never does is not waited for")
  func stale() async throws {
    var script = Self.echo()
    // The first belongs to the beginning, the second asks whether answers are heard.
    script.answeredPings = 2
    let server = try PlayedNATS(script)
    defer { server.stop() }
    let connection = try Self.connection(server)
    var events = connection.events().makeAsyncIterator()
    _ = try await connection.request("a")
    var end: NATSError?
    while end == nil, let event = await events.next() { if case .disconnected(let error) = event { end = error } }
    #expect(end == .silent)
    await connection.close()

    // The first PING belongs to the beginning of a connection.
    script.answeredPings = 0
    let mute = try PlayedNATS(script)
    defer { mute.stop() }
    let other = try Self.connection(mute)
    #expect(await Self.code { _ = try await other.request("a", timeout: .seconds(60)) } == .unreachable)
    await other.close()
  }

  @Test("a reader that is slow loses the newest, and it is told")
  func slowConsumer() async throws {
    var script = PlayedNATS.Script()
    script.published = { message in
      (0..<10).map { .publish("news", "\($0)") } + [.publish(message.reply ?? "", "")]
    }
    let server = try PlayedNATS(script)
    defer { server.stop() }
    let connection = try Self.connection(server)
    var events = connection.events().makeAsyncIterator()
    let news = try await connection.subscribe("news", limit: 4)
    _ = try await connection.request("a")
    var dropped = 0
    while dropped < 6, let event = await events.next() {
      if case .slowConsumer("news", let count) = event { dropped = count }
    }
    await connection.close()
    var heard: [String] = []
    for await message in news { heard.append(String(decoding: message.payload, as: UTF8.self)) }
    #expect(heard == ["0", "1", "2", "3"] && dropped == 6)
  }

  @Test("whoever gives up is not waited for")
  func cancelled() async throws {
    let server = try PlayedNATS()
    defer { server.stop() }
    let connection = try Self.connection(server)
    let task = Task { await Self.code { _ = try await connection.request("never", timeout: .seconds(86_400)) } }
    while server.published.isEmpty { await Task.yield() }
    task.cancel()
    #expect(await task.value == .cancelled)
    await connection.close()
  }
}
