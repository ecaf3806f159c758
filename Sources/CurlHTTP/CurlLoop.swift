import HostPrimitives
import CCurl

/// Drives libcurl's multi handle; everything in it belongs to one thread.
struct CurlLoop {
  let mailbox: CurlMailbox
  let settings: CurlTransport.Settings

  func run() {
    if let problem = CurlTransport.unavailability() { return mailbox.fail(problem) }
    guard let multi = mh_curl_multi_new() else {
      return mailbox.fail(TransportError(.unavailable, "libcurl has no memory to start; free some."))
    }
    _ = mh_curl_multi_set_long(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, settings.connections)
    mailbox.attach(multi)
    var transfers: [UnsafeMutableRawPointer: CurlTransfer] = [:]
    while let (submissions, cancelled) = mailbox.collect() {
      for submission in submissions { start(submission, multi, &transfers) }
      for (handle, transfer) in transfers where cancelled.contains(transfer.number) {
        finish(handle, multi, &transfers) { $0.finish(.failure(CurlMailbox.gaveUp)) }
      }
      _ = mh_curl_multi_perform(multi)
      var done: UnsafeMutableRawPointer?
      var result = CURLE_OK
      while mh_curl_multi_next_done(multi, &done, &result) != 0, let handle = done {
        let code = result
        finish(handle, multi, &transfers) { $0.finish(code) }
      }
      // Woken by the mailbox; the time limit only covers a wake-up that the kernel refused.
      _ = mh_curl_multi_poll(multi, 1000)
    }
    for submission in mailbox.shutDown() { submission.finish(.failure(CurlMailbox.closed)) }
    for handle in Array(transfers.keys) {
      finish(handle, multi, &transfers) { $0.finish(.failure(CurlMailbox.closed)) }
    }
    mh_curl_multi_free(multi)
  }

  private func start(
    _ submission: CurlSubmission, _ multi: UnsafeMutableRawPointer,
    _ transfers: inout [UnsafeMutableRawPointer: CurlTransfer]
  ) {
    guard let handle = mh_curl_new() else {
      submission.finish(.failure(TransportError(.unreachable, "libcurl has no memory for a request.")))
      return
    }
    let transfer = CurlTransfer(submission, handle: handle, settings)
    transfers[handle] = transfer
    let isReady = transfer.configure(settings) && mh_curl_multi_add(multi, handle) == CURLM_OK
    if !isReady {
      finish(handle, multi, &transfers) {
        $0.finish(.failure(TransportError(.invalidRequest, "libcurl refuses the request; check the URL.")))
      }
    }
  }

  private func finish(
    _ handle: UnsafeMutableRawPointer, _ multi: UnsafeMutableRawPointer,
    _ transfers: inout [UnsafeMutableRawPointer: CurlTransfer], _ report: (CurlTransfer) -> Void
  ) {
    guard let transfer = transfers.removeValue(forKey: handle) else { return }
    _ = mh_curl_multi_remove(multi, handle)
    report(transfer)
    transfer.free()
  }
}

/// One request in libcurl's hands.
final class CurlTransfer {
  let number: Int
  private let submission: CurlSubmission
  private let handle: UnsafeMutableRawPointer
  private let limit: Int
  /// Who may be at the other end.
  let rule: LocalPeerRule
  /// The Unix socket that the request goes to.
  let socket: ReceiverSocket?
  /// The socket of the connection that was made for this request.
  var descriptor: Int32?
  /// Why nothing was sent to who is at the other end.
  var refusal: TransportError?
  private var headerList: UnsafeMutablePointer<curl_slist>?
  private var headers: [(name: String, value: String)] = []
  private var headerBytes = 0
  private var body: [UInt8] = []
  private var isTooLarge = false

  init(_ submission: CurlSubmission, handle: UnsafeMutableRawPointer, _ settings: CurlTransport.Settings) {
    number = submission.number
    self.submission = submission
    self.handle = handle
    limit = settings.responseLimit
    rule = LocalPeerRule(users: settings.receiverUser, trusted: settings.trustedUsers)
    socket = ReceiverSocket(submission.request.url)
  }

  func free() {
    mh_curl_free(handle)
    mh_curl_list_free(headerList)
  }

