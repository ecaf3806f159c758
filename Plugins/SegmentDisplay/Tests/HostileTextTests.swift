import CMeterDriver
import Foundation
import TestSupport
import Testing

@testable import DriverTestBench

/// Whatever the rows are said to show, a value only comes of the text that the meter shows for it.
@Suite struct HostileTextTests {
  /// The text of a value as a meter shows it.
  static func shown(_ value: TestValue) -> String {
    let decimals = -Int(value.exponent)
    guard decimals > 0 else { return String(value.raw) }
    let digits = String(repeating: "0", count: max(0, decimals + 1 - String(value.raw).count)) + String(value.raw)
    return digits.dropLast(decimals) + "." + digits.suffix(decimals)
  }

  static func check(_ meaning: DisplayBundle.Meaning, _ rows: [[UInt8]], _ meter: Peripheral) throws {
    #expect(meaning.status == MH_OK && (MH_OCR_INCOMPLETE...MH_OCR_OTHER_UNIT).contains(meaning.verdict))
    #expect(meaning.records.count == (meaning.verdict == MH_OCR_VALID ? 1 : 0), "\(meter) \(rows)")
    guard let record = meaning.records.first else { return }
    let texts = rows.filter { !$0.isEmpty }.map { String(decoding: $0, as: UTF8.self) }
    let plausible = try PlausibleRanges.load()
    #expect(record.values.count == texts.count)
    for (value, text) in zip(record.values, texts) {
      #expect(value.value == Double(value.raw) / pow(10, -Double(value.exponent)))
      #expect(plausible.contains(value), "\(meter) \(texts)")
      switch UInt32(value.qualifier) {
      case MH_QUAL_EXACT: #expect(Self.shown(value) == text)
      case MH_QUAL_BELOW: #expect(text == "Lo" && meter.type == "glucose_meter")
      case MH_QUAL_ABOVE: #expect(text == "Hi" && meter.type == "glucose_meter")
      default: Issue.record("another qualifier")
      }
    }
    if let systolic = record.value(MH_METRIC_SYSTOLIC), let diastolic = record.value(MH_METRIC_DIASTOLIC) {
      #expect(diastolic.raw < systolic.raw)
    }
  }

  @Test(arguments: DisplayBundle.meters) func anyBytesAreBorne(_ meter: Peripheral) throws {
    let bundle = try DisplayBundle()
    let count = try #require(bundle.layout(meter.id).layout?.rows.count)
    var random = SeededGenerator(seed: UInt64(meter.id))
    let units = [MH_UNIT_NONE] + meter.unitCodes
    let shown = Array("0123456789.-LoHiEr ".utf8) + [0, 0x0a, 0x80, 0xff]
    for round in 0..<4_000 {
      let rows = (0..<count).map { _ in
        round % 4 == 0
          ? random.bytes(0...16)
          : (0..<Int.random(in: 0...(round % 4 == 1 ? 16 : 5), using: &random)).map { _ in
            shown.randomElement(using: &random) ?? 0
          }
      }
      let chosen = units.randomElement(using: &random) ?? MH_UNIT_NONE
      let verdict = bundle.verdict(rows, meter: meter.id, unit: chosen)
      #expect((MH_OCR_INCOMPLETE...MH_OCR_OTHER_UNIT).contains(verdict))
      guard verdict == MH_OCR_VALID else { continue }
      try Self.check(bundle.interpret(rows, meter: meter.id, unit: chosen, Self.small), rows, meter)
    }
  }

  static let small = Capacities(records: 1, values: 3, arena: 64, texts: 1)

  /// Every number below 4100 with and without a point, in every row in turn: those that are valid are one
  /// unbroken range, and show themselves again.
  @Test(arguments: DisplayBundle.meters) func validNumbersAreOneRange(_ meter: Peripheral) throws {
    let bundle = try DisplayBundle()
    let good = try #require(Self.good[meter.type])
    #expect(meter.unitCodes.count == good.count)
    for (index, unit) in meter.unitCodes.enumerated() {
      for row in 0..<good[index].count {
        var valid: [Int] = []
        var decimals: Set<Int> = []
        for number in 0..<4_100 {
          for point in 0...2 {
            let digits = String(number)
            guard digits.count > point else { continue }
            var rows = good[index]
            rows[row] = point == 0 ? digits : digits.dropLast(point) + "." + digits.suffix(point)
            let bytes = rows.map { Array($0.utf8) }
            guard bundle.verdict(bytes, meter: meter.id, unit: unit) == MH_OCR_VALID else { continue }
            if number % 16 == 0 {
              try Self.check(bundle.interpret(bytes, meter: meter.id, unit: unit, Self.small), bytes, meter)
            }
            valid.append(number)
            decimals.insert(point)
          }
        }
        #expect(valid.count > 20 && decimals.count == 1, "\(meter) row \(row)")
        let first = try #require(valid.first), last = try #require(valid.last)
        #expect(valid == Array(first...last), "\(meter) row \(row)")
      }
    }
  }

  /// A display with valid rows, by the kind of meter and its units. Sevens are no digits upside down: no pair with one is
  /// refused because it reads both ways.
  static let good: [String: [[String]]] = [
    "glucose_meter": [["106"], ["5.6"]], "thermometer": [["98.6"], ["36.6"]], "weight_scale": [["72.4"], ["159.6"]],
    "blood_pressure": [["128", "82", "66"]], "pulse_oximeter": [["97", "71"]],
  ]

  /// A value that lost its point, or gained one, is none in the unit that was chosen.
  @Test(arguments: DisplayBundle.meters) func aWrongPointIsNeverAValue(_ meter: Peripheral) throws {
    let bundle = try DisplayBundle()
    let good = try #require(Self.good[meter.type])
    for (rows, unit) in zip(good, meter.unitCodes) {
      #expect(bundle.interpret(rows, meter: meter.id, unit: unit).verdict == MH_OCR_VALID)
      for index in rows.indices {
        let digits = rows[index].filter { $0 != "." }
        var variants = (1..<digits.count).map { digits.prefix($0) + "." + digits.dropFirst($0) }.map(String.init)
        variants += [digits, "." + digits, digits + "."]
        for variant in variants where variant != rows[index] {
          var changed = rows
          changed[index] = variant
          #expect(bundle.interpret(changed, meter: meter.id, unit: unit).verdict != MH_OCR_VALID, "\(meter) \(variant)")
        }
      }
    }
  }
}

/// The dictionary's ranges: a value beyond them would be held by the host.
struct PlausibleRanges: Decodable {
  struct Metric: Decodable {
    let code: UInt16
    let units: [Unit]
  }

  struct Unit: Decodable {
    let ucum: String
    let code: UInt16?
    let plausible: [Double]?
  }

  let units: [MetricNames.Entry]
  let metrics: [Metric]

  private struct Registry: Decodable { let dictionary: PlausibleRanges }

  private static let loaded = Result {
    let data = try Data(contentsOf: packageFolder().appendingPathComponent("registry.json"))
    return try JSONDecoder().decode(Registry.self, from: data).dictionary
  }

  static func load() throws -> PlausibleRanges { try loaded.get() }

  func contains(_ value: TestValue) -> Bool {
    guard let unit = units.first(where: { $0.code == value.unit })?.ucum,
      let allowed = metrics.first(where: { $0.code == value.metric })?.units.first(where: { $0.ucum == unit }),
      let range = allowed.plausible, range.count == 2
    else { return false }
    return (range[0]...range[1]).contains(value.value)
  }
}
