import Foundation
import Testing

@testable import MeterHealth

/// What automations post, and receivers refused or misread.
@Suite("Posted documents that were wrong elsewhere", .timeLimit(.minutes(60))) struct AutomationFailureTests {
  private static func read(_ text: String) async throws -> HealthResult {
    try await ImportStage.shared.get().read(Array(text.utf8)).result
  }

  /// A weight, as Health Auto Export has it.
  private static func weight(_ rows: String) async throws -> HealthResult {
    try await read(#"{"data":{"metrics":[{"name":"weight_body_mass","units":"kg","data":[\#(rows)]}]}}"#)
  }

  @Test(
    "a date is read in every form in which phones write it",
    arguments: [
      #""2026-03-01 07:57:00 +1000""#, #""2026-03-01 7:57:00\u202fam +1000""#, #""2026-03-01 7:57:00 AM +1000""#,
      #""2026-03-01 7:57:00\u00a0a.m. +10:00""#, #""2026-02-28 9:57:00 p.m. Z""#, #""2026-02-28T21:57:00Z""#,
      #""2026-03-01T07:57:00+10:00""#, "1772315820", "1772315820.5", "1772315820000",
    ])
  func dates(date: String) async throws {
    let result = try await Self.weight(#"{"date":\#(date),"qty":81.5}"#)
    #expect(result.measured("body_weight") == ["81.5"] && result.refusedCount == 0)
    let start = try #require(result.measurements.first).origin.start
    #expect(start / 1_000_000 == Export.time("2026-02-28 21:57:00") / 1_000_000)
  }

  @Test(
    "a time without a zone, and one that no clock shows, are refused",
    arguments: [
      #""2026-03-01 07:57:00""#, #""2026-03-01 13:57:00 AM +1000""#, #""2026-03-01 0:57:00 pm +1000""#,
      #""2026-02-29 07:57:00 +1000""#, #""01.03.2026 07:57 +1000""#, "null", #""""#,
    ])
  func noDates(date: String) async throws {
    let result = try await Self.weight(#"{"date":\#(date),"qty":81.5},{"date":1772315820,"qty":80}"#)
    #expect(result.measured("body_weight") == ["80"] && result.refused(.unreadableTime) == 1)
  }

  @Test(
    "a number with signs of a language is refused, and not read as another one",
    arguments: [#""808.742.334.249.947""#, #""1.234.567""#, #""81,5""#, #""1 081""#, #""1e3""#, #""81.5 kg""#, "null"])
  func groupedNumbers(text: String) async throws {
    let result = try await Self.weight(
      #"{"date":1772315820,"qty":\#(text)},{"date":1772319420,"qty":"80.25"},{"date":1772323020,"qty":79}"#)
    #expect(result.measured("body_weight") == ["80.25", "79"] && result.refused(.unreadableValue) == 1)
  }

  @Test("names in the phone's language stay what they are, and a stage of sleep in it is refused") func language()
    async throws
  {
    let result = try await Self.read(
      #"""
      {"data":{"metrics":[{"name":"sleep_analysis","units":"hr","data":[
        {"value":"Tiefschlaf","startDate":"2026-03-01 23:00:00 +0100","endDate":"2026-03-02 01:00:00 +0100"},
        {"value":"Core","startDate":"2026-03-02 01:00:00 +0100","endDate":"2026-03-02 06:00:00 +0100"}]}],
       "workouts":[{"id":"A","name":"Laufen","start":"2026-03-01 10:00:00 +0100","end":"2026-03-01 11:00:00 +0100"}]}}
      """#)
    #expect(result.workouts.map(\.name) == ["Laufen"] && result.workouts.map(\.category) == ["other"])
    #expect(result.night("sleep_duration") == "18000" && result.refusedCount == 1)
  }

  @Test("what a posted workout and an electrocardiogram have beside their values is no heart rate of the day")
  func recovery() async throws {
    let result = try await Self.read(
      #"""
      {"data":{"metrics":[{"name":"heart_rate","units":"bpm","data":[
        {"date":"2026-03-01 09:00:05 +0100","Min":60,"Avg":61,"Max":62}]}],
       "ecg":[{"start":"2026-03-01 12:00:00 +0100","end":"2026-03-01 12:00:30 +0100","averageHeartRate":199,
        "voltageMeasurements":[{"date":"2026-03-01 12:00:00 +0100","voltage":12.5,"units":"mcV"}]}],
       "workouts":[{"id":"A","name":"Running","start":"2026-03-01 10:00:00 +0100","end":"2026-03-01 11:00:00 +0100",
        "heartRateRecovery":[{"date":"2026-03-01 11:01:00 +0100","qty":190},{"date":"2026-03-01 11:02:00 +0100","qty":180}],
        "heartRateData":[{"date":"2026-03-01 10:01:00 +0100","Min":170,"Avg":171,"Max":172}]}]}}
      """#)
    #expect(result.value("max_heart_rate", on: "2026-03-01") == "62")
    #expect(result.workouts.count == 1 && result.measurements.isEmpty && result.refusedCount == 0)
  }

  @Test(
    "a file of another company's takeout is not guessed at: its clock and its units are told nowhere",
    arguments: [
      #"[{"dateTime":"03/01/26 10:00:00","value":"1200"},{"dateTime":"03/01/26 10:01:00","value":"20"}]"#,
      #"[{"logId":1,"weight":180.5,"bmi":24.1,"date":"03/01/26","time":"07:00:00","source":"API"}]"#,
      #"[{"logId":2,"dateOfSleep":"2026-03-01","startTime":"2026-02-28T23:10:30.000","endTime":"2026-03-01T06:40:30.000"}]"#,
    ])
  func takeout(text: String) async throws {
    let result = try await Self.read(text)
    #expect(result.days.isEmpty && result.measurements.isEmpty && result.sleep.isEmpty && result.refusedCount > 0)
    let name = "Takeout/Fitbit/Global Export Data/steps-2026-03-01.json"
    let archive = StoredZip([.init(name: name, content: Array(text.utf8))])
    #expect(try await ImportStage.shared.get().error(archive.bytes).code == .notAnExport)
  }

  @Test(
    "a share that is posted as a part of one, or in percent, is percent",
    arguments: [("0.97", "97"), ("97", "97"), ("1", "100"), ("96.5", "96.5")])
  func shares(value: String, expected: String) async throws {
    let result = try await Self.read(
      #"{"data":{"metrics":[{"name":"blood_oxygen_saturation","units":"%","data":[{"date":1772315820,"qty":\#(value)}]}]}}"#
    )
    #expect(result.measured("spo2") == [expected])
  }
}
