import BluetoothWire

/// What a meter says about itself in the Device Information Service (Device Information Service 1.1, section 3).
public struct DeviceInformation: Sendable, Hashable, Codable {
  /// Manufacturer Name String, 2A29.
  public var manufacturer: String?
  /// Model Number String, 2A24.
  public var model: String?
  /// Serial Number String, 2A25: with the model it names the meter on every gateway.
  public var serialNumber: String?
  /// System ID, 2A23: eight bytes.
  public var systemID: [UInt8]?

  /// Nothing known.
  public init() {}

  /// Longest text that is kept of one characteristic.
  static let maximumTextLength = 128

  /// Asks for each item by its type: four requests, no discovery. What the meter lacks stays nil.
  ///
  /// - Throws: ``GATTError`` when the link breaks.
  static func read(from client: GATTClient) async throws(GATTError) -> DeviceInformation {
    var information = DeviceInformation()
    information.manufacturer = text(try await client.read(type: 0x2A29))
    information.model = text(try await client.read(type: 0x2A24, isIdentity: true))
    information.serialNumber = text(try await client.read(type: 0x2A25, isIdentity: true))
    let systemID = try await client.read(type: 0x2A23, isIdentity: true)
    information.systemID = systemID?.count == 8 ? systemID : nil
    return information
  }

  /// UTF-8 up to the first zero byte, without the padding that meters add; nil when nothing is left or it is not UTF-8.
  static func text(_ bytes: [UInt8]?) -> String? {
    guard let bytes, let text = String(validating: bytes.prefix { $0 != 0 }, as: UTF8.self) else { return nil }
    let visible = String.UnicodeScalarView(text.unicodeScalars.filter { $0.properties.generalCategory != .control })
    let trimmed = String(visible).drop { $0 == " " }
    let end = trimmed.lastIndex { $0 != " " }.map { trimmed.index(after: $0) } ?? trimmed.startIndex
    let kept = trimmed[..<end].prefix(maximumTextLength)
    return kept.isEmpty ? nil : String(kept)
  }
}
