import Foundation
import Testing

@testable import MeterHealth

/// Files that are not quite XML, and that stopped other readers.
@Suite("Files that could not be read elsewhere", .timeLimit(.minutes(60))) struct MalformedFailureTests {
  private static let day = "2026-03-01"

  private static func file(_ change: (inout AppleDocument) -> Void) -> AppleDocument {
    var file = AppleDocument()
    file.record("StepCount", "iPhone", "01 10:00", "01 10:10", "1000", unit: "count")
    change(&file)
    file.record("StepCount", "iPhone", "01 11:00", "01 11:10", "500", unit: "count")
    return file
  }

  @Test(
    "a type definition that lacks a sign, or has one too many, is passed over",
    arguments: [
      "<!DOCTYPE HealthData [\n<!ELEMENT RightEye EMPTY>\n<!ATTLIST RightEye\n  sphere CDATA #IMPLIED\n]>\n",
      "<!DOCTYPE HealthData [\n<!ELEMENT VisionPrescription ((RightEye|LeftEye)*)>>\n<!ATTLIST Prescription\n type CDATA>\n",
      "<!DOCTYPE HealthData [\n<!-- HealthKit Export Version: 13 -->\n<!ELEMENT HealthData (ExportDate)>\n]>\n", "",
    ])
  func definition(text: String) async throws {
    var file = Self.file { _ in }
    file.prologue += text
    let result = try await file.read()
    #expect(result.value("steps", on: Self.day) == "1500" && result.refusedCount == 0 && !result.isPartial)
  }

  @Test("control characters in the name of a dish do not stop the import") func control() async throws {
    let result = try await Self.file {
      $0.record(
        "DietaryProtein", "Food", "01 12:00", nil, "5", unit: "g", metadata: [("HKFoodType", "So\u{b}up\u{1}")])
    }.read()
    #expect(result.value("steps", on: Self.day) == "1500")
    #expect(result.nutrition.first?.metrics["protein"] == "5")
    #expect(result.nutrition.first?.items.map(\.food) == ["So up "])
  }

  @Test("an attribute whose name has a blank, and dates of 2015, cost their own records only") func oldWriter()
    async throws
  {
    let result = try await Self.file {
      let weight = $0.element("BodyMass", "Scale", "01 08:00", nil, "80", unit: "kg")
      $0.add(weight.replacing("<Record ", with: "<Record Withings Link=\"x\" "))
      $0.add(
        "<Record type=\"HKQuantityTypeIdentifierBodyMass\" source=\"Scale\" unit=\"kg\" value=\"81\" "
          + "startDate=\"20150616071820-0700\" endDate=\"20150616071820-0700\"/>")
    }.read()
    #expect(result.value("steps", on: Self.day) == "1500" && result.measured("body_weight") == ["80"])
    #expect(result.samples["HKQuantityTypeIdentifierBodyMass"] == 2)
    #expect(result.refused(.unreadableTime) == 1 && result.refusedCount == 1)
  }

  @Test("a key of metadata that only a later record has is no reason to stop") func lateKey() async throws {
    let result = try await Self.file {
      $0.record(
        "StepCount", "iPhone", "01 10:20", "01 10:30", "70", unit: "count",
        metadata: [("HKWasUserEntered", "0"), ("com.example.Mood", "good"), ("", "")])
    }.read()
    #expect(result.value("steps", on: Self.day) == "1570" && result.refusedCount == 0)
  }

  @Test("an attribute of two MiB, and elements ten thousand deep, cost themselves only", arguments: [false, true])
  func tooLarge(isDeep: Bool) async throws {
    let result = try await Self.file {
      if isDeep {
        let open = String(repeating: "<Correlation type=\"HKCorrelationTypeIdentifierFood\">", count: 10_000)
        $0.add(open + String(repeating: "</Correlation>", count: 10_000))
      } else {
        $0.record("StepCount", String(repeating: "a>b", count: 700_000), "01 10:20", "01 10:30", "70", unit: "count")
      }
    }.read()
    #expect(result.value("steps", on: Self.day) == "1500")
    #expect(result.refused(isDeep ? .form : .tooLong) == (isDeep ? 9_999 : 1))
    #expect(result.refusedCount == (isDeep ? 10_000 : 1))
  }

  @Test("of a thousand sources each counts where it is alone, and one where all are at once") func manySources()
    async throws
  {
    var file = AppleDocument()
    for source in 0..<1_000 {
      let start = Export.time("01 00:00") + Int64(source) * 60_000_000
      file.record(
        "StepCount", "Source \(source + 1_000)", CivilText.of(start), CivilText.of(start + 60_000_000), "1",
        unit: "count")
      file.record("StepCount", "Source \(source + 1_000)", "01 20:00", "01 20:10", "\(100 + source)", unit: "count")
    }
    let result = try await file.read()
    #expect(result.knownSources.count == 1_000 && result.value("steps", on: Self.day) == "1100")
  }
}
