import CCurl
import Foundation
import GatewayAPI
import Synchronization

/// One HTTP exchange over the control socket, on a thread of its own. What comes is handed out as it comes; a reader that
/// takes its time makes the service wait.
final class SocketExchange: Sendable {
  /// What comes, in this order: one head, parts of the body.
  enum Part: Sendable {
    case head(status: Int, conversation: String?)
    case body(Data)
  }

  /// Nobody answers on the socket.
  struct Unreachable: Error {}

  private let parts: AsyncThrowingStream<Part, any Error>
  private let room: DispatchSemaphore
  private let isAbandoned: Abandonment

  /// So many parts may wait for the reader.
  private static let depth = 64

  init(_ method: String, _ path: String, body: Data, socket: ControlSocket) {
    let (parts, sink) = AsyncThrowingStream<Part, any Error>.makeStream()
    // From 0 on: a semaphore that is released below the value that it was made with ends the process, and a reader may go
    // away while parts wait.
    let room = DispatchSemaphore(value: 0)
    for _ in 0..<Self.depth { room.signal() }
    let abandonment = Abandonment()
    self.parts = parts
    self.room = room
    isAbandoned = abandonment
    let transfer = Transfer(method: method, path: path, body: body, socket: socket) { part in
      room.wait()
      sink.yield(part)
      return !abandonment.isRaised
    }
    Thread {
      do {
        try transfer.run()
        sink.finish()
      } catch {
        sink.finish(throwing: error)
      }
    }.start()
  }

  deinit {
    isAbandoned.raise()
    // The thread may wait for room that nobody makes any more.
    room.signal()
  }

  /// Hands the parts to a body, one at a time.
  ///
  /// - Throws: `Unreachable`, ``GatewayError`` with code `service_lost`, and what the body throws.
  func forEach(_ body: (Part) async throws -> Void) async throws {
    for try await part in parts {
      room.signal()
      try await body(part)
    }
  }
}

/// Says that nobody reads an exchange any more.
final class Abandonment: Sendable {
  private let state = Mutex(false)
  var isRaised: Bool { state.withLock { $0 } }
  func raise() { state.withLock { $0 = true } }
}

/// The transfer itself; lives on one thread.
private final class Transfer: @unchecked Sendable {
  private let method: String
  private let path: String
  private let body: Data
  private let socket: ControlSocket
  private let hand: (SocketExchange.Part) -> Bool
  private var conversation: String?
  private var hasHead = false
  private var handle: UnsafeMutableRawPointer?
  private var connection: Int32?
  private var isForeign = false

  init(
    method: String, path: String, body: Data, socket: ControlSocket,
    hand: @escaping @Sendable (SocketExchange.Part) -> Bool
  ) {
    self.method = method
    self.path = path
    self.body = body
    self.socket = socket
    self.hand = hand
  }

