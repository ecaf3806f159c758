/// The terms of what stands beside a glucose value: meal, tester, health, location, food, medication, exercise.
///
/// IEEE 11073-10417 and the implementation guide's examples. That a reading was taken at bedtime has two terms in public sources,
/// so that it is told in words.
enum ContextCodes {
  /// A coded fact, whose value is one of several terms.
  struct Fact: Sendable {
    let term: Int
    let words: [String: Int]
  }

  static let facts: [String: Fact] = [
    "relationship_to_meal": Fact(
      term: 8_417_864,
      words: ["before": 8_417_868, "after": 8_417_872, "fasting": 8_417_876, "casual": 8_417_880]),
    "tester": Fact(
      term: 8_417_884, words: ["self": 8_417_888, "health_care_professional": 8_417_892, "laboratory": 8_417_896]),
    "health_status": Fact(
      term: 8_417_820,
      words: [
        "minor_health_issues": 8_417_824, "major_health_issues": 8_417_828, "during_menses": 8_417_832,
        "under_stress": 8_417_836, "no_health_issues": 8_417_840,
      ]),
    "sample_location": Fact(
      term: 8_417_844, words: ["finger": 8_417_848, "alternate_site": 8_417_852, "earlobe": 8_417_856]),
    "carbohydrate_type": carbohydrate, "medication_type": medication,
  ]

  /// Amounts: each with the coded fact that makes its term more exact.
  static let amounts: [String: (fact: Fact?, name: String, term: Int)] = [
    "carbohydrate": (carbohydrate, "carbohydrate_type", carbohydrate.term),
    "medication_mass": (medication, "medication_type", medication.term),
    "medication_volume": (medication, "medication_type", medication.term),
    "exercise_duration": (nil, "", exercise), "exercise_intensity": (nil, "", exercise),
  ]

  /// Words that say that nothing is known.
  static let silent: Set<String> = ["not_available", "unsupported", "control_solution"]

  /// Coded facts that are told by the code of the value that they are of, or say nothing of a person.
  static let consumed: Set<String> = ["sample_type", "temperature_site", "sensor_contact"]

  private static let exercise = 8_417_760
  private static let carbohydrate = Fact(
    term: 8_417_764,
    words: [
      "breakfast": 8_417_768, "lunch": 8_417_772, "dinner": 8_417_776, "snack": 8_417_780, "drink": 8_417_784,
      "supper": 8_417_788, "brunch": 8_417_792,
    ])
  private static let medication = Fact(
    term: 8_417_796,
    words: [
      "rapid_acting_insulin": 8_417_800, "short_acting_insulin": 8_417_804, "intermediate_acting_insulin": 8_417_808,
      "long_acting_insulin": 8_417_812, "pre_mixed_insulin": 8_417_816,
    ])
}
