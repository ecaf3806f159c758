/// A paired meter as `--json` shows it.
public struct PairedDescription: Sendable, Codable, Hashable {
  /// The meter's stable UUID in lower case, the same on every gateway.
  public var uuid: String
  /// The id of the catalogue's entry that it was paired as.
  public var peripheral: UInt32
  /// Its Bluetooth address when it was paired, such as `C0:26:DF:00:00:01`.
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
