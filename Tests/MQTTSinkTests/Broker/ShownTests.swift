import Foundation
import HostPrimitives
import MeterCore
import RecordSupport
import StrictJSON
import Synchronization
import TestSupport
import Testing

@testable import MQTTSink

/// What is shown of readings: newest values, events, devices of Home Assistant.
@Suite("What MQTT shows", .timeLimit(.minutes(60)))
struct ShownTests {
  private let base = "meterhost/gw-1"
  private let meter = "gluco-gm-0042"
  private let config = "homeassistant/device/meterhost_gluco-gm-0042/config"
  private let credential = SinkCredential(user: Fixture.user, token: nil)

  private func sink(_ broker: FakeBroker, _ change: (inout MQTTSinkSetting) -> Void = { _ in }) throws -> MQTTSink {
    var setting = MQTTSinkSetting(address: "mqtts://broker.example")
    (setting.gateway, setting.keepSeconds, setting.homeAssistant) = ("gw-1", 0, "homeassistant")
    setting.retain = true
    setting.unheard = .accept
    change(&setting)
    return MQTTSink(setting, to: try setting.broker(), dialer: broker, clock: .system)
  }

  private func json(_ text: String?) throws -> JSONElement {
    try JSONDocument(Array(try #require(text).utf8), rules: JSONRules(depth: 8)).root
  }

  /// Readings of later and later times.
  private func glucose(_ number: UInt64, _ value: Int64, flags: RecordFlags = []) -> Record {
    Fixture.glucose(number, mantissa: value, flags: flags, civil: Fixture.morning + Int64(number) * 60_000_000)
  }

  @Test(
    "the newest value stands at its topic with unit, time and name; a backlog does not run through it",
    arguments: ["homeassistant", nil])
  func latest(discovery: String?) async throws {
    let broker = FakeBroker()
    let sink = try sink(broker) { $0.homeAssistant = discovery }
    _ = await sink.deliver([glucose(5, 105), glucose(3, 103), glucose(9, 109), glucose(8, 108)], with: credential)
    let topic = "\(base)/meters/\(meter)/latest/blood_glucose"
    let shown = try broker.texts(topic).map { try json($0).member("value")?.numeral }
    #expect(shown == ["105", "109"])
    let last = try json(broker.retained(topic))
    #expect(last.member("unit")?.asString == "mg/dL" && last.member("qualifier")?.asString == "exact")
    #expect(last.member("time")?.asString == "2026-03-01T08:09:00+01:00")
    #expect(last.member("log_id")?.asString == Fixture.glucose(9).logID.description)
    #expect(
      try json(broker.retained("\(base)/meters/\(meter)/latest/measured")).member("value")?.asString
        == "2026-03-01T08:09:00+01:00")
    // The next connection of this person knows what stands there, and takes nothing away.
    let next = try self.sink(broker) { $0.homeAssistant = discovery }
    _ = await next.deliver([glucose(4, 104)], with: credential)
    #expect(try json(broker.retained(topic)).member("value")?.numeral == "109")
    _ = await next.deliver([glucose(6, 106), glucose(10, 110)], with: credential)
    #expect(try broker.texts(topic).map { try json($0).member("value")?.numeral } == ["105", "109", "110"])
  }

  @Test("what a meter takes back is shown no more")
  func takenBack() async throws {
    let broker = FakeBroker()
    let sink = try sink(broker)
    _ = await sink.deliver([glucose(5, 105)], with: credential)
    _ = await sink.deliver([glucose(5, 105, flags: .takenBack)], with: credential)
    #expect(try json(broker.retained("\(base)/meters/\(meter)/latest/blood_glucose")).member("value")?.kind == .null)
    let events = try broker.texts("\(base)/meters/\(meter)/events").map { try json($0).member("event_type")?.asString }
    #expect(events == ["reading", "taken_back"])
  }

  @Test("without retain nothing of values is kept; Home Assistant that starts is told again")
  func unretained() async throws {
    let broker = FakeBroker()
    let sink = try sink(broker) { $0.retain = false }
    _ = await sink.deliver([glucose(5, 105)], with: credential)
    #expect(broker.state.withLock { state in !state.retained.keys.contains { $0.contains("/latest/") } })
    let topic = "\(base)/meters/\(meter)/latest/blood_glucose"
    #expect(broker.texts(topic).count == 1)
    broker.publish("homeassistant/status", "online")
    await broker.wait { state in state.published.count { $0.topic == topic } == 2 }
  }

  @Test("a meter is a device with units and classes, announced once and again when it shows more")
  func discovery() async throws {
    let broker = FakeBroker()
    let sink = try sink(broker)
    _ = await sink.deliver([glucose(5, 105), glucose(6, 106)], with: credential)
    #expect(broker.texts(config).count == 1)
    let device = try json(broker.retained(config))
    #expect(device.member("device")?.member("serial_number")?.asString == "GM-0042")
    #expect(device.member("device")?.member("via_device")?.asString == "meterhost_gw-1")
    #expect(device.member("availability") == nil, "a reading stays true when the gateway is off")
    let sensor = try #require(device.member("components")?.member("blood_glucose"))
    #expect(sensor.member("device_class")?.asString == "blood_glucose_concentration")
    #expect(sensor.member("unit_of_measurement")?.asString == "mg/dL")
    #expect(sensor.member("unique_id")?.asString == "meterhost_gluco-gm-0042_blood_glucose")
    #expect(sensor.member("state_topic")?.asString == "\(base)/meters/\(meter)/latest/blood_glucose")
    #expect(device.member("components")?.member("reading")?.member("platform")?.asString == "event")
    let battery = RecordValue(metric: 200, unit: 9, number: ReportedNumber(mantissa: 88, exponent: 0))
    let more = Fixture.glucose(7, context: [battery], civil: Fixture.morning + 420_000_000)
    _ = await sink.deliver([more], with: credential)
    #expect(broker.texts(config).count == 2)
    #expect(
      try json(broker.retained(config)).member("components")?.member("battery_level")?.member("device_class")?.asString
        == "battery")
    let gateway = try json(broker.retained("homeassistant/device/meterhost_gw-1/config"))
    #expect(gateway.member("components")?.member("connected")?.member("state_topic")?.asString == "\(base)/status")
  }

