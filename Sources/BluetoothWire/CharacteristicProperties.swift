/// What a characteristic allows (Core Vol 3 Part G 3.3.1.1).
public struct CharacteristicProperties: OptionSet, Hashable, Sendable {
  /// The byte of the characteristic declaration.
  public let rawValue: UInt8

  /// Properties from the byte of the characteristic declaration.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The value may be broadcast.
  public static let broadcast = CharacteristicProperties(rawValue: 0x01)
  /// The value can be read.
  public static let read = CharacteristicProperties(rawValue: 0x02)
  /// The value can be written by a Write Command.
  public static let writeWithoutResponse = CharacteristicProperties(rawValue: 0x04)
  /// The value can be written by a Write Request.
  public static let write = CharacteristicProperties(rawValue: 0x08)
  /// The value is notified.
  public static let notify = CharacteristicProperties(rawValue: 0x10)
  /// The value is indicated.
  public static let indicate = CharacteristicProperties(rawValue: 0x20)
  /// The value can be written by a Signed Write Command.
  public static let authenticatedSignedWrites = CharacteristicProperties(rawValue: 0x40)
  /// More properties stand in the descriptor 2900.
  public static let extendedProperties = CharacteristicProperties(rawValue: 0x80)

  /// The names used in scripts and listings, in the order of the bits.
  public static let names: [(property: CharacteristicProperties, name: String)] = [
    (.broadcast, "broadcast"), (.read, "read"), (.writeWithoutResponse, "write-without-response"), (.write, "write"),
    (.notify, "notify"), (.indicate, "indicate"), (.authenticatedSignedWrites, "signed-write"),
    (.extendedProperties, "extended"),
  ]
}

extension CharacteristicProperties: CustomStringConvertible {
  /// The names of the properties, separated by commas.
  public var description: String {
    Self.names.filter { contains($0.property) }.map(\.name).joined(separator: ",")
  }
}
