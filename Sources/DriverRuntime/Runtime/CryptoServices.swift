package import DriverContract
package import CMeterDriver

/// The table behind `MH_EXT_CRYPTO` (rule R5). Like ``HostServices``, every function looks for the thread's current call
/// (rule R7) and hands the request to the session's services; no key is ever in this process when it is a worker.
package enum CryptoServices {
  // Written once before anybody can see it and never again; drivers keep the pointer for the life of the process.
  package nonisolated(unsafe) static let table: UnsafePointer<mh_crypto> = {
    let table = UnsafeMutablePointer<mh_crypto>.allocate(capacity: 1)
    table.initialize(
      to: mh_crypto(
        struct_size: UInt32(MemoryLayout<mh_crypto>.size), reserved: 0, ctx: nil,
        cipher: { _, peer, request, out, count in CryptoServices.cipher(peer, request, out, count) },
        mac: { _, peer, algorithm, key, input, out, count in
          CryptoServices.mac(peer, algorithm, key, input, out, count)
        },
        sha256: { _, input, out in CryptoServices.sha256(input, out) },
        derive: { _, peer, request in CryptoServices.derive(peer, request) },
        make_key_pair: { _, peer, into, out in CryptoServices.makeKeyPair(peer, into, out) },
        agree: { _, peer, key, point, into in CryptoServices.agree(peer, key, point, into) }))
    return UnsafePointer(table)
  }()

  /// Longest input of one call; a meter's packets are far shorter, and a licence file is 64 KiB.
  package static let longestInput = UInt64(MH_CRYPTO_INPUT_MAX)

  private static func cipher(
    _ peer: UInt64, _ request: UnsafePointer<mh_cipher>?, _ out: UnsafeMutablePointer<UInt8>?,
    _ count: UnsafeMutablePointer<UInt64>?
  ) -> Int32 {
    guard let call = call(peer) else { return MH_E_DENIED }
    guard let request, request.pointee.struct_size >= FrozenSize.cipher, let count else { return MH_E_ARG }
    let given = grownStruct(request, empty: mh_cipher())
    guard given.reserved == 0, let key = HostServices.text(given.key), let nonce = bytes(given.nonce),
      let associated = bytes(given.associated), let input = bytes(given.input)
    else { return MH_E_ARG }
    let answer = call.ask(
      .cipher(
        algorithm: given.algorithm, direction: given.direction, tagLength: given.tag_length, key: key, nonce: nonce,
        associated: associated, input: input))
    return deliver(answer, to: out, count)
  }

  private static func mac(
    _ peer: UInt64, _ algorithm: UInt32, _ key: mh_str, _ input: mh_bytes, _ out: UnsafeMutablePointer<UInt8>?,
    _ count: UnsafeMutablePointer<UInt64>?
  ) -> Int32 {
    guard let call = call(peer) else { return MH_E_DENIED }
    guard let count, let key = HostServices.text(key), let input = bytes(input) else { return MH_E_ARG }
    return deliver(call.ask(.mac(algorithm: algorithm, key: key, input: input)), to: out, count)
  }

  private static func sha256(_ input: mh_bytes, _ out: UnsafeMutablePointer<UInt8>?) -> Int32 {
    guard let call = CallContext.current, call.peer != nil else { return MH_E_DENIED }
    guard let out, let input = bytes(input) else { return MH_E_ARG }
    return deliver(call.ask(.sha256(input)), to: out, exactly: 32)
  }

  private static func derive(_ peer: UInt64, _ request: UnsafePointer<mh_derivation>?) -> Int32 {
    guard let call = call(peer) else { return MH_E_DENIED }
    guard let request, request.pointee.struct_size >= FrozenSize.derivation else { return MH_E_ARG }
    let given = grownStruct(request, empty: mh_derivation())
    guard let key = HostServices.text(given.key), let salt = bytes(given.salt), let info = bytes(given.info),
      let into = HostServices.text(given.into)
    else { return MH_E_ARG }
    return call.ask(.derive(length: given.length, key: key, salt: salt, info: info, into: into)).status
  }

  private static func makeKeyPair(_ peer: UInt64, _ into: mh_str, _ out: UnsafeMutablePointer<UInt8>?) -> Int32 {
    guard let call = call(peer) else { return MH_E_DENIED }
    guard let out, let into = HostServices.text(into) else { return MH_E_ARG }
    return deliver(call.ask(.makeKeyPair(into: into)), to: out, exactly: 64)
  }

  private static func agree(
    _ peer: UInt64, _ key: mh_str, _ point: UnsafePointer<UInt8>?, _ into: mh_str
  ) -> Int32 {
    guard let call = call(peer) else { return MH_E_DENIED }
    guard let point, let key = HostServices.text(key), let into = HostServices.text(into) else { return MH_E_ARG }
    let publicKey = Array(UnsafeBufferPointer(start: point, count: 64))
    return call.ask(.agree(privateKey: key, publicKey: publicKey, into: into)).status
  }

  private static func call(_ peer: UInt64) -> CallContext? {
    guard let call = CallContext.current, call.peer == peer else { return nil }
    return call
  }

  private static func bytes(_ bytes: mh_bytes) -> [UInt8]? {
    guard bytes.n <= longestInput else { return nil }
    return HostServices.borrowed(bytes.p, bytes.n).map { Array($0) }
  }

  /// Copies a result of any length out, or says `MH_E_FULL` with its length in `count`.
  package static func deliver(
    _ answer: ServiceAnswer, to out: UnsafeMutablePointer<UInt8>?, _ count: UnsafeMutablePointer<UInt64>
  ) -> Int32 {
    guard answer.status == MH_OK else { return answer.status }
    let room = count.pointee
    count.pointee = UInt64(answer.output.count)
    guard room >= UInt64(answer.output.count) else { return MH_E_FULL }
    guard !answer.output.isEmpty else { return MH_OK }
    guard let out else { return MH_E_FULL }
    out.update(from: answer.output, count: answer.output.count)
    return MH_OK
  }

  private static func deliver(
    _ answer: ServiceAnswer, to out: UnsafeMutablePointer<UInt8>, exactly length: Int
  ) -> Int32 {
    guard answer.status == MH_OK else { return answer.status }
    guard answer.output.count == length else { return MH_E_DENIED }
    out.update(from: answer.output, count: length)
    return MH_OK
  }
}
