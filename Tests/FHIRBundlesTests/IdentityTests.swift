import MeterCore
import StrictJSON
import Testing

@testable import FHIRBundles

/// By what a server finds again what it has.
@Suite("Identities in FHIR", .timeLimit(.minutes(60)))
struct IdentityTests {
  private func read(_ record: Record, _ maker: FHIRBundleMaker = Fixture.maker) throws -> ReadBundle {
    try ReadBundle(maker.bundle(for: record))
  }

  private func pressure(revision: Int = 1) throws -> Record {
    Fixture.reading(
      .biometrics,
      [
        try Fixture.value("systolic", "124", "mm[Hg]"), try Fixture.value("diastolic", "81", "mm[Hg]"),
        try Fixture.value("pulse", "67", "/min"),
      ], revision: revision)
  }

  @Test("the main observation has the name of the person's reading, and the others the metric's behind it")
  func names() throws {
    let record = try pressure()
    let observations = try read(record).resources("Observation")
    let name = Fixture.name(record.logID)
    #expect(observations.map { $0.text("identifier.0.value") } == ["\(name)", "\(name).pulse"])
    #expect(observations.allSatisfy { $0.text("identifier.0.system") == FHIRBundleMaker.identifierSystem })
  }

  @Test("the main observation has the record's own name besides, for people who look for it")
  func logID() throws {
    let record = try pressure()
    let observations = try read(record).resources("Observation")
    let found = observations.map { observation in
      (observation.at("identifier")?.elements ?? []).filter { $0.text("system") == FHIRBundleMaker.logIDSystem }
        .compactMap { $0.text("value") }
    }
    #expect(found == [["\(record.logID)"], []])
  }

  @Test(
    "two people's readings with one name share nothing at a server", arguments: [1, 2],
    [IdentityClass.stored, .summary])
  func people(revision: Int, identity: IdentityClass) throws {
    let steps = try Fixture.value("steps", "8421", "{count}")
    let resting = try Fixture.value("resting_heart_rate", "58", "/min")
    let record = Fixture.reading(
      .routine, [steps, resting], from: Fixture.store, identity: identity, revision: revision)
    func names(_ subject: FHIRSubject) throws -> Set<String> {
      let maker = FHIRBundleMaker(subject: subject, gateway: Fixture.gateway)
      return Set(
        try read(record, maker).entries.flatMap { entry in
          ["fullUrl", "resource.identifier.0.value", "request.ifNoneExist", "request.url"].compactMap { entry.text($0) }
        }.filter { $0 != "Observation" })
    }
    let subjects: [FHIRSubject] = [
      .reference("Patient/1"), .reference("Patient/2"), .identifier(system: "urn:x", value: "1"),
    ]
    let all = try subjects.map { try names($0) }
    #expect(all.allSatisfy { !$0.isEmpty } && Set(all.flatMap(\.self)).count == all.reduce(0) { $0 + $1.count })
  }

  @Test("a first revision is created where it is missing, and a later one takes its place")
  func revisions() throws {
    let first = try read(pressure()).entries
    let second = try read(pressure(revision: 2)).entries
    let query = "identifier=https://meterhost.org/fhir/sid/reading|\(Fixture.name(Fixture.logID("reading")))"
    #expect(first.map { $0.text("request.method") } == ["POST", "POST", "POST", "POST"])
    #expect(first[2].text("request.url") == "Observation" && first[2].text("request.ifNoneExist") == query)
    // Devices stay as they were made.
    #expect(second.map { $0.text("request.method") } == ["POST", "POST", "PUT", "PUT"])
    #expect(second[2].text("request.url") == "Observation?\(query)" && second[2].at("request.ifNoneExist") == nil)
    #expect(second[3].text("request.url") == "Observation?\(query).pulse")
    #expect(first.map { $0.text("fullUrl") } == second.map { $0.text("fullUrl") })
  }

