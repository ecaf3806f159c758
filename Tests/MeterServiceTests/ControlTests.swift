import Foundation
import Glibc
import MeterCore
import GatewayAPI
import GatewayEngine
import Synchronization
import TestSupport
import Testing

@testable import MeterService

/// Commands as clients of the service that owns the folder.
@Suite(.timeLimit(.minutes(60))) struct ControlTests {
  @Test func aRequestIsPerformedByTheOwner() async throws {
    try await Sandbox.with { sandbox in
      try await ServiceFixture.with(sandbox) { store, client in
        _ = try store.startSession(ReceiverFixture.user, token: AccessToken(ReceiverFixture.token))
        let submitted = try #require(try await client.perform(ServiceFixture.submission()))
        #expect(submitted.map(\.outcome) == [.new])
        let page = try #require(try await client.perform(QueueListRequest()))
        #expect(page.items.map(\.logID) == ["0b0c7d5e-2a53-4f0e-9a77-6a2f5e3f2b10"])
        #expect(page.items.map(\.state) == ["pending"])
        #expect(try store.queueSnapshot().count == 1)
        let service = try #require(try await client.perform(ServiceShowRequest()))
        #expect(service.pid == getpid() && service.version == GatewayVersion.host)
      }
    }
  }

  @Test func whatARequestFailsWithArrivesWhole() async throws {
    try await Sandbox.with { sandbox in
      try await ServiceFixture.with(sandbox) { _, client in
        await #expect {
          try await client.perform(ServiceFixture.submission(#"{"type": "weight"}"#))
        } throws: { error in
          guard let error = error as? GatewayError else { return false }
          return error.code == "record_document" && error.kind == .usage && error.hint != nil
            && error.message.hasPrefix("test:1:1:")
        }
        await #expect { try await client.perform(MetersForgetRequest("x")) } throws: {
          ($0 as? GatewayError)?.code == "unknown_meter"
        }
      }
    }
  }

  @Test func nobodyListensOnAFolderWithoutAService() async throws {
    try await Sandbox.with { sandbox in
      _ = try MeterStore(folder: URL(filePath: sandbox.path("state")))
      let client = try ControlClient(stateFolder: URL(filePath: sandbox.path("state")))
      #expect(try await client.perform(ServiceShowRequest()) == nil)
      let partner = ControlPartner<EventDescription>(patience: Patience()) { _ in }
      #expect(try await client.converse(EventsRequest(after: nil, follows: true), with: partner) == false)
      #expect(throws: GatewayError.self) { try ControlClient(stateFolder: URL(filePath: sandbox.path("nowhere"))) }
    }
  }

  @Test func aPathThatIsTooLongForASocketServes() async throws {
    try await Sandbox.with { sandbox in
      let folder = String(repeating: "long-name-", count: 15)
      try FileManager.default.createDirectory(atPath: sandbox.path(folder), withIntermediateDirectories: true)
      try await ServiceFixture.with(sandbox, state: "\(folder)/\(folder)") { store, client in
        #expect(store.folder.path.utf8.count > 108)
        let service = try await client.perform(ServiceShowRequest())
        #expect(service?.pid == getpid())
      }
    }
  }

  @Test func theSocketGoesWithTheServiceAndAStaleOneIsReplaced() async throws {
    try await Sandbox.with { sandbox in
      let file = sandbox.path("state/\(ControlSocket.fileName)")
      try FileManager.default.createDirectory(atPath: sandbox.path("state"), withIntermediateDirectories: true)
      // Bound and not closed by its name: what a killed service leaves behind.
      let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: file.utf8) }
      let bound = withUnsafePointer(to: address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
          bind(descriptor, name, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
      try #require(bound == 0)
      close(descriptor)
      try await ServiceFixture.with(sandbox) { _, client in
        let service = try await client.perform(ServiceShowRequest())
        #expect(service != nil)
      }
      #expect(!FileManager.default.fileExists(atPath: file))
    }
  }

  @Test func eventsAreHeardWhileTheyHappenAndFromACursor() async throws {
    try await Sandbox.with { sandbox in
      try await ServiceFixture.with(sandbox) { store, client in
        _ = try store.startSession(SessionUser(userID: "a", organizationID: "o"), token: AccessToken("secret-token-1"))
        let patience = Patience()
        let heard = Mutex<[EventDescription]>([])
        let (signals, signal) = AsyncStream<Int>.makeStream()
        let partner = ControlPartner<EventDescription>(patience: patience) { event in
          signal.yield(
            heard.withLock { heard in
              heard.append(event); return heard.count
            })
        }
        let listening = Task { try await client.converse(EventsRequest(after: 0, follows: true), with: partner) }
        for await count in signals {
          if count == 1 { _ = try store.endSession() }
          if count == 2 { break }
        }
        patience.end()
        #expect(try await listening.value)
        #expect(heard.withLock { $0.map(\.name) } == ["session_started", "session_ended"])
        #expect(heard.withLock { $0.map(\.cursor) } == [1, 2])
      }
    }
  }

  @Test("limits that are none are refused before anything is read", arguments: [0, -1, 1e300, 86_401])
  func limits(_ timeout: Double) async throws {
    try await Sandbox.with { sandbox in
      try await ServiceFixture.with(sandbox) { _, client in
        let partner = ControlPartner<ReadTelling>(patience: Patience()) { _ in }
        var read = ReadRequest(peripheral: 1000)
        read.timeout = timeout
        var pair = PairRequest(peripheral: 1000)
        pair.timeout = timeout
        let (reading, pairing) = (read, pair)
        await #expect { try await client.converse(reading, with: partner) } throws: {
          ($0 as? GatewayError)?.code == "time_limit"
        }
        await #expect { try await client.converse(pairing, with: partner) } throws: {
          ($0 as? GatewayError)?.code == "time_limit"
        }
      }
    }
  }

  @Test func aConversationEndsWithTheService() async throws {
    try await Sandbox.with { sandbox in
      let listening = try await ServiceFixture.with(sandbox) { store, client in
        let (signals, signal) = AsyncStream<Void>.makeStream()
        let partner = ControlPartner<EventDescription>(patience: Patience()) { _ in signal.yield() }
        _ = try store.startSession(SessionUser(userID: "a", organizationID: "o"), token: AccessToken("secret-token-1"))
        let listening = Task { try await client.converse(EventsRequest(after: 0, follows: true), with: partner) }
        _ = await signals.first { _ in true }
        return listening
      }
      // In order, or broken off: never for ever.
      _ = await listening.result
    }
  }

  @Test func serverSentEventsHaveTheCursorAsTheirID() async throws {
    try await Sandbox.with { sandbox in
      try await ServiceFixture.with(sandbox) { store, _ in
        _ = try store.startSession(SessionUser(userID: "a", organizationID: "o"), token: AccessToken("secret-token-1"))
        let exchange = SocketExchange(
          "GET", "/v1/events?after=0", body: Data(), socket: try ControlSocket(stateFolder: store.folder))
        struct Enough: Error {}
        var text = ""
        do {
          try await exchange.forEach { part in
            if case .body(let bytes) = part { text += String(decoding: bytes, as: UTF8.self) }
            if text.hasSuffix("\n\n"), text.contains("data:") { throw Enough() }
          }
        } catch is Enough {}
        let lines = text.split(separator: "\n").map(String.init)
        #expect(lines.prefix(3) == [": listening", "id: 1", "event: session_started"])
        #expect(lines.last?.hasPrefix(#"data: {"cursor":1,"event":"session_started""#) == true, "\(text)")
      }
    }
  }

  @Test(
    "hostile requests are answered with an error",
    arguments: [
      ("POST", "/v1/requests/nothing", "{}", 400), ("POST", "/v1/requests/queue.show", "{", 400),
      ("POST", "/v1/requests/queue.show", #"{"logID":"x"}"#, 400), ("POST", "/v1/conversations/nothing", "{}", 400),
      ("POST", "/v1/conversations/events", "[]", 400), ("POST", "/v1/conversations/x/answers", #"{"question":1}"#, 400),
      ("DELETE", "/v1/conversations/x", "", 204), ("GET", "/v1/events?after=x", "", 400),
      ("GET", "/v1/events?after=99", "", 400), ("GET", "/", "", 404), ("POST", "/v1/requests/%00", "{}", 400),
    ])
  func hostile(_ method: String, _ path: String, _ body: String, _ wanted: Int) async throws {
    try await Sandbox.with { sandbox in
      try await ServiceFixture.with(sandbox) { store, client in
        let exchange = SocketExchange(
          method, path, body: Data(body.utf8), socket: try ControlSocket(stateFolder: store.folder))
        var (status, answer) = (0, Data())
        try await exchange.forEach { part in
          switch part {
          case .head(let code, _): status = code
          case .body(let bytes): answer += bytes
          }
        }
        #expect(status == wanted, "\(String(decoding: answer, as: UTF8.self))")
        if status >= 400 {
          #expect((try? ControlJSON.decode(ControlFailure.self, answer)) != nil)
        }
        let service = try await client.perform(ServiceShowRequest())
        #expect(service != nil, "the service goes on")
      }
    }
  }
}
