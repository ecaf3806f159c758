import CMeterDriver
package import MeterCore

/// What is known of the meter at hand when a quirk is looked for; nil where it is not known (yet).
package struct DeviceFacts: Sendable, Hashable {
  /// The advertised or GAP name.
  package var name: String?
  /// Manufacturer Name String (2A29).
  package var manufacturer: String?
  /// Model Number String (2A24).
  package var model: String?

  /// Collects the facts.
  package init(name: String? = nil, manufacturer: String? = nil, model: String? = nil) {
    self.name = name
    self.manufacturer = manufacturer
    self.model = model
  }
}

/// One parameter of a driver session, as `mh_param` wants it.
package struct ParameterSetting: Sendable, Hashable {
  /// A typed value.
  package enum Value: Sendable, Hashable {
    /// `MH_PARAM_TYPE_INTEGER`.
    case integer(Int64)
    /// `MH_PARAM_TYPE_TEXT`.
    case text(String)
  }

  /// `MH_PARAM_*`, or a driver's own code from 0x8000 on.
  package let name: UInt16
  package let value: Value

  /// Sets a parameter.
  package init(name: UInt16, value: Value) {
    self.name = name
    self.value = value
  }
}

/// What is special about some meters that one driver reads, as data (facts: real meters and their quirks).
package struct Quirk: Sendable, Hashable {
  /// Which meters: all prefixes given must fit; letters compare without case (ASCII).
  package struct Condition: Sendable, Hashable {
    /// Start of the advertised or GAP name.
    package let namePrefix: String?
    /// Start of the Manufacturer Name String (2A29).
    package let manufacturerPrefix: String?
    /// Start of the Model Number String (2A24).
    package let modelPrefix: String?

    /// True when every prefix given fits; a fact that is not known fits no prefix.
    package func holds(for facts: DeviceFacts) -> Bool {
      fits(namePrefix, facts.name) && fits(manufacturerPrefix, facts.manufacturer) && fits(modelPrefix, facts.model)
    }

    private func fits(_ prefix: String?, _ fact: String?) -> Bool {
      guard let prefix else { return true }
      return fact?.hasASCIICaseInsensitivePrefix(prefix) ?? false
    }
  }

  /// Any one of these must hold; empty: every meter of the entry.
  package let conditions: [Condition]
  /// Of a meter that says which model it is only conditions on the model count, whatever its name is.
  ///
  /// Without it a condition on the name holds all the same: a quirk that keeps analytes apart must not depend on how a meter writes its
  /// model.
  package let modelDecides: Bool
  /// What the driver session is told.
  package let parameters: [ParameterSetting]
  /// What the model can show, beyond which it says "HI" or "LO".
  package let ranges: [ReportableRange]
  /// Why, for people.
  package let reason: String

  /// True when the quirk is about this meter.
  package func applies(to facts: DeviceFacts) -> Bool {
    if conditions.isEmpty { return true }
    let tellsModel = !(facts.model ?? "").isEmpty
    return conditions.contains { condition in
      condition.holds(for: facts) && !(modelDecides && tellsModel && condition.modelPrefix == nil)
    }
  }

  /// The contract's own parameters by the name that quirks use.
  package static let standardParameters: [(name: String, code: UInt16)] = [
    ("context_decides", UInt16(MH_PARAM_CONTEXT_DECIDES)),
    ("ketone_meal_code", UInt16(MH_PARAM_KETONE_MEAL_CODE)),
    ("user_slot", UInt16(MH_PARAM_USER_SLOT)),
    ("racp_all_only", UInt16(MH_PARAM_RACP_ALL_ONLY)),
    ("no_clock", UInt16(MH_PARAM_NO_CLOCK)),
  ]
}

extension Peripheral {
  /// What a session must be told about this very meter: the driver's quirks, then this entry's; the later one wins.
  ///
  /// Sorted by name, each name once. Ask again when Device Information has been read: more may apply.
  package func parameters(for facts: DeviceFacts) -> [ParameterSetting] {
    var values: [UInt16: ParameterSetting.Value] = [:]
    for quirk in quirks where quirk.applies(to: facts) {
      for setting in quirk.parameters { values[setting.name] = setting.value }
    }
    return values.sorted { $0.key < $1.key }.map { ParameterSetting(name: $0.key, value: $0.value) }
  }

  /// What this very meter can show; of several for one metric and unit the last one counts.
  package func ranges(for facts: DeviceFacts) -> [ReportableRange] {
    quirks.filter { $0.applies(to: facts) }.flatMap(\.ranges)
  }
}

extension String {
  /// Compares bytes, with A-Z equal to a-z.
  func hasASCIICaseInsensitivePrefix(_ prefix: String) -> Bool {
    guard utf8.count >= prefix.utf8.count else { return false }
    return zip(utf8, prefix.utf8).allSatisfy { lowered($0) == lowered($1) }
  }
}

private func lowered(_ byte: UInt8) -> UInt8 { (0x41...0x5a).contains(byte) ? byte | 0x20 : byte }
