import HostPrimitives

/// One received advertisement.
///
/// Its bytes are those of one report of HCI's LE Advertising Report (Core Vol 4 Part E 7.7.65.2): event type, address
/// type, six bytes of address, length of the data, data, RSSI.
public struct AdvertisingReport: Hashable, Sendable {
  /// What kind of advertisement it was; the raw value is HCI's event type.
  public enum EventType: UInt8, Hashable, Sendable, CaseIterable {
    /// ADV_IND: anyone may connect.
    case connectable = 0
    /// ADV_DIRECT_IND: one known central may connect.
    case connectableDirected = 1
    /// ADV_SCAN_IND: may be asked for more data.
    case scannable = 2
    /// ADV_NONCONN_IND: only to be heard.
    case nonconnectable = 3
    /// SCAN_RSP: the answer to a scan request.
    case scanResponse = 4
  }

  /// What kind of advertisement it was.
  public var eventType: EventType
  /// Who sent it.
  public var address: BluetoothAddress
  /// The received signal strength in dBm; 127 = unknown.
  public var rssi: Int8
  /// The advertising data; at most 255 bytes.
  public var data: [UInt8]

  /// A report; data over 255 bytes are cut.
  public init(eventType: EventType, address: BluetoothAddress, rssi: Int8, data: [UInt8]) {
    self.eventType = eventType
    self.address = address
    self.rssi = rssi
    self.data = Array(data.prefix(255))
  }

  /// The structures of ``data``.
  public var advertisingData: AdvertisingData { AdvertisingData(parsing: data) }

  /// The report's bytes.
  public var encoded: [UInt8] {
    let data = data.prefix(255)
    return [eventType.rawValue, address.kind.rawValue] + address.littleEndianBytes + [UInt8(data.count)] + data
      + [UInt8(bitPattern: rssi)]
  }

  /// Decodes a report; nil unless the bytes are exactly one report.
  public init?(decoding bytes: [UInt8]) {
    var reader = ByteReader(bytes)
    guard let eventType = reader.uint8().flatMap(EventType.init(rawValue:)),
      let kind = reader.uint8().flatMap(BluetoothAddress.Kind.init(rawValue:)),
      let address = reader.take(6).flatMap({ BluetoothAddress(littleEndian: $0, kind: kind) }),
      let length = reader.uint8(), let data = reader.take(Int(length)), let rssi = reader.uint8(), reader.isEmpty
    else { return nil }
    self.init(eventType: eventType, address: address, rssi: Int8(bitPattern: rssi), data: Array(data))
  }
}
