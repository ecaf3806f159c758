import DriverContract

/// Measured values of one moment and source, which are one record.
package struct HealthMeasurement: Sendable, Hashable {
  /// What it is a record of.
  package enum Kind: String, Sendable, Hashable {
    case body
    case glucose
    case vital
    case reproductive
  }

  package let kind: Kind
  package var origin: HealthOrigin
  package var metrics: [HealthMetric]
  /// Codes and texts beside the values.
  package var words: [HealthWord]
  package let identity: HealthIdentity
  /// Further names, under which it may have been imported before.
  package let alternates: [HealthIdentity]
  /// What its name is made of; nil where a sample has a name of its own, or no value to tell it from others.
  package let place: HealthIdentity.Place?
}

/// A sample among those of its kind and time.
struct NumberedSample {
  var sample: HealthSample
  var value: Fraction
  /// Which of several values of one quantity, start and end, in ascending order.
  var ordinal: Int
}

extension HealthQuantity {
  /// The metric that its values are, by the dictionary's name, or its own word where the dictionary has none.
  package var metricName: String {
    switch self {
    case .steps: "steps"
    case .distanceWalking: "distance"
    case .distanceWheelchair: "wheelchair_distance"
    case .floors: "floors_climbed"
    case .energyActive: "active_energy_burned"
    case .energyBasal: "basal_energy_burned"
    case .energyTotal: "energy_burned"
    case .exercise: "active_duration"
    case .pushes: "wheelchair_pushes"
    case .mindful: "mindful_duration"
    case .weight: "body_weight"
    case .height: "body_height"
    case .leanMass: "soft_lean_mass"
    case .boneMass: "body_bone_mass"
    case .muscleMass: "body_muscle_mass"
    case .glucose: "blood_glucose"
    case .hrvSDNN, .hrvRMSSD: "heart_rate_variability"
    case .oxygenSaturation: "spo2"
    case .dietEnergy: "energy_consumed"
    case .dietCarbohydrates: "carbohydrate_consumed"
    case .dietFiber: "dietary_fiber"
    case .dietSugar: "sugars"
    default: word
    }
  }

  /// Whether its values of one moment and source are one record of the body.
  var isOfBody: Bool {
    switch self {
    case .weight, .height, .bodyFat, .leanMass, .bmi, .bodyWaterMass, .boneMass, .muscleMass, .waist, .basalRate: true
    default: false
    }
  }

  /// The value as it is given out.
  func metric(_ value: Fraction) -> HealthMetric? {
    value.rounded(places: places).map { HealthMetric(metricName, $0, unit ?? "1", exact: value) }
  }
}
