extension Metric {
  private static let grams: HostUnits = [("g", 0...5000)]
  private static let milligrams: HostUnits = [("mg", 0...100_000), ("g", 0...100)]

  /// What was eaten and drunk.
  static let hostNutrition: [Metric] = [
    host(0x7400, "energy_consumed", [("kcal", 0...30_000), ("kJ", 0...125_520)], type: .nutrition),
    // The dictionary's carbohydrate is a fact beside a glucose value; this one is what a meal had.
    host(0x7401, "carbohydrate_consumed", grams, type: .nutrition),
    host(0x7402, "protein", grams, type: .nutrition),
    host(0x7403, "fat", grams, type: .nutrition),
    host(0x7404, "saturated_fat", grams, type: .nutrition),
    host(0x7405, "dietary_fiber", grams, type: .nutrition),
    host(0x7406, "sugars", grams, type: .nutrition),
    host(0x7407, "sodium", milligrams, type: .nutrition),
    host(0x7408, "cholesterol", milligrams, type: .nutrition),
    host(0x7409, "calcium", milligrams, type: .nutrition),
    host(0x740A, "water", [("mL", 0...30_000), ("L", 0...30)], type: .nutrition),
  ]

  /// What is computed of a weighing (``BodyComposition``), and by what.
  static let derivedFatFreeMass: UInt16 = 0x7F05
  static let derivedBodyFat: UInt16 = 0x7F06
  static let derivationFormula: UInt16 = 0x7F07

  /// Words, codes and what follows from other values beside the values of a record.
  static let hostFacts: [Metric] = [
    Metric(
      code: 0x7F00, name: "diabetes_event", kind: .code,
      units: [AllowedUnit(ucum: "1", plausible: 0...255)],
      codes: [3: "exercise", 4: "sick", 5: "medication", 6: "other"], recordType: .diabetes),
    hostText(0x7F01, "activity_name", type: .fitness),
    hostText(0x7F02, "intensity", type: .fitness),
    hostText(0x7F03, "meal", type: .nutrition),
    hostText(0x7F04, "category", type: .routine, others: [.fitness, .nutrition]),
    host(derivedFatFreeMass, "derived_fat_free_mass", [("kg", 5...200)], type: .weight),
    host(derivedBodyFat, "derived_body_fat", [("%", 1...80)], type: .weight),
    Metric(
      code: derivationFormula, name: "derivation_formula", kind: .code,
      units: [AllowedUnit(ucum: "1", plausible: 1...255)], codes: [1: "wu_2015"], recordType: .weight),
  ]
}
