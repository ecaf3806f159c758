import DriverRuntime
import CMeterDriver
import Synchronization

/// The host that a probed driver sees: the runtime's own services, but for what a suite has to know, or to be told the same
/// twice.
enum ProbeHost {
  private struct State {
    var manner: ProbeManner = []
    /// Of each session: its random numbers are the same in every run (rule R8).
    var random: [ObjectIdentifier: UInt64] = [:]
    var outside: Set<String> = []
    var inDecode: Set<String> = []
  }

  private static let state = Mutex(State())

  /// The table, for the life of the process.
  static func table(_ manner: ProbeManner) -> UnsafePointer<mh_host> {
    state.withLock { $0.manner = manner }
    var table = HostServices.table.pointee
    if manner.contains(.otherMajor) { table.abi_major += 1 }
    if manner.contains(.laterHost) { table.abi_minor += 1 }
    table.random = { _, out, count in ProbeHost.random(out, count) }
    table.kv_get = { context, peer, key, buffer, count in
      guard ProbeHost.admits("kv_get") else { return MH_E_DENIED }
      return HostServices.table.pointee.kv_get(context, peer, key, buffer, count)
    }
    table.kv_set = { context, peer, key, value in
      guard ProbeHost.admits("kv_set"), !ProbeHost.has(.refusesKeys) else { return MH_E_DENIED }
      return HostServices.table.pointee.kv_set(context, peer, key, value)
    }
    table.asset = { context, name, out in
      guard ProbeHost.admits("asset", inDecode: true) else { return MH_E_DENIED }
      return HostServices.table.pointee.asset(context, name, out)
    }
    // `log` and `extension` may be called at any time.
    table.extension = { context, id in
      guard !ProbeHost.has(.withoutExtensions), HostServices.table.pointee.extension(context, id) != nil else {
        return nil
      }
      return UnsafeRawPointer(ProbeHost.crypto)
    }
    return UnsafePointer(LentMemory.forever(table, manner))
  }

  // The only table of an extension: that of cryptography, whose functions are noted like the host's own. Written once before
  // anybody can see it and never again.
  nonisolated(unsafe) private static let crypto: UnsafePointer<mh_crypto> = {
    var crypto = CryptoServices.table.pointee
    crypto.cipher = { context, peer, request, out, count in
      guard ProbeHost.admits("cipher") else { return MH_E_DENIED }
      return CryptoServices.table.pointee.cipher(context, peer, request, out, count)
    }
    crypto.mac = { context, peer, algorithm, key, input, out, count in
      guard ProbeHost.admits("mac") else { return MH_E_DENIED }
      return CryptoServices.table.pointee.mac(context, peer, algorithm, key, input, out, count)
    }
    crypto.sha256 = { context, input, out in
      guard ProbeHost.admits("sha256") else { return MH_E_DENIED }
      return CryptoServices.table.pointee.sha256(context, input, out)
    }
    crypto.derive = { context, peer, request in
      guard ProbeHost.admits("derive") else { return MH_E_DENIED }
      return CryptoServices.table.pointee.derive(context, peer, request)
    }
    crypto.make_key_pair = { context, peer, into, out in
      guard ProbeHost.admits("make_key_pair") else { return MH_E_DENIED }
      return CryptoServices.table.pointee.make_key_pair(context, peer, into, out)
    }
    crypto.agree = { context, peer, key, point, into in
      guard ProbeHost.admits("agree") else { return MH_E_DENIED }
      return CryptoServices.table.pointee.agree(context, peer, key, point, into)
    }
    let table = UnsafeMutablePointer<mh_crypto>.allocate(capacity: 1)
    table.initialize(to: crypto)
    return UnsafePointer(table)
  }()

  /// What was asked for where it may not be.
  static var offences: (outside: [String], inDecode: [String]) {
    state.withLock { ($0.outside.sorted(), $0.inDecode.sorted()) }
  }

  /// A session has ended: its random numbers begin anew when its memory is used again.
  static func forget(_ call: CallContext) { state.withLock { $0.random[ObjectIdentifier(call)] = nil } }

  private static func has(_ manner: ProbeManner) -> Bool { state.withLock { $0.manner.contains(manner) } }

  /// Notes a service that is asked for outside of a call, or inside of `decode`.
  private static func admits(_ name: String, inDecode: Bool = false) -> Bool {
    guard let call = CallContext.current else {
      state.withLock { _ = $0.outside.insert(name) }
      return false
    }
    if call.peer == nil, !inDecode {
      state.withLock { _ = $0.inDecode.insert(name) }
      return false
    }
    return true
  }

  private static func random(_ out: UnsafeMutablePointer<UInt8>?, _ count: UInt64) -> Int32 {
    guard admits("random"), let call = CallContext.current else { return MH_E_DENIED }
    guard let out, count <= UInt64(MH_RANDOM_MAX) else { return count == 0 ? MH_OK : MH_E_ARG }
    state.withLock { state in
      var seed = state.random[ObjectIdentifier(call)] ?? 0x9E37_79B9_7F4A_7C15
      for index in 0..<Int(count) {
        // xorshift64*: any numbers will do that are always the same.
        seed ^= seed >> 12
        seed ^= seed << 25
        seed ^= seed >> 27
        out[index] = UInt8(truncatingIfNeeded: (seed &* 0x2545_F491_4F6C_DD1D) >> 56)
      }
      state.random[ObjectIdentifier(call)] = seed
    }
    return MH_OK
  }
}
