/// What units of exports come to in the unit in which a quantity is held.
package enum UnitTable {
  /// The rule of a unit: (value + adding) * factor.
  package struct Rule: Sendable, Hashable {
    package let factor: Fraction
    package var adding = Fraction.zero

    /// The value in the quantity's unit; nil when it leaves 128 bits.
    package func converted(_ value: Fraction) -> Fraction? { value.adding(adding)?.multiplied(by: factor) }
  }

  /// The rule from a unit as an export writes it, nil for one that is not known or not of this quantity.
  package static func rule(_ text: String, for quantity: HealthQuantity) -> Rule? {
    guard let target = quantity.unit else { return nil }
    return rule(text, to: target)
  }

  /// The rule to a unit by its UCUM name. `%` means percent: a driver whose export writes fractions with it says so by the exponent.
  package static func rule(_ text: String, to target: String) -> Rule? {
    let unit = normalized(text)
    switch target {
    case "Cel": return temperatures[unit]
    case "mg/dL": return glucose(unit)
    default: return tables[target]?[unit]
    }
  }

  private static func ratio(_ above: Int128, _ below: Int128 = 1) -> Rule {
    Rule(factor: Fraction(above, over: below) ?? .one)
  }

  /// Without blanks, dots and superscripts that stand for the same unit.
  private static func normalized(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\u{B7}", "\u{22C5}", "\u{2219}", "\u{2022}": result.append("·")
      case "\u{B5}", "\u{3BC}": result.append("u")
      case "\u{B2}": result.append("2")
      case "\u{B0}": result.append("deg")
      case " ", "\u{A0}", "\u{202F}": continue
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private static let temperatures: [String: Rule] = {
    let celsius = ratio(1)
    let fahrenheit = Rule(factor: Fraction(5, over: 9) ?? .one, adding: Fraction(-32))
    let kelvin = Rule(factor: .one, adding: Fraction(-27_315, over: 100) ?? .zero)
    return [
      "degC": celsius, "C": celsius, "Cel": celsius, "celsius": celsius, "degF": fahrenheit, "F": fahrenheit,
      "[degF]": fahrenheit, "fahrenheit": fahrenheit, "K": kelvin,
    ]
  }()

  /// `mg/dL`, and `mmol/L` with or without the molar mass that Apple writes into it (`mmol<180.1558800000541>/L`): one mmol/L of glucose
  /// is 18.0156 mg/dL, with the molar mass of the table in `docs/reference/records.md`.
  private static func glucose(_ unit: String) -> Rule? {
    switch unit {
    case "mg/dL", "mg/dl": return ratio(1)
    case "mg/L": return ratio(1, 10)
    case "g/L": return ratio(100)
    case "mmol/L", "mmol/l": return ratio(180_156, 10_000)
    default: break
    }
    guard unit.hasPrefix("mmol<180."), unit.hasSuffix(">/L") || unit.hasSuffix(">/l") else { return nil }
    let mass = unit.dropFirst(9).dropLast(3)
    return !mass.isEmpty && mass.utf8.allSatisfy { (0x30...0x39).contains($0) } ? ratio(180_156, 10_000) : nil
  }

  /// By the target's UCUM name. Exact by definition: the international pound, inch and mile, the thermochemical calorie, and by UCUM 2.1
  /// 1 mm[Hg] = 133.322 Pa; the fluid ounce is the US one of 29.5735295625 mL.
  private static let tables: [String: [String: Rule]] = [
    "{count}": ["count": ratio(1), "{count}": ratio(1), "": ratio(1), "steps": ratio(1)],
    "%": ["%": ratio(1), "percent": ratio(1), "pct": ratio(1), "fraction": ratio(100)],
    "m": [
      "m": ratio(1), "km": ratio(1000), "cm": ratio(1, 100), "mm": ratio(1, 1000), "mi": ratio(1_609_344, 1000),
      "ft": ratio(3048, 10_000), "in": ratio(254, 10_000), "yd": ratio(9144, 10_000),
    ],
    "cm": [
      "cm": ratio(1), "m": ratio(100), "mm": ratio(1, 10), "km": ratio(100_000), "in": ratio(254, 100),
      "ft": ratio(3048, 100), "yd": ratio(9144, 100),
    ],
    "kcal": [
      "kcal": ratio(1), "Cal": ratio(1), "cal": ratio(1, 1000), "kJ": ratio(1000, 4184), "kj": ratio(1000, 4184),
      "J": ratio(1, 4184), "MJ": ratio(1_000_000, 4184),
    ],
    "kcal/d": [
      "kcal/d": ratio(1), "kcal/day": ratio(1), "kJ/d": ratio(1000, 4184),
      // 86400 J of a day in kcal; 4184 J are one.
      "W": ratio(86_400, 4184),
    ],
    "s": [
      "s": ratio(1), "sec": ratio(1), "min": ratio(60), "hr": ratio(3600), "h": ratio(3600), "ms": ratio(1, 1000),
      "d": ratio(86_400), "us": ratio(1, 1_000_000),
    ],
    "ms": ["ms": ratio(1), "s": ratio(1000), "us": ratio(1, 1000)],
    "kg": [
      "kg": ratio(1), "g": ratio(1, 1000), "lb": ratio(45_359_237, 100_000_000),
      "lbs": ratio(45_359_237, 100_000_000), "[lb_av]": ratio(45_359_237, 100_000_000),
      "oz": ratio(45_359_237, 1_600_000_000), "st": ratio(14 * 45_359_237, 100_000_000),
    ],
    "g": [
      "g": ratio(1), "kg": ratio(1000), "mg": ratio(1, 1000), "mcg": ratio(1, 1_000_000), "ug": ratio(1, 1_000_000),
      "oz": ratio(45_359_237, 1_600_000), "lb": ratio(45_359_237, 100_000),
    ],
    "mg": [
      "mg": ratio(1), "g": ratio(1000), "kg": ratio(1_000_000), "mcg": ratio(1, 1000), "ug": ratio(1, 1000),
      "oz": ratio(45_359_237, 1600),
    ],
    "mL": [
      "mL": ratio(1), "ml": ratio(1), "L": ratio(1000), "l": ratio(1000), "cL": ratio(10), "dL": ratio(100),
      "fl_oz_us": ratio(295_735_295_625, 10_000_000_000), "fl_oz": ratio(295_735_295_625, 10_000_000_000),
      "cup_us": ratio(8 * 295_735_295_625, 10_000_000_000), "pt_us": ratio(16 * 295_735_295_625, 10_000_000_000),
      "fl_oz_imp": ratio(284_130_625, 10_000_000), "pt_imp": ratio(20 * 284_130_625, 10_000_000),
    ],
    "kg/m2": ["count": ratio(1), "": ratio(1), "kg/m2": ratio(1), "kg/m^2": ratio(1)],
    "mm[Hg]": [
      "mmHg": ratio(1), "mm[Hg]": ratio(1), "kPa": ratio(1_000_000, 133_322), "Pa": ratio(1000, 133_322),
    ],
    "/min": [
      "count/min": ratio(1), "/min": ratio(1), "bpm": ratio(1), "BPM": ratio(1), "breaths/min": ratio(1),
      "count/s": ratio(60), "Hz": ratio(60),
    ],
    "mL/kg/min": [
      "mL/min·kg": ratio(1), "ml/kg/min": ratio(1), "mL/kg/min": ratio(1), "mL/kg·min": ratio(1),
      "ml/(kg·min)": ratio(1), "mL/(kg·min)": ratio(1), "mL/min/kg": ratio(1), "ml/min/kg": ratio(1),
    ],
  ]
}
