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
  public func fit(_ seen: SeenDevice) -> PeripheralFit {
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
}
