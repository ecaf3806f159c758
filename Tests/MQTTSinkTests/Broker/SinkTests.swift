import Foundation
import HostPrimitives
import MeterCore
import RecordSupport
import StrictJSON
import Synchronization
import TestSupport
import Testing

@testable import MQTTSink

/// The sink against a broker in memory.
@Suite("MQTT sink", .timeLimit(.minutes(60)))
struct SinkTests {
  private let base = "meterhost/gw-1"
  private let credential = SinkCredential(user: Fixture.user, token: AccessToken("secret"))

  private func sink(
    _ broker: FakeBroker, clock: any HostClock = .system, _ change: (inout MQTTSinkSetting) -> Void = { _ in }
  ) throws -> MQTTSink {
    var setting = MQTTSinkSetting(address: "mqtts://broker.example")
    (setting.gateway, setting.user, setting.keepSeconds) = ("gw-1", "meterhost", 0)
    change(&setting)
    return MQTTSink(setting, to: try setting.broker(), dialer: broker, clock: clock)
  }

  private func broker(_ change: (inout FakeBroker.State) -> Void = { _ in }) -> FakeBroker {
    let broker = FakeBroker()
    broker.state.withLock {
      $0.others = ["meterhost/gw-1/readings"]
      change(&$0)
    }
    return broker
  }

