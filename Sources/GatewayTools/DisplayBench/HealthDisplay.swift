/// What a row of a health meter's display can show when only the kind of the meter is known.
///
/// Wider than any one meter's format: it only tells a number of that kind from one that has a digit or a point too many.
package enum HealthDisplay: Sendable, Hashable, CaseIterable {
  case glucose, bloodPressure, thermometer, oximeter, weight

  /// The kind of a labelled set's `device_type`; nil for other devices.
  package init?(deviceType: String) {
    switch deviceType {
    case "glucometer", "glucose_meter": self = .glucose
    case "bp_monitor", "blood_pressure": self = .bloodPressure
    case "thermometer": self = .thermometer
    case "oximeter", "pulse_oximeter": self = .oximeter
    case "weight_scale": self = .weight
    default: return nil
    }
  }

  /// Whether a row may show this number: digits and one point, as they stand on the display.
  package func canShow(_ text: String) -> Bool {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
      let whole = parts.first, whole.count == 1 || whole.first != "0"
    else { return false }
    let decimals = parts.count == 2 ? parts[1].count : 0
    switch self {
    // mg/dL without, mmol/L with a decimal.
    case .glucose: return decimals == 0 ? (2...3).contains(whole.count) : decimals == 1 && whole.count <= 2
    case .bloodPressure: return decimals == 0 && (2...3).contains(whole.count)
    case .thermometer: return decimals <= 1 && (2...3).contains(whole.count)
    // Saturation, pulse, and the perfusion index with a decimal.
    case .oximeter: return decimals == 0 ? (1...3).contains(whole.count) : decimals == 1 && whole.count <= 2
    case .weight: return decimals <= 2 && whole.count <= 3
    }
  }
}