  func run() throws {
    if let problem = mh_curl_load() {
      throw GatewayError(
        .unavailable, code: "libcurl", "libcurl cannot be loaded: \(String(cString: problem))",
        hint: "install libcurl4")
    }
    guard let handle = mh_curl_new() else { throw SocketExchange.Unreachable() }
    self.handle = handle
    let headers = mh_curl_list_append(
      mh_curl_list_append(nil, "Content-Type: application/json"),
      "\(ControlVersion.headerName): \(ControlVersion.current)")
    defer {
      mh_curl_free(handle)
      mh_curl_list_free(headers)
    }
    // The host's name is nobody's: the socket says who answers.
    _ = mh_curl_set_string(handle, CURLOPT_URL, "http://localhost\(path)")
    _ = mh_curl_set_string(handle, CURLOPT_CUSTOMREQUEST, method)
    _ = mh_curl_set_string(handle, CURLOPT_PROXY, "")
    _ = mh_curl_set_long(handle, CURLOPT_NOSIGNAL, 1)
    _ = mh_curl_set_list(handle, CURLOPT_HTTPHEADER, headers)
    let context = Unmanaged.passUnretained(self).toOpaque()
    _ = mh_curl_set_callback(handle, CURLOPT_WRITEFUNCTION, receiveBody)
    _ = mh_curl_set_pointer(handle, CURLOPT_WRITEDATA, context)
    _ = mh_curl_set_callback(handle, CURLOPT_HEADERFUNCTION, receiveHeader)
    _ = mh_curl_set_pointer(handle, CURLOPT_HEADERDATA, context)
    let isJudged =
      mh_curl_set_string(handle, CURLOPT_UNIX_SOCKET_PATH, socket.path) == CURLE_OK
      && mh_curl_set_open_socket(handle, openConnection, context) == CURLE_OK
      && mh_curl_set_before_request(handle, beforeRequest, context) == CURLE_OK
    guard isJudged else { throw foreign }
    let code = body.withUnsafeBytes { bytes in
      _ = mh_curl_set_offset(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(bytes.count))
      let start = UnsafeMutableRawPointer(mutating: bytes.baseAddress)
      if let start { _ = mh_curl_set_pointer(handle, CURLOPT_POSTFIELDS, start) }
      return mh_curl_perform(handle)
    }
    switch code {
    case CURLE_OK: takeHead()
    case CURLE_COULDNT_CONNECT: throw SocketExchange.Unreachable()
    case _ where isForeign: throw foreign
    default:
      throw GatewayError(
        .temporary, code: ControlClient.serviceLost,
        "the running service has ended or does not answer: \(String(cString: mh_curl_error(code)))",
        hint: "what it had on disk is kept; look what it has done before you repeat the command")
    }
  }

  private var foreign: GatewayError {
    GatewayError(
      .failed, code: "foreign_service",
      "another user's program listens at \(ControlSocket.fileName) of the state folder, or it cannot be told whose it is: nothing was sent",
      hint: "run the command as the user whose service it is, or look who can write the state folder")
  }

  fileprivate func open() -> Int32 {
    let descriptor = ControlSocket.openStream()
    connection = descriptor
    return descriptor
  }

  /// Before anything is written to the connection.
  ///
  /// - Returns: Whether the request may go out.
  fileprivate func judge() -> Bool {
    isForeign = connection.map(ControlSocket.isForeign) ?? true
    return !isForeign
  }

  /// Hands out the head before the first part of the body, or alone.
  private func takeHead() {
    guard !hasHead else { return }
    hasHead = true
    var status = 0
    if let handle { _ = mh_curl_response_code(handle, &status) }
    _ = hand(.head(status: status, conversation: conversation))
  }

  fileprivate func take(body bytes: UnsafeRawBufferPointer) -> Bool {
    takeHead()
    return hand(.body(Data(bytes)))
  }

  fileprivate func take(header bytes: UnsafeRawBufferPointer) {
    let line = String(decoding: bytes, as: UTF8.self)
    let parts = line.split(separator: ":", maxSplits: 1)
    guard parts.count == 2, parts[0].lowercased() == "meterhost-conversation" else { return }
    conversation = parts[1].trimmingCharacters(in: .whitespacesAndNewlines)
  }
}

private func receiveBody(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
  guard let bytes, let context else { return 0 }
  let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
  let buffer = UnsafeRawBufferPointer(start: bytes, count: size * count)
  return transfer.take(body: buffer) ? buffer.count : 0
}

private func receiveHeader(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
  guard let bytes, let context else { return 0 }
  let buffer = UnsafeRawBufferPointer(start: bytes, count: size * count)
  Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue().take(header: buffer)
  return buffer.count
}

private let openConnection: curl_opensocket_callback = { context, _, _ in
  guard let context else { return -1 }
  return Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue().open()
}

private let beforeRequest: curl_prereq_callback = { context, _, _, _, _ in
  guard let context else { return CURL_PREREQFUNC_ABORT }
  return Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue().judge()
    ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
}
