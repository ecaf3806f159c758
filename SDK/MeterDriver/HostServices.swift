import CMeterDriver

/// The host's table with what this session needs to call it.
struct HostServices {
  let table: UnsafePointer<mh_host>
  let peer: UInt64

  func get(_ key: StaticString) throws(DriverError) -> [UInt8]? {
    guard let service = table.pointee.kv_get else { throw .denied }
    var length: UInt64 = 0
    var status = MH_OK
    let value = [UInt8](unsafeUninitializedCapacity: Int(MH_VALUE_MAX)) { buffer, count in
      length = UInt64(buffer.count)
      status = service(table.pointee.ctx, peer, key.contractText, buffer.baseAddress, &length)
      count = status == MH_OK ? min(Int(clamping: length), buffer.count) : 0
    }
    if status == MH_E_NOT_FOUND { return nil }
    guard status == MH_OK else { throw .denied }
    return value
  }

  func set(_ write: PendingWrite) -> Int32 {
    guard let service = table.pointee.kv_set else { return MH_E_DENIED }
    return write.value.withUnsafeBufferPointer { bytes in
      service(
        table.pointee.ctx, peer, write.key.contractText, mh_bytes(p: bytes.baseAddress, n: UInt64(bytes.count)))
    }
  }

  func log(_ level: LogLevel, _ text: mh_str) {
    table.pointee.log?(table.pointee.ctx, level.rawValue, text)
  }
}

extension Output {
  /// Random bytes from the host (rule R8).
  ///
  /// - Throws: ``DriverError/denied`` when the host refuses.
  public func random(_ count: Int) throws(DriverError) -> [UInt8] {
    guard count >= 0, let service = host.table.pointee.random else { throw .denied }
    var status = MH_OK
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      buffer.initialize(repeating: 0)
      status = service(host.table.pointee.ctx, buffer.baseAddress, UInt64(count))
      initialized = count
    }
    guard status == MH_OK else { throw .denied }
    return bytes
  }

  /// A file of the bundle, by the name in its registry entry; it stays valid for the life of the process.
  ///
  /// - Returns: nil when the bundle has no such file.
  /// - Throws: ``DriverError/denied`` when the host refuses.
  @_lifetime(immortal)
  public func asset(_ name: StaticString) throws(DriverError) -> RawSpan? {
    guard let service = host.table.pointee.asset else { throw .denied }
    var bytes = mh_bytes()
    let status = service(host.table.pointee.ctx, name.contractText, &bytes)
    if status == MH_E_NOT_FOUND { return nil }
    guard status == MH_OK else { throw .denied }
    return lend(bytes)
  }
}
