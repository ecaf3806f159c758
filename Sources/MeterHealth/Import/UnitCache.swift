import DriverContract

/// Units of an import by their index, each looked up once for each unit that a quantity is held in.
struct UnitCache {
  /// What a number comes to.
  enum Conversion {
    case value(Fraction)
    /// The unit is not known, or not of this quantity.
    case unknownUnit
    /// It cannot be held exactly.
    case tooLarge
  }

  /// The units that quantities are held in.
  private static let targets = Set(HealthQuantity.allCases.compactMap(\.unit)).sorted()

  private static let unasked: Int16 = -2
  private static let unknown: Int16 = -1
  private static let same: Int16 = 0

  /// By the unit's index, 0 for none, and the target: ``unasked``, ``unknown``, ``same``, or from 1 on a rule.
  private var places: [Int16] = []
  private var rules: [UnitTable.Rule] = []

  /// The number of a unit that values are held in; nil for none.
  static func target(_ unit: String?) -> Int? { unit.flatMap { targets.firstIndex(of: $0) } }

  /// A number of an export in the target's unit. Drivers give shares in percent: 16.1 with the unit `%`.
  mutating func convert(
    mantissa: Int64, exponent: Int16, unit: UInt32?, to target: Int, _ names: ImportNames
  ) -> Conversion {
    let row = unit.map { Int($0) + 1 } ?? 0
    let place = row * Self.targets.count + target
    if place >= places.count {
      places += repeatElement(Self.unasked, count: (row + 1) * Self.targets.count - places.count)
    }
    if places[place] == Self.unasked { places[place] = look(up: row, target, names) }
    guard places[place] != Self.unknown else { return .unknownUnit }
    guard let number = Fraction(mantissa: mantissa, exponent: Int(exponent)) else { return .tooLarge }
    if places[place] == Self.same { return .value(number) }
    return rules[Int(places[place]) - 1].converted(number).map(Conversion.value) ?? .tooLarge
  }

  private mutating func look(up row: Int, _ target: Int, _ names: ImportNames) -> Int16 {
    guard row <= names.units.count,
      let rule = UnitTable.rule(row == 0 ? "" : names.units[row - 1], to: Self.targets[target])
    else { return Self.unknown }
    if rule.factor == .one, rule.adding == .zero { return Self.same }
    if let known = rules.firstIndex(of: rule) { return Int16(known + 1) }
    rules.append(rule)
    return Int16(exactly: rules.count) ?? Self.unknown
  }
}
