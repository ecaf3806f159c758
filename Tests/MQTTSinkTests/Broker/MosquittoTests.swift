import CurlHTTP
import Foundation
import HostPrimitives
import MeterCore
import RecordSupport
import TestSupport
import Testing

@testable import MQTTSink

/// The sink against Debian's mosquitto.
@Suite("MQTT sink and mosquitto", .timeLimit(.minutes(60)), .enabled(if: Mosquitto.isPossible))
struct MosquittoTests {
  private let credential = SinkCredential(user: Fixture.user, token: AccessToken("sesame"))

  private func sink(
    _ broker: Mosquitto, isEncrypted: Bool = false, _ change: (inout MQTTSinkSetting) -> Void = { _ in }
  )
    throws -> MQTTSink
  {
    var setting = MQTTSinkSetting(address: "\(isEncrypted ? "mqtts" : "mqtt")://localhost:\(broker.port)")
    (setting.gateway, setting.user, setting.keepSeconds) = ("gw-1", "meterhost", 0)
    change(&setting)
    return try MQTTSink(setting.checked(stateFolder: "/state"))
  }

  /// Somebody who has subscribed to everything.
  private func listener(_ broker: Mosquitto, user: String? = nil) async throws -> MQTTLink {
    var connect = MQTTConnect(clientID: "listener", keepAlive: 30)
    (connect.userName, connect.password) = (user, Array("sesame".utf8))
    if user == nil { connect.password = nil }
    let link = try await MQTTLink.open(
      ByteConnectionAddress(host: "localhost", port: broker.port, isEncrypted: false), connect,
      dialer: CurlDialer(settings: CurlTransport.Settings()), clock: .system)
    _ = await link.subscribe([MQTTSubscribe.Filter(topic: "#", quality: 1)])
    return link
  }

  private func readings(_ numbers: ClosedRange<UInt64>) -> [Record] { numbers.map { Fixture.glucose($0) } }

