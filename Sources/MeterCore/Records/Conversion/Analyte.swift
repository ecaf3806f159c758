/// A substance whose amount and mass are converted into each other.
///
/// The molar masses follow from the formulas with the abridged standard atomic weights of IUPAC (2021): C 12.011, H 1.008,
/// N 14.007, O 15.999.
public enum Analyte: String, Sendable, Hashable, CaseIterable {
  /// C6H12O6, 180.156 g/mol: 1 mmol/L = 18.0156 mg/dL.
  case glucose
  /// C27H46O, 386.664 g/mol.
  case cholesterol
  /// Reckoned as triolein, C57H104O6, 885.453 g/mol, as laboratories do: the mixture of a blood sample has no formula.
  case triglyceride
  /// C5H4N4O3, 168.112 g/mol.
  case uricAcid = "uric_acid"
  /// Lactic acid, C3H6O3, 90.078 g/mol.
  case lactate
  /// 3-hydroxybutyric acid, which ketone strips measure, C4H8O3, 104.105 g/mol.
  case ketone

  /// Milligrams in a mole: ten thousand times the milligrams a decilitre that one millimole a litre is.
  var milligramsPerMole: Int128 {
    switch self {
    case .glucose: 180_156
    case .cholesterol: 386_664
    case .triglyceride: 885_453
    case .uricAcid: 168_112
    case .lactate: 90_078
    case .ketone: 104_105
    }
  }
}

extension Metric {
  /// What a concentration is one of; nil where mass and amount are not converted.
  public var analyte: Analyte? {
    switch name {
    case "blood_glucose", "control_solution_glucose", "avg_blood_glucose", "fasting_plasma_glucose_test",
      "oral_glucose_tolerance_test", "random_plasma_glucose_test":
      .glucose
    case "total_cholesterol", "hdl", "ldl": .cholesterol
    case "triglyceride": .triglyceride
    case "uric_acid": .uricAcid
    case "blood_lactate": .lactate
    case "blood_ketone": .ketone
    default: nil
    }
  }
}
