import InformSink
import Foundation
import MeterBluetooth
import MeterCore
import GatewayAPI
import GatewayEngine
import MeterReceiver
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(60))) struct DeliveryTests {
  private func stored(_ receiver: Receiver) throws -> Int {
    try receiver.store.measurements(organization: GatewayFixture.organization, uid: GatewayFixture.uid).count
  }

  private func code(_ body: () async throws -> Void) async -> String? {
    do { try await body() } catch { return GatewayError(describing: error)?.code ?? "\(error)" }
    return nil
  }

  @Test func aReceiverOutOfReachKeepsTheReadingsAndLaterGetsThemOnce() async throws {
    try await Sandbox.with { sandbox in
      let store = try MeterStore(folder: URL(filePath: sandbox.path("state")))
      // A port that was free a moment ago and will be the receiver's again.
      let port = try await GatewayFixture.withReceiver(sandbox) { _, port in port }
      let started = try await GatewayDelivery.start(GatewayFixture.account(port: port), store: store)
      #expect(!started.session.isValidated)
      #expect(started.unvalidated?.isEmpty == false)
      let summary = try await GatewayFixture.read("contour-next-one.json", as: 1000, into: store, sandbox: sandbox)
      #expect(summary?.records.count == 2)
      #expect(await code { try await started.delivery.finish() } == "not_delivered")
      #expect(try store.queueSnapshot(states: [.pending]).count == 2)
      try await GatewayFixture.withReceiver(sandbox, port: port) { receiver, _ in
        let later = try #require(try GatewayDelivery.configured(store: store))
        try await later.finish()
        #expect(try store.currentSession().isValidated)
        #expect(try stored(receiver) == 2)
        try await later.finish()
        #expect(try stored(receiver) == 2)
      }
      #expect(try store.queueSnapshot(states: [.pending]).count == 0)
    }
  }

  @Test func aRefusedTokenLeavesTheEarlierSessionAlone() async throws {
    try await Sandbox.with { sandbox in
      let store = try MeterStore(folder: URL(filePath: sandbox.path("state")))
      try await GatewayFixture.withReceiver(sandbox) { receiver, port in
        _ = try await GatewayDelivery.start(GatewayFixture.account(port: port), store: store)
        let before = try store.currentSession()
        #expect(before.isValidated)
        let wrong = GatewayFixture.account(port: port, token: "another-token-0123456789abcdef", uid: "patient-2")
        #expect(await code { _ = try await GatewayDelivery.start(wrong, store: store) } == "token_refused")
        #expect(try store.currentSession() == before)
        #expect(try GatewayFixture.receiver(of: store)?.receiver == "http://127.0.0.1:\(port)")
        // And the session still delivers.
        _ = try await GatewayFixture.read("thermometer-with-clock.json", as: 4000, into: store, sandbox: sandbox)
        try await #require(try GatewayDelivery.configured(store: store)).finish()
        #expect(try stored(receiver) == 2)
      }
    }
  }

  @Test func aTokenThatIsWithdrawnLaterEndsTheSession() async throws {
    try await Sandbox.with { sandbox in
      let store = try MeterStore(folder: URL(filePath: sandbox.path("state")))
      let port = try await GatewayFixture.withReceiver(sandbox) { _, port in
        _ = try await GatewayDelivery.start(GatewayFixture.account(port: port), store: store)
        return port
      }
      _ = try await GatewayFixture.read("contour-next-one.json", as: 1000, into: store, sandbox: sandbox)
      let other = try Sandbox()
      defer { other.remove() }
      // The receiver has come back with another token for the user.
      try await GatewayFixture.withReceiver(other, port: port) { receiver, _ in
        _ = try receiver.store.replaceToken(organization: GatewayFixture.organization, uid: GatewayFixture.uid)
        let delivery = try #require(try GatewayDelivery.configured(store: store))
        #expect(await code { try await delivery.finish() } == "session_ended")
      }
      #expect(try store.currentSession().user == nil)
      let recovery = try FileManager.default.contentsOfDirectory(atPath: sandbox.path("state/recovery"))
      #expect(recovery.count == 1)
    }
  }

  @Test(arguments: [
    "ftp://x", "http://receiver.example", "", "https://u:p@h", "https://h/?q", "http://127.0.0.1:99999",
    "http://127.0.0.1:1\r\n", "http://127.0.0.1:0", "http://127.1:1", "https://a b", "https://h/../x",
  ])
  func anAddressThatCannotBeIsRefusedBeforeAnythingChanges(address: String) async throws {
    try await Sandbox.with { sandbox in
      let store = try MeterStore(folder: URL(filePath: sandbox.path("state")))
      var account = GatewayFixture.account(port: 1)
      account.setting = ReceiverSetting(receiver: address)
      #expect(await code { _ = try await GatewayDelivery.start(account, store: store) } == "receiver_address")
      #expect(try store.currentSession().user == nil)
      #expect(try GatewayFixture.receiver(of: store) == nil)
    }
  }

  @Test(arguments: ["", " u", "u\n", "a\u{7}b", String(repeating: "x", count: 256)])
  func idsThatCannotBeAreRefused(uid: String) async throws {
    try await Sandbox.with { sandbox in
      let store = try MeterStore(folder: URL(filePath: sandbox.path("state")))
      let account = GatewayFixture.account(port: 1, uid: uid)
      #expect(await code { _ = try await GatewayDelivery.start(account, store: store) } == "bad_user")
    }
  }

  @Test func endingForgetsTheReceiver() async throws {
    try await Sandbox.with { sandbox in
      let store = try MeterStore(folder: URL(filePath: sandbox.path("state")))
      let port = try await GatewayFixture.withReceiver(sandbox) { _, port in port }
      _ = try await GatewayDelivery.start(GatewayFixture.account(port: port), store: store)
      #expect(try GatewayDelivery.end(store: store)?.user.userID == GatewayFixture.uid)
      #expect(try GatewayFixture.receiver(of: store) == nil)
      #expect(try GatewayDelivery.configured(store: store) == nil)
      #expect(try GatewayDelivery.end(store: store) == nil)
    }
  }

  @Test(arguments: ["", "{", "[]", "{\"receiver\": 7}", "\u{0}"])
  func aDamagedSettingIsNamedWithItsCure(text: String) async throws {
    try await Sandbox.with { sandbox in
      let store = try MeterStore(folder: URL(filePath: sandbox.path("state")))
      let user = GatewayFixture.account(port: 1).user
      for options in [
        SessionOptions(receiver: SinkTarget(kind: ReceiverSetting.kind, setting: Array(text.utf8))), SessionOptions(),
      ] where !(text.isEmpty && options.receiver != nil) {
        // Without one in the session's row, that of an earlier version counts.
        _ = try store.startSession(user, token: AccessToken(GatewayFixture.token), options: options)
        if options.receiver == nil { _ = try sandbox.file("state/receiver.json", text) }
        let error = #expect(throws: GatewayError.self) { try GatewayFixture.receiver(of: store) }
        #expect(error?.code == "receiver_setting")
        #expect(error?.message.contains("receiver") == true)
        #expect(error?.hint?.contains("session start") == true)
      }
    }
  }

  @Test func theReceiverIsKeptWithTheSessionAndOfOneMindWithIt() async throws {
    try await Sandbox.with { sandbox in
      let folder = URL(filePath: sandbox.path("state"))
      do {
        let store = try MeterStore(folder: folder)
        let port = try await GatewayFixture.withReceiver(sandbox) { _, port in port }
        // What an earlier version has left for another session must not come to count.
        _ = try sandbox.file("state/receiver.json", #"{"receiver":"https://earlier.example"}"#)
        _ = try await GatewayDelivery.start(GatewayFixture.account(port: port), store: store)
        #expect(try GatewayFixture.receiver(of: store)?.receiver == "http://127.0.0.1:\(port)")
        #expect(!FileManager.default.fileExists(atPath: sandbox.path("state/receiver.json")))
      }
      let store = try MeterStore(folder: folder)
      #expect(try GatewayFixture.receiver(of: store)?.receiver.hasPrefix("http://127.0.0.1:") == true)
      _ = try store.endSession()
      #expect(try GatewayFixture.receiver(of: store) == nil)
      #expect(try store.currentSession().options == SessionOptions())
    }
  }
}
