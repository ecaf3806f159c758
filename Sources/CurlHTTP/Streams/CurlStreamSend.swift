import CCurl

/// Bytes that are being sent. They stay where they are in memory: OpenSSL wants the same bytes at the same place when it is asked
/// again after it could not take them.
final class CurlStreamSend {
  let order: CurlStreamOrder
  private let bytes: UnsafeMutableRawBufferPointer
  private var offset = 0
  /// Whether libcurl has seen a part of it.
  private(set) var isBegun = false
  private var isAnswered = false

  init(_ order: CurlStreamOrder, _ content: [UInt8]) {
    self.order = order
    bytes = .allocate(byteCount: content.count, alignment: 1)
    bytes.copyBytes(from: content)
  }

  deinit { bytes.deallocate() }

  /// Tells the caller what came of it, once.
  func answer(_ result: Result<[UInt8], ByteConnectionError>) {
    guard !isAnswered else { return }
    isAnswered = true
    order.finish(result)
  }

  /// The next part, at most a TLS record; the same one until ``advance(_:)``.
  func begin() -> UnsafeRawBufferPointer {
    isBegun = true
    return UnsafeRawBufferPointer(rebasing: bytes[offset..<min(offset + 16_384, bytes.count)])
  }

  /// Notes that bytes went out; true when they were the last.
  func advance(_ count: Int) -> Bool {
    offset = min(offset + count, bytes.count)
    return offset == bytes.count
  }
}

/// Memory into which libcurl writes what went wrong.
final class CurlWords {
  let pointer = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

  init() { pointer.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE)) }

  deinit { pointer.deallocate() }

  /// Forgets what an earlier call has left.
  func clear() { pointer.pointee = 0 }

  var text: String { String(cString: pointer) }
}