  @Test("a reading is published as it goes out over HTTP, with whose it is beside it, and is delivered")
  func delivers() async throws {
    let broker = broker()
    let sink = try sink(broker) { $0.expirySeconds = 3_600 }
    let replies = await sink.deliver([Fixture.glucose(1), Fixture.glucose(2)], with: credential)
    #expect(replies.map(\.outcome) == [.delivered(), .delivered()])
    let readings = broker.published.filter { $0.topic == "\(base)/readings" }
    #expect(readings.count == 2 && readings.allSatisfy { !$0.isRetained && $0.identifier != nil })
    let json = try JSONDocument(readings[0].payload, rules: JSONRules(depth: 8)).root
    #expect(json.member("log_id")?.asString == Fixture.glucose(1).logID.description)
    #expect(json.member("revision")?.numeral == "1" && json.member("content_hash") != nil)
    #expect(readings[0].properties.fourBytes(.messageExpiryInterval) == 3_600)
    #expect(
      readings[0].properties.all.filter { $0.identifier == .userProperty }.map(\.value) == [
        .pair("user_id", "ada"), .pair("organization_id", "clinic"),
      ])
    let connect = try #require(broker.state.withLock { $0.connects.first })
    #expect(connect.clientID == "meterhost-gw-1" && connect.userName == "meterhost")
    #expect(connect.password == Array("secret".utf8) && connect.isCleanStart)
    #expect(connect.will?.topic == "\(base)/status" && connect.will?.isRetained == true)
    #expect(broker.retained("\(base)/status") == "online")
    // Nobody has asked for what shows values.
    #expect(!broker.published.contains { $0.topic.contains("/latest/") || $0.topic.contains("announced") })
  }

  @Test(
    "the broker's word decides",
    arguments: [
      (.success, .delivered()), (.noMatchingSubscribers, .retry()), (.notAuthorized, .credentialRefused),
      (.quotaExceeded, .retry()), (.unspecified, .retry()), (.implementationSpecific, .retry()),
      (.topicNameInvalid, .refused(reason: "topic_name")), (.payloadFormatInvalid, .refused(reason: "payload_format")),
      (.packetTooLarge, .refused(reason: "too_large")), (MQTTReason(rawValue: 0xC7), .retry()),
    ] as [(MQTTReason, SinkReply.Outcome)])
  func reasons(reason: MQTTReason, outcome: SinkReply.Outcome) async throws {
    let broker = broker { $0.answers = ["meterhost/gw-1/readings": reason] }
    let replies = await (try sink(broker)).deliver([Fixture.glucose(1)], with: credential)
    #expect(replies.map(\.outcome) == [outcome])
    #expect(replies.allSatisfy { $0.outcome == .delivered() || !$0.text.isEmpty })
  }

  @Test("nobody listens: it waits, counts as delivered where that is wanted, or where somebody gets the event")
  func unheard() async throws {
    let nobody = broker { $0.others = [] }
    let retry = await (try sink(nobody)).deliver([Fixture.glucose(1)], with: credential)
    #expect(retry[0].outcome == .retry() && retry[0].text.hasPrefix("nobody_listens"))
    let accepted = await (try sink(nobody) { $0.unheard = .accept }).deliver([Fixture.glucose(1)], with: credential)
    #expect(accepted.map(\.outcome) == [.delivered()])
    let home = broker { $0.others = ["meterhost/gw-1/meters/gluco-gm-0042/events"] }
    let sink = try sink(home) { $0.homeAssistant = "homeassistant" }
    for _ in 0..<2 {
      #expect(await sink.deliver([Fixture.glucose(1)], with: credential).map(\.outcome) == [.delivered()])
    }
    #expect(home.texts("\(base)/meters/gluco-gm-0042/events").count == 1, "an event is told once")
    let receiver = try self.sink(home) { ($0.homeAssistant, $0.acknowledgedBy) = ("homeassistant", .receiver) }
    #expect(await receiver.deliver([Fixture.glucose(2)], with: credential).map(\.outcome) == [.retry()])
  }

  @Test(
    "a connection that is refused says why",
    arguments: [
      (.badUserNameOrPassword, .credentialRefused), (.notAuthorized, .credentialRefused),
      (.serverBusy, .retry()), (.unsupportedVersion, .retry()), (.banned, .retry()),
    ] as [(MQTTReason, SinkReply.Outcome)])
  func refusedConnections(reason: MQTTReason, outcome: SinkReply.Outcome) async throws {
    let broker = broker { $0.connack = MQTTConnack(reason: reason) }
    let sink = try sink(broker)
    let replies = await sink.deliver([Fixture.glucose(1), Fixture.glucose(2)], with: credential)
    #expect(replies.map(\.outcome) == [outcome, outcome])
    #expect(replies[0].text.contains(reason.text))
    let check = await sink.check(credential)
    switch reason {
    case .badUserNameOrPassword, .notAuthorized: #expect(check.verdict == .refused)
    case .serverBusy: #expect(check.verdict == .outOfReach())
    default: #expect(check.verdict == .unclear)
    }
  }

  @Test("a check is a client of its own, which leaves nothing behind")
  func checks() async throws {
    let broker = broker()
    let sink = try sink(broker) { $0.acknowledgedBy = .receiver }
    #expect(await sink.check(credential).verdict == .accepted)
    let connect = try #require(broker.state.withLock { $0.connects.first })
    #expect(connect.clientID == "meterhost-gw-1-check" && connect.will == nil)
    await broker.wait { $0.goodbyes == 1 }
    #expect(broker.published.isEmpty && broker.state.withLock(\.retained).isEmpty)
    broker.state.withLock { $0.refusesSubscriptions = true }
    let refused = await sink.check(credential)
    #expect(refused.verdict == .refused && refused.text.contains("\(base)/confirm"))
    broker.state.withLock { $0.isDown = true }
    #expect(await sink.check(credential).verdict == .outOfReach())
  }

  @Test("a reading is out until the receiver's word, which comes by the topic of confirmations")
  func confirmations() async throws {
    let broker = broker()
    let sink = try sink(broker) { ($0.acknowledgedBy, $0.confirmSeconds) = (.receiver, 600) }
    #expect(sink.capabilities.confirmsLater)
    let stream = await sink.confirmations()
    let replies = await sink.deliver([Fixture.glucose(1)], with: credential)
    #expect(replies.map(\.outcome) == [.unconfirmed(within: .seconds(600))])
    let name = Fixture.glucose(1).logID
    let topic = try #require(broker.responseTopic)
    #expect(topic.hasPrefix("\(base)/confirm/"))
    for text in [
      "", "{", "[]", #"{"log_id":"x","revision":1,"outcome":"created"}"#,
      #"{"log_id":"\#(name)","revision":0,"outcome":"created"}"#,
      #"{"log_id":"\#(name)","revision":1,"outcome":"lost"}"#, #"{"log_id":"\#(name)","outcome":"created"}"#,
    ] { broker.publish(topic, text) }
    // Of another person, who has read the same meter.
    broker.publish("\(base)/confirm/000000000000", #"{"log_id":"\#(name)","revision":3,"outcome":"created"}"#)
    broker.publish(topic, #"{"log_id":"\#(name)","revision":1,"outcome":"created"}"#)
    broker.publish(
      topic, #"{"log_id":"\#(name)","revision":2,"outcome":"refused","reason":"no\nsuch user"}"#)
    var iterator = stream.makeAsyncIterator()
    #expect(await iterator.next() == SinkConfirmation(logID: name, revision: 1, SinkReply(.delivered())))
    let refused = await iterator.next()
    #expect(refused?.revision == 2 && refused?.reply.outcome == .refused(reason: "refused_by_receiver"))
    #expect(refused?.reply.text == "the receiver: no such user")
  }

  @Test("where a receiver is to confirm, a reading that nobody hears waits, whatever else is accepted")
  func unheardByReceiver() async throws {
    let broker = broker()
    broker.state.withLock { $0.answers["\(base)/readings"] = .noMatchingSubscribers }
    for (acknowledger, outcome) in [
      (MQTTSinkSetting.Acknowledger.receiver, SinkReply.Outcome.retry()), (.broker, .delivered()),
    ] {
      let sink = try sink(broker) { ($0.acknowledgedBy, $0.unheard) = (acknowledger, .accept) }
      let replies = await sink.deliver([Fixture.glucose(1)], with: credential)
      #expect(replies.map(\.outcome) == [outcome])
    }
  }

  @Test("a broker's word alone deletes nothing: a reading stays, and goes out again over the next connection")
  func kept() async throws {
    let (broker, clock) = (broker(), StoppedClock())
    let sink = try sink(broker, clock: clock) { $0.keepSeconds = 600 }
    #expect(sink.capabilities.confirmsLater)
    let first = await sink.deliver([Fixture.glucose(1)], with: credential)
    #expect(first.map(\.outcome) == [.unconfirmed(within: .seconds(600))])
    clock.advance(by: .seconds(200))
    #expect(
      await sink.deliver([Fixture.glucose(1)], with: credential).map(\.outcome) == [.unconfirmed(within: .seconds(400))]
    )
    clock.advance(by: .seconds(400))
    #expect(await sink.deliver([Fixture.glucose(1)], with: credential).map(\.outcome) == [.delivered()])
    #expect(broker.texts("\(base)/readings").count == 1)
    _ = await sink.deliver([Fixture.glucose(2)], with: credential)
    broker.cut()
    clock.advance(by: .seconds(700))
    // That the connection is gone may be seen only now.
    let after = await sink.deliver([Fixture.glucose(2)], with: credential).map(\.outcome)
    let last = after == [.retry()] ? await sink.deliver([Fixture.glucose(2)], with: credential).map(\.outcome) : after
    #expect(last == [.unconfirmed(within: .seconds(600))])
    #expect(broker.texts("\(base)/readings").count == 3)
  }

  @Test("a broker that dies in the middle loses nothing: what it has not acknowledged is tried again")
  func cut() async throws {
    let broker = broker { $0.silent = ["meterhost/gw-1/readings"] }
    let sink = try sink(broker)
    let delivery = Task { await sink.deliver([Fixture.glucose(1), Fixture.glucose(2)], with: credential) }
    await broker.wait { $0.published.count { $0.topic.hasSuffix("/readings") } == 2 }
    broker.cut()
    #expect(await delivery.value.map(\.outcome) == [.retry(), .retry()])
    broker.state.withLock { $0.silent = [] }
    #expect(await sink.deliver([Fixture.glucose(1)], with: credential).map(\.outcome) == [.delivered()])
  }

  @Test("of two clients with one id the one that was put out stays away for a minute, and says why")
  func twoClients() async throws {
    let (broker, clock) = (broker(), StoppedClock())
    let (first, second) = (try sink(broker, clock: clock), try sink(broker))
    _ = await first.deliver([Fixture.glucose(1)], with: credential)
    _ = await second.deliver([Fixture.glucose(1)], with: credential)
    let replies = await first.deliver([Fixture.glucose(2)], with: credential)
    #expect(replies[0].outcome == .retry(after: .seconds(60)) && replies[0].text.contains("client id"))
    clock.advance(by: .seconds(61))
    #expect(await first.deliver([Fixture.glucose(2)], with: credential).map(\.outcome) == [.delivered()])
  }

  @Test("pictures are not taken, and a reading without a form is refused for good")
  func untaken() async throws {
    let broker = broker()
    let sink = try sink(broker)
    #expect(!sink.capabilities.takesImages && sink.capabilities.batchSize == 64)
    let replies = await sink.deliver(
      [Fixture.glucose(1, flags: .control), Fixture.glucose(2)], with: credential)
    #expect(replies.map(\.outcome) == [.refused(reason: "control"), .delivered()])
    #expect(!sink.capabilities.takes(Fixture.glucose(1, flags: .control)))
  }
}
