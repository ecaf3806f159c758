import CCurl
internal import Foundation
internal import Glibc
internal import Synchronization

/// HTTP through libcurl's multi interface on one thread, with connections kept and TLS verified.
public final class CurlTransport: HTTPTransport {
  /// Limits of every request.
  public struct Settings: Sendable, Hashable {
    /// To connect, TLS included.
    public var connectTimeout: Duration = .seconds(15)
    /// For the whole exchange.
    public var timeout: Duration = .seconds(60)
    /// Bytes of body, and of header fields, that an answer may have.
    public var responseLimit = 1 << 20
    /// A PEM file of certificate authorities instead of the system's.
    public var authorityFile: String?
    /// A PEM file with the certificate that this host shows the receiver, and those that lead to its authority.
    public var clientCertificateFile: String?
    /// A PEM file with the private key of that certificate.
    public var clientKeyFile: String?
    /// The proxy towards receivers, such as `http://proxy.example:3128`; nil leaves it to the environment
    /// (`https_proxy`, `no_proxy`). It is never used for plain `http`, where it would see token and readings.
    public var proxy: String?
    /// Connections at a time.
    public var connections = 16
    /// Whose the receiver may be on this machine, where TLS does not prove it.
    public var receiverUser = ReceiverUser.own
    /// root, and who this process is; tests are somebody else.
    package var trustedUsers: Set<UInt32> = [0, geteuid()]

    /// The defaults.
    public init() {}
  }

  private let mailbox = CurlMailbox()
  private let settings: Settings
  private let isStarted = Mutex(false)

  /// A transport. Its thread starts with the first request and ends with the transport.
  public init(settings: Settings = Settings()) { self.settings = settings }

  private func start() {
    let isFirst = isStarted.withLock { isStarted in
      defer { isStarted = true }
      return !isStarted
    }
    guard isFirst else { return }
    let (mailbox, settings) = (mailbox, settings)
    let thread = Thread { CurlLoop(mailbox: mailbox, settings: settings).run() }
    thread.name = "meterhost-curl"
    thread.start()
  }

  deinit { mailbox.close() }

  /// Why this machine cannot send anything: libcurl, which is loaded on first use, is missing or broken; nil when it can.
  public static func unavailability() -> TransportError? {
    guard let reason = mh_curl_load() else { return nil }
    return TransportError(
      .unavailable, "libcurl cannot be used (\(String(cString: reason))); install the package libcurl4.")
  }

  /// Sends a request and waits for the whole answer.
  public func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
    try Self.check(request)
    start()
    let mailbox = self.mailbox
    let number = mailbox.nextNumber()
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        mailbox.submit(CurlSubmission(number: number, request: request) { continuation.resume(returning: $0) })
      }
    } onCancel: {
      mailbox.cancel(number)
    }
    mailbox.forget(number)
    return try result.get()
  }

  private static func check(_ request: HTTPRequest) throws(TransportError) {
    let texts = [request.method, request.url] + request.headers.flatMap { [$0.name, $0.value] }
    guard texts.allSatisfy({ $0.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } }) else {
      throw TransportError(.invalidRequest, "the URL, the token or a header has a control character; correct it.")
    }
    let isSocket = ReceiverSocket.isMeant(request.url)
    guard isSocket || ["http://", "https://"].contains(where: request.url.lowercased().hasPrefix) else {
      throw TransportError(.invalidRequest, "the URL does not start with http:// or https://; correct it.")
    }
    guard !isSocket || ReceiverSocket(request.url) != nil else {
      throw TransportError(.invalidRequest, "the URL names no Unix socket; correct it.")
    }
  }
}

/// A request on its way to the loop's thread.
package struct CurlSubmission: Sendable {
  package let number: Int
  package let request: HTTPRequest
  package let finish: @Sendable (Result<HTTPResponse, TransportError>) -> Void
}

/// What callers and the loop's thread share.
package final class CurlMailbox: Sendable {
  private struct State {
    var next = 0
    var submissions: [CurlSubmission] = []
    var cancelled: Set<Int> = []
    var isClosed = false
    /// Why there is no loop.
    var failure: TransportError?
    /// The multi handle while the loop lives; only `curl_multi_wakeup` may be called on it from other threads.
    var multi: UnsafeMutableRawPointer?
  }

  private let state = Mutex(State())

  package func nextNumber() -> Int {
    state.withLock { state in
      state.next += 1
      return state.next
    }
  }

  package func submit(_ submission: CurlSubmission) {
    let refusal: TransportError? = state.withLock { state in
      if let failure = state.failure { return failure }
      if state.isClosed { return Self.closed }
      // The caller may have given up before it submitted.
      if state.cancelled.contains(submission.number) { return Self.gaveUp }
      state.submissions.append(submission)
      Self.wake(state)
      return nil
    }
    if let refusal { submission.finish(.failure(refusal)) }
  }

  package func cancel(_ number: Int) {
    state.withLock { state in
      state.cancelled.insert(number)
      Self.wake(state)
    }
  }

  /// Ends the memory of a request that has its answer.
  package func forget(_ number: Int) { state.withLock { _ = $0.cancelled.remove(number) } }

  package func close() {
    state.withLock { state in
      state.isClosed = true
      Self.wake(state)
    }
  }

  private static func wake(_ state: State) {
    if let multi = state.multi { _ = mh_curl_multi_wakeup(multi) }
  }

  package static let closed = TransportError(.cancelled, "the transport was closed.")
  package static let gaveUp = TransportError(.cancelled, "the caller gave up.")

  // MARK: The loop's side

  package func attach(_ multi: UnsafeMutableRawPointer?) {
    // A pointer's bits cross into the lock; the pointer itself stays the loop's.
    let bits = UInt(bitPattern: multi)
    state.withLock { $0.multi = UnsafeMutableRawPointer(bitPattern: bits) }
  }

  /// What arrived since the last call; nil when the transport is gone.
  package func collect() -> (submissions: [CurlSubmission], cancelled: Set<Int>)? {
    state.withLock { state in
      defer { state.submissions = [] }
      return state.isClosed ? nil : (state.submissions, state.cancelled)
    }
  }

  /// Answers what waits, and everything that will be submitted, with an error.
  package func fail(_ error: TransportError) {
    let waiting = state.withLock { state in
      state.failure = error
      defer { state.submissions = [] }
      return state.submissions
    }
    for submission in waiting { submission.finish(.failure(error)) }
  }

  /// Closes and hands out what was never started.
  package func shutDown() -> [CurlSubmission] {
    state.withLock { state in
      state.isClosed = true
      state.multi = nil
      defer { state.submissions = [] }
      return state.submissions
    }
  }
}
