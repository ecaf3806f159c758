import HostPrimitives

/// What a connection is at, and until when: a value that knows no sockets and no clock.
///
/// Requests are read in order and answered in order; the next may come while one is being answered.
struct ConnectionState: Sendable {
  /// A request, as far as its answer depends on it.
  struct Exchange: Sendable, Equatable {
    /// Its answer has no body, whatever it says about one.
    var isHead = false
    /// The connection ends with its answer.
    var closes = false
    /// The client sends the body when it is told to (RFC 9110 section 10.1.1).
    var wantsContinue = false
  }

  /// What is to be done with bytes that came.
  enum Bytes: Sendable { case read, drop, close }

  /// What is to be done when the time is up.
  enum Overdue: Sendable { case refuse, close }

  /// What is to be done about a request that cannot be understood.
  enum Fault: Sendable {
    case answer
    /// Tell whoever reads its body.
    case tell
    /// Nothing: earlier requests are answered, or the connection ends anyway.
    case nothing
  }

  /// How the head of an answer is written.
  struct AnswerHead: Sendable, Equatable {
    var closes: Bool
    var hasBody: Bool
  }

  private enum Ending: Sendable {
    case no
    /// What comes is dropped, and what is owed is answered.
    case afterAnswers
    /// The last answer is written.
    case lingering(since: HostInstant, bytes: Int)
  }

  let limits: ConnectionLimits
  private var exchanges: [Exchange] = []
  private var isReading = false
  private var isAnswering = false
  private var ending = Ending.no
  private var inputIsOver = false
  /// The first byte of the request that is being read.
  private var begun: HostInstant?
  private var lastByte: HostInstant
  private var quietSince: HostInstant
  private var refusedAt: HostInstant?
  private var unwritten = 0
  private var lastWrite: HostInstant

  init(_ limits: ConnectionLimits, now: HostInstant) {
    self.limits = limits
    (lastByte, quietSince, lastWrite) = (now, now, now)
  }

  /// Whether what comes is of no interest any more.
  var isEnding: Bool { if case .no = ending { false } else { true } }
  var isLingering: Bool { if case .lingering = ending { true } else { false } }
  /// Whether the client waits to be told that the body is wanted.
  var awaitsContinue: Bool { isReading && exchanges.count == 1 && !isAnswering && exchanges[0].wantsContinue }

  /// There is no place for the connection: it is told so, and nothing that comes is of interest.
  mutating func turnedAway(at now: HostInstant) { ending = .lingering(since: now, bytes: 0) }

  // MARK: Reading

  mutating func bytesCame(_ count: Int, at now: HostInstant) -> Bytes {
    lastByte = now
    switch ending {
    case .no:
      if begun == nil { begun = now }
      return .read
    case .afterAnswers: return .drop
    case .lingering(let since, let bytes):
      ending = .lingering(since: since, bytes: bytes + count)
      return bytes + count > limits.lingerBytes ? .close : .drop
    }
  }

  mutating func headCame(_ exchange: Exchange) {
    exchanges.append(exchange)
    isReading = true
    // It came with the end of the one before it.
    if begun == nil { begun = lastByte }
  }

  mutating func requestEnded() {
    isReading = false
    begun = nil
    exchanges[exchanges.count - 1].wantsContinue = false
  }

  mutating func toldToContinue() {
    if !exchanges.isEmpty { exchanges[0].wantsContinue = false }
  }

  /// What came is no request, or breaks off inside one.
  mutating func faultCame() -> Fault {
    guard !isEnding else { return .nothing }
    ending = .afterAnswers
    if isReading { return .tell }
    if exchanges.isEmpty {
      exchanges.append(Exchange(closes: true))
      return .answer
    }
    exchanges[exchanges.count - 1].closes = true
    return .nothing
  }

  /// The client sends nothing more.
  ///
  /// - Returns: Whether there is nothing left to do for it.
  mutating func inputEnded() -> Bool {
    inputIsOver = true
    if exchanges.isEmpty || isLingering { return true }
    exchanges[exchanges.count - 1].closes = true
    return false
  }

  // MARK: Answering

  /// - Returns: nil when no answer is owed: it is not to be written.
  mutating func answerBegins() -> AnswerHead? {
    guard let exchange = exchanges.first, !isLingering, !isAnswering else { return nil }
    isAnswering = true
    let isEarly = isReading && exchanges.count == 1
    if isEarly { ending = .afterAnswers }
    let isLast = exchanges.count == 1 && isEnding
    if isLast { exchanges[0].closes = true }
    return AnswerHead(closes: exchanges[0].closes, hasBody: !exchange.isHead)
  }

  /// Whether an answer is being written, and whether what it says is its body is written, too.
  var isWriting: Bool { isAnswering }
  var isWritingBody: Bool { isAnswering && exchanges.first?.isHead == false }

  /// - Returns: Whether the connection ends with this answer.
  mutating func answerEnded(at now: HostInstant) -> Bool {
    isAnswering = false
    guard !exchanges.isEmpty else { return true }
    let exchange = exchanges.removeFirst()
    quietSince = now
    // The next request, which has waited for this answer, has its whole time from here on.
    if isReading, !exchanges.isEmpty { (begun, lastByte) = (now, now) }
    guard exchange.closes || (exchanges.isEmpty && isEnding) else { return false }
    ending = .lingering(since: now, bytes: 0)
    exchanges = []
    return true
  }

  /// Whether the client has sent all that it will: a connection that ends has nothing to wait for.
  var hasWholeInput: Bool { inputIsOver }

  mutating func writes(at now: HostInstant) {
    if unwritten == 0 { lastWrite = now }
    unwritten += 1
  }

  mutating func wrote(at now: HostInstant) {
    unwritten -= 1
    lastWrite = now
  }

  // MARK: Time

  /// When something has to have happened.
  var deadline: HostInstant? {
    if case .lingering(let since, _) = ending { return since + limits.lingerTime }
    if let refusedAt { return refusedAt + limits.lingerTime }
    var deadlines: [HostInstant] = []
    if unwritten > 0 { deadlines.append(lastWrite + limits.stallTime) }
    if isReading, exchanges.count == 1, let begun {
      deadlines += [begun + limits.requestTime, lastByte + limits.stallTime]
    } else if exchanges.isEmpty {
      deadlines.append(begun.map { $0 + limits.headTime } ?? quietSince + limits.idleTime)
    }
    return deadlines.min()
  }

  /// What is to be done at this moment. A request that takes too long is refused once, and then cut off.
  mutating func overdue(at now: HostInstant) -> Overdue? {
    guard let deadline, deadline <= now else { return nil }
    guard !isLingering, refusedAt == nil, unwritten == 0, begun != nil else { return .close }
    refusedAt = now
    return .refuse
  }

  // MARK: Who has to go first

  /// How much a connection is needed; the least needed goes first, and of those the oldest. Nil: it is not to be closed for the
  /// sake of another.
  var need: (rank: Int, since: HostInstant)? {
    if case .lingering(let since, _) = ending { return (1, since) }
    guard exchanges.isEmpty || isReading && exchanges.count == 1 else { return nil }
    return begun.map { (2, $0) } ?? (0, quietSince)
  }
}
