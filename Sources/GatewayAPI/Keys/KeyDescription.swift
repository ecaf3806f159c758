/// A stored key or licence as lists show it; never its value.
public struct KeyDescription: Sendable, Codable, Hashable {
  /// Its name in the registry.
  public var name: String
  /// What the value serves: `gateway` (every meter), `peripheral` (all of one catalogue entry) or `meter` (one).
  public var scope: String
  /// The catalogue entry's id, for the scope `peripheral`; else nil.
  public var peripheral: UInt32?
  /// The meter's stable UUID in lower case, for the scope `meter`; else nil.
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
