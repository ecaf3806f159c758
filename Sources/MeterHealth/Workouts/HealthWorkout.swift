/// One workout.
package struct HealthWorkout: Sendable, Hashable {
  /// A leg of a workout of several sports.
  package struct Segment: Sendable, Hashable {
    package let name: String
    /// Microseconds since 1970-01-01T00:00Z.
    package let start: Int64
    package let end: Int64
  }

  package var origin: HealthOrigin
  /// The activity in words, such as `Social Dance`.
  package let name: String
  /// `walking`, `running`, `cycling`, `swimming`, `strength`, `yoga`, `hiking`, `rowing`, `elliptical` or `other`.
  package let category: String
  package let metrics: [HealthMetric]
  package let segments: [Segment]
  package let identity: HealthIdentity
  /// Further names, under which it may have been imported before.
  package let alternates: [HealthIdentity]
}

/// What an activity is called.
package struct WorkoutActivity: Sendable, Hashable {
  /// In words, such as `Social Dance`.
  package let name: String
  package let category: String
  /// Letters and digits in lower case, for identities.
  package let word: String

  /// An activity as exports write it: `HKWorkoutActivityTypeSocialDance`, `running_treadmill`, `Outdoor Run`.
  package init(_ text: String) {
    var rest = text[...]
    if rest.hasPrefix("HKWorkoutActivityType") { rest = rest.dropFirst("HKWorkoutActivityType".count) }
    let words = Self.words(rest)
    name = words.isEmpty ? "Other" : words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined(separator: " ")
    word = words.isEmpty ? "other" : words.joined().lowercased()
    category = Self.category(Set(words.map { $0.lowercased() }))
  }

  /// Words are what stands between blanks and marks, and what begins with a capital behind a small letter.
  private static func words(_ text: Substring) -> [String] {
    var words: [String] = []
    var word = ""
    for character in text {
      guard character.isLetter || character.isNumber else {
        if !word.isEmpty { words.append(word) }
        word = ""
        continue
      }
      if character.isUppercase, let last = word.last, !last.isUppercase {
        words.append(word)
        word = ""
      }
      word.append(character)
    }
    return word.isEmpty ? words : words + [word]
  }

  private static func category(_ words: Set<String>) -> String {
    for (category, known) in categories where !words.isDisjoint(with: known) { return category }
    return "other"
  }

  private static let categories: [(String, Set<String>)] = [
    ("hiking", ["hiking", "hike"]), ("elliptical", ["elliptical"]), ("rowing", ["rowing", "row", "rower"]),
    ("swimming", ["swimming", "swim"]), ("cycling", ["cycling", "biking", "bike", "ride", "spinning"]),
    ("running", ["running", "run", "treadmill", "jogging"]), ("walking", ["walking", "walk", "wheelchair"]),
    ("strength", ["strength", "weightlifting", "calisthenics"]), ("yoga", ["yoga"]),
  ]
}
