/// What the key of an attribute means here.
enum AttributeKey: Sendable, Hashable {
  /// Nothing.
  case none
  /// A text, or a bare number, under this key.
  case word(String)
  /// A number under this key, in the unit of ``UnitCache``.
  case number(String, target: Int)

  private typealias Key = HealthAttribute.Key

  private static let words: Set<String> = [
    Key.date, Key.zone, Key.appleZone, Key.meal, Key.appleMeal, Key.food, Key.foodType, Key.foodMeal, Key.protection,
    Key.motion, Key.appleMotion, Key.externalID, Key.syncID,
  ]

  /// Asleep altogether, of a session whose stages are not told.
  static let total = "total"

  private static let units: [String: String] = [
    Key.duration: "s", Key.asleep: "s", Key.inBed: "s", Key.awake: "s", Key.core: "s", Key.deep: "s", Key.rem: "s",
    total: "s", Key.distance: "m", Key.totalDistance: "m", Key.averageHeartRate: "/min", Key.minimumHeartRate: "/min",
    Key.maximumHeartRate: "/min", Key.minimum: "/min", Key.maximum: "/min", Key.activeEnergy: "kcal",
    Key.standHours: "{count}",
  ]

  /// Other spellings.
  private static let aliases: [String: String] = [
    "heart_rate_min": Key.minimumHeartRate, "heart_rate_max": Key.maximumHeartRate,
    "heart_rate_avg": Key.averageHeartRate, "total_sleep": total,
  ]

  /// The meaning of a key as a driver writes it.
  init(_ name: String) {
    let name = Self.aliases[name] ?? name
    if Self.words.contains(name) {
      self = .word(name)
    } else if let target = UnitCache.target(Self.units[name] ?? HealthQuantity(word: name)?.unit) {
      self = .number(name, target: target)
    } else {
      self = .none
    }
  }

  /// Whether it says that a heart rate stands for an interval.
  var isExtent: Bool {
    guard case .number(let name, _) = self else { return false }
    return name == Key.minimum || name == Key.maximum
  }
}
