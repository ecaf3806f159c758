/// A stored key or licence as lists show it; never its value.
public struct KeyDescription: Sendable, Codable, Hashable {
  /// Its name in the registry.
  public var name: String
  /// `gateway`, `peripheral` or `meter`.
  public var scope: String
  /// The peripheral's id, for that scope.
  public var peripheral: UInt32?
  /// The meter's stable UUID, for that scope.
  public var meter: String?
  /// When it was entered, RFC 3339 in UTC.
  public var changed: String

  package init(name: String, scope: String, peripheral: UInt32? = nil, meter: String? = nil, changed: String) {
    self.name = name
    self.scope = scope
    self.peripheral = peripheral
    self.meter = meter
    self.changed = changed
  }
}
