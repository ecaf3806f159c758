/// How Home Assistant shows a metric: units must be those of its device class
/// (homeassistant 2025.4.4, `components/sensor/const.py`; https://www.home-assistant.io/integrations/sensor/).
struct MetricDisplay: Sendable, Hashable {
  let name: String
  let unit: String?
  let deviceClass: String?
  /// Decimal places that are shown.
  let precision: Int?
  /// Whether it is about the meter and not about a person.
  let isDiagnostic: Bool

  /// - Parameters:
  ///   - metric: Its name in the dictionary.
  ///   - ucum: Its unit.
  init(_ metric: String, ucum: String) {
    name = Self.title(metric)
    let unit = Self.unit(ucum)
    self.unit = unit.isEmpty ? nil : unit
    let known = Self.classes[metric]
    deviceClass = known.flatMap { $0.units.contains(unit) ? $0.name : nil }
    isDiagnostic = metric.hasPrefix("battery_")
    precision =
      switch (metric, unit) {
      case ("blood_glucose", "mg/dL"): 0
      case ("blood_glucose", "mmol/L"), ("blood_ketone", "mmol/L"): 1
      case (_, "mmHg"), (_, "bpm"), ("spo2", _), ("battery_level", _): 0
      case (_, "kPa"), (_, "kg"), (_, "lb"), (_, "°C"), (_, "°F"), ("bmi", _), ("body_fat", _), ("inr", _): 1
      default: nil
      }
  }

  private static let masses: (String, Set<String>) = ("weight", ["kg", "lb", "g"])
  private static let pressures: (String, Set<String>) = ("pressure", ["mmHg", "kPa"])

  private static let classes: [String: (name: String, units: Set<String>)] = [
    "blood_glucose": ("blood_glucose_concentration", ["mg/dL", "mmol/L"]),
    "body_weight": masses, "body_muscle_mass": masses, "fat_free_mass": masses, "soft_lean_mass": masses,
    "body_water_mass": masses, "body_bone_mass": masses, "body_temperature": ("temperature", ["°C", "°F"]),
    "systolic": pressures, "diastolic": pressures, "mean_arterial_pressure": pressures,
    "body_height": ("distance", ["cm", "in", "m"]), "battery_level": ("battery", ["%"]),
    "battery_voltage": ("voltage", ["V"]),
  ]

  /// A unit of UCUM as people write it; empty of numbers without one.
  static func unit(_ ucum: String) -> String {
    switch ucum {
    case "1", "{INR}", "{count}": ""
    case "Cel": "°C"
    case "[degF]": "°F"
    case "mm[Hg]": "mmHg"
    case "/min": "bpm"
    case "[lb_av]": "lb"
    case "[in_i]": "in"
    case "kg/m2": "kg/m²"
    case "Ohm": "Ω"
    case "[iU]": "IU"
    case "m[iU]/L": "mIU/L"
    default: ucum.filter { !"{}[]".contains($0) }
    }
  }

  private static func title(_ metric: String) -> String {
    switch metric {
    case "spo2": "SpO2"
    case "bmi": "BMI"
    case "inr": "INR"
    case "hba1c": "HbA1c"
    case "battery_level": "Battery"
    default:
      metric.prefix(1).uppercased() + metric.dropFirst().map { $0 == "_" ? " " : String($0) }.joined()
    }
  }
}