  /// Sets every option; false when libcurl refuses one.
  func configure(_ settings: CurlTransport.Settings) -> Bool {
    let request = submission.request
    let context = Unmanaged.passUnretained(self).toOpaque()
    // The last one keeps libcurl from waiting for "100 Continue".
    for header in request.headers.map({ "\($0.name): \($0.value)" }) + ["Expect:"] {
      guard let list = mh_curl_list_append(headerList, header) else { return false }
      headerList = list
    }
    var results = [
      mh_curl_set_string(handle, CURLOPT_URL, socket?.url ?? request.url),
      mh_curl_set_string(handle, CURLOPT_PROTOCOLS_STR, "http,https"),
      mh_curl_set_string(handle, CURLOPT_USERAGENT, "meterhost"),
      mh_curl_set_list(handle, CURLOPT_HTTPHEADER, headerList),
      // Frames of HTTP/2 are no part of an answer and have no limit: while they come, libcurl looks at no time limit either.
      mh_curl_set_long(handle, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1)),
      // A redirect would carry token and health data to an address that nobody configured.
      mh_curl_set_long(handle, CURLOPT_FOLLOWLOCATION, 0),
      mh_curl_set_long(handle, CURLOPT_TIMEOUT_MS, settings.timeout.milliseconds),
      mh_curl_set_callback(handle, CURLOPT_WRITEFUNCTION, Self.onBody),
      mh_curl_set_pointer(handle, CURLOPT_WRITEDATA, context),
      mh_curl_set_callback(handle, CURLOPT_HEADERFUNCTION, Self.onHeader),
      mh_curl_set_pointer(handle, CURLOPT_HEADERDATA, context),
    ]
    results += settings.connectionOptions(handle, isEncrypted: request.url.lowercased().hasPrefix("https://"))
    if let body = request.body {
      results.append(mh_curl_set_offset(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count)))
      body.withUnsafeBufferPointer { bytes in
        // libcurl copies the bytes, so they need not outlive this call.
        let pointer = UnsafeMutableRawPointer(mutating: UnsafeRawPointer(bytes.baseAddress))
        results.append(mh_curl_set_pointer(handle, CURLOPT_COPYPOSTFIELDS, pointer))
      }
    }
    if request.method != (request.body == nil ? "GET" : "POST") {
      results.append(mh_curl_set_string(handle, CURLOPT_CUSTOMREQUEST, request.method))
    }
    results += configureLocalPeer(handle, url: request.url, socket: socket)
    return results.allSatisfy { $0 == CURLE_OK }
  }

  private static let onBody: mh_curl_data_callback = { bytes, size, count, context in
    guard let bytes, let context else { return 0 }
    let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
    return transfer.append(UnsafeRawBufferPointer(start: bytes, count: size * count)) ? size * count : 0
  }

  private static let onHeader: mh_curl_data_callback = { bytes, size, count, context in
    guard let bytes, let context else { return 0 }
    let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
    return transfer.appendHeader(UnsafeRawBufferPointer(start: bytes, count: size * count)) ? size * count : 0
  }

  private func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
    isTooLarge = isTooLarge || body.count + bytes.count > limit
    guard !isTooLarge else { return false }
    body.append(contentsOf: bytes)
    return true
  }

  private func appendHeader(_ bytes: UnsafeRawBufferPointer) -> Bool {
    headerBytes += bytes.count
    isTooLarge = isTooLarge || headerBytes > limit
    guard !isTooLarge else { return false }
    let line = String(decoding: bytes, as: UTF8.self)
    // A status line starts a new head: the one of an interim answer (1xx) is over.
    if line.hasPrefix("HTTP/") { headers = [] }
    guard let colon = line.firstIndex(of: ":") else { return true }
    let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
    headers.append((String(line[..<colon]), String(value.prefix { !$0.isNewline })))
    return true
  }

  func finish(_ result: Result<HTTPResponse, TransportError>) { submission.finish(result) }

  func finish(_ code: CURLcode) {
    guard code == CURLE_OK else { return submission.finish(.failure(error(code))) }
    var status = 0
    _ = mh_curl_response_code(handle, &status)
    submission.finish(.success(HTTPResponse(status: status, headers: headers, body: body)))
  }

  private func error(_ code: CURLcode) -> TransportError {
    if let refusal { return refusal }
    if isTooLarge {
      return TransportError(
        .responseTooLarge, "the receiver's answer is larger than \(limit) bytes; check its address.")
    }
    let text = String(cString: mh_curl_error(code))
    return switch code {
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_CONNECT:
      TransportError(.unreachable, "the receiver cannot be reached (\(text)); check network and address.")
    case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CIPHER,
      CURLE_SSL_CERTPROBLEM, CURLE_SSL_ISSUER_ERROR:
      TransportError(.tls, "the receiver's TLS was refused (\(text)); check its certificate and this machine's clock.")
    case CURLE_OPERATION_TIMEDOUT: TransportError(.timeout, "the receiver did not answer in time.")
    case CURLE_URL_MALFORMAT:
      TransportError(.invalidRequest, "libcurl refuses the request (\(text)); check the URL.")
    default: TransportError(.interrupted, "the exchange with the receiver broke off (\(text)).")
    }
  }
}
