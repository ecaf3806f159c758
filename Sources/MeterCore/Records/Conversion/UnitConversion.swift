/// The rule between two units: (value - subtracting) * numerator / denominator + adding, all of it exact.
struct UnitConversion {
  let numerator: Int128
  let denominator: Int128
  var subtracting: Int128 = 0
  var adding: Int128 = 0
  /// A display's last digit in the target unit; nil where displays have no resolution of their own.
  var display: Display?

  /// A power of ten.
  enum Display {
    /// Whatever was reported.
    case fixed(Int8)
    /// As reported and at most `bound`, then `finer` digits more.
    case reported(bound: Int8, finer: Int8)
  }

  /// The rule from one UCUM unit to another, nil when there is none.
  static func from(_ from: String, to: String, analyte: Analyte?) -> UnitConversion? {
    if let rule = linear(from, to) { return rule }
    guard let analyte else { return nil }
    let mass = analyte.milligramsPerMole
    // Glucose meters show 1 mg/dL or 0.1 mmol/L.
    let isGlucose = analyte == .glucose
    switch (from, to) {
    case ("mg/dL", "mmol/L"):
      return UnitConversion(numerator: 10_000, denominator: mass, display: isGlucose ? .fixed(-1) : nil)
    case ("mmol/L", "mg/dL"):
      return UnitConversion(numerator: mass, denominator: 10_000, display: isGlucose ? .fixed(0) : nil)
    case ("mg/dL", "umol/L"): return UnitConversion(numerator: 10_000_000, denominator: mass)
    case ("umol/L", "mg/dL"): return UnitConversion(numerator: mass, denominator: 10_000_000)
    default: return nil
    }
  }

  /// The power of ten of a display's last digit for a number with this one; nil where there is none.
  func displayed(_ exponent: Int8) -> Int8? {
    switch display {
    case .fixed(let power): power
    case .reported(let bound, let finer): min(exponent, bound) - finer
    case nil: nil
    }
  }

  /// Whether only the substance is missing.
  static func needsAnalyte(_ from: String, _ to: String) -> Bool {
    Analyte.allCases.contains { self.from(from, to: to, analyte: $0) != nil } && linear(from, to) == nil
  }

  private static func linear(_ from: String, _ to: String) -> UnitConversion? {
    if let rule = special(from, to) { return rule }
    for (large, small, numerator, denominator) in ratios {
      if from == large, to == small { return UnitConversion(numerator: numerator, denominator: denominator) }
      if from == small, to == large { return UnitConversion(numerator: denominator, denominator: numerator) }
    }
    return nil
  }

  /// Pairs with a display's resolution: temperature as reported, 0.1 at least as fine; mass one digit finer from pounds
  /// to kilograms, so that the way back gives the number that the scale showed.
  private static func special(_ from: String, _ to: String) -> UnitConversion? {
    switch (from, to) {
    case ("[degF]", "Cel"):
      UnitConversion(numerator: 5, denominator: 9, subtracting: 32, display: .reported(bound: -1, finer: 0))
    case ("Cel", "[degF]"):
      UnitConversion(numerator: 9, denominator: 5, adding: 32, display: .reported(bound: -1, finer: 0))
    // 1 [lb_av] = 0.45359237 kg exactly (international pound).
    case ("[lb_av]", "kg"):
      UnitConversion(numerator: 45_359_237, denominator: 100_000_000, display: .reported(bound: 0, finer: 1))
    case ("kg", "[lb_av]"):
      UnitConversion(numerator: 100_000_000, denominator: 45_359_237, display: .reported(bound: -1, finer: 0))
    default: nil
    }
  }

  /// Larger unit, smaller unit, and how many of the smaller one it is, as a fraction. By UCUM 2.1: [in_i] 2.54 cm,
  /// mm[Hg] 133.322 Pa, kcal 4.184 kJ, all of them exact there.
  private static let ratios: [(String, String, Int128, Int128)] = [
    ("[in_i]", "cm", 254, 100), ("m", "cm", 100, 1), ("kPa", "mm[Hg]", 1_000_000, 133_322), ("kcal", "kJ", 4184, 1000),
    ("kg", "g", 1000, 1), ("g", "mg", 1000, 1), ("L", "mL", 1000, 1), ("mmol/L", "umol/L", 1000, 1),
    ("h", "min", 60, 1), ("min", "s", 60, 1), ("h", "s", 3600, 1), ("s", "ms", 1000, 1), ("min", "ms", 60_000, 1),
    ("mg/L", "ug/L", 1000, 1), ("ng/mL", "ug/L", 1, 1), ("g/dL", "mg/dL", 1000, 1), ("mg/dL", "ug/dL", 1000, 1),
  ]

  /// The power of ten that the factor is, nil when it is none.
  var power: Int8? {
    guard subtracting == 0, adding == 0 else { return nil }
    return (-6...6).first { Self.compare($0, numerator, denominator) == 0 }
  }

  /// How many digits coarser (positive) or finer the target's last digit may be, so that the way back gives the number.
  ///
  /// A result is off by half a digit at most. That is half a digit of the number on the way back if 10^shift equals the
  /// factor, which then loses nothing, and less than half if it is smaller.
  var reversibleShift: Int8 {
    (-8...6).reversed().first { Self.compare($0, numerator, denominator) <= 0 } ?? -8
  }

  /// -1, 0 or 1 as 10^shift is smaller than, equal to or greater than the fraction.
  private static func compare(_ shift: Int8, _ numerator: Int128, _ denominator: Int128) -> Int {
    let left = denominator * Int128.tenTo(shift)
    let right = numerator * Int128.tenTo(-shift)
    return left < right ? -1 : left == right ? 0 : 1
  }
}

extension Int128 {
  /// Ten to a power; 1 for negative ones.
  static func tenTo(_ power: Int8) -> Int128 { (0..<Swift.max(0, power)).reduce(1) { result, _ in result * 10 } }
}
