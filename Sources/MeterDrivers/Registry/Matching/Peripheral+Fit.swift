/// Whether a device may be a given catalogue entry, for a user who has named the entry (rule R21).
public enum PeripheralFit: Sendable, Hashable {
  /// One of the entry's rules holds.
  case fits
  /// It depends on Device Information that has not been read.
  case undecided
  /// None of the entry's rules can hold.
  case differs
}

extension Peripheral {
  /// Compares a device with the entry's own rules; other entries do not matter.
  package func fit(_ seen: SeenDevice) -> PeripheralFit {
    if otherModel(seen) != nil { return .differs }
    var isOpen = false
    for rule in matchRules {
      switch rule.outcome(for: seen) {
      case .holds: return .fits
      case .undecided: isOpen = true
      case .fails: break
      }
    }
    return isOpen ? .undecided : .differs
  }

  /// The model that a device says it is, if the entry's rules name models and this is none of them.
  ///
  /// A name is many a model's, and what the meter says of itself counts more: an entry that is known by its model refuses another one
  /// that has its name. A name in which the model stands says no less than Device Information, where many meters have a placeholder.
  func otherModel(_ seen: SeenDevice) -> String? {
    guard let model = seen.model, !model.isEmpty else { return nil }
    let prefixes = matchRules.compactMap(\.modelPrefix)
    guard !prefixes.isEmpty, !prefixes.contains(where: { model.hasASCIICaseInsensitivePrefix($0) }) else { return nil }
    let name = lettersAndDigits(seen.name ?? "")
    let standsInName = prefixes.contains { prefix in
      let wanted = lettersAndDigits(prefix)
      return !wanted.isEmpty && name.contains(wanted)
    }
    return standsInName ? nil : model
  }
}

/// As a name is compared however it is spaced and dashed.
private func lettersAndDigits(_ text: String) -> String {
  String(text.unicodeScalars.filter { $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0)) })
    .lowercased()
}
