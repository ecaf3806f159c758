package import DriverContract

extension DisplayRole {
  /// The word of `--json`.
  package var word: String {
    switch self {
    case .value: "value"
    case .systolic: "systolic"
    case .diastolic: "diastolic"
    case .pulse: "pulse"
    case .oxygenSaturation: "oxygen_saturation"
    }
  }
}

extension DisplayAdvice {
  /// The word of `--json`.
  package var word: String {
    switch self {
    case .none: "none"
    case .blur: "blur"
    case .glare: "glare"
    case .align: "align"
    case .dark: "dark"
    }
  }

  /// What to do, for people; nil for nothing.
  package var sentence: String? {
    switch self {
    case .none: nil
    case .blur: "hold still, or move a little farther away"
    case .glare: "tilt the meter: light is reflected"
    case .align: "bring the display into the overlay"
    case .dark: "more light is needed"
    }
  }
}
