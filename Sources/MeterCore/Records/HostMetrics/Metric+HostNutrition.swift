extension Metric {
  private static let grams: HostUnits = [("g", 0...5000)]
  private static let milligrams: HostUnits = [("mg", 0...100_000), ("g", 0...100)]

  /// What was eaten and drunk.
  static let hostNutrition: [Metric] = [
    host(
      0x7400, "energy_consumed", [("kcal", 0...30_000), ("kJ", 0...125_520)], inform: "energy_consumed",
      type: .nutrition, field: "calories"),
    // The dictionary's carbohydrate is a fact beside a glucose value; this one is what a meal had.
    host(0x7401, "carbohydrate_consumed", grams, inform: "carbohydrate", type: .nutrition, field: "carbohydrates"),
    host(0x7402, "protein", grams, inform: "protein", type: .nutrition, field: "protein"),
    host(0x7403, "fat", grams, inform: "fat", type: .nutrition, field: "fat"),
    host(0x7404, "saturated_fat", grams, inform: "saturated_fat", type: .nutrition),
    host(0x7405, "dietary_fiber", grams, inform: "dietary_fiber", type: .nutrition, field: "fiber"),
    host(0x7406, "sugars", grams, inform: "sugars", type: .nutrition),
    host(0x7407, "sodium", milligrams, inform: "sodium", type: .nutrition, field: "sodium"),
    host(0x7408, "cholesterol", milligrams, inform: "cholesterol", type: .nutrition),
    host(0x7409, "calcium", milligrams, inform: "calcium", type: .nutrition),
    host(0x740A, "water", [("mL", 0...30_000), ("L", 0...30)], inform: "water", type: .nutrition, field: "water"),
  ]

  /// Words and codes beside the values of a record.
  static let hostFacts: [Metric] = [
    Metric(
      code: 0x7F00, name: "diabetes_event", kind: .code,
      units: [AllowedUnit(ucum: "1", plausible: 0...255)],
      codes: [3: "exercise", 4: "sick", 5: "medication", 6: "other"], recordType: .diabetes),
    hostText(0x7F01, "activity_name", type: .fitness, field: "type"),
    hostText(0x7F02, "intensity", type: .fitness, field: "intensity"),
    hostText(0x7F03, "meal", type: .nutrition, field: "meal"),
    hostText(0x7F04, "category", type: .routine, others: [.fitness, .nutrition]),
  ]
}
