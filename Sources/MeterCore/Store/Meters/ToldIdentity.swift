internal import Foundation
internal import GRDB
import HostPrimitives

/// What a meter has once told of itself, as far as its name rests on it.
package struct ToldIdentity: Sendable, Hashable {
  /// The name that was made from it.
  package let identity: MeterIdentity
  /// Its serial number, or nil when its name rests on the System ID.
  package private(set) var serial: String?
  /// The model that keeps equal serial numbers apart; nil when it has told none.
  package private(set) var model: String?
  /// Its System ID, or nil when its name rests on the serial number.
  package private(set) var systemID: [UInt8]?

  /// From the key under which the store files a meter; nil for a meter that has told nothing and is known by its address.
  init?(storageKey: String) {
    guard let bytes = [UInt8](hexadecimal: storageKey.utf8), let frames = Self.frames(bytes),
      let basis = frames.first.flatMap({ MeterIdentity.Basis(rawValue: String(decoding: $0, as: UTF8.self)) })
    else { return nil }
    switch basis {
    case .serial where frames.count == 3:
      serial = String(decoding: frames[1], as: UTF8.self)
      model = frames[2].isEmpty ? nil : String(decoding: frames[2], as: UTF8.self)
    case .systemID where frames.count == 2: systemID = frames[1]
    default: return nil
    }
    identity = MeterIdentity(serial: serial, model: model, systemID: systemID, address: "")
    // What cannot be made again from its parts is none of these names.
    guard identity.storageKey == storageKey else { return nil }
  }

  private static func frames(_ bytes: [UInt8]) -> [[UInt8]]? {
    var frames: [[UInt8]] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      guard rest.count >= 4 else { return nil }
      let length = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
      rest = rest.dropFirst(4)
      guard rest.count >= length else { return nil }
      frames.append(Array(rest.prefix(length)))
      rest = rest.dropFirst(length)
    }
    return frames
  }
}

extension MeterStore {
  /// What the meters that were last met at an address have told of themselves, each once.
  ///
  /// - Parameters:
  ///   - address: Written as `AA:BB:CC:DD:EE:FF`.
  ///   - kind: As for ``meter(atAddress:_:)``.
  /// - Throws: ``StoreError``.
  package func toldIdentities(
    atAddress address: String, _ kind: MeterAddressKind
  ) throws(StoreError) -> [ToldIdentity] {
    let keys = try reading { db in
      try String.fetchAll(
        db,
        sql: """
          SELECT storage_key FROM meter WHERE address = ? AND (address_kind IS NULL OR address_kind = ?)
            AND storage_key IS NOT NULL ORDER BY last_us DESC, uuid
          """,
        arguments: [address.uppercased(), kind.rawValue])
    }
    return keys.compactMap(ToldIdentity.init(storageKey:))
  }
}
