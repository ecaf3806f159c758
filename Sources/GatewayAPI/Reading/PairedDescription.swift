/// A paired meter as `--json` shows it.
public struct PairedDescription: Sendable, Codable, Hashable {
  /// The meter's stable UUID.
  public var uuid: String
  /// Its catalogue entry.
  public var peripheral: UInt32
  /// Its address when it was paired.
  public var address: String
  /// Its serial number, else its System ID or address.
  public var name: String

  package init(uuid: String, peripheral: UInt32, address: String, name: String) {
    self.uuid = uuid
    self.peripheral = peripheral
    self.address = address
    self.name = name
  }
}
