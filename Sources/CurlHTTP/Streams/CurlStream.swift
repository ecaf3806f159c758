import CCurl
import HostPrimitives

/// One connection in libcurl's hands. It belongs to the thread of connections.
final class CurlStream {
  private enum Phase {
    case connecting(CurlStreamOrder)
    case open(descriptor: Int32)
    /// No more bytes come; what still comes of sending is the other end's affair.
    case ended(descriptor: Int32)
    case broken(ByteConnectionError)
  }

  /// Nil once it is freed.
  private(set) var handle: UnsafeMutableRawPointer?
  private let address: ByteConnectionAddress
  private let settings: CurlTransport.Settings
  private var phase: Phase
  private var sends: [CurlStreamSend] = []
  private var receives: [CurlStreamOrder] = []
  /// Why nothing can be sent any more.
  private var sendFailure: ByteConnectionError?
  /// What could not be sent: kept as long as the handle, which may still look at it.
  private var unsent: [CurlStreamSend] = []
  /// Where libcurl writes what went wrong; it outlives the handle.
  private let words = CurlWords()
  private var chunk = [UInt8](repeating: 0, count: 1 << 16)

  init(
    handle: UnsafeMutableRawPointer, _ address: ByteConnectionAddress, _ settings: CurlTransport.Settings,
    _ order: CurlStreamOrder
  ) {
    (self.handle, self.address, self.settings) = (handle, address, settings)
    phase = .connecting(order)
  }

  /// Sets every option; false when libcurl refuses one.
  func configure() -> Bool {
    guard let handle else { return false }
    let host = address.host.contains(":") ? "[\(address.host)]" : address.host
    let results = [
      mh_curl_set_string(handle, CURLOPT_URL, "\(address.isEncrypted ? "https" : "http")://\(host):\(address.port)/"),
      mh_curl_set_string(handle, CURLOPT_PROTOCOLS_STR, "http,https"),
      mh_curl_set_long(handle, CURLOPT_CONNECT_ONLY, 1),
      // What is spoken is not HTTP, so it must not be agreed upon.
      mh_curl_set_long(handle, CURLOPT_SSL_ENABLE_ALPN, 0),
      mh_curl_set_long(handle, CURLOPT_HTTPPROXYTUNNEL, 1),
      mh_curl_set_pointer(handle, CURLOPT_ERRORBUFFER, words.pointer),
    ]
    return (results + settings.connectionOptions(handle, isEncrypted: address.isEncrypted))
      .allSatisfy { $0 == CURLE_OK }
  }

  /// Whether libcurl is no longer needed.
  var isBroken: Bool { if case .broken = phase { true } else { false } }
  /// Whether it has ever connected: if so, calls may still come, and hear why it is of no use.
  private(set) var hasConnected = false

  /// What the thread should wait for; nil where there is nothing.
  var wish: curl_waitfd? {
    let (descriptor, isReading): (Int32, Bool)
    switch phase {
    case .open(let open): (descriptor, isReading) = (open, !receives.isEmpty)
    case .ended(let open): (descriptor, isReading) = (open, false)
    case .connecting, .broken: return nil
    }
    let events = (isReading ? CURL_WAIT_POLLIN : 0) | (sends.isEmpty ? 0 : CURL_WAIT_POLLOUT)
    return events == 0 ? nil : curl_waitfd(fd: descriptor, events: Int16(events), revents: 0)
  }

  func add(_ order: CurlStreamOrder) {
    switch order.action {
    case .connect: break
    case .send(let bytes):
      if let sendFailure { return order.finish(.failure(sendFailure)) }
      sends.append(CurlStreamSend(order, bytes))
    case .receive: receives.append(order)
    }
  }

  func cancel(_ numbers: Set<Int>) {
    if case .connecting(let order) = phase, numbers.contains(order.number) {
      order.finish(.failure(CurlStreamMailbox.gaveUp))
      phase = .broken(CurlStreamMailbox.gaveUp)
    }
    receives = receives.filter { Self.keep($0, unlessIn: numbers) }
    sends = sends.filter { send in
      guard send.isBegun else { return Self.keep(send.order, unlessIn: numbers) }
      if numbers.contains(send.order.number) {
        // A part of it may be out, and the rest would be missing in the stream.
        phase = .broken(CurlStreamMailbox.closed)
        send.answer(.failure(CurlStreamMailbox.gaveUp))
      }
      return true
    }
  }

