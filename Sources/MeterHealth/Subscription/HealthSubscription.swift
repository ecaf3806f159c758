import DriverContract
import Foundation

/// What of a health store a person wants to have delivered.
///
/// ```swift
/// let wanted = try HealthSubscription(names: ["routine", "bloodPressure"], processesIntraday: true)
/// print(wanted.sets, wanted.types)
/// ```
public struct HealthSubscription: Sendable, Hashable {
  /// Whole sets.
  public var sets: Set<HealthSet>
  /// Single sample types, by any of their names (``init(names:processesIntraday:)``).
  public var types: Set<String>
  /// Whether steps are wanted in parts of five minutes, too. Counts only together with ``HealthSet/routine``.
  public var processesIntraday: Bool

  /// A subscription from its parts. A type that there is not stands for nothing.
  package init(sets: Set<HealthSet>, types: Set<String> = [], processesIntraday: Bool = false) {
    self.sets = sets
    self.types = types
    self.processesIntraday = processesIntraday
  }

  /// A subscription to sets and types in any order.
  ///
  /// - Parameter names: Names of sets; names of types as ``HealthSet/sampleTypes`` lists them, without `HKQuantityTypeIdentifier`
  ///   and the like, or as the host calls what they tell, such as `resting_heart_rate`; `bloodPressure` is both pressures.
  /// - Throws: ``HealthImportError`` `unknown_type`, which lists what there is.
  public init(names: [String], processesIntraday: Bool) throws(HealthImportError) {
    self.init(sets: [], processesIntraday: processesIntraday)
    for name in names {
      if let set = HealthSet(rawValue: name) {
        sets.insert(set)
      } else if let type = HealthSampleType(named: name) {
        types.insert(type.name)
      } else {
        throw Self.isUnknown(name)
      }
    }
  }

  private static func isUnknown(_ name: String) -> HealthImportError {
    HealthImportError(
      .unknownType, "there is neither a set nor a sample type \(name.prefix(80))",
      hint: "sets are \(HealthSet.allCases.map(\.rawValue).joined(separator: ", ")); types are "
        + HealthSampleType.all.map(\.shortName).joined(separator: ", "))
  }

  /// Nothing, which is the default.
  public static let off = HealthSubscription(sets: [])

  /// Everything but parts of five minutes: all sets, and the types that are in none of them.
  public static let all: HealthSubscription = {
    let inSets = Set(HealthSet.allCases.flatMap { $0.sampleTypes + $0.furtherTypes })
    return HealthSubscription(
      sets: Set(HealthSet.allCases), types: Set(HealthSampleType.all.map(\.name)).subtracting(inSets))
  }()

  /// Whether nothing is wanted.
  public var isOff: Bool { sets.isEmpty && types.isEmpty }

  /// Whether steps are delivered in parts of five minutes.
  package var deliversIntraday: Bool { processesIntraday && sets.contains(.routine) }

  /// What is delivered. More than that may have to be read: a workout has heart rates that are no records of their own.
  package var quantities: Set<HealthQuantity> {
    let names = sets.flatMap { $0.sampleTypes + $0.furtherTypes } + types
    return names.reduce(into: []) { result, name in
      if let type = HealthSampleType(named: name) { result.formUnion(type.quantities) }
    }
  }
}

/// Its form as JSON: `{"intraday": false, "sets": ["routine"], "types": ["HKQuantityTypeIdentifierVO2Max"]}`, the names in ascending order.
extension HealthSubscription: Codable {
  private enum CodingKeys: String, CodingKey {
    case intraday, sets, types
  }

  /// Reads a subscription.
  ///
  /// - Throws: `DecodingError`; ``HealthImportError`` for a name that there is not.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let names =
      try container.decode(Set<HealthSet>.self, forKey: .sets).map(\.rawValue)
      + container.decode([String].self, forKey: .types)
    try self.init(names: names, processesIntraday: container.decode(Bool.self, forKey: .intraday))
  }

  /// Writes the subscription: equal ones have the same text where the encoder sorts keys.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(processesIntraday, forKey: .intraday)
    try container.encode(sets.map(\.rawValue).sorted(), forKey: .sets)
    try container.encode(types.sorted(), forKey: .types)
  }
}

extension HealthSubscription {
  /// What the store has kept.
  ///
  /// - Parameter stored: What ``stored`` was; nil for off.
  /// - Throws: ``HealthImportError`` `stored_subscription`: taken for off, it would end a delivery that nobody has ended.
  package init(stored: String?) throws(HealthImportError) {
    guard let stored else {
      self = .off
      return
    }
    do {
      self = try JSONDecoder().decode(HealthSubscription.self, from: Data(stored.utf8))
    } catch {
      throw HealthImportError(
        .storedSubscription, "what this session subscribes to cannot be read",
        hint: "choose it again: `meterhost health subscribe set`, or `meterhost health subscribe off`")
    }
  }

  /// What the store keeps; the same text for the same subscription, nil for off.
  package var stored: String? {
    guard !isOff else { return nil }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // A boolean and two arrays of texts: nothing that has no form in JSON.
    return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) }
  }
}
