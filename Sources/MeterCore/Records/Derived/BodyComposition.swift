internal import HostPrimitives

/// Body composition computed from the impedance between the feet, by a published formula and only for people of whom its authors
/// have shown that it holds.
///
/// Wu CS, Chen YY, Chuang CL, Chiang LM, Dwyer GB, Hsu YL, Huang AC, Lai CL, Hsieh KC: "Predicting body composition using
/// foot-to-foot bioelectrical impedance analysis in healthy Asian individuals", Nutrition Journal 14:52 (2015),
/// doi:10.1186/s12937-015-0041-0:
///
///     FFM = 13.055 + 0.204 W + 0.394 H^2 / Z - 0.136 age + 8.125 sex
///
/// with the fat-free mass and the weight in kilograms, the height in centimetres, the impedance in Ohm, the age in years, and 1 for
/// men, 0 for women; its standard error against DXA is 3.17 kg. It was made of 554 people from 16 to 75 years old with a body mass
/// index of 15.8 to 43.1 kg/m2.
struct BodyComposition: Sendable, Equatable {
  /// Kilograms, to a tenth.
  let fatFreeMass: Int64
  /// Percent of the weight, to a tenth.
  let bodyFat: Int64

  private static let ages: ClosedRange<Int64> = 16...75
  private static let bodyMassIndices: ClosedRange<Double> = 15.8...43.1
  /// What scales show between the feet of adults; outside it is a fault, or somebody who wears socks.
  private static let impedances: ClosedRange<Double> = 200...1000
  /// Shares of fat that people have; another result says that the formula does not fit this person.
  private static let fats: ClosedRange<Double> = 3...60

  /// - Returns: Nil for whom the formula was not made, and where its result cannot be.
  init?(kilograms: Double, ohm: Double, profile: BodyProfile, day: CivilDate) {
    let height = profile.heightCentimetres
    let index = kilograms / (height * height / 10_000)
    guard let age = profile.age(on: day), Self.ages.contains(age), Self.bodyMassIndices.contains(index),
      Self.impedances.contains(ohm)
    else { return nil }
    let sex = profile.sex == .male ? 8.125 : 0
    let mass = 13.055 + 0.204 * kilograms + 0.394 * height * height / ohm - 0.136 * Double(age) + sex
    let fat = (kilograms - mass) / kilograms * 100
    guard Self.fats.contains(fat) else { return nil }
    fatFreeMass = Int64((mass * 10).rounded())
    bodyFat = Int64((fat * 10).rounded())
  }
}

extension BodyComposition {
  /// Drivers of scales whose impedance is known to be one in Ohm between the feet at the formula's frequency. Of others sources
  /// disagree on unit or frequency, and a number from them would be a guess.
  static let drivers: Set<String> = ["org.meterhost.mi-scale"]

  /// The formula's place among those of `derivation_formula`.
  private static let formula: Int64 = 1

  /// What it adds to a record: facts about the reading, by names that no meter's own values have.
  var values: [RecordValue] {
    [
      Self.value(Metric.derivedFatFreeMass, "kg", fatFreeMass, -1),
      Self.value(Metric.derivedBodyFat, "%", bodyFat, -1),
      Self.value(Metric.derivationFormula, "1", Self.formula, 0),
    ].compactMap(\.self)
  }

  private static func value(_ metric: UInt16, _ ucum: String, _ digits: Int64, _ exponent: Int8) -> RecordValue? {
    MetricUnit.withUCUM(ucum).map { unit in
      RecordValue(metric: metric, unit: unit.code, number: ReportedNumber(mantissa: digits, exponent: exponent))
    }
  }
}

extension Record {
  /// The values that follow from this weighing for its user; none where the scale has told fat or fat-free mass itself, or does not
  /// measure the impedance.
  func derivedValues(for profile: BodyProfile) -> [RecordValue] {
    func exact(_ name: String) -> RecordValue? {
      values.first { $0.metricName == name && $0.qualifier == .exact }
    }
    let told = ["body_fat", "fat_free_mass"]
    guard BodyComposition.drivers.contains(source.driverID), !values.contains(where: { told.contains($0.metricName) }),
      let weighing,
      let impedance = exact("body_impedance")
    else { return [] }
    let shown = time.civilMicroseconds ?? time.startMicroseconds + Int64(time.utcOffsetSeconds ?? 0) * 1_000_000
    let day = CivilDate(daysSince1970: shown.dividedDown(by: 86_400_000_000).quotient)
    return BodyComposition(
      kilograms: Double(weighing.grams) / 1000, ohm: impedance.number.doubleValue, profile: profile, day: day)?.values
      ?? []
  }
}
