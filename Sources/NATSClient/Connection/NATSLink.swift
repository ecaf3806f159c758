import CurlHTTP
import HostPrimitives

/// The connection to one server that stands at the moment.
struct NATSLink {
  /// Which of all that there were.
  let number: Int
  let address: NATSAddress
  let connection: any ByteConnection
  var session: NATSSession
  /// Since when messages may travel; nil before.
  var readySince: HostInstant?
  /// What is to be sent, and whether somebody sends.
  var outgoing: [UInt8] = []
  var isSending = false
  /// Who waits for the answers to the PINGs that are out, in their order; nil for one that only asks whether the server lives.
  var pings: [UInt64?] = []
  /// Subjects that the server lets this key hear, as it has not refused them, and those that it has refused.
  var heard: Set<String> = []
  var refused: Set<String> = []

  var isReady: Bool { readySince != nil }
}

/// Somebody who waits, and what ends the wait when nothing else does.
struct NATSPending<Value: Sendable> {
  /// What was published to, for the refusals of a server, which name nothing else.
  var subject = ""
  let continuation: CheckedContinuation<Result<Value, NATSError>, Never>
  let timer: Task<Void, Never>

  func settle(_ result: Result<Value, NATSError>) {
    timer.cancel()
    continuation.resume(returning: result)
  }
}

/// A subscription.
struct NATSSubscription {
  let subject: String
  let queue: String?
  /// The link that it ends with; nil for one that outlives the links that it is made on.
  var link: Int?
  let continuation: AsyncStream<NATSMessage>.Continuation
  var dropped = 0

  func operation(_ number: UInt64) -> NATSClientOperation {
    .subscribe(subject: subject, queue: queue, subscription: number)
  }
}

extension NATSError {
  /// Why a server could not be reached.
  init(_ error: ByteConnectionError, of address: NATSAddress) {
    let code: Code =
      switch error.code {
      case .tls, .certificate: .tls
      case .cancelled: .cancelled
      case .invalidAddress: .address
      case .unreachable, .timedOut, .foreignUser, .closed, .unavailable: .unreachable
      }
    self.init(code, "the server of NATS at \(address) cannot be reached", cause: error.text)
  }

  /// Why a connection has ended.
  init(broken error: ByteConnectionError) {
    self.init(.disconnected, "the connection to the server of NATS broke", cause: error.text)
  }

  static let slowStart = NATSError(.unreachable, "the server of NATS does not begin to talk")
}
