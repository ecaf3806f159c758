import CurlHTTP
package import HostPrimitives

// Publishing, asking and listening.
extension NATSConnection {
  /// Sends a message; whether anybody gets it nobody says. Waits for a connection, as long as an answer may take.
  ///
  /// - Throws: ``NATSError`` with code `nats_subject` or `nats_payload` for what can never be sent; `nats_disconnected`, `nats_timeout` or
  ///   what the servers failed at.
  package func publish(
    _ subject: String, headers: NATSHeaders = NATSHeaders(), payload: [UInt8], reply: String? = nil
  ) async throws(NATSError) {
    try Self.check(subject, reply)
    try await ready(by: clock.now + options.requestTimeout)
    try await makeRoom()
    try send(subject, reply, headers, payload)
  }

  /// Sends a message and waits for the answer.
  ///
  /// - Parameter timeout: For the connection, the way and the answer; that of the options without one.
  /// - Throws: ``NATSError``: as ``publish(_:headers:payload:reply:)`` does; `nats_no_responders` when nobody listens, `nats_permission`
  ///   when the server does not let this key, `nats_disconnected` when the connection broke (whether the message arrived nobody knows then),
  ///   `nats_timeout`, `nats_cancelled`.
  package func request(
    _ subject: String, headers: NATSHeaders = NATSHeaders(), payload: [UInt8] = [], timeout: Duration? = nil
  ) async throws(NATSError) -> NATSMessage {
    try Self.check(subject, nil)
    let deadline = clock.now + (timeout ?? options.requestTimeout)
    try await checkHearing(answers, by: deadline)
    try await makeRoom()
    let number = nextNumber()
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let timer = Task { if await clock.elapsed(until: deadline) { settle(number, .failure(.timeout)) } }
        requests[number] = NATSPending(subject: subject, continuation: continuation, timer: timer)
        do throws(NATSError) {
          if Task.isCancelled { throw .gaveUp }
          try send(subject, "\(inbox).\(number)", headers, payload)
        } catch { settle(number, .failure(error)) }
      }
    } onCancel: {
      Task { await settle(number, .failure(.gaveUp)) }
    }
    return try result.get()
  }

  /// Listens to a subject, over every connection that there will be. A server that does not let this key is told by ``events()``.
  ///
  /// - Parameters:
  ///   - queue: Of all that listen with this name one gets a message.
  ///   - limit: Messages that are kept for a reader that is slow; that of the options without one.
  /// - Throws: ``NATSError`` with code `nats_subject`, `nats_cancelled` when the connection was closed.
  package func subscribe(
    _ subject: String, queue: String? = nil, limit: Int? = nil
  ) throws(NATSError) -> AsyncStream<NATSMessage> {
    guard NATSSubject.isSubscribable(subject), queue.map(NATSSubject.isPublishable) ?? true else {
      throw .noSubject(subject)
    }
    guard status != .closed else { throw .closed }
    defer { start() }
    return listen(subject, queue: queue, limit: limit ?? options.subscriptionLimit)
  }

  /// - Parameter link: The link that it ends with; nil for none.
  private func listen(_ subject: String, queue: String? = nil, limit: Int, link endsWith: Int? = nil)
    -> AsyncStream<NATSMessage>
  {
    let number = nextNumber()
    let (stream, continuation) = AsyncStream<NATSMessage>.makeStream(
      bufferingPolicy: .bufferingOldest(max(1, limit)))
    let subscription = NATSSubscription(subject: subject, queue: queue, link: endsWith, continuation: continuation)
    subscriptions[number] = subscription
    continuation.onTermination = { [weak self] _ in Task { await self?.unsubscribe(number) } }
    if link?.isReady == true { send(subscription.operation(number).bytes) }
    return stream
  }

  /// Sends a question that has several answers, which end with the connection that it went over.
  ///
  /// - Throws: ``NATSError`` as ``publish(_:headers:payload:reply:)`` does.
  func question(_ subject: String, _ payload: [UInt8], limit: Int) async throws(NATSError) -> AsyncStream<NATSMessage> {
    try Self.check(subject, nil)
    try await ready(by: clock.now + options.requestTimeout)
    try await makeRoom()
    // Nothing waits from here on: question and subscription are of one connection.
    guard let link, link.isReady else { throw .ended }
    let inbox = "\(inbox).s.\(nextNumber())"
    let answers = listen(inbox, limit: limit, link: link.number)
    try send(subject, inbox, NATSHeaders(), payload)
    return answers
  }

  private func unsubscribe(_ number: UInt64) {
    guard subscriptions.removeValue(forKey: number) != nil, link?.isReady == true else { return }
    send(NATSClientOperation.unsubscribe(subscription: number).bytes)
  }

  /// Returns when there is a connection.
  ///
  /// - Throws: ``NATSError``: what every server failed at, `nats_timeout`, `nats_cancelled`.
  package func ready(by deadline: HostInstant) async throws(NATSError) {
    guard link?.isReady != true else { return }
    guard status != .closed else { throw .closed }
    start()
    let number = nextNumber()
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let timer = Task {
          if await clock.elapsed(until: deadline) { settleWaiter(number, .failure(lastFailure ?? .timeout)) }
        }
        waiters[number] = NATSPending(continuation: continuation, timer: timer)
        if Task.isCancelled { settleWaiter(number, .failure(.gaveUp)) }
      }
    } onCancel: {
      Task { await settleWaiter(number, .failure(.gaveUp)) }
    }
    try result.get()
  }

  // MARK: Sending

  private static func check(_ subject: String, _ reply: String?) throws(NATSError) {
    guard NATSSubject.isPublishable(subject) else { throw .noSubject(subject) }
    if let reply, !NATSSubject.isPublishable(reply) { throw .noSubject(reply) }
  }

  private func send(
    _ subject: String, _ reply: String?, _ headers: NATSHeaders, _ payload: [UInt8]
  ) throws(NATSError) {
    guard let info = serverInfo else { throw lastFailure.map { NATSError(.disconnected, $0.message) } ?? .ended }
    let count = payload.count + (headers.isEmpty ? 0 : headers.bytes.count)
    guard count <= info.maxPayload else { throw .tooLong(count, limit: info.maxPayload) }
    send(NATSClientOperation.publish(subject: subject, reply: reply, headers: headers, payload: payload).bytes)
  }

  /// Waits while too much waits to be sent.
  private func makeRoom() async throws(NATSError) {
    while let link, link.outgoing.count >= options.sendLimit {
      await withCheckedContinuation { senders.append($0) }
      if Task.isCancelled { throw .gaveUp }
    }
  }

  /// Puts bytes behind those that are on their way: what comes meanwhile goes out together.
  func send(_ bytes: [UInt8]) {
    guard let current = link else { return }
    link?.outgoing += bytes
    guard !current.isSending else { return }
    link?.isSending = true
    Task { await flush(current.number, current.connection) }
  }

  private func flush(_ number: Int, _ connection: any ByteConnection) async {
    while let current = link, current.number == number, !current.outgoing.isEmpty {
      link?.outgoing = []
      do { try await connection.send(current.outgoing) } catch { return ended(number, NATSError(broken: error)) }
      resumeSenders()
    }
    if link?.number == number { link?.isSending = false }
  }

  // MARK: Answers

  func deliver(_ message: NATSMessage, _ subscription: UInt64) {
    guard subscription != Self.inboxNumber else { return answer(message) }
    guard let found = subscriptions[subscription] else { return }
    guard case .dropped = found.continuation.yield(message) else { return }
    subscriptions[subscription]?.dropped += 1
    broadcast.send(.slowConsumer(subject: found.subject, dropped: found.dropped + 1))
  }

  private func answer(_ message: NATSMessage) {
    guard message.subject.hasPrefix(inbox + "."), let number = UInt64(message.subject.dropFirst(inbox.count + 1)) else {
      return
    }
    settle(number, message.saysNobodyListens ? .failure(.nobodyListens) : .success(message))
  }

  func refused(_ words: NATSServerWords) {
    broadcast.send(.refused(words))
    switch words {
    case .mayNotPublish(let subject):
      for (number, request) in requests where request.subject == subject {
        settle(number, .failure(.mayNotPublish(subject)))
      }
    case .mayNotSubscribe(let subject):
      link?.heard.remove(subject)
      link?.refused.insert(subject)
      if subject == answers { settleRequests(.mayNotSubscribe(subject)) }
    case .maximumPayload, .authorization, .stale, .wantsTLS, .other: break
    }
  }

  private func settle(_ number: UInt64, _ result: Result<NATSMessage, NATSError>) {
    requests.removeValue(forKey: number)?.settle(result)
  }

  private func settleWaiter(_ number: UInt64, _ result: Result<Void, NATSError>) {
    waiters.removeValue(forKey: number)?.settle(result)
  }

  func settleRequests(_ error: NATSError) {
    let all = requests
    requests = [:]
    for request in all.values { request.settle(.failure(error)) }
  }

  func settleTrips(_ error: NATSError) {
    let all = trips
    trips = [:]
    for trip in all.values { trip.settle(.failure(error)) }
  }

  /// - Parameter error: Nil: there is a connection.
  func settleWaiters(_ error: NATSError?) {
    let all = waiters
    waiters = [:]
    for waiter in all.values { waiter.settle(error.map { .failure($0) } ?? .success(())) }
  }

  func settleAll(_ error: NATSError) {
    settleRequests(error)
    settleTrips(error)
    settleWaiters(error)
    resumeSenders()
  }

  func resumeSenders() {
    let all = senders
    senders = []
    for sender in all { sender.resume() }
  }
}

extension NATSError {
  static let nobodyListens = NATSError(
    .noResponders, "nobody listens to this subject at NATS",
    hint: "check that there is a stream for it: `meterhost fleet` makes one")

  static func noSubject(_ text: String) -> NATSError {
    NATSError(
      .subject, "\(text.oneLineOfServer) is no subject of NATS", hint: "it has tokens between dots, and no blanks")
  }
}
