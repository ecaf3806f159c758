import MeterCore
import StrictJSON
import Testing

@testable import FHIRBundles

/// Which codes, units and digits a value has.
@Suite("Values in FHIR", .timeLimit(.minutes(60)))
struct MappingTests {
  private func read(_ record: Record) throws -> ReadBundle { try ReadBundle(Fixture.maker.bundle(for: record)) }

  @Test(
    "the code of a glucose value is that of its sample",
    arguments: [
      ("1", "160184", "2339-0", "15074-8"), ("2", "160188", "2345-7", "14749-6"), ("3", "160192", "2339-0", "15074-8"),
      ("4", "160196", "2345-7", "14749-6"), ("5", "160200", "2339-0", "15074-8"), ("6", "160204", "2345-7", "14749-6"),
      ("7", "160364", "2339-0", "15074-8"), ("8", "160368", "2345-7", "14749-6"),
      ("9", "160212", "99504-3", "105272-9"),
    ])
  func samples(sample: String, term: String, mass: String, molar: String) throws {
    let type = try Fixture.value("sample_type", sample)
    for (unit, number, code, byMeter) in [("mg/dL", "111", mass, "41653-7"), ("mmol/L", "6.2", molar, "14743-9")] {
      let glucose = try read(Fixture.glucose([type], number: number, unit: unit)).observation(code)
      #expect(glucose.codes("code") == [term, code] + (sample == "1" ? [byMeter] : []))
      #expect(glucose.text("valueQuantity.code") == unit)
    }
  }

  @Test(
    "the code of a temperature is that of the place",
    arguments: [
      ("1", ["188452", "8310-5", "8328-7"]), ("2", ["150364", "8310-5"]), ("3", ["188428", "8310-5"]),
      ("4", ["188432", "8310-5"]), ("5", ["188456", "8310-5"]), ("6", ["188424", "8310-5", "8331-1"]),
      ("7", ["188420", "8310-5", "8332-9"]), ("8", ["188448", "8310-5"]), ("9", ["150392", "8310-5", "8333-7"]),
    ])
  func sites(site: String, codes: [String]) throws {
    let record = Fixture.reading(
      .biometrics,
      [try Fixture.value("body_temperature", "36.60", "Cel"), try Fixture.value("temperature_site", site)])
    #expect(try read(record).observation("8310-5").codes("code") == codes)
  }

  @Test("what a person enters has LOINC's codes alone, and a term where LOINC has none")
  func entered() throws {
    let values = [try Fixture.value("body_weight", "75", "kg"), try Fixture.value("body_impedance", "500", "Ohm")]
    let weight = try read(Fixture.reading(.weight, values, from: Fixture.person, origin: .manual))
    #expect(weight.resources.map { $0.codes("code") } == [["29463-7"], ["188780"]])
    #expect(weight.resources.allSatisfy { $0.at("device") == nil && $0.at("extension") == nil })
    #expect(weight.resources[0].profiles == ["http://hl7.org/fhir/StructureDefinition/bodyweight"])
  }

  @Test(
    "a number keeps its digits",
    arguments: ["6.20", "6.2", "6", "0.50", "22.200", "10.0"])
  func digits(number: String) throws {
    let glucose = try read(Fixture.glucose(number: number, unit: "mmol/L")).observation("15074-8")
    #expect(glucose.at("valueQuantity.value")?.numeral == number)
  }

  @Test(
    "what the meter could not show has a comparator, and no other value has one",
    arguments: zip(ValueQualifier.allCases, [nil, ">", "<", nil]))
  func comparators(qualifier: ValueQualifier, comparator: String?) throws {
    let glucose = try read(Fixture.glucose(qualifier: qualifier)).observation("2339-0")
    #expect(glucose.text("valueQuantity.comparator") == comparator)
    let interpretation = glucose.at("interpretation")?.elements.first?.codes("") ?? []
    #expect(interpretation == (qualifier == .questionable ? ["questionable"] : []))
  }

  @Test("pressures are in mm[Hg], as the vital sign demands, and intervals between heartbeats in ms")
  func units() throws {
    let pressures = [try Fixture.value("systolic", "16.0", "kPa"), try Fixture.value("diastolic", "9.87", "kPa")]
    let panel = try read(Fixture.reading(.biometrics, pressures)).observation("85354-9")
    let parts = try #require(panel.at("component")?.elements)
    #expect(parts.map { $0.at("valueQuantity.value")?.numeral } == ["120.0", "74.03"])
    #expect(parts.allSatisfy { $0.text("valueQuantity.code") == "mm[Hg]" })
    let heart = [try Fixture.value("heart_rate", "72", "/min"), try Fixture.value("rr_interval", "0.832", "s")]
    let interval = try read(Fixture.reading(.biometrics, heart)).observation("147240")
    #expect(interval.at("valueQuantity.value")?.numeral == "832" && interval.text("valueQuantity.code") == "ms")
  }

