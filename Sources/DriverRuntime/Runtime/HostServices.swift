import DriverContract
import CLinux
package import CMeterDriver

/// The one table of host services of this process. Every function looks for the thread's current call (rule R7).
package enum HostServices {
  // Written once before anybody can see it and never again; drivers keep the pointer for the life of the process.
  package nonisolated(unsafe) static let table: UnsafePointer<mh_host> = {
    let table = UnsafeMutablePointer<mh_host>.allocate(capacity: 1)
    table.initialize(
      to: mh_host(
        struct_size: UInt32(MemoryLayout<mh_host>.size), abi_major: mh_abi_major(), abi_minor: mh_abi_minor(),
        ctx: nil,
        log: { _, level, message in HostServices.log(level, message) },
        random: { _, out, count in HostServices.random(out, count) },
        kv_get: { _, peer, key, buffer, count in HostServices.get(peer, key, buffer, count) },
        kv_set: { _, peer, key, value in HostServices.set(peer, key, value) },
        asset: { _, name, out in HostServices.asset(name, out) },
        extension: { _, id in HostServices.table(id) }))
    return UnsafePointer(table)
  }()

  private static func log(_ level: Int32, _ message: mh_str) {
    guard let call = CallContext.current, let bytes = borrowed(message.p, message.n) else { return }
    call.log.append(level: level, bytes: bytes, now: call.logTime ?? clinux_monotonic())
  }

  private static func random(_ out: UnsafeMutablePointer<UInt8>?, _ count: UInt64) -> Int32 {
    guard let call = CallContext.current, call.peer != nil else { return MH_E_DENIED }
    guard let out, count <= UInt64(MH_RANDOM_MAX) else { return count == 0 ? MH_OK : MH_E_ARG }
    guard count > 0 else { return MH_OK }
    guard let bytes = call.random(Int(count)) else { return MH_E_DENIED }
    out.update(from: bytes, count: bytes.count)
    return MH_OK
  }

  private static func get(
    _ peer: UInt64, _ key: mh_str, _ buffer: UnsafeMutablePointer<UInt8>?, _ count: UnsafeMutablePointer<UInt64>?
  ) -> Int32 {
    guard let call = CallContext.current, call.peer == peer else { return MH_E_DENIED }
    guard let count, let name = text(key), DriverStorage.isReadable(name) else { return MH_E_ARG }
    // Credentials and secrets are with the host: nothing of them is preloaded.
    guard !DriverStorage.isSecret(name) else {
      return CryptoServices.deliver(call.ask(.value(name: name)), to: buffer, count)
    }
    guard let value = call.storage.value(name) else { return MH_E_NOT_FOUND }
    return CryptoServices.deliver(ServiceAnswer(status: MH_OK, output: value), to: buffer, count)
  }

  private static func set(_ peer: UInt64, _ key: mh_str, _ value: mh_bytes) -> Int32 {
    guard let call = CallContext.current, call.peer == peer else { return MH_E_DENIED }
    guard let name = text(key) else { return MH_E_ARG }
    guard value.n <= UInt64(MH_VALUE_MAX) else { return MH_E_DENIED }
    guard let bytes = borrowed(value.p, value.n) else { return MH_E_ARG }
    let status = call.storage.set(name, Array(bytes))
    guard status == MH_OK, DriverStorage.isSecret(name) else { return status }
    // So that this session can use what it has written before it is on disk.
    return call.ask(.put(name: name, value: Array(bytes))).status
  }

  private static func asset(_ name: mh_str, _ out: UnsafeMutablePointer<mh_bytes>?) -> Int32 {
    guard let call = CallContext.current else { return MH_E_DENIED }
    guard let out, let name = text(name) else { return MH_E_ARG }
    guard let file = call.assets.file(name) else { return MH_E_NOT_FOUND }
    out.pointee = mh_bytes(p: file.baseAddress?.assumingMemoryBound(to: UInt8.self), n: UInt64(file.count))
    return MH_OK
  }

  /// What a driver lends for the call; nil when pointer and length contradict each other.
  package static func borrowed(_ pointer: UnsafeRawPointer?, _ count: UInt64) -> UnsafeRawBufferPointer? {
    guard count > 0 else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    guard let pointer, count <= 1 << 20 else { return nil }
    return UnsafeRawBufferPointer(start: pointer, count: Int(count))
  }

  private static func table(_ id: UnsafePointer<CChar>?) -> UnsafeRawPointer? {
    guard let id, String(cString: id) == MH_EXT_CRYPTO else { return nil }
    return UnsafeRawPointer(CryptoServices.table)
  }

  package static func text(_ string: mh_str) -> String? {
    guard string.n <= 256, let bytes = borrowed(string.p, string.n) else { return nil }
    return String(validating: bytes, as: UTF8.self)
  }
}
