import HostPrimitives

/// Which meter this is, the same on every gateway: serial number with model, else System ID, else address.
public struct MeterIdentity: Sendable, Hashable, Codable {
  /// What the identity rests on.
  package enum Basis: String, Sendable, Hashable, Codable {
    /// Serial Number String (2A25) with Model Number String (2A24).
    case serial
    /// System ID (2A23).
    case systemID
    /// The public or identity address.
    case address
  }

  /// What the identity rests on.
  package let basis: Basis
  /// Bytes that name the meter; never a per-gateway number.
  package let stableBytes: [UInt8]
  /// The serial number, else the System ID in hexadecimal, else the address: what people and receivers see.
  public let displayName: String

  /// The identity from whatever the meter gave.
  ///
  /// - Parameters:
  ///   - serial: Serial Number String; ignored when it is empty or a placeholder that many meters share.
  ///   - model: Model Number String; keeps equal serial numbers of two models apart.
  ///   - systemID: System ID, 8 bytes; ignored when all bytes are equal.
  ///   - address: The public or identity address, written as `AA:BB:CC:DD:EE:FF`; its case does not matter.
  public init(serial: String?, model: String?, systemID: [UInt8]?, address: String) {
    var frames = ByteFrames()
    if let serial = Self.trimmed(serial), !Self.isPlaceholder(serial) {
      basis = .serial
      frames.append(serial)
      frames.append(Self.trimmed(model) ?? "")
      displayName = serial
    } else if let systemID, systemID.count == 8, Set(systemID).count > 1 {
      basis = .systemID
      frames.append(systemID)
      displayName = systemID.hexadecimal
    } else {
      basis = .address
      frames.append(address.uppercased())
      displayName = address.uppercased()
    }
    var named = ByteFrames()
    named.append(basis.rawValue)
    stableBytes = named.bytes + frames.bytes
  }

  /// Whether it rests on the address alone.
  package var isByAddress: Bool { basis == .address }

  /// No meter: for records that no driver has read, which have no storage either.
  static let none = MeterIdentity(serial: nil, model: nil, systemID: nil, address: "")

  /// The key under which the store files what belongs to this meter.
  var storageKey: String { stableBytes.hexadecimal }

  /// Meters pad their strings with blanks and NULs; two gateways must agree all the same.
  private static func trimmed(_ text: String?) -> String? {
    guard let text else { return nil }
    let kept = text.unicodeScalars.drop { $0.value <= 0x20 }
    let end = kept.lastIndex { $0.value > 0x20 }.map { kept.index(after: $0) } ?? kept.startIndex
    let result = String(String.UnicodeScalarView(kept[kept.startIndex..<end]))
    return result.isEmpty ? nil : result
  }

  /// Values that modules ship with: taken as serial numbers, they would make one meter of many.
  private static func isPlaceholder(_ serial: String) -> Bool {
    Set(serial).count == 1
      || ["serial number", "serial", "unknown", "none", "n/a", "na", "null", "default", "0123456789", "123456789"]
        .contains(serial.lowercased())
  }
}
