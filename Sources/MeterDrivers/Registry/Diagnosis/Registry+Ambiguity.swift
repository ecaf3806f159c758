extension Registry {
  /// Other entries that some device fits as well as this one, so that the host will not choose between them (rule R21).
  package struct Ambiguity: Sendable, Hashable {
    /// Entries with the very same rule: they tie for every device.
    package let always: [PeripheralKey]
    /// Entries with an equally specific rule: they tie for a device that fits both.
    package let sometimes: [PeripheralKey]
  }

  /// With which entries this one ties.
  package func ambiguity(of key: PeripheralKey) -> Ambiguity {
    let same = Set(ties().filter { $0.contains(key) }.flatMap(\.self)).subtracting([key])
    guard let own = peripheral(id: key.id, kind: key.kind), isMatchable(own) else {
      return Ambiguity(always: [], sometimes: [])
    }
    let near = peripherals.filter { other in
      other.key != key && !same.contains(other.key) && isMatchable(other)
        && other.matchRules.contains { rule in own.matchRules.contains { $0.mayTie(with: rule) } }
    }
    return Ambiguity(always: same.sorted(), sometimes: near.map(\.key).sorted())
  }
}

extension MatchRule {
  /// Whether one device can fit both rules and neither is the more specific one.
  fileprivate func mayTie(with other: MatchRule) -> Bool {
    // Prefixes of equal length hold together only when they are equal; services and companies can be advertised together.
    func agrees(_ one: String?, _ two: String?) -> Bool { one?.lowercased() == two?.lowercased() }
    return Specificity(self) == Specificity(other) && namePrefix == other.namePrefix
      && agrees(manufacturerPrefix, other.manufacturerPrefix) && agrees(modelPrefix, other.modelPrefix)
  }

  /// What a device must show to fit, in words.
  package var wanted: String {
    var conditions: [String] = []
    if !services.isEmpty {
      conditions.append("advertises service \(services.map { "\($0)" }.joined(separator: " and "))")
    }
    if let companyID { conditions.append("carries manufacturer data of company \(companyID)") }
    if let namePrefix { conditions.append("has a name that begins \"\(namePrefix)\"") }
    if let manufacturerPrefix { conditions.append("reports a manufacturer that begins \"\(manufacturerPrefix)\"") }
    if let modelPrefix { conditions.append("reports a model that begins \"\(modelPrefix)\"") }
    return conditions.joined(separator: ", ")
  }
}
