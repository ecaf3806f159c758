import TestSupport
import Testing

@testable import MeterReceiver

@Suite(.everyStorage) struct LegacyRefusalTests {
  private static let spoiled: [(type: LegacyType, fields: [String], change: @Sendable (inout JSONObject) -> Void)] = [
    (.weight, ["activity_id"], { $0["activity_id"] = nil }),
    (.weight, ["activity_id"], { $0["activity_id"] = .string("a\u{0}b") }),
    (.weight, ["activity_id"], { $0["activity_id"] = .string(String(repeating: "x", count: 129)) }),
    (.weight, ["timestamp"], { $0["timestamp"] = .string("2018-09-20 05:05:00") }),
    (.weight, ["timestamp"], { $0["timestamp"] = .string("2018-09-20T05:05:00+25:00") }),
    (.weight, ["utc_offset"], { $0["utc_offset"] = .integer(7200) }),
    (.weight, ["utc_offset"], { $0["utc_offset"] = .string("+2:00") }),
    (.weight, ["weight"], { $0["weight"] = .string("70") }),
    (.weight, ["height"], { $0["height"] = .number(1.80) }),
    (
      .weight, ["fat_percent", "weight"],
      { record in
        record["weight"] = .number(0)
        record["fat_percent"] = .number(-1)
      }
    ),
    (.biometrics, ["temperature"], { $0["temperature"] = .number(98.6) }),
    (.biometrics, ["spo2"], { $0["spo2"] = .number(101) }),
    (.diabetes, ["blood_glucose"], { $0["blood_glucose"] = .number(5.6) }),
    (.diabetes, ["relationship_to_meal"], { $0["relationship_to_meal"] = .integer(1) }),
    (.sleep, ["extras"], { $0["extras"] = .integer(1) }),
    (.routine, ["steps"], { $0["steps"] = .number(1e300) }),
    // Extras are no measured value, unless they are of reproductive health.
    (
      .biometrics, ["biometrics"],
      { record in
        for name in LegacyType.biometrics.measures.keys { record[name] = .null }
        record["extras"] = .object(["menstrual_flow": .string(""), "mood": .string("good")])
      }
    ),
    // What belongs to another type would be stored without a range.
    (.weight, ["systolic"], { $0["systolic"] = .number(120) }),
    (.diabetes, ["steps"], { $0["steps"] = .object([:]) }),
    (.sleep, ["meal"], { $0["meal"] = .array([]) }),
    (.fitness, ["start_time"], { $0["start_time"] = .string("noon") }),
    (.nutrition, ["revision"], { $0["revision"] = .integer(0) }),
    (
      .sleep, ["sleep"],
      { record in
        for name in LegacyType.sleep.measures.keys { record[name] = .null }
      }
    ),
    (.sleep, ["source"], { $0.members.append(.init(name: "source", value: .string("twice"))) }),
  ]

  @Test(arguments: Self.spoiled.indices)
  func spoiledRecordsAreNamedByField(index: Int) async throws {
    let (type, fields, change) = Self.spoiled[index]
    try await withReceiver { server async throws in
      var record = LegacySamples.record(type)
      change(&record)
      let reply = try await server.legacy(
        "POST", "\(LegacySamples.user)/\(type.rawValue).json", LegacySamples.body(type, record))
      #expect(reply.status == 400)
      #expect(reply.value("code") == .integer(400))
      #expect(reply.text("message") != nil)
      #expect(reply.errorFields.prefix(fields.count) == fields[...], "\(reply.body)")
      #expect(try server.allStored().isEmpty)
    }
  }

  @Test(arguments: [
    "[]", "{}", #"{"weight":{}}"#, #"{"access_token":7,"weight":{}}"#,
    #"{"access_token":"\#(RunningReceiver.token)"}"#,
    #"{"access_token":"\#(RunningReceiver.token)","weight":{},"weight":{}}"#,
    #"{"access_token":"\#(RunningReceiver.token)","weight":[]}"#, "{",
  ])
  func bodiesThatAreNoEnvelopeAreRefused(body: String) async throws {
    try await withReceiver { server async throws in
      let reply = try await server.legacy("POST", "\(LegacySamples.user)/weight.json", body)
      #expect([400, 401].contains(reply.status))
      #expect(reply.value("code")?.integer == reply.status)
      #expect(try server.allStored().isEmpty)
    }
  }

  @Test(arguments: [UInt64(5), 6])
  func mutatedBodiesNeverFailTheServer(seed: UInt64) async throws {
    try await withReceiver { server async throws in
      var generator = SeededGenerator(seed: seed)
      let valid = Array(LegacySamples.body(.biometrics, LegacySamples.record(.biometrics)).utf8)
      for _ in 0..<200 {
        var body = valid
        for _ in 0..<Int.random(in: 1...3, using: &generator) { FuzzTests.mutate(&body, using: &generator) }
        let reply = try await server.legacy(
          "POST", "\(LegacySamples.user)/biometrics.json", String(decoding: body, as: UTF8.self))
        #expect([200, 201, 400, 401, 409].contains(reply.status), "\(String(decoding: body, as: UTF8.self))")
      }
    }
  }
}
