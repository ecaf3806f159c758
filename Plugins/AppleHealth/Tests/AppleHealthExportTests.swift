import Foundation
import Testing

/// What samples, names and counts come of what a phone writes.
@Suite struct AppleHealthExportTests {
  typealias Record = WrittenExport.Record

  static func one(_ record: Record) throws -> AppleHost.Sample {
    let reading = try AppleHost.read(WrittenExport.file([record]))
    #expect(reading.outcome?.end == "done")
    #expect(reading.outcome?.partial == false)
    return try #require(reading.samples.first)
  }

  @Test("a record is a sample with its instants, its exact number and its unit") func record() throws {
    let sample = try Self.one(Record(unit: "km", value: "0.00610"))
    #expect(sample.start == 1_772_355_600_000_000)
    #expect(sample.end - sample.start == 600_000_000)
    #expect(sample.value == "61e-4")
    #expect(sample.unit == "km")
    #expect(sample.source == "iPhone")
  }

  static let numbers = [
    ("1", "1e0"), ("-3.50", "-35e-1"), ("6.1e-05", "61e-6"), ("1E+3", "1e3"),
    ("0.30000000000000004", "30000000000000004e-17"),
    ("123456789012345678", "123456789012345678e0"), ("0", "0e0"), (".5", "5e-1"),
  ]

  @Test("numbers are exact", arguments: numbers) func number(text: String, expected: String) throws {
    #expect(try Self.one(Record(value: text)).value == expected)
  }

  @Test(
    "what is no number is refused",
    arguments: [
      "", "abc", "1,5", "1.2.3", "1e", "--1", "+1", " 1", "1234567890123456789", "1e400", "1e-400", "nan", ".",
    ])
  func noNumber(text: String) throws {
    let reading = try AppleHost.read(WrittenExport.file([Record(value: text)]))
    #expect(reading.samples.isEmpty)
    #expect(reading.outcome?.refused == ["value": 1])
    #expect(reading.outcome?.count("StepCount") == 1)
  }

  @Test(
    "fractions become percent", arguments: [("BodyFatPercentage", "0.161", "161e-1"), ("OxygenSaturation", "1", "1e2")])
  func fraction(type: String, value: String, expected: String) throws {
    let sample = try Self.one(Record(type: "HKQuantityTypeIdentifier\(type)", unit: "%", value: value))
    #expect(sample.value == expected)
    #expect(sample.unit == "%")
  }

  static let stages = [
    ("HKCategoryValueSleepAnalysisInBed", 1), ("HKCategoryValueSleepAnalysisAsleep", 2),
    ("HKCategoryValueSleepAnalysisAsleepUnspecified", 2), ("HKCategoryValueSleepAnalysisAwake", 3),
    ("HKCategoryValueSleepAnalysisAsleepCore", 4), ("HKCategoryValueSleepAnalysisAsleepDeep", 5),
    ("HKCategoryValueSleepAnalysisAsleepREM", 6), ("0", 1), ("1", 2), ("2", 3), ("3", 4), ("4", 5), ("5", 6),
  ]

  @Test("stages of sleep have words", arguments: stages) func stage(value: String, word: Int) throws {
    let sample = try Self.one(
      Record(
        type: "HKCategoryTypeIdentifierSleepAnalysis", unit: nil, value: value,
        children: WrittenExport.metadata("HKTimeZone", "America/New_York")))
    #expect(sample.word == word)
    #expect(sample["time_zone"] == "America/New_York")
  }

  static let categories = [
    ("AppleStandHour", "HKCategoryValueAppleStandHourStood", "stood"),
    ("AppleStandHour", "HKCategoryValueAppleStandHourIdle", "idle"),
    ("MenstrualFlow", "HKCategoryValueMenstrualFlowLight", "Light"),
    ("MenstrualFlow", "HKCategoryValueVaginalBleedingHeavy", "Heavy"),
    ("OvulationTestResult", "HKCategoryValueOvulationTestResultEstrogenSurge", "EstrogenSurge"),
    ("CervicalMucusQuality", "HKCategoryValueCervicalMucusQualityEggWhite", "EggWhite"),
    ("IntermenstrualBleeding", "HKCategoryValueNotApplicable", "present"),
    ("MindfulSession", "HKCategoryValueNotApplicable", ""),
  ]

  @Test("categories keep their words", arguments: categories)
  func category(type: String, value: String, text: String) throws {
    let sample = try Self.one(Record(type: "HKCategoryTypeIdentifier\(type)", unit: nil, value: value))
    #expect(sample.text == text)
    #expect(sample.value == nil)
  }

  @Test(
    "an unknown word of a category is refused", arguments: ["SleepAnalysis", "AppleStandHour", "OvulationTestResult"])
  func unknownCategory(type: String) throws {
    let record = Record(type: "HKCategoryTypeIdentifier\(type)", unit: nil, value: "HKCategoryValueNonsense")
    #expect(try AppleHost.outcome(WrittenExport.file([record])).refused == ["value": 1])
  }

