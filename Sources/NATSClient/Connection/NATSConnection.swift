package import CurlHTTP
package import HostPrimitives

/// A connection to any of some servers of NATS, which is made again whenever it breaks.
///
/// ```swift
/// var options = NATSOptions(servers: [try NATSAddress("tls://nats.example:4222")], inboxPrefix: "_INBOX.gw0001")
/// options.key = { try NATSKeyFile.read("/etc/meterhost/nats.nk") }
/// let connection = NATSConnection(options, dialer: CurlDialer(settings: CurlTransport.Settings()))
/// for await message in try await connection.subscribe("mh.clinic.gw0001.c") { print(message.payload) }
/// let answer = try await connection.request("mh.clinic.gw0001.r.measurements", payload: record)
/// await connection.close()
/// ```
///
/// It connects when it is first needed, and lives until ``close()``.
package actor NATSConnection {
  let options: NATSOptions
  let dialer: any ByteDialer
  let clock: any HostClock
  /// What answers come under: the prefix and something that nobody guesses, so that two programs with one key do not hear each other.
  let inbox: String

  /// How it is.
  package internal(set) var status = NATSStatus.idle
  var pool: NATSServerPool
  var link: NATSLink?
  var lastLink = 0
  var lastFailure: NATSError?
  var loop: Task<Void, Never>?

  var number: UInt64 = 1
  var requests: [UInt64: NATSPending<NATSMessage>] = [:]
  var waiters: [UInt64: NATSPending<Void>] = [:]
  var trips: [UInt64: NATSPending<Void>] = [:]
  var senders: [CheckedContinuation<Void, Never>] = []
  var subscriptions: [UInt64: NATSSubscription] = [:]
  let broadcast = Broadcast<NATSEvent>(.bufferingNewest(100))

  /// A connection.
  ///
  /// - Parameters:
  ///   - dialer: How servers are reached.
  ///   - clock: What every wait and limit is counted by.
  package init(_ options: NATSOptions, dialer: any ByteDialer, clock: any HostClock = .system) {
    self.options = options
    self.dialer = dialer
    self.clock = clock
    pool = NATSServerPool(options.servers, backoff: options.backoff)
    inbox = "\(options.inboxPrefix).\(RandomSecret.make().prefix(16))"
  }

  /// What happens from now on; a listener that is slow misses the oldest.
  package nonisolated func events() -> AsyncStream<NATSEvent> { broadcast.listen() }

  /// What the server says of itself; nil without a connection.
  package var serverInfo: NATSServerInfo? {
    guard let link, case .ready(let info) = link.session.phase else { return nil }
    return info
  }

  /// Ends the connection: whoever waits is told so, and every subscription ends.
  package func close() {
    guard status != .closed else { return }
    status = .closed
    loop?.cancel()
    link?.connection.close()
    link = nil
    settleAll(.closed)
    for subscription in subscriptions.values { subscription.continuation.finish() }
    subscriptions = [:]
    broadcast.finish()
  }

  func nextNumber() -> UInt64 {
    number += 1
    return number
  }

  // MARK: Connecting

  /// Begins to connect, the first time that it is asked to.
  func start() {
    guard loop == nil, status != .closed else { return }
    status = .connecting(nil)
    loop = Task { await run() }
  }

  private func run() async {
    var generator = SystemRandomNumberGenerator()
    while !Task.isCancelled {
      switch pool.next(using: &generator) {
      case .wait(let time):
        // Who asks meanwhile waits for the next round, as long as its own limit lets it.
        if let lastFailure { settleWaiters(lastFailure) }
        guard await clock.elapsed(time) else { return }
      case .dial(let address): await attempt(address)
      }
    }
  }

  private func attempt(_ address: NATSAddress) async {
    let key: NATSKeyPair?
    let connection: any ByteConnection
    do {
      key = try options.key?()
      connection = try await dial(address)
    } catch {
      return failed(address, error)
    }
    guard !Task.isCancelled else { return connection.close() }
    let session = NATSSession(
      isEncrypted: address.isEncrypted, name: options.name, version: ProgramVersion.current, key: key,
      openPings: options.openPings)
    lastLink += 1
    link = NATSLink(number: lastLink, address: address, connection: connection, session: session)
    let watch = Task { [lastLink] in await self.watch(lastLink) }
    await read(connection, lastLink)
    watch.cancel()
  }

  private func dial(_ address: NATSAddress) async throws(NATSError) -> any ByteConnection {
    do { return try await dialer.connect(address.target) } catch { throw NATSError(error, of: address) }
  }

  private func failed(_ address: NATSAddress, _ error: NATSError) {
    guard status != .closed else { return }
    lastFailure = error
    status = .connecting(error)
    broadcast.send(.failed(address, error))
  }

  /// Reads until the connection is over.
  private func read(_ connection: any ByteConnection, _ number: Int) async {
    var parser = NATSParser(messageLimit: options.messageLimit)
    while link?.number == number {
      let bytes: [UInt8]
      do { bytes = try await connection.receive() } catch { return ended(number, NATSError(broken: error)) }
      guard !bytes.isEmpty else { return ended(number, nil) }
      parser.append(bytes)
      do {
        while link?.number == number, let operation = try parser.next() { take(operation, number) }
      } catch { return ended(number, .protocolBroken(error.text)) }
    }
  }

  /// Ends a connection that does not come about or whose server is silent.
  private func watch(_ number: Int) async {
    guard await clock.elapsed(options.connectTimeout) else { return }
    guard link?.number == number else { return }
    if link?.isReady == false { return ended(number, .slowStart) }
    while await clock.elapsed(options.pingInterval), link?.number == number {
      link?.pings.append(nil)
      apply(link?.session.tick() ?? [], number)
    }
  }

  // MARK: What comes

  private func take(_ operation: NATSServerOperation, _ number: Int) {
    apply(link?.session.take(operation) ?? [], number)
  }

  func ended(_ number: Int, _ error: NATSError?) {
    guard link?.number == number else { return }
    apply(link?.session.ended(error) ?? [], number)
  }

  private func apply(_ actions: [NATSSession.Action], _ number: Int) {
    for action in actions {
      guard let current = link, current.number == number else { return }
      switch action {
      case .send(let bytes): send(bytes)
      case .learn(let info): pool.learn(info.addresses, from: current.address)
      case .ready(let info): ready(info, current.address)
      case .answered: answered()
      case .deliver(let subscription, let message): deliver(message, subscription)
      case .refused(let words): refused(words)
      case .close(let error): over(current, error)
      }
    }
  }

  private func ready(_ info: NATSServerInfo, _ address: NATSAddress) {
    link?.readySince = clock.now
    lastFailure = nil
    status = .connected(address)
    send(inboxSubscription.bytes)
    for (number, subscription) in subscriptions.sorted(by: { $0.key < $1.key }) {
      send(subscription.operation(number).bytes)
    }
    broadcast.send(.connected(address, version: info.version))
    settleWaiters(nil)
  }

  private func over(_ current: NATSLink, _ error: NATSError) {
    current.connection.close()
    link = nil
    guard status != .closed else { return }
    // One that a server ends at once, again and again, is a failure of the server's.
    if let since = current.readySince, clock.now - since >= Self.steady { pool.succeeded() }
    if current.isReady {
      (lastFailure, status) = (error, .connecting(error))
      broadcast.send(.disconnected(error))
    } else {
      failed(current.address, error)
    }
    for (number, subscription) in subscriptions where subscription.link == current.number {
      subscriptions[number] = nil
      subscription.continuation.finish()
    }
    // Whether they were carried out nobody knows.
    let broken = NATSError(.disconnected, error.message, hint: error.hint, cause: error.cause)
    settleRequests(broken)
    settleTrips(broken)
    resumeSenders()
  }

  /// The subject that answers come under.
  var answers: String { "\(inbox).*" }
  var inboxSubscription: NATSClientOperation {
    .subscribe(subject: answers, queue: nil, subscription: Self.inboxNumber)
  }

  /// The subscription that answers come by.
  static let inboxNumber: UInt64 = 1
  /// A connection that has stood for so long was a good one.
  static let steady: Duration = .seconds(5)
}