  @Test("all of a sum have the metric's name, since another value may come before them as it grows")
  func sums() throws {
    let steps = try Fixture.value("steps", "8421", "{count}")
    func day(_ values: [RecordValue]) throws -> [String?] {
      let record = Fixture.reading(.routine, values, from: Fixture.store, identity: .summary)
      return try read(record).resources("Observation").map { $0.text("identifier.0.value") }
    }
    let name = "\(Fixture.name(Fixture.logID("reading")))"
    #expect(try day([steps]) == ["\(name).steps"])
    let resting = try Fixture.value("resting_heart_rate", "58", "/min")
    #expect(try day([resting, steps]) == ["\(name).steps", "\(name).resting_heart_rate"])
  }

  @Test("what is there several times is counted")
  func counted() throws {
    let interval = try Fixture.value("rr_interval", "0.8", "s")
    let record = Fixture.reading(
      .biometrics, [try Fixture.value("heart_rate", "72", "/min"), interval, interval, interval])
    let names = try read(record).resources("Observation").compactMap { $0.text("identifier.0.value") }
    #expect(Set(names).count == 4 && names.last == "\(Fixture.name(record.logID)).rr_interval.3")
  }

  @Test("another system of identifiers is one's own")
  func system() throws {
    let maker = FHIRBundleMaker(
      subject: .reference("Patient/1"), gateway: Fixture.gateway, identifierSystem: "urn:oid:1.2.3")
    let entry = try read(pressure(), maker).entries[2]
    #expect(entry.text("resource.identifier.0.system") == "urn:oid:1.2.3")
    let name = Fixture.name(Fixture.logID("reading"), of: "Patient/1")
    #expect(entry.text("request.ifNoneExist") == "identifier=urn:oid:1.2.3|\(name)")
  }

  @Test("two gateways that have read one meter ask for the same observations")
  func gateways() throws {
    let other = FHIRBundleMaker(
      subject: .reference("Patient/123"), gateway: FHIRGateway(id: "7b0d0f6e-3f3b-4c51-8d2b-6c1a0b1f2d3e"))
    let (one, two) = (try read(pressure()).entries, try read(pressure(), other).entries)
    func requests(_ entries: [JSONElement]) -> [String?] {
      entries.filter { $0.text("resource.resourceType") == "Observation" }.map { $0.text("request.ifNoneExist") }
    }
    #expect(requests(one) == requests(two))
    #expect(one[0].text("request.ifNoneExist") == two[0].text("request.ifNoneExist"))
    #expect(one[1].text("request.ifNoneExist") != two[1].text("request.ifNoneExist"))
  }

  @Test("the implementation guide's identifier stands beside ours, once each")
  func guide() throws {
    let golden = try #require(BundleCase.all.first { $0.name == "oximeter" })
    let values = try ReadBundle(golden.bundle()).resources("Observation").map { $0.text("identifier.1.value") }
    let start = "FEEDABEEDEAD77C3-123"
    #expect(
      values.prefix(3) == ["\(start)-150456-825667200", "\(start)-150448-825667200", "\(start)-149530-825667200"])
    #expect(values[3...].prefix(2) == ["\(start)-150456-825667200-150580", "\(start)-150456-825667200-150584"])
    #expect(Set(values).count == values.count)
  }

  @Test(
    "its time is the meter's own, with what the meter has said of its offset",
    arguments: [
      (RecordTime.Kind.civil, Int64(0), String?.some("825667200")), (.civilWithOffset, 0, "825667200+4"),
      (.utc, 0, "825663600"),
      (.civil, 1_500_000, "825667200..1.5"), (.none, 0, nil),
    ])
  func guideTimes(kind: RecordTime.Kind, duration: Int64, text: String?) throws {
    let time = RecordTime(
      startMicroseconds: Fixture.morning, endMicroseconds: Fixture.morning + duration,
      civilMicroseconds: kind == .none || kind == .utc ? nil : Fixture.morning + Fixture.hour, utcOffsetSeconds: 3_600,
      zoneSource: .meter, kind: kind)
    let main = try read(Fixture.glucose([Fixture.value("sample_type", "1")], time: time)).resources("Observation")[0]
    let place = main.text("identifier.1.system") == GuideIdentifier.system ? "identifier.1.value" : "none"
    #expect(main.text(place) == text.map { "FEEDABEEDEAD77C3-123-160184-\($0)" })
  }
}
