import CurlHTTP
import HostPrimitives

/// A connection to a broker that requests wait on: it drives an ``MQTTSession`` over bytes, and by the clock.
actor MQTTLink {
  private var session: MQTTSession
  private let clock: any HostClock
  private let connection: any ByteConnection
  private let bytes: AsyncStream<[UInt8]>
  private let outbox: AsyncStream<[UInt8]>.Continuation
  private var nextNumber = 0
  private var publishing: [Int: (batch: Int, index: Int)] = [:]
  private var batches: [Int: Batch] = [:]
  private var subscribing: [Int: CheckedContinuation<[MQTTReason]?, Never>] = [:]
  private var pinging: [Int: CheckedContinuation<Bool, Never>] = [:]
  private var opening: CheckedContinuation<MQTTSessionEnd?, Never>?
  private var timer: (deadline: HostInstant, task: Task<Void, Never>)?
  /// Why it is over; nil while it is not.
  private(set) var end: MQTTSessionEnd?
  private let ending = Broadcast<Void>(.bufferingNewest(1))
  /// What the broker sends after ``takeBacklog()``, until the end.
  nonisolated let messages: AsyncStream<MQTTPublish>
  private let inbox: AsyncStream<MQTTPublish>.Continuation
  /// What it has sent before; nil afterwards.
  private var backlog: [MQTTPublish]? = []
  private var writer: Task<Void, Never>?

  /// Messages of which all answers are waited for.
  private struct Batch {
    var answers: [MQTTSession.Answer?]
    var left: Int
    let continuation: CheckedContinuation<[MQTTSession.Answer?], Never>
  }

  /// More messages than these are not kept for a side that does not look at them.
  private static let inboxLimit = 4_096
  /// What of them is kept before anybody looks, in bytes: what the gateway itself has announced is among them.
  private static let backlogSize = 4 << 20
  /// Nothing longer is read of what comes later; of Home Assistant's own messages it counts that they are not empty.
  private static let longestRead = 16 << 10
  private var backlogBytes = 0

  private init(_ connection: any ByteConnection, _ connect: MQTTConnect, clock: any HostClock) {
    session = MQTTSession(connect)
    (self.connection, self.clock) = (connection, clock)
    (messages, inbox) = AsyncStream.makeStream(of: MQTTPublish.self, bufferingPolicy: .bufferingOldest(Self.inboxLimit))
    (bytes, outbox) = AsyncStream.makeStream(of: [UInt8].self)
  }

  /// Opens a connection.
  static func open(
    _ address: ByteConnectionAddress, _ connect: MQTTConnect, dialer: any ByteDialer, clock: any HostClock
  ) async throws(MQTTSessionEnd) -> MQTTLink {
    let connection: any ByteConnection
    do { connection = try await dialer.connect(address) } catch { throw MQTTSessionEnd(error) }
    let link = MQTTLink(connection, connect, clock: clock)
    if let end = await link.begin() { throw end }
    return link
  }

  deinit {
    outbox.finish()
    inbox.finish()
    timer?.task.cancel()
    connection.close()
  }

  private func begin() async -> MQTTSessionEnd? {
    let (connection, bytes, clock) = (connection, bytes, clock)
    writer = Task { [weak self] in
      // One after the other: the order of packets is that of the stream.
      do throws(ByteConnectionError) {
        for await next in bytes { try await connection.send(next) }
        connection.close()
      } catch {
        // Before it went, the broker may have said why: that is read first.
        _ = await clock.elapsed(.seconds(1))
        await self?.connectionFailed(error)
      }
    }
    Task { [weak self] in
      do throws(ByteConnectionError) {
        while true {
          let bytes = try await connection.receive()
          guard !bytes.isEmpty else { break }
          await self?.take(bytes)
        }
        await self?.connectionFailed(ByteConnectionError(.closed, "the broker has closed the connection"))
      } catch {
        await self?.connectionFailed(error)
      }
    }
    return await withCheckedContinuation { continuation in
      opening = continuation
      apply(session.begin(clock.now))
    }
  }

  private func take(_ bytes: [UInt8]) { apply(session.received(bytes, clock.now)) }

  private func connectionFailed(_ error: ByteConnectionError) { apply(session.broken(MQTTSessionEnd(error))) }

  /// Publishes at quality of service 1, in this order, and waits for the broker's word on each.
  func publish(_ messages: [MQTTPublish]) async -> [MQTTSession.Answer] {
    guard !messages.isEmpty else { return [] }
    let batch = newNumber()
    let answers = await withCheckedContinuation { continuation in
      batches[batch] = Batch(
        answers: Array(repeating: nil, count: messages.count), left: messages.count, continuation: continuation)
      for (index, message) in messages.enumerated() {
        let number = newNumber()
        publishing[number] = (batch, index)
        apply(session.publish(message, as: number, clock.now))
      }
    }
    return answers.map { $0 ?? .tooLarge }
  }

  private func answered(_ number: Int, _ answer: MQTTSession.Answer) {
    guard let (number, index) = publishing.removeValue(forKey: number), var batch = batches[number] else { return }
    batch.answers[index] = answer
    batch.left -= 1
    batches[number] = batch.left > 0 ? batch : nil
    if batch.left == 0 { batch.continuation.resume(returning: batch.answers) }
  }

  /// What the broker has sent so far; what comes from now on is in ``messages``.
  func takeBacklog() -> [MQTTPublish] {
    defer { backlog = nil }
    return backlog ?? []
  }

  /// Subscribes; nil when the connection has ended before the broker's word.
  func subscribe(_ filters: [MQTTSubscribe.Filter]) async -> [MQTTReason]? {
    let number = newNumber()
    return await withCheckedContinuation { continuation in
      subscribing[number] = continuation
      apply(session.subscribe(filters, as: number, clock.now))
    }
  }

  /// Waits until everything has come that the broker had sent before; false when the connection has ended.
  func ping() async -> Bool {
    let number = newNumber()
    return await withCheckedContinuation { continuation in
      pinging[number] = continuation
      apply(session.ping(as: number, clock.now))
    }
  }

  /// Returns when it is over, or when the task is cancelled.
  func waitForEnd() async {
    guard end == nil else { return }
    for await _ in ending.listen() { return }
  }

  /// Says good-bye and closes; returns when that has gone out, or two seconds later.
  ///
  /// - Parameter last: Messages that go out before it, for whose acknowledgement nobody waits.
  func leave(last: [MQTTPublish] = []) async {
    for message in last { apply(session.publish(message, as: newNumber(), clock.now)) }
    apply(session.leave(clock.now))
    let (writer, clock) = (writer, clock)
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await writer?.value }
      group.addTask { _ = await clock.elapsed(.seconds(2)) }
      await group.next()
      group.cancelAll()
      // A broker that takes nothing is not waited for.
      connection.close()
    }
  }

  private func newNumber() -> Int {
    nextNumber += 1
    return nextNumber
  }

  private func apply(_ effects: [MQTTSession.Effect]) {
    for effect in effects {
      switch effect {
      case .send(let bytes): outbox.yield(bytes)
      case .connected:
        opening?.resume(returning: nil)
        opening = nil
      case .published(let number, let answer): answered(number, answer)
      case .subscribed(let number, let reasons): subscribing.removeValue(forKey: number)?.resume(returning: reasons)
      case .pinged(let number, let isAnswered): pinging.removeValue(forKey: number)?.resume(returning: isAnswered)
      case .message(let publish): arrived(publish)
      case .ended(let end): finish(end)
      }
    }
    setTimer()
  }

  private func arrived(_ message: MQTTPublish) {
    var message = message
    message.properties = MQTTProperties()
    guard let count = backlog?.count else {
      if message.payload.count > Self.longestRead { message.payload = [0] }
      inbox.yield(message)
      return
    }
    backlogBytes += message.topic.utf8.count + message.payload.count
    if count < Self.inboxLimit, backlogBytes <= Self.backlogSize { backlog?.append(message) }
  }

  private func finish(_ end: MQTTSessionEnd) {
    self.end = end
    opening?.resume(returning: end)
    opening = nil
    inbox.finish()
    ending.finish()
    // A farewell still goes out; the connection is closed behind it.
    outbox.finish()
    if end.cause != .left { connection.close() }
  }

  /// One timer for the next deadline. One that is due too early looks, finds nothing, and is set anew.
  private func setTimer() {
    guard let deadline = session.deadline else {
      timer?.task.cancel()
      timer = nil
      return
    }
    if let timer, timer.deadline <= deadline { return }
    timer?.task.cancel()
    let clock = clock
    timer = (
      deadline,
      Task { [weak self] in
        guard await clock.elapsed(until: deadline) else { return }
        await self?.timePassed()
      }
    )
  }

  private func timePassed() {
    timer = nil
    apply(session.passed(clock.now))
  }
}

extension MQTTSessionEnd {
  init(_ error: ByteConnectionError) {
    self.init(.broken(isCertificate: error.code == .certificate), error.text.oneLine(atMost: 400))
  }
}
