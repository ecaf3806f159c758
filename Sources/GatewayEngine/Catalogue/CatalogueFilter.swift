public import MeterDrivers

/// Which entries of the catalogue a caller wants to see.
public struct CatalogueFilter: Sendable, Hashable {
  /// Only this catalogue: its ids are what the caller deals in.
  public var kind: PeripheralKind
  /// Only this type.
  public var type: PeripheralType?
  /// Only entries whose name, manufacturer or model contains this text, in any letter case.
  public var text: String?
  /// Disabled entries too.
  public var includesDisabled: Bool

  /// A filter; by default every meter in the air that is not disabled.
  public init(
    kind: PeripheralKind = .bluetooth, type: PeripheralType? = nil, text: String? = nil, includesDisabled: Bool = false
  ) {
    self.kind = kind
    self.type = type
    self.text = text
    self.includesDisabled = includesDisabled
  }

  /// Whether the entry passes.
  public func admits(_ peripheral: Peripheral) -> Bool {
    guard peripheral.kind == kind, includesDisabled || !peripheral.isDisabled, type == nil || peripheral.type == type
    else { return false }
    guard let wanted = text?.lowercased() else { return true }
    return [peripheral.name, peripheral.manufacturer, peripheral.model].contains { $0.lowercased().contains(wanted) }
  }
}
