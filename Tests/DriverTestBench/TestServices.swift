import CMeterDriver

/// Random numbers that count, the bundle's files, and a cipher that shows what it was given.
func addServices(to host: inout mh_host) {
  host.random = { _, out, count in
    for index in 0..<Int(count) { out?[index] = UInt8(truncatingIfNeeded: index) }
    return MH_OK
  }
  host.asset = { context, name, out in
    guard let state = hostState(context), let out else { return MH_E_ARG }
    guard let file = state.assets[text(name)] else { return MH_E_NOT_FOUND }
    let lent = UnsafeMutablePointer<UInt8>.allocate(capacity: max(file.count, 1))
    lent.initialize(from: file, count: file.count)
    state.lent.append(lent)
    out.pointee = mh_bytes(p: UnsafePointer(lent), n: UInt64(file.count))
    return MH_OK
  }
  host.extension = { context, id in
    guard let state = hostState(context), state.keys != nil, let id, String(cString: id) == MH_EXT_CRYPTO else {
      return nil
    }
    return UnsafeRawPointer(state.crypto)
  }
}

/// A table whose cipher combines each byte with the key's one, and appends the nonce and a tag of the tag's length.
func makeCrypto(_ state: HostState) -> mh_crypto {
  var crypto = mh_crypto()
  crypto.struct_size = UInt32(MemoryLayout<mh_crypto>.size)
  crypto.ctx = Unmanaged.passUnretained(state).toOpaque()
  crypto.cipher = { context, peer, request, out, length in
    guard let request = request?.pointee, peer == 7 else { return MH_E_DENIED }
    guard let key = hostState(context)?.keys?[text(request.key)] else { return MH_E_NOT_FOUND }
    let tag = [UInt8](repeating: UInt8(truncatingIfNeeded: request.tag_length), count: Int(request.tag_length))
    return put(bytes(request.input).map { $0 ^ key } + bytes(request.nonce) + tag, out, length)
  }
  crypto.mac = { context, peer, algorithm, key, input, out, length in
    guard hostState(context)?.keys?[text(key)] != nil, peer == 7 else { return MH_E_NOT_FOUND }
    return put([UInt8(truncatingIfNeeded: algorithm)] + bytes(input), out, length)
  }
  return crypto
}

func put(
  _ result: [UInt8], _ out: UnsafeMutablePointer<UInt8>?, _ length: UnsafeMutablePointer<UInt64>?
) -> Int32 {
  guard let length else { return MH_E_ARG }
  let room = length.pointee
  length.pointee = UInt64(result.count)
  guard result.count <= Int(room) else { return MH_E_FULL }
  out?.update(from: result, count: result.count)
  return MH_OK
}
