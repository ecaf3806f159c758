import CMeterDriver

/// Bytes that the host lends for the call (rule R6); the caller narrows the lifetime to what it borrows them from. A
/// missing pointer reads as empty.
@_lifetime(immortal)
func lend(_ bytes: mh_bytes) -> RawSpan {
  let buffer = UnsafeRawBufferPointer(start: bytes.p, count: bytes.p == nil ? 0 : Int(clamping: bytes.n))
  return _overrideLifetime(buffer.bytes, borrowing: ())
}

@_lifetime(immortal)
func lend(_ text: mh_str) -> RawSpan {
  let buffer = UnsafeRawBufferPointer(start: text.p, count: text.p == nil ? 0 : Int(clamping: text.n))
  return _overrideLifetime(buffer.bytes, borrowing: ())
}

extension StaticString {
  /// The text as the contract passes it. Static text lives as long as the process.
  var contractText: mh_str {
    mh_str(p: UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self), n: UInt64(utf8CodeUnitCount))
  }
}
