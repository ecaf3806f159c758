package import BluetoothWire
import HostPrimitives

/// A key that encrypts links with one meter (BlueZ, doc/mgmt-api.txt, "Load Long Term Keys Command").
package struct LongTermKey: Sendable, Hashable {
  /// How the key came to be.
  package enum Kind: UInt8, Sendable, Hashable {
    /// Legacy pairing that nobody confirmed.
    case unauthenticated = 0
    /// Legacy pairing with a passkey.
    case authenticated = 1
    /// Elliptic-curve pairing that nobody confirmed.
    case unauthenticatedCurve = 2
    /// Elliptic-curve pairing that a person confirmed, or with a passkey.
    case authenticatedCurve = 3
    /// Pairing with a key that everybody knows; never kept.
    case debug = 4

    /// Whether it protects against somebody between the two.
    package var isAuthenticated: Bool { self == .authenticated || self == .authenticatedCurve }
  }

  /// The meter's identity address.
  package var peer: BluetoothAddress
  /// How the key came to be.
  package var kind: Kind
  /// Whether it is for links that this host begins.
  package var isCentral: Bool
  /// Bytes of the key that count, 7 to 16.
  package var size: UInt8
  /// The key's name in legacy pairing (Core Specification, Vol 3 Part H 2.4.2.2).
  package var diversifier: UInt16
  /// The other half of that name.
  package var random: UInt64
  /// The key, 16 bytes.
  package var value: [UInt8]

  var encoded: [UInt8] {
    ManagementAddress.bytes(of: peer) + [kind.rawValue, isCentral ? 1 : 0, size] + diversifier.littleEndianBytes
      + random.littleEndianBytes + value
  }

  /// A key from its parts.
  package init(
    peer: BluetoothAddress, kind: Kind, isCentral: Bool, size: UInt8, diversifier: UInt16, random: UInt64,
    value: [UInt8]
  ) {
    self.peer = peer
    self.kind = kind
    self.isCentral = isCentral
    self.size = size
    self.diversifier = diversifier
    self.random = random
    self.value = value
  }

  init?(from reader: inout ByteReader) {
    guard let peer = ManagementAddress.take(from: &reader), let kind = reader.uint8().flatMap(Kind.init),
      let central = reader.uint8(), let size = reader.uint8(), let diversifier = reader.uint16(),
      let random = reader.uint64(), let value = reader.take(16)
    else { return nil }
    self.peer = peer
    self.kind = kind
    isCentral = central != 0
    self.size = size
    self.diversifier = diversifier
    self.random = random
    self.value = Array(value)
  }

  /// Whether the kernel would take it; a kept key may have been damaged.
  var isWhole: Bool { value.count == 16 && (7...16).contains(size) && kind != .debug }
}

/// The key that recognises a meter behind its changing addresses (BlueZ, doc/mgmt-api.txt, "Load Identity Resolving Keys
/// Command").
package struct IdentityKey: Sendable, Hashable {
  /// The meter's identity address.
  package var peer: BluetoothAddress
  /// The key, 16 bytes.
  package var value: [UInt8]

  var encoded: [UInt8] { ManagementAddress.bytes(of: peer) + value }

  /// A key from its parts.
  package init(peer: BluetoothAddress, value: [UInt8]) {
    self.peer = peer
    self.value = value
  }

  init?(from reader: inout ByteReader) {
    guard let peer = ManagementAddress.take(from: &reader), let value = reader.take(16) else { return nil }
    self.peer = peer
    self.value = Array(value)
  }

  /// Whether the kernel would take it.
  var isWhole: Bool { value.count == 16 }
}
