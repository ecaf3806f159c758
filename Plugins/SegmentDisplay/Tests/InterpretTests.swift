import CMeterDriver
import Foundation
import Testing

@testable import DriverTestBench

/// One entry of texts.json: what the rows of a meter show, and what it means.
struct DisplayText: Decodable, CustomStringConvertible, Sendable {
  let id: String
  let meter: UInt32
  let unit: String?
  let rows: [String]
  let verdict: String
  let values: [Vector.Value]?

  var description: String { id }

  static let all: [DisplayText] = {
    let file = packageFolder().appendingPathComponent("Plugins/SegmentDisplay/texts.json")
    guard let data = try? Data(contentsOf: file) else { return [] }
    return (try? JSONDecoder().decode([DisplayText].self, from: data)) ?? []
  }()

  var verdictCode: UInt32? {
    [
      "incomplete": MH_OCR_INCOMPLETE, "valid": MH_OCR_VALID, "not_a_value": MH_OCR_NOT_A_VALUE,
      "wrong_meter": MH_OCR_WRONG_METER, "other_unit": MH_OCR_OTHER_UNIT,
    ][verdict]
  }
}

@Suite struct InterpretTests {
  @Test(arguments: DisplayBundle.meters) func everyTextMeansWhatItShould(_ meter: Peripheral) throws {
    let bundle = try DisplayBundle()
    let dictionary = try MetricNames.load()
    let texts = DisplayText.all.filter { $0.meter == meter.id }
    #expect(Set(texts.map(\.verdict)).isSuperset(of: ["valid", "not_a_value", "wrong_meter"]))
    for text in texts {
      let unit = try text.unit.map { name in
        try #require(dictionary.units.first { $0.ucum == name }?.code, "\(text)")
      }
      let rows = text.rows.map { Array($0.utf8) }
      let meaning = bundle.interpret(
        rows, meter: text.meter, unit: unit.map(UInt32.init) ?? MH_UNIT_NONE, HostileTextTests.small)
      #expect(meaning.status == MH_OK && meaning.verdict == text.verdictCode, "\(text)")
      #expect(meaning.records.count == (text.values == nil ? 0 : 1), "\(text)")
      guard let record = meaning.records.first else { continue }
      #expect(dictionary.values(record) == text.values, "\(text)")
      #expect(record.kind == MH_KIND_MEASUREMENT && record.flags == 0 && record.timeKind == MH_TIME_NONE, "\(text)")
      #expect(record.sequence == mh_seq_none() && record.identityClass == MH_IDENT_LIVE, "\(text)")
      #expect(record.identity == Array(text.rows.joined(separator: "\n").utf8), "\(text)")
    }
  }

  @Test func everyTextBelongsToAMeter() {
    #expect(DisplayText.all.count > 700)
    #expect(Set(DisplayText.all.map(\.meter)) == Set(DisplayBundle.meters.map(\.id)))
    #expect(DisplayText.all.allSatisfy { $0.verdictCode != nil && ($0.verdict == "valid") == ($0.values != nil) })
  }

  @Test(arguments: DisplayBundle.meters) func callsThatContradictThemselvesAreRefused(_ meter: Peripheral) throws {
    let bundle = try DisplayBundle()
    let count = try #require(bundle.layout(meter.id).layout?.rows.count)
    let rows = [String](repeating: "98", count: count)
    #expect(bundle.interpret(rows + ["98"], meter: meter.id).status == MH_E_ARG)
    #expect(bundle.interpret(Array(rows.dropLast()), meter: meter.id).status == MH_E_ARG)
    #expect(bundle.interpret(rows, meter: meter.id, unit: MH_UNIT_GRAM).status == MH_E_ARG)
    #expect(bundle.interpret(rows, meter: meter.id, unit: 0).status == MH_E_ARG)
    let long = [String](repeating: String(repeating: "9", count: 17), count: count)
    #expect(bundle.interpret(long, meter: meter.id).status == MH_E_ARG)
    for unknown in [0, 1, meter.id + 50, .max] {
      #expect(bundle.interpret(rows, meter: unknown).status == MH_E_NOT_FOUND)
    }
  }

  /// The registry names the units that the driver takes, the default first; it takes no other.
  @Test(arguments: DisplayBundle.meters) func theUnitsAreThoseOfTheRegistry(_ meter: Peripheral) throws {
    let bundle = try DisplayBundle()
    let good = try #require(HostileTextTests.good[meter.type])
    let unnamed = bundle.interpret(good[0], meter: meter.id)
    #expect(unnamed.verdict == MH_OCR_VALID && !meter.unitCodes.isEmpty)
    #expect(unnamed == bundle.interpret(good[0], meter: meter.id, unit: meter.unitCodes[0]))
    #expect(unnamed.records[0].values[0].unit == UInt16(meter.unitCodes[0]))
    for unit in try MetricNames.load().units.map({ UInt32($0.code) }) where unit != MH_UNIT_NONE {
      let status = bundle.interpret(good[0], meter: meter.id, unit: unit).status
      #expect(status == (meter.unitCodes.contains(unit) ? MH_OK : MH_E_ARG), "\(unit)")
    }
  }

  /// A sink without room is not written to, and the texts count as nothing.
  @Test func aFullSinkHoldsNothing() throws {
    let bundle = try DisplayBundle()
    let rows = ["128", "82", "66"].map { Array($0.utf8) }
    for small in [
      Capacities(records: 0), Capacities(values: 2), Capacities(arena: 8),
    ] {
      let meaning = bundle.interpret(rows, meter: 10101, small)
      #expect(meaning.status == MH_E_FULL && meaning.records.isEmpty && meaning.verdict != MH_OCR_VALID)
    }
    #expect(bundle.interpret(rows, meter: 10101, Capacities(records: 1, values: 3, arena: 9)).status == MH_OK)
  }

  @Test func theBundleTestsItself() throws {
    let bundle = try DisplayBundle()
    #expect(bundle.driver.capabilities == 0 && bundle.driver.bluetooth == nil && bundle.driver.n_functions == 1)
    let function = try #require(bundle.driver.functions?.pointee)
    #expect(String(cString: function.name) == "self_test" && String(cString: function.signature) == "i32(out_text)")
    typealias SelfTest = @convention(c) (UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<UInt64>?) -> Int32
    let selfTest = unsafeBitCast(try #require(function.function), to: SelfTest.self)
    var report = [CChar](repeating: 0, count: 256)
    var length: UInt64 = 256
    #expect(selfTest(&report, &length) == MH_OK)
    #expect(length > 10 && length < 256)
  }
}
