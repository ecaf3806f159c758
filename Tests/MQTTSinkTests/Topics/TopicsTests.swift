import MeterCore
import RecordSupport
import StrictJSON
import TestSupport
import Testing

@testable import MQTTSink

/// Names, units and what stands in topics, as values.
@Suite("MQTT topics")
struct TopicsTests {
  @Test(
    "names have small letters, digits, - and _ only",
    arguments: [
      ("Contour 7800-7800H5463128", "contour-7800-7800h5463128"), ("C0:FF:EE", "c0-ff-ee"), ("a/+/#b", "a-b"),
      ("--x--", "x"), ("é漢", ""), ("UA_651.BLE", "ua_651-ble"), ("", ""),
    ])
  func names(text: String, name: String) { #expect(TopicName(text, limit: 64).text == name) }

  @Test("a name of random text is a level of a topic, and its own name", arguments: UInt64(1)...4)
  func randomNames(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<2_000 {
      let name = TopicName(String(decoding: generator.bytes(0...80), as: UTF8.self), limit: 32).text
      #expect(name.utf8.count <= 32 && name.utf8.allSatisfy(TopicName.isPlain))
      #expect(TopicName(name, limit: 32).text == name)
    }
  }

  @Test("a meter is model and serial number; what people enter is no meter's")
  func meters() {
    #expect(MeterOfReading(Fixture.source)?.name == "gluco-gm-0042")
    #expect(MeterOfReading(Fixture.person) == nil)
  }

  @Test("only what the gateway publishes is its own topic")
  func ownTopics() {
    var setting = MQTTSinkSetting(address: "mqtts://b")
    (setting.gateway, setting.topics) = ("gw-1", "a/b")
    let topics = MQTTTopics(setting)
    let parts = topics.latestParts(topics.latest("m", "blood_glucose"))
    #expect(parts?.meter == "m" && parts?.metric == "blood_glucose")
    for topic in ["a/b/gw-1/meters/m/events", "a/b/gw-2/meters/m/latest/x", "a/b/gw-1/meters/m/latest/x/y", "", "/"] {
      #expect(topics.latestParts(topic) == nil)
    }
  }

  @Test(
    "units are those of the device class, as people write them",
    arguments: [
      ("blood_glucose", "mg/dL", "mg/dL", "blood_glucose_concentration", 0),
      ("blood_glucose", "mmol/L", "mmol/L", "blood_glucose_concentration", 1),
      ("body_weight", "kg", "kg", "weight", 1), ("body_weight", "[lb_av]", "lb", "weight", 1),
      ("body_temperature", "Cel", "°C", "temperature", 1), ("systolic", "mm[Hg]", "mmHg", "pressure", 0),
      ("diastolic", "kPa", "kPa", "pressure", 1), ("pulse", "/min", "bpm", nil, 0), ("spo2", "%", "%", nil, 0),
      ("bmi", "kg/m2", "kg/m²", nil, 1), ("inr", "{INR}", nil, nil, 1), ("battery_level", "%", "%", "battery", 0),
      ("blood_glucose", "g/dL", "g/dL", nil, nil),
    ] as [(String, String, String?, String?, Int?)])
  func displays(metric: String, ucum: String, unit: String?, deviceClass: String?, precision: Int?) {
    let display = MetricDisplay(metric, ucum: ucum)
    #expect(display.unit == unit && display.deviceClass == deviceClass && display.precision == precision)
  }

  @Test("every measured quantity of the dictionary has a name and a unit without UCUM's brackets")
  func dictionary() {
    for metric in Metric.dictionary where metric.kind == .quantity {
      for unit in metric.units {
        let display = MetricDisplay(metric.name, ucum: unit.ucum)
        #expect(!display.name.isEmpty && display.unit?.contains { "{}[]".contains($0) } != true)
        #expect(TopicName(metric.name, limit: 64).text == metric.name)
      }
    }
  }

  @Test("what a gateway has announced is read again as it was; what others write is not believed")
  func announced() throws {
    var announced = AnnouncedMeters()
    announced.owner = "0123"
    let meter = try #require(MeterOfReading(Fixture.source))
    let values = LatestValue.all(of: Fixture.glucose(1))
    #expect(announced.note(values, of: meter) && !announced.note(values, of: meter))
    #expect(AnnouncedMeters(json: announced.json) == announced)
    var known = AnnouncedMeters()
    #expect(known.note(values, of: meter, known: ["GM-0042"]) && known.meters["gluco-gm-0042"]?.isKnown == true)
    #expect(announced.compare(with: ["GM-0042"]).isChanged)
    #expect(announced.compare(with: []).forgotten == ["gluco-gm-0042"])
    let hostile =
      #"{"owner":"","meters":[{"name":"../#","metrics":{"a/b":"x"}},{"name":"ok","metrics":{"a/b":"x"}},7]}"#
    let read = try #require(AnnouncedMeters(json: Array(hostile.utf8)))
    #expect(read.meters.keys.sorted() == ["ok"] && read.meters["ok"]?.metrics.isEmpty == true)
  }

  @Test("hostile payloads of the broker are passed", arguments: UInt64(1)...4)
  func fuzz(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var seeds = [
      Array(#"{"value":1,"time":"2026-01-31T07:05:00+01:00","log_id":"x","revision":1}"#.utf8),
      Array(#"{"log_id":"373d2a7f-8dba-882a-99e8-e8b9ce9e423f","revision":1,"outcome":"created"}"#.utf8),
    ]
    var announced = AnnouncedMeters()
    _ = announced.note(LatestValue.all(of: Fixture.glucose(1)), of: try #require(MeterOfReading(Fixture.source)))
    seeds.append(announced.json)
    for _ in 0..<3_000 {
      var bytes = seeds[Int.random(in: 0..<seeds.count, using: &generator)]
      for _ in 0..<Int.random(in: 0...4, using: &generator) {
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
      }
      _ = AnnouncedMeters(json: bytes)
      if let confirmation = SinkConfirmation(payload: bytes) { #expect(confirmation.revision >= 1) }
      var keeper = LatestKeeper()
      keeper.note(bytes, at: LatestKeeper.Place(meter: "m", metric: "x"), now: 0)
      #expect(keeper.payloads.isEmpty)
    }
  }

  @Test("a value of the future on the broker keeps no later one away")
  func future() throws {
    var keeper = LatestKeeper()
    let place = LatestKeeper.Place(meter: "m", metric: "blood_glucose")
    keeper.note(Array(#"{"value":1,"time":"2099-01-01T00:00:00Z"}"#.utf8), at: place, now: Fixture.morning)
    let value = try #require(LatestValue.all(of: Fixture.glucose(1)).first)
    #expect(keeper.show(value, of: "m") != nil)
  }
}
