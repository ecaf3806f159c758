package import BluetoothWire
import HostPrimitives

/// What an adapter and a meter share after a pairing: the keys that the kernel wants back after a restart.
package struct KernelBond: Sendable, Hashable {
  /// Keys that encrypt.
  package var keys: [LongTermKey]
  /// The key that recognises a meter with changing addresses; nil for one that has none.
  package var identity: IdentityKey?

  /// A bond from its keys; nil without one that encrypts.
  package init?(keys: [LongTermKey], identity: IdentityKey?) {
    guard !keys.isEmpty else { return nil }
    self.keys = keys
    self.identity = identity
  }

  /// The meter's identity address.
  package var peer: BluetoothAddress? { identity?.peer ?? keys.first?.peer }

  /// Whether a person had confirmed the pairing.
  package var isAuthenticated: Bool { keys.contains(where: \.kind.isAuthenticated) }

  private static let format: UInt8 = 1

  /// The bond as it is kept.
  package var encoded: [UInt8] {
    [Self.format, UInt8(clamping: keys.count)] + keys.flatMap(\.encoded) + (identity?.encoded ?? [])
  }

  /// Reads a kept bond; nil when it is damaged or of another format.
  package init?(decoding bytes: [UInt8]) {
    var reader = ByteReader(bytes)
    guard reader.uint8() == Self.format, let count = reader.uint8() else { return nil }
    var keys: [LongTermKey] = []
    for _ in 0..<count {
      guard let key = LongTermKey(from: &reader), key.isWhole else { return nil }
      keys.append(key)
    }
    var identity: IdentityKey?
    if !reader.isEmpty {
      guard let key = IdentityKey(from: &reader), key.isWhole, reader.isEmpty else { return nil }
      identity = key
    }
    self.init(keys: keys, identity: identity)
  }
}