  @Test("metadata are attributes, and what a person entered is marked") func metadata() throws {
    let sample = try Self.one(
      Record(
        children: WrittenExport.metadata("HKFoodType", "So\u{0B}up &amp; &#183;&#x1F35E;")
          + WrittenExport.metadata("HKWasUserEntered", "1") + WrittenExport.metadata("HKExternalUUID", "abc")))
    #expect(sample["food"] == "So up & \u{b7}\u{1F35E}")
    #expect(sample.flags == 3)
    #expect(sample.id == "abc")
  }

  @Test("bytes that no XML may have are counted, and cost no sample") func controls() throws {
    let children = WrittenExport.metadata("HKFoodType", "\u{0B}So\u{01}up\tof day")
    let outcome = try AppleHost.outcome(WrittenExport.file([Record(children: children), Record(children: children)]))
    #expect(outcome.samples == 2)
    #expect(outcome.refused.isEmpty)
    #expect(outcome.counts["control byte"] == 4)
  }

  static let words = [
    ("HKBloodGlucoseMealTime", "1", "meal", "before"), ("HKBloodGlucoseMealTime", "2", "meal", "after"),
    ("HKMetadataKeyHeartRateMotionContext", "0", "motion_context", "0"),
    ("HKSexualActivityProtectionUsed", "1", "protection", "yes"), ("HKFoodMeal", "Lunch", "meal", "Lunch"),
    ("HKMetadataKeySyncIdentifier", "x", "hk:HKMetadataKeySyncIdentifier", "x"),
  ]

  @Test("metadata have the words of the contract", arguments: words)
  func word(key: String, value: String, word: String, text: String) throws {
    #expect(try Self.one(Record(children: WrittenExport.metadata(key, value)))[word] == text)
  }

  @Test("a source is the same whatever the address and the software of its device") func source() throws {
    let devices = [("0xb0f5", "10.1"), ("0x28ab", "10.4")].map { address, software in
      " device=\"&lt;&lt;HKDevice: \(address)&gt;, name:Apple Watch, model:Watch, software:\(software)&gt;\""
    }
    let names = ["Riley\u{2019}s\u{a0}Watch", "Riley's Watch"]
    let reading = try AppleHost.read(
      WrittenExport.file(
        devices.map { Record(source: names[0], last: $0) } + [Record(source: names[1], last: devices[0])]))
    let sources = reading.sources()
    #expect(sources.map(\.text) == names)
    #expect(Set(sources.map(\.key)) == ["Riley's Watch"])
    #expect(sources.map(\.detail) == Array(repeating: "name:Apple Watch, model:Watch", count: 2))
    #expect(sources.map(\.flags) == [1, 1])
  }

  @Test("a workout has its statistics before its totals, and its parts behind it") func workout() throws {
    let samples = try AppleHost.read(WrittenExport.file(WrittenExport.workout)).samples
    #expect(samples.map(\.text) == ["Running", "pause", "SocialDance"])
    #expect(samples.map(\.flags) == [0, 16, 16])
    let whole = try #require(samples.first)
    #expect(whole["distance"] == "25e-1")
    #expect(whole["total_distance"] == "2e0")
    #expect(whole["energy_active"] == "2005e-1")
    #expect(whole["heart_rate_average"] == "1205e-1")
    #expect(whole["time_zone"] == "Europe/Berlin")
    #expect(samples[1].end - samples[1].start == 300_000_000)
    #expect(samples[2].id == "A")
  }

  @Test("a correlation only pairs, and its children are no samples") func correlation() throws {
    let reading = try AppleHost.read(WrittenExport.file(WrittenExport.pressure))
    let sample = try #require(reading.samples.first)
    #expect(reading.samples.count == 1)
    #expect(sample.flags == 4)
    #expect(sample["systolic"] == "120e0")
    #expect(sample["diastolic"] == "80e0")
    #expect(reading.outcome?.counts == ["HKCorrelationTypeIdentifierBloodPressure": 1])
  }

  @Test("a day of the rings has its date") func rings() throws {
    let sample = try #require(try AppleHost.read(WrittenExport.file(WrittenExport.rings)).samples.first)
    #expect(sample["date"] == "2026-03-02")
    #expect(sample["active_energy"] == "50025e-2")
    #expect(sample["exercise"] == "31e0")
    #expect(sample["stand_hours"] == "12e0")
  }

  @Test("all samples are counted, and only those that are wanted come out") func wanted() throws {
    let file = WrittenExport.whole()
    let all = try AppleHost.outcome(file)
    let none = try AppleHost.outcome(file, ["--want", "none"])
    #expect(none.samples == 0)
    #expect(none.counts == all.counts)
    #expect(try AppleHost.outcome(file, ["--want", "23"]).samples == 3)
    let late = try AppleHost.outcome(file, ["--since", "1772500000000000", "--want", "1"])
    #expect(late.samples == 0)
    #expect(late.counts == all.counts)
  }

  static let times = [
    ("10:10:00", "10:00:00"), ("25:00:00", "26:00:00"), ("10:60:00", "11:00:00"), ("10:00", "11:00"),
  ]

  @Test("times that cannot be are refused", arguments: times) func time(start: String, end: String) throws {
    let outcome = try AppleHost.outcome(WrittenExport.file([Record(start: start, end: end)]))
    #expect(outcome.refused == ["time": 1])
    #expect(outcome.samples == 0)
  }
}
