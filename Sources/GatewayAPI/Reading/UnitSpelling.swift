import MeterCore

/// Units as people write them. Records, `--json` and the wire have UCUM; a person types `mmHg` and reads it.
package enum UnitSpelling {
  /// What people write, in small letters and without spaces, with what UCUM calls it.
  private static let typed: [String: String] = [
    "mmhg": "mm[Hg]", "torr": "mm[Hg]", "kpa": "kPa",
    "c": "Cel", "°c": "Cel", "℃": "Cel", "degc": "Cel", "celsius": "Cel",
    "f": "[degF]", "°f": "[degF]", "℉": "[degF]", "degf": "[degF]", "fahrenheit": "[degF]",
    "lb": "[lb_av]", "lbs": "[lb_av]", "pound": "[lb_av]", "pounds": "[lb_av]",
    "kg": "kg", "kgs": "kg", "kilogram": "kg", "kilograms": "kg", "gram": "g", "grams": "g",
    "mg/dl": "mg/dL", "mgdl": "mg/dL", "mmol/l": "mmol/L", "mmol": "mmol/L", "g/dl": "g/dL",
    "%": "%", "percent": "%", "bpm": "/min", "1/min": "/min", "perminute": "/min", "rpm": "/min",
    "in": "[in_i]", "inch": "[in_i]", "inches": "[in_i]", "\"": "[in_i]", "cm": "cm", "m": "m",
    "kg/m²": "kg/m2", "kg/m^2": "kg/m2", "ml": "mL", "inr": "{INR}", "ohm": "Ohm", "Ω": "Ohm", "kj": "kJ",
    "sec": "s", "seconds": "s", "minutes": "min",
  ]

  private static let shown: [String: String] = [
    "mm[Hg]": "mmHg", "Cel": "°C", "[degF]": "°F", "[lb_av]": "lb", "[in_i]": "in", "kg/m2": "kg/m²", "{INR}": "INR",
    "Ohm": "Ω",
  ]

  /// What UCUM calls a unit; what nobody knows stays as it is written.
  package static func ucum(_ text: String) -> String {
    guard MetricUnit.withUCUM(text) == nil else { return text }
    let plain = text.filter { !$0.isWhitespace }
    return typed[plain.lowercased()] ?? typed[plain] ?? text
  }

  /// How a unit is shown to a person.
  ///
  /// - Parameter metric: What it is the unit of: a pulse beats, other things only happen each minute.
  package static func readable(_ ucum: String, of metric: String = "") -> String {
    if ucum == "/min", ["pulse", "heart_rate", "resting_heart_rate"].contains(metric) { return "bpm" }
    return shown[ucum] ?? ucum
  }
}
