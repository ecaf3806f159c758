import Foundation
import TestSupport
import Testing

@testable import MeterReceiver

@Suite(.everyStorage) struct RecordTypeTests {
  private static let user = "/organizations/\(RunningReceiver.organization)/users/\(RunningReceiver.uid)"
  private static let query = "start_date=2018-09-20&end_date=2018-09-20&token=\(RunningReceiver.organizationToken)"

  private func json(_ record: JSONObject) -> String { JSONValue.object(record).text }

  @Test(arguments: RecordType.allCases)
  func everyTypeIsWrittenReplacedAndRead(type: RecordType) async throws {
    try await withReceiver { server async throws in
      let path = "\(Self.user)/\(type.collection)"
      let first = try await server.post(json(RecordSamples.record(type)), to: type.collection)
      #expect(first.status == 201, "\(first.body)")
      let again = try await server.post(json(RecordSamples.record(type)), to: type.collection)
      #expect(again.status == 200)
      #expect(again.text("data/outcome") == "unchanged")
      #expect(again.text("data/checksum") == first.text("data/checksum"))

      let noted = RecordSamples.record(type) {
        $0["revision"] = .integer(2)
        $0["tags"] = .array([])
      }
      let updated = try await server.post(json(noted), to: type.collection)
      #expect(updated.text("data/outcome") == "updated")
      #expect(updated.text("data/id") == first.text("data/id"))
      #expect(updated.text("data/checksum") != first.text("data/checksum"))
      #expect(
        try await server.post(json(RecordSamples.record(type)), to: type.collection).text("data/outcome")
          == "superseded")
      let other = RecordSamples.record(type) { $0["revision"] = .integer(2) }
      #expect(try await server.post(json(other), to: type.collection).status == 409)

      let list = try await server.get("\(path)?\(Self.query)")
      #expect(list.status == 200)
      #expect(list.text("data/0/id") == first.text("data/id"))
      #expect(list.text("data/0/type") == type.rawValue)
      #expect(list.value("data/0/metrics")?.canonicalText == noted["metrics"]?.canonicalText)
      let segments = noted["segments"] ?? (type.hasSegments ? .array([]) : nil)
      #expect(list.value("data/0/segments")?.canonicalText == segments?.canonicalText)
      #expect(list.value("data/1") == nil)
      #expect(try await server.get("\(path)/latest?\(Self.query)").text("data/0/id") == first.text("data/id"))
      for other in RecordType.allCases where other != type {
        #expect(try await server.get("\(Self.user)/\(other.collection)?\(Self.query)").value("data/0") == nil)
        #expect(try await server.get("\(Self.user)/\(other.collection)/latest?\(Self.query)").value("data/0") == nil)
      }
    }
  }

  @Test(arguments: RecordType.allCases)
  func pathsTakeTheirTypesOnly(type: RecordType) async throws {
    try await withReceiver { server async throws in
      var stored: [String] = []
      for (index, other) in RecordType.allCases.enumerated() {
        let isTaken = other == type || (type == .measurement && other.isSeries)
        let record = RecordSamples.record(other, logID: logID(index + 1))
        let reply = try await server.post(json(record), to: type.collection)
        #expect(reply.status == (isTaken ? 201 : 400), "\(other)")
        if isTaken { stored.append(other.rawValue) } else { #expect(reply.errorFields == ["type"]) }
      }
      #expect(try server.store.records(organization: "clinic", uid: RunningReceiver.uid).map(\.type) == stored)
    }
  }

  @Test func aLogIDNamesOneRecordWhateverItsType() async throws {
    try await withReceiver { server async throws in
      #expect(try await server.post(json(RecordSamples.record(.sleep)), to: "sleep").status == 201)
      for revision in [1, 2] {
        let workout = RecordSamples.record(.workout) { $0["revision"] = .integer(revision) }
        let reply = try await server.post(json(workout), to: "workouts")
        #expect(reply.status == 409)
        #expect(reply.text("errors/log_id/0") == "belongs to a record of another type")
      }
      let stored = try server.store.records(organization: RunningReceiver.organization, uid: RunningReceiver.uid)
      #expect(stored.map(\.type) == ["sleep"])
    }
  }

  @Test func arraysHoldTheTypesOfTheirPath() async throws {
    try await withReceiver { server async throws in
      let records = [RecordType.intraday, .sleep, .cgm, .measurement].enumerated().map { index, type in
        json(RecordSamples.record(type, logID: logID(index + 1)))
      }
      let reply = try await server.post("[" + records.joined(separator: ",") + "]")
      #expect(reply.status == 207)
      #expect((0..<4).map { reply.value("data/\($0)/status")?.integer } == [201, 400, 201, 201])
    }
  }

  private static let spoiled: [(type: RecordType, field: String, change: @Sendable (inout JSONObject) -> Void)] = [
    (.summary, "metrics[0].unit", { $0.changeElement(of: "metrics") { $0["unit"] = .string("km") } }),
    (.summary, "metrics[0].value", { $0.changeElement(of: "metrics") { $0["value"] = .number(-1) } }),
    (.summary, "metrics[0].type", { $0["metrics"] = .array([RecordSamples.metric("protein", "g", 60)]) }),
    (.summary, "metrics[0].data_points", { $0.changeElement(of: "metrics") { $0["data_points"] = .array([]) } }),
    (.summary, "metrics", { $0["metrics"] = .array([]) }),
    (.summary, "category", { $0["category"] = .integer(1) }),
    (.summary, "segments", { $0["segments"] = .object([:]) }),
    (.measurement, "metrics[0].type", { $0["metrics"] = .array([RecordSamples.metric("steps", "{count}", 60)]) }),
    (.measurement, "segments", { $0["segments"] = .array([]) }),
    (.workout, "metrics[0].type", { $0["metrics"] = .array([RecordSamples.metric("protein", "g", 60)]) }),
    (.workout, "segments[0]", { $0["segments"] = .array([.null]) }),
    (.sleep, "metrics[0].type", { $0["metrics"] = .array([RecordSamples.metric("steps", "{count}", 60)]) }),
    (
      .sleep, "segments[0].end_time",
      { $0.changeElement(of: "segments") { $0["end_time"] = .string("2018-09-20T00:00:00Z") } }
    ),
    (.sleep, "segments[0].start_time", { $0.changeElement(of: "segments") { $0["start_time"] = .string("early") } }),
    (.sleep, "segments", { $0["segments"] = .array(Array(repeating: .object([:]), count: 1001)) }),
    (.nutrition, "metrics[0].type", { $0["metrics"] = .array([RecordSamples.metric("pulse", "/min", 60)]) }),
    (
      .nutrition, "segments[0].metrics[0].unit",
      { $0.changeElement(of: "segments") { $0.changeElement(of: "metrics") { $0["unit"] = .string("g") } } }
    ),
    (
      .nutrition, "segments[0].food[0].metrics[0].value",
      {
        $0.changeElement(of: "segments") {
          $0.changeElement(of: "food") { $0["metrics"] = .array([RecordSamples.metric("fat", "g", 1e9)]) }
        }
      }
    ),
    (
      .nutrition, "segments[0].food[0].serving.amount",
      {
        $0.changeElement(of: "segments") {
          $0.changeElement(of: "food") {
            $0["serving"] = .object(["amount": .integer(-2), "unit_name": .string("piece")])
          }
        }
      }
    ),
    (.intraday, "granularity", { $0["granularity"] = .integer(5) }),
    (.measurement, "granularity", { $0["granularity"] = .string("5 min") }),
    (.summary, "granularity.interval", { $0["granularity"] = .object(["unit": .string("s")]) }),
    (
      .nutrition, "metrics",
      { record in
        record["metrics"] = .array([])
        record.changeElement(of: "segments") { segment in
          segment["metrics"] = nil
          segment.changeElement(of: "food") { $0["metrics"] = .array([]) }
        }
      }
    ),
    (
      .intraday, "granularity.interval",
      { $0["granularity"] = .object(["interval": .integer(0), "unit": .string("s")]) }
    ),
    (
      .intraday, "granularity.unit",
      { $0["granularity"] = .object(["interval": .integer(1), "unit": .string("year")]) }
    ),
    (.intraday, "metrics[0].data_points", { $0.changeElement(of: "metrics") { $0["data_points"] = nil } }),
    (.intraday, "metrics[0].data_points", { $0.changeElement(of: "metrics") { $0["value"] = .integer(5) } }),
    (.intraday, "metrics[0].data_points[0].time", { $0["start_time"] = .string("2018-09-20T00:30:00Z") }),
    (.intraday, "metrics[0].data_points[2].time", { $0["end_time"] = .string("2018-09-20T01:30:00Z") }),
    (
      .intraday, "metrics[0].data_points[1].time",
      {
        $0.changeElement(of: "metrics") {
          $0.changeElement(1, of: "data_points") { $0["time"] = .string("2018-09-20T00:00:00Z") }
        }
      }
    ),
    (
      .intraday, "metrics[0].data_points[1].value",
      { $0.changeElement(of: "metrics") { $0.changeElement(1, of: "data_points") { $0["value"] = .number(1e7) } } }
    ),
    (.intraday, "metrics[0].data_points", { $0.changeElement(of: "metrics") { $0["data_points"] = .array([]) } }),
    (
      .cgm, "metrics[0].type",
      { $0["metrics"] = .array([RecordSamples.series("pulse", "/min", key: "reading_log", [60])]) }
    ),
    (
      .cgm, "metrics[0].reading_log[0].value",
      { $0["metrics"] = .array([RecordSamples.series("blood_glucose", "mg/dL", key: "reading_log", [5.6])]) }
    ),
    (
      .cgm, "metrics[0].reading_log[0].scheduled",
      {
        $0.changeElement(of: "metrics") {
          $0.changeElement(of: "reading_log") { $0["scheduled"] = .string("yes") }
        }
      }
    ),
    (.cgm, "metrics[0].data_points", { $0.changeElement(of: "metrics") { $0["data_points"] = $0["reading_log"] } }),
  ]

  @Test(arguments: Self.spoiled.indices)
  func spoiledRecordsAreNamedByField(index: Int) async throws {
    let (type, field, change) = Self.spoiled[index]
    try await withReceiver { server async throws in
      let record = RecordSamples.record(type, change)
      let reply = try await server.post(json(record), to: type.collection)
      #expect(reply.status == 400)
      #expect(reply.errorFields == [field], "\(reply.body)")
      #expect(try server.store.records(organization: "clinic", uid: RunningReceiver.uid).isEmpty)
    }
  }

  /// What a gateway writes where it knows less or more than the samples show.
  @Test func sparseAndRichRecordsAreTaken() async throws {
    let mean = RecordSamples.metric("avg_blood_glucose", "mg/dL", 150)
    let records: [JSONObject] = [
      RecordSamples.record(.intraday, logID: logID(1)) { $0["granularity"] = nil },
      RecordSamples.record(.cgm, logID: logID(2)) { record in
        if case .array(let series)? = record["metrics"] { record["metrics"] = .array(series + [mean]) }
      },
    ]
    let meals: [JSONObject] = [
      RecordSamples.record(.nutrition, logID: logID(3)) { $0["metrics"] = .array([]) },
      RecordSamples.record(.nutrition, logID: logID(4)) {
        $0.changeElement(of: "segments") {
          $0.changeElement(of: "food") { $0["serving"] = .object(["unit_name": .string("piece")]) }
        }
      },
    ]
    let day = RecordSamples.record(.summary, logID: logID(5)) {
      $0["metrics"] = .array([
        RecordSamples.metric("sleep_duration", "s", 28_800), RecordSamples.metric("elevation", "m", -120),
      ])
    }
    try await withReceiver { server async throws in
      for record in records { #expect(try await server.post(json(record)).status == 201) }
      for record in meals { #expect(try await server.post(json(record), to: "nutrition").status == 201) }
      #expect(try await server.post(json(day), to: "summaries").status == 201)
    }
  }

  @Test func cgmPointsMayStandInDataPointsToo() async throws {
    try await withReceiver { server async throws in
      let record = RecordSamples.record(.cgm) {
        $0["metrics"] = .array([RecordSamples.series("blood_glucose", "mmol/L", key: "data_points", [5.6, 7])])
      }
      #expect(try await server.post(json(record), to: "cgm").status == 201)
    }
  }

  @Test func readsAreFilteredBySource() async throws {
    try await withReceiver { server async throws in
      for number in 1...3 {
        let record = RecordSamples.record(.summary, logID: logID(number)) {
          $0["source"] = .object(["type": .string(number == 2 ? "ring" : "watch")])
          $0["start_time"] = .string("2018-09-20T0\(number):00:00Z")
        }
        #expect(try await server.post(json(record), to: "summaries").status == 201)
      }
      let path = "\(Self.user)/summaries"
      let watch = try await server.get("\(path)?\(Self.query)&source=watch")
      #expect((0..<3).map { watch.text("data/\($0)/log_id") } == [logID(1), logID(3), nil])
      let page = try await server.get("\(path)?\(Self.query)&source=watch&limit=1&offset=1")
      #expect(page.text("data/0/log_id") == logID(3))
      #expect(try await server.get("\(path)/latest?\(Self.query)&source=ring").text("data/0/log_id") == logID(2))
      #expect(try await server.get("\(path)?\(Self.query)&source=%27%20OR%201").value("data") == .array([]))
      #expect(try await server.get("\(path)?\(Self.query)&source=watch%00").errorFields == ["source"])
    }
  }

  /// Series are large: a day of a value each 10 s goes through, and each reading is there afterwards.
  @Test func longSeriesGoThroughWhole() async throws {
    let points = (0..<8640).map { number in
      JSONValue.object([
        "time": .string(UTCTimestamp(milliseconds: 1_537_401_600_000 + Int64(number) * 10_000).text),
        "value": .integer(number % 50),
      ])
    }
    let record = RecordSamples.record(.intraday) {
      $0.changeElement(of: "metrics") { $0["data_points"] = .array(points) }
    }
    try await withReceiver { server async throws in
      #expect(try await server.post(json(record), to: "intraday").status == 201)
      let reply = try await server.get("\(Self.user)/intraday?\(Self.query)")
      #expect(reply.value("data/0/metrics/0/data_points")?.canonicalText == JSONValue.array(points).canonicalText)
    }
  }

  /// A page that would not fit into memory is refused with the number that fits, and nothing is skipped.
  @Test func pagesThatAreTooLargeAreRefused() async throws {
    let note = String(repeating: "x", count: 4000)
    let tags = JSONValue.array((0..<64).map { .object(["name": .string("n\($0)"), "value": .string(note)]) })
    try await withReceiver { server async throws in
      for chunk in 0..<24 {
        let records = (0..<3).map { number in
          json(RecordSamples.record(.summary, logID: logID(chunk * 3 + number + 1)) { $0["tags"] = tags })
        }
        #expect(try await server.post("[" + records.joined(separator: ",") + "]", to: "summaries").status == 207)
      }
      let path = "\(Self.user)/summaries?\(Self.query)"
      let refused = try await server.get(path)
      #expect(refused.status == 400)
      let reason = try #require(refused.text("errors/limit/0"))
      let fitting = try #require(reason.firstMatch(of: /at most (\d+) fit/).flatMap { Int($0.1) })
      #expect((60..<70).contains(fitting))
      let page = try await server.get("\(path)&limit=\(fitting)")
      #expect(page.text("data/\(fitting - 1)/log_id") == logID(fitting))
      let rest = try await server.get("\(path)&offset=\(fitting)")
      #expect(rest.text("data/\(71 - fitting)/log_id") == logID(72))
    }
  }

  /// Whatever is done to a valid record, it is stored with plausible values or refused.
  @Test(arguments: RecordType.allCases)
  func mutatedRecordsNeverFailTheServer(type: RecordType) async throws {
    try await withReceiver { server async throws in
      var generator = SeededGenerator(seed: UInt64(type.rawValue.utf8.count) * 31)
      let valid = Array(json(RecordSamples.record(type)).utf8)
      for _ in 0..<120 {
        var body = valid
        for _ in 0..<Int.random(in: 1...3, using: &generator) { FuzzTests.mutate(&body, using: &generator) }
        let reply = try await server.post(body, to: type.collection)
        #expect([200, 201, 400, 409].contains(reply.status), "\(String(decoding: body, as: UTF8.self))")
      }
    }
  }
}
