import Testing

@testable import MeterCore

/// Codes of the nomenclatures, which a program of another maker looks up.
@Suite("Codes of metrics", .timeLimit(.minutes(60)))
struct CodeTests {
  static let loinc = Metric.all.flatMap { metric in metric.units.flatMap(\.loinc) }

  @Test("every LOINC code has the check digit that its number gives", arguments: loinc)
  func checkDigit(code: String) throws {
    let parts = code.split(separator: "-").map(String.init)
    #expect(parts.count == 2)
    #expect(try #require(parts.last) == String(Self.checkDigit(of: try #require(parts.first))))
  }

  @Test("the check digit is LOINC's", arguments: [("2339", 0), ("15074", 8), ("66441", 7), ("53061", 8)])
  func published(number: String, digit: Int) {
    #expect(Self.checkDigit(of: number) == digit)
  }

  /// What a public source of IEEE 11073-10101 and of LOINC's own vital signs confirms for each metric; nothing else stands
  /// in the dictionary.
  @Test("the dictionary has the codes that public sources confirm, and no others")
  func confirmed() {
    let mdc: [String: Int] = [
      "blood_glucose": 160184, "control_solution_glucose": 160208, "hba1c": 160220, "inr": 160260,
      "body_temperature": 150364, "systolic": 150021, "diastolic": 150022, "mean_arterial_pressure": 150023,
      "pulse": 149546, "heart_rate": 147842, "spo2": 150456, "pulse_amplitude_index": 150448, "body_weight": 188736,
      "body_height": 188740, "bmi": 188752, "body_fat": 188748, "fat_free_mass": 188756, "soft_lean_mass": 188760,
      "body_water_mass": 188764, "basal_metabolism": 188768, "body_muscle_percent": 188772, "body_muscle_mass": 188776,
      "body_impedance": 188780, "rr_interval": 147240,
    ]
    let found = Metric.dictionary.compactMap { metric in metric.mdc.map { (metric.name, $0) } }
    #expect(Dictionary(uniqueKeysWithValues: found) == mdc)
    #expect(Self.loinc(of: "spo2") == ["2708-6", "59408-5"] && Self.loinc(of: "blood_ketone") == ["66441-7"])
    #expect(Self.loinc(of: "blood_glucose") == ["2339-0", "15074-8"])
  }

  private static func loinc(of name: String) -> [String] {
    Metric.dictionary.filter { $0.name == name }.flatMap(\.units).flatMap(\.loinc)
  }

  /// Mod 10 (LOINC Users' Guide, "The LOINC check digit"): every second digit from the right, read as one number and doubled, and
  /// the rest; the digits of both are added, and what lacks to the next ten is the check digit.
  private static func checkDigit(of number: String) -> Int {
    let digits = number.reversed().compactMap(\.wholeNumberValue)
    let doubled = digits.enumerated().filter { $0.offset.isMultiple(of: 2) }.reduce(0) { $0 * 10 + $1.element } * 2
    let rest = digits.enumerated().filter { !$0.offset.isMultiple(of: 2) }.map(\.element)
    let sum = String(doubled).compactMap(\.wholeNumberValue).reduce(0, +) + rest.reduce(0, +)
    return (10 - sum % 10) % 10
  }
}
