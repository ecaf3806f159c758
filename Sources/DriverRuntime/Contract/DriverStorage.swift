package import DriverContract
import CMeterDriver
import HostPrimitives

/// The keys of one session: reads see the session's own writes at once, writes leave with the event's unit (rule R23).
package struct DriverStorage {
  private var committed: [ExactText: [UInt8]]
  private var pending: [ExactText: [UInt8]] = [:]

  init(_ preloaded: [ExactText: [UInt8]]) { committed = preloaded }

  /// The content of a key, nil when there is none.
  func value(_ key: String) -> [UInt8]? {
    let value = pending[ExactText(key)] ?? committed[ExactText(key)]
    return value?.isEmpty == true ? nil : value
  }

  /// Writes a key, or says why not as an `MH_E_*` status.
  mutating func set(_ key: String, _ value: [UInt8]) -> Int32 {
    guard Self.isKey(key) else { return MH_E_ARG }
    guard value.count <= Int(MH_VALUE_MAX) else { return MH_E_DENIED }
    var after = committed.merging(pending) { $1 }
    after[ExactText(key)] = value
    let size = after.reduce(0) { $1.value.isEmpty ? $0 : $0 + $1.key.text.utf8.count + $1.value.count }
    guard value.isEmpty || size <= Int(MH_STORAGE_MAX) else { return MH_E_DENIED }
    pending[ExactText(key)] = value
    return MH_OK
  }

  /// Takes the writes since the last call, ordered by key.
  package mutating func takeWrites() -> [DriverStorageWrite] {
    guard !pending.isEmpty else { return [] }
    let writes = pending.sorted { $0.key < $1.key }.map { DriverStorageWrite(key: $0.key.text, value: $0.value) }
    committed.merge(pending) { $1 }
    pending.removeAll()
    return writes
  }

  /// What the host keeps for itself: it is encrypted at rest, and a driver asks for it by name.
  static func isSecret(_ key: String) -> Bool {
    StorageName.isSecret(key) || StorageName.credential(namedBy: key) != nil
  }

  /// A key that can be read: one of storage, or a credential.
  static func isReadable(_ key: String) -> Bool {
    if isKey(key) { return true }
    guard let name = StorageName.credential(namedBy: key) else { return false }
    return (1...Int(MH_KEY_MAX)).contains(name.utf8.count) && key.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f }
  }

  /// "user/..." or "meter/...", 64 bytes at most, without control characters.
  static func isKey(_ key: String) -> Bool {
    guard (1...Int(MH_KEY_MAX)).contains(key.utf8.count), key.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else {
      return false
    }
    return StorageName.isKey(key)
  }
}