  @Test("200 readings are there, once each and in their order, though it takes 20 at a time")
  func many() async throws {
    try await Sandbox.with { sandbox in
      let broker = try await Mosquitto(sandbox, ["allow_anonymous true"])
      let listener = try await listener(broker)
      let sink = try sink(broker)
      let replies = await sink.deliver(readings(1...200), with: credential)
      #expect(replies.count == 200 && replies.allSatisfy { $0.outcome == .delivered() })
      _ = await listener.ping()
      let heard = await listener.takeBacklog().filter { $0.topic == "meterhost/gw-1/readings" }
      let names = heard.map { String(decoding: $0.payload, as: UTF8.self) }
      #expect(names.count == 200)
      for (name, reading) in zip(names, readings(1...200)) { #expect(name.contains(reading.logID.description)) }
    }
  }

  @Test("nobody listens, and somebody does")
  func unheard() async throws {
    try await Sandbox.with { sandbox in
      let broker = try await Mosquitto(sandbox, ["allow_anonymous true"])
      let sink = try sink(broker)
      let first = await sink.deliver(readings(1...1), with: credential)
      #expect(first[0].outcome == .retry() && first[0].text.hasPrefix("nobody_listens"))
      let listener = try await listener(broker)
      #expect(await sink.deliver(readings(1...1), with: credential).map(\.outcome) == [.delivered()])
      await listener.leave()
    }
  }

  @Test("a wrong password, and a topic that the user may not write, refuse the sink")
  func refused() async throws {
    try await Sandbox.with { sandbox in
      let passwords = try await Mosquitto.passwords(sandbox, user: "meterhost", password: "sesame")
      let rules = try sandbox.file(
        "acl", "user meterhost\ntopic write meterhost/gw-1/#\ntopic read meterhost/gw-1/confirm/+\n")
      let broker = try await Mosquitto(
        sandbox, ["allow_anonymous false", "password_file \(passwords)", "acl_file \(rules)"])
      let wrong = SinkCredential(user: Fixture.user, token: AccessToken("wrong"))
      let sink = try sink(broker)
      #expect(await sink.check(wrong).verdict == .refused)
      #expect(await sink.deliver(readings(1...1), with: wrong).map(\.outcome) == [.credentialRefused])
      #expect(await sink.check(credential).verdict == .accepted)
      let denied = try self.sink(broker) { $0.gateway = "gw-2" }
      let reply = await denied.deliver(readings(1...1), with: credential)
      #expect(reply[0].outcome == .credentialRefused && reply[0].text.contains("0x87"))
      // Allowed, and nobody listens.
      #expect(await sink.deliver(readings(1...1), with: credential).map(\.outcome) == [.retry()])
    }
  }

  @Test("TLS: another authority is refused, a client certificate is asked for", arguments: [false, true])
  func encrypted(asksForCertificate: Bool) async throws {
    try await Sandbox.with { sandbox in
      let files = try await CertificateFolder(sandbox)
      var lines = [
        "allow_anonymous true", "cafile \(files.path("authority.pem"))", "certfile \(files.path("server.pem"))",
        "keyfile \(files.path("server.key"))",
      ]
      if asksForCertificate { lines += ["require_certificate true"] }
      let broker = try await Mosquitto(sandbox, lines)
      let other = try sink(broker, isEncrypted: true) { $0.authorityFile = files.path("other.pem") }
      let refused = await other.deliver(readings(1...1), with: credential)
      #expect(refused[0].outcome == .retry() && refused[0].text.contains("certificate"))
      #expect(await other.check(credential).verdict == .unclear)
      let plain = try sink(broker, isEncrypted: true) {
        ($0.authorityFile, $0.unheard) = (files.path("authority.pem"), .accept)
      }
      let outcome = await plain.deliver(readings(1...1), with: credential).map(\.outcome)
      #expect(outcome == [asksForCertificate ? .retry() : .delivered()])
      let shown = try sink(broker, isEncrypted: true) {
        ($0.authorityFile, $0.unheard) = (files.path("authority.pem"), .accept)
        ($0.clientCertificateFile, $0.clientKeyFile) = (files.path("client.pem"), files.path("client.key"))
      }
      #expect(await shown.deliver(readings(1...1), with: credential).map(\.outcome) == [.delivered()])
    }
  }

  @Test("a broker that is killed loses what it has acknowledged, and gets it again")
  func killed() async throws {
    try await Sandbox.with { sandbox in
      let clock = StoppedClock()
      let first = try await Mosquitto(sandbox, ["allow_anonymous true"])
      var setting = MQTTSinkSetting(address: "mqtt://localhost:\(first.port)")
      (setting.gateway, setting.keepSeconds, setting.unheard) = ("gw-1", 600, .accept)
      let sink = MQTTSink(
        setting, to: try setting.broker(), dialer: CurlDialer(settings: setting.connectionSettings), clock: clock)
      let taken = await sink.deliver(readings(1...10), with: credential)
      #expect(taken.allSatisfy { $0.outcome == .unconfirmed(within: .seconds(600)) })
      try await first.kill()
      let down = await sink.deliver(readings(11...11), with: credential)
      #expect(down[0].outcome == .retry())
      let second = try await Mosquitto(sandbox, port: first.port, ["allow_anonymous true"])
      let listener = try await listener(second)
      clock.advance(by: .seconds(601))
      var again = await sink.deliver(readings(1...10), with: credential)
      // That the first one is gone may be seen only now.
      if again.contains(where: { $0.outcome == .retry() }) {
        again = await sink.deliver(readings(1...10), with: credential)
      }
      #expect(again.allSatisfy { $0.outcome == .unconfirmed(within: .seconds(600)) })
      _ = await listener.ping()
      #expect(await listener.takeBacklog().count { $0.topic == "meterhost/gw-1/readings" } == 10)
    }
  }

  @Test("a reading that is larger than the broker takes is refused for good, and the others go on")
  func tooLarge() async throws {
    try await Sandbox.with { sandbox in
      let broker = try await Mosquitto(sandbox, ["allow_anonymous true", "max_packet_size 1500"])
      let sink = try sink(broker) { $0.unheard = .accept }
      var draft = Fixture.draft(.biometrics, [.init("body_temperature", "36.6", "Cel")])
      draft.texts = [.init("note", String(repeating: "x", count: 2_000))]
      let large = try draft.record()
      let replies = await sink.deliver([large] + readings(1...2), with: credential)
      #expect(replies.map(\.outcome) == [.refused(reason: "too_large"), .delivered(), .delivered()])
    }
  }

  @Test("two clients with one id put each other out, until one says so and stays away")
  func twoClients() async throws {
    try await Sandbox.with { sandbox in
      let broker = try await Mosquitto(sandbox, ["allow_anonymous true"])
      let (first, second) = (try sink(broker) { $0.unheard = .accept }, try sink(broker) { $0.unheard = .accept })
      var away: [SinkReply] = []
      for number in UInt64(1)...40 where away.isEmpty {
        for sink in [first, second] {
          let replies = await sink.deliver(readings(number...number), with: credential)
          away += replies.filter { $0.outcome == .retry(after: .seconds(60)) }
        }
      }
      #expect(away.first?.text.contains("client id meterhost-gw-1") == true)
    }
  }

  @Test("what is shown is kept by the broker, and a later connection of another person finds nothing")
  func shown() async throws {
    try await Sandbox.with { sandbox in
      let broker = try await Mosquitto(sandbox, ["allow_anonymous true"])
      let change: (inout MQTTSinkSetting) -> Void = {
        ($0.homeAssistant, $0.retain, $0.unheard) = ("homeassistant", true, .accept)
      }
      do {
        let sink = try sink(broker, change)
        #expect(await sink.deliver(readings(1...3), with: credential).allSatisfy { $0.outcome == .delivered() })
      }
      let listener = try await listener(broker)
      _ = await listener.ping()
      let kept = await listener.takeBacklog().map(\.topic)
      #expect(kept.contains("homeassistant/device/meterhost_gluco-gm-0042/config"))
      #expect(kept.contains("meterhost/gw-1/meters/gluco-gm-0042/latest/blood_glucose"))
      #expect(!kept.contains("meterhost/gw-1/readings"))
      let next = try sink(broker, change)
      _ = await next.deliver([], with: SinkCredential(user: Fixture.otherUser, token: nil))
      await listener.leave()
      let after = try await self.listener(broker)
      _ = await after.ping()
      let left = await after.takeBacklog().map(\.topic)
      #expect(!left.contains { $0.contains("gm-0042") })
    }
  }
}