  @Test("a pulse is an oximeter's beside a saturation, and a pressure monitor's or a strap's else")
  func pulses() throws {
    let pulse = try Fixture.value("pulse", "61", "/min")
    let alone = try read(Fixture.reading(.biometrics, [pulse]))
    #expect(alone.resources("Observation").map { $0.codes("code") } == [["149546", "8867-4"]])
    let beside = try read(Fixture.reading(.biometrics, [pulse, try Fixture.value("spo2", "97", "%")]))
    #expect(beside.resources("Observation").map { $0.codes("code")[0] } == ["150456", "149530"])
    let strap = try read(Fixture.reading(.biometrics, [try Fixture.value("heart_rate", "72", "/min")]))
    #expect(strap.resources("Observation").map { $0.codes("code") } == [["147842", "8867-4"]])
  }

  @Test(
    "a status is told by the names of the bits that are set",
    arguments: [
      ("sensor_status", "1", ["8417752.0"]), ("sensor_status", "1025", ["8417752.0", "8417752.10"]),
      ("blood_pressure_status", "7", ["8410608.0", "8410608.1", "8410608.2"]),
      ("blood_pressure_status", "8", ["8410608.3"]), ("blood_pressure_status", "16", ["8410608.4"]),
      // Both above and below a range: reserved.
      ("blood_pressure_status", "25", ["8410608.0"]), ("oximeter_device_status", "1", ["150604.15"]),
      ("oximeter_device_status", "32768", ["150604.0"]), ("oximeter_device_status", "288", ["150604.7", "150604.10"]),
      // A time fault, and bits that nobody has named: there is nothing to tell.
      ("sensor_status", "2048", []), ("sensor_status", "0", []), ("oximeter_device_status", "65536", []),
      ("oximeter_measurement_status", "32", []),
    ])
  func statuses(metric: String, status: String, bits: [String]) throws {
    let read = try read(Fixture.glucose([Fixture.value(metric, status)]))
    let statuses = read.resources("Observation").filter { $0.at("component") != nil }
    #expect(statuses.count == (bits.isEmpty ? 0 : 1))
    #expect((statuses.first?.at("component")?.elements ?? []).flatMap { $0.codes("code") } == bits)
  }

  @Test("what says that nothing is known is left out")
  func silent() throws {
    let beside = [
      try Fixture.value("tester", "15"), try Fixture.value("health_status", "15"),
      try Fixture.value("sample_location", "15"), try Fixture.value("relationship_to_meal", "9"),
      try Fixture.value("battery_level", "90", "%"), try Fixture.value("sensor_contact", "3"),
    ]
    #expect(try read(Fixture.glucose(beside)).resources("Observation").count == 1)
  }

  @Test("every fact about a value is one about the main observation")
  func context() throws {
    let golden = try #require(BundleCase.all.first { $0.name == "glucose-with-all-its-context" })
    let bundle = try golden.bundle()
    let read = try ReadBundle(bundle)
    let main = try #require(read.entries[bundle.mainEntry].text("fullUrl"))
    let facts = read.entries[(bundle.mainEntry + 1)...]
    #expect(facts.count == 10)
    #expect(facts.allSatisfy { $0.text("resource.derivedFrom.0.reference") == main })
  }

  @Test("every code of LOINC has the check digit that its number gives", arguments: BundleCase.all)
  func checkDigits(_ golden: BundleCase) throws {
    for resource in try ReadBundle(golden.bundle()).resources {
      let codings =
        (resource.at("code.coding")?.elements ?? [])
        + (resource.at("component")?.elements ?? []).flatMap { $0.at("code.coding")?.elements ?? [] }
      for coding in codings where coding.text("system") == "http://loinc.org" {
        let parts = try #require(coding.text("code")).split(separator: "-").map(String.init)
        #expect(parts.count == 2 && Int(parts[1]) == Self.checkDigit(of: parts[0]), "\(parts)")
      }
    }
  }

  /// Mod 10, as LOINC's users' guide has it: from the right, every second digit as one number and doubled, and the rest.
  private static func checkDigit(of number: String) -> Int {
    let digits = number.reversed().compactMap(\.wholeNumberValue)
    let odd = digits.enumerated().filter { $0.offset.isMultiple(of: 2) }.reduce(0) { $0 * 10 + $1.element }
    let rest = digits.enumerated().filter { !$0.offset.isMultiple(of: 2) }.map(\.element)
    let sum = String(2 * odd).compactMap(\.wholeNumberValue).reduce(0, +) + rest.reduce(0, +)
    return (10 - sum % 10) % 10
  }
}