  @Test("another person's session begins with nothing of the one before")
  func otherUser() async throws {
    let broker = FakeBroker()
    _ = await (try sink(broker)).deliver([glucose(5, 105)], with: credential)
    #expect(broker.state.withLock { $0.retained[config] } != nil)
    let other = SinkCredential(user: Fixture.otherUser, token: nil)
    _ = await (try sink(broker)).deliver([], with: other)
    broker.state.withLock { state in
      #expect(state.retained[config] == nil && !state.retained.keys.contains { $0.contains("/latest/") })
    }
    #expect(broker.retained("\(base)/announced")?.contains("GM-0042") == false)
  }

  @Test("what was told of one person's reading is not told of another's with the same name")
  func sharedMeter() async throws {
    let broker = FakeBroker()
    let events = "\(base)/meters/\(meter)/events"
    broker.state.withLock { state in
      state.others.insert(events)
      state.answers["\(base)/readings"] = .noMatchingSubscribers
    }
    let sink = try sink(broker) { $0.unheard = .retry }
    let other = SinkCredential(user: Fixture.otherUser, token: nil)
    for (number, credential) in [credential, other].enumerated() {
      let replies = await sink.deliver([glucose(5, 105)], with: credential)
      #expect(replies.map(\.outcome) == [.delivered()])
      #expect(broker.texts(events).count == number + 1, "each person's event goes out")
    }
  }

  @Test(
    "of two gateways with one meter the last one that reads it shows it; one that forgets it takes nothing from the other"
  )
  func twoGateways() async throws {
    let broker = FakeBroker()
    let (first, second) = (try sink(broker), try sink(broker) { $0.gateway = "gw-2" })
    _ = await first.deliver([glucose(5, 105)], with: credential)
    _ = await second.deliver([glucose(6, 106)], with: credential)
    #expect(broker.retained(config)?.contains("meterhost/gw-2/meters") == true)
    // That it was announced by the other one reaches the first one by its own connection.
    await broker.wait { state in state.published.count { $0.topic == config } == 2 }
    for number in 7...40 where broker.retained(config)?.contains("meterhost/gw-1/meters") != true {
      _ = await first.deliver([glucose(UInt64(number), 107)], with: credential)
    }
    #expect(broker.retained(config)?.contains("meterhost/gw-1/meters") == true)
    broker.publish(config, "", isRetained: true)
    await broker.wait { $0.retained[config] != nil }
    let apart = try sink(broker) { ($0.gateway, $0.isUniquePerGateway) = ("gw-3", true) }
    _ = await apart.deliver([glucose(50, 150)], with: credential)
    #expect(broker.retained("homeassistant/device/meterhost_gluco-gm-0042_gw-3/config") != nil)
  }

  @Test("a gateway that runs is online, tells how deliveries stand, takes forgotten meters away, and says good-bye")
  func serving() async throws {
    let broker = FakeBroker()
    let sink = try sink(broker)
    let (changes, change) = AsyncStream.makeStream(of: Void.self)
    let told = ToldStatus(SinkStatus(pending: 3, held: 1, dead: 0, meters: ["GM-0042"]))
    let credential = credential
    let serving = Task {
      await sink.serve(
        SinkSurroundings(changes: changes, credential: { credential }, status: { told.status.withLock { $0 } }))
    }
    await broker.wait { $0.retained["meterhost/gw-1/status"] != nil }
    _ = await sink.deliver([glucose(5, 105)], with: credential)
    change.yield()
    await broker.wait { $0.retained["meterhost/gw-1/state"] != nil }
    #expect(
      broker.retained("\(base)/state")
        == #"{"pending":3,"held":1,"dead":0,"version":"\#(HostVersion.current)"}"#)
    #expect(broker.retained("\(base)/announced")?.contains(#""known":true"#) == true)
    serving.cancel()
    await serving.value
    #expect(broker.retained("\(base)/status") == "offline")
    #expect(broker.state.withLock { $0.goodbyes } == 1)
    // It was forgotten while the gateway was off.
    told.status.withLock { $0.meters = [] }
    let (later, signal) = AsyncStream.makeStream(of: Void.self)
    let next = try self.sink(broker)
    let again = Task {
      await next.serve(
        SinkSurroundings(changes: later, credential: { credential }, status: { told.status.withLock { $0 } }))
    }
    await broker.wait {
      $0.retained["meterhost/gw-1/status"].map { String(decoding: $0.payload, as: UTF8.self) } == "online"
    }
    _ = await next.deliver([], with: credential)
    signal.yield()
    await broker.wait { state in
      state.retained[config] == nil && !state.retained.keys.contains { $0.contains("/latest/") }
    }
    again.cancel()
    await again.value
  }
}

/// What a gateway tells of its deliveries.
private final class ToldStatus: Sendable {
  let status: Mutex<SinkStatus>

  init(_ status: SinkStatus) { self.status = Mutex(status) }
}