  private static func keep(_ order: CurlStreamOrder, unlessIn numbers: Set<Int>) -> Bool {
    guard numbers.contains(order.number) else { return true }
    order.finish(.failure(CurlStreamMailbox.gaveUp))
    return false
  }

  /// Notes how connecting has ended.
  func noteConnected(_ code: CURLcode) {
    guard case .connecting(let order) = phase else { return }
    if let error = problem(code) {
      phase = .broken(error)
      return order.finish(.failure(error))
    }
    var descriptor: Int32 = -1
    guard mh_curl_active_socket(handle, &descriptor) == CURLE_OK, descriptor >= 0 else {
      phase = .broken(CurlStreamError.lost(""))
      return order.finish(.failure(CurlStreamError.lost("")))
    }
    mh_curl_limit_silence(descriptor, UInt32(clamping: settings.timeout.milliseconds))
    phase = .open(descriptor: descriptor)
    hasConnected = true
    order.finish(.success([]))
  }

  private func problem(_ code: CURLcode) -> ByteConnectionError? {
    guard code == CURLE_OK else { return CurlStreamError.connecting(code, words.text) }
    guard !address.isEncrypted, let handle else { return nil }
    return LocalPeerRule(settings).refusal(ofConnection: handle)
  }

  /// Sends and receives what is possible now.
  func work() {
    while case .open = phase, let order = receives.first, receive(for: order) {}
    if case .ended = phase { answerReceives(.success([])) }
    // Bytes that others want to send must wait no longer than these take.
    var turns = 16
    while turns > 0, canSend, let send = sends.first, step(send) { turns -= 1 }
  }

  private var canSend: Bool {
    switch phase {
    case .open, .ended: true
    case .connecting, .broken: false
    }
  }

  /// Answers an order with what has come; false when nothing has.
  private func receive(for order: CurlStreamOrder) -> Bool {
    var count = 0
    words.clear()
    let code = chunk.withUnsafeMutableBytes { mh_curl_receive(handle, $0.baseAddress, $0.count, &count) }
    switch code {
    case CURLE_AGAIN: return false
    case CURLE_OK where count > 0:
      receives.removeFirst()
      order.finish(.success(Array(chunk.prefix(count))))
      return true
    case CURLE_OK:
      if case .open(let descriptor) = phase { phase = .ended(descriptor: descriptor) }
      return false
    default:
      phase = .broken(CurlStreamError.using(words.text))
      return false
    }
  }

  /// Sends a part; false when no more goes out now.
  private func step(_ send: CurlStreamSend) -> Bool {
    let part = send.begin()
    var count = 0
    words.clear()
    switch mh_curl_send(handle, part.baseAddress, part.count, &count) {
    case CURLE_AGAIN: return false
    case CURLE_OK:
      if send.advance(count) {
        sends.removeFirst()
        send.answer(.success([]))
      }
      return true
    default:
      // What the other end has said before it went can still be read, and may say why.
      let error = CurlStreamError.using(words.text)
      sendFailure = error
      for send in sends { send.answer(.failure(error)) }
      unsent += sends
      sends = []
      return false
    }
  }

  private func answerReceives(_ result: Result<[UInt8], ByteConnectionError>) {
    for order in receives { order.finish(result) }
    receives = []
  }

  /// Answers everything that waits with what the connection broke of.
  func answerBroken() {
    guard case .broken(let error) = phase else { return }
    answerReceives(.failure(error))
    for send in sends { send.answer(.failure(error)) }
    sends = []
  }

  /// Ends the connection. The handle is out of the multi handle, so nobody looks at what is being sent any more.
  func finish(_ error: ByteConnectionError) {
    if case .connecting(let order) = phase { order.finish(.failure(error)) }
    if !isBroken { phase = .broken(error) }
    if let handle { mh_curl_free(handle) }
    handle = nil
    unsent = []
    answerBroken()
  }
}
