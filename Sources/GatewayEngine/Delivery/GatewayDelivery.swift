public import GatewayAPI
import HostPrimitives
internal import LinuxSockets
public import Logging
public import MeterCore
import CurlHTTP
import InformSink

/// Delivery of a gateway's readings to its receivers.
public struct GatewayDelivery: Sendable {
  /// What starting a session has come to.
  public struct Start: Sendable {
    /// Delivers for the session.
    public let delivery: GatewayDelivery
    /// Whose readings are taken from now on, and whether the receiver has accepted the token.
    public let session: Session
    /// The session of another user that ended for it.
    public let ended: EndedSession?
    /// Why the receiver has not validated the token yet; nil when it has.
    public let unvalidated: String?
  }

  let store: MeterStore
  /// One for each receiver, the session's own first.
  let engines: [DeliveryEngine]
  var clock: any HostClock = .system

  /// Delivery from a store to the session's own receiver, in Inform v2.
  ///
  /// - Parameter receiver: The receiver's address; https, or http on this machine.
  /// - Throws: `HostError` with code `receiver_address`.
  public init(store: MeterStore, receiver: String) throws {
    let setting = ReceiverSetting(receiver: receiver)
    self.init(store, [try Self.engine(store, MeterStore.defaultSink, setting, nil)])
  }

  private init(_ store: MeterStore, _ engines: [DeliveryEngine]) { (self.store, self.engines) = (store, engines) }

  private static func engine(
    _ store: MeterStore, _ sink: String, _ setting: any SinkSetting, _ target: SinkTarget?
  ) throws -> DeliveryEngine {
    DeliveryEngine(
      store: store, sink: sink, target: target,
      receiver: CountedSink(try setting.sink(of: store.gateway()), name: sink, counted: store.counted),
      settings: setting.deliverySettings)
  }

  /// The delivery that a state folder's session asks for; nil without a session or a receiver. A further receiver that cannot be used is
  /// left out, and that is logged.
  ///
  /// - Throws: ``GatewayError``, `StoreError`, or what is wrong with the session's own receiver.
  public static func configured(store: MeterStore) throws -> GatewayDelivery? {
    let sinks = try GatewaySink.all(in: store)
    guard sinks.first?.stored.role == .session else { return nil }
    var engines: [DeliveryEngine] = []
    for sink in sinks {
      // A setting of the first versions stands in a file: nothing in the store tells when it changes.
      let target = sink.stored.target.setting.isEmpty ? nil : sink.stored.target
      do {
        engines.append(try engine(store, sink.name, sink.setting, target))
      } catch  where sink.stored.role == .further {
        // It holds no other one up; what it is to get waits for a setting that works.
        LogArea.core.logger.error(
          "nothing is sent to the receiver \(sink.name): \(error); `meterhost sink add` gives it another setting")
      }
    }
    return GatewayDelivery(store, engines)
  }

  // MARK: The session

  /// Starts a session and validates it with the receiver, which is asked once. With the receiver out of reach the session starts
  /// unvalidated and is validated by a later delivery, when the receiver is asked again as after any attempt that has failed.
  ///
  /// A refused token changes nothing: the session that was there goes on. Receivers beside the session's own stay with the
  /// same user.
  ///
  /// - Parameter delivers: Deliver at once what waits; a running service does so by itself.
  /// - Throws: ``GatewayError`` with code `token_refused`, `token_of_other_user`, `bad_user`, `not_confirmed`,
  ///   `subject_changed`, or that of a setting that cannot be used; `StoreError`.
  public static func start(
    _ account: GatewayAccount, store: MeterStore, delivers: Bool = true
  ) async throws -> Start {
    try account.check()
    var account = account
    account.setting = try account.setting.checked(in: SinkPlace(stateFolder: store.folder))
    try account.setting.checkCredential(account.token)
    let credential = SinkCredential(user: account.user, token: account.token)
    let gateway = try store.gateway()
    account.setting = try await account.setting.confirmed(by: account.confirmed, credential, of: gateway)
    let answer = await (try account.setting.sink(of: gateway)).answer(on: credential)
    guard answer.verdict != .refused else { throw refused }
    guard answer.verdict != .otherUser else { throw otherUser }
    let ended = try change(to: account, answer, store: store)
    guard let delivery = try configured(store: store) else { throw refused }
    if delivers { _ = await delivery.drain() }
    let session = try store.currentSession()
    // The token may have been withdrawn between the question and the first delivery.
    guard session.user != nil else { throw refused }
    var reason: String?
    if case .unknown(let text) = answer.verdict, !session.isValidated { reason = text }
    return Start(delivery: delivery, session: session, ended: ended, unvalidated: reason)
  }

  static let refused = GatewayError(
    .failed, code: "token_refused", "the receiver refuses the token; nothing was changed",
    hint: "ask for a new token for this user at this receiver")

  static let otherUser = GatewayError(
    .failed, code: "token_of_other_user",
    "the receiver says that the token is another user's; nothing was changed, so that no reading goes to the wrong person",
    hint: "check --user and --organization, or ask for this user's own token")

  /// User, token and address change at one moment: never is one user's token on the way to another user's receiver, and
  /// whoever hears of the change finds all of it.
  private static func change(
    to account: GatewayAccount, _ answer: TokenAnswer, store: MeterStore
  ) throws -> EndedSession? {
    let options = SessionOptions(receiver: try account.setting.stored(), zone: account.zone)
    let ended = try store.startSession(
      account.user, token: account.token, options: options, answer: answer
    ).ended
    ReceiverFile.remove(of: store.folder)
    return ended
  }

  /// Ends the session: what was not delivered goes to a recovery file.
  ///
  /// - Parameter forgettingMeters: Take along what is known of the gateway's meters.
  /// - Returns: What ended; nil when there was no session.
  /// - Throws: `StoreError` when the recovery file cannot be written: then the session goes on.
  public static func end(store: MeterStore, forgettingMeters: Bool = false) throws(StoreError) -> EndedSession? {
    let ended = try store.endSession(forgettingMeters: forgettingMeters)
    ReceiverFile.remove(of: store.folder)
    return ended
  }

  // MARK: Delivering

  /// Delivers in the background until the task is cancelled, and logs each attempt. What waits because attempts have
  /// failed is tried at once when the network changes.
  public func run(logger: Logger = LogArea.core.logger) async {
    await withTaskGroup(of: Void.self) { group in
      for engine in engines {
        var changes: AsyncStream<Void>?
        do {
          changes = try NetworkMonitor.changes()
        } catch {
          logger.notice("the network is not watched, so that waits run to their ends: \(error)")
        }
        let events = await engine.events()
        group.addTask { for await event in events { DeliveryLog(logger: logger).write(event) } }
        group.addTask { [changes] in await engine.run(networkChanges: changes) }
      }
    }
  }

  /// What happens from now on, at all receivers, in a bounded buffer: a slow listener hears `DeliveryEvent.missed`.
  public func events() async -> AsyncStream<DeliveryEvent> {
    var streams: [AsyncStream<DeliveryEvent>] = []
    for engine in engines { streams.append(await engine.events()) }
    guard streams.count > 1 else { return streams[0] }
    let (merged, buffer) = DeliveryEventBuffer.make()
    let task = Task { [streams] in
      await withTaskGroup(of: Void.self) { group in
        for stream in streams { group.addTask { for await event in stream { buffer.tell(event) } } }
      }
      buffer.finish()
    }
    buffer.onEnd { task.cancel() }
    return merged
  }

  /// Delivers what can be delivered now, to all receivers at the same time.
  public func drain() async -> DrainReport { await together { await $0.drain() } }

  /// Delivers at once what waits for a later attempt, as a person asks who knows that the receiver is back.
  public func flush() async -> DrainReport { await together { await $0.flush() } }

  private func together(_ body: @escaping @Sendable (DeliveryEngine) async -> DrainReport) async -> DrainReport {
    await withTaskGroup(of: DrainReport.self) { group in
      for engine in engines { group.addTask { await body(engine) } }
      var total = DrainReport()
      for await report in group { total.add(report) }
      return total
    }
  }

  /// Delivers everything, what waits for a later attempt as well.
  ///
  /// - Throws: ``GatewayError`` with code `not_delivered` when something has to wait, `refused_readings` when the
  ///   receiver will not have something, `session_ended` when it refuses the token.
  public func finish() async throws(GatewayError) {
    let cursor = try? store.newestEvent()
    try judge(await flush(), after: cursor)
  }

  /// Delivers what need not wait, as after a pause: a receiver that has asked for a wait gets it.
  ///
  /// - Throws: As ``finish()``.
  public func proceed() async throws(GatewayError) {
    let cursor = try? store.newestEvent()
    try judge(await drain(), after: cursor)
  }

  /// Where to see why something waits. The queue knows what was answered, and nothing of what was never sent.
  private var hintOfWaiting: String {
    do {
      for engine in engines { try store.checkToken(sink: engine.sink) }
    } catch {
      return error.fullMessage
    }
    return "`meterhost queue list` shows what was answered, and `meterhost doctor` what else is missing"
  }

  /// - Parameter cursor: The last event before the attempt.
  private func judge(_ report: DrainReport, after cursor: Int64?) throws(GatewayError) {
    guard !report.sessionEnded else {
      let end = cursor.flatMap { try? LeftBehind.end(after: $0, in: store) }
      if let file = end?.recoveryFile { throw .sessionEnded("what was waiting is", in: file, .tokenRefused) }
      throw GatewayError(
        .failed, code: "session_ended", "the receiver refuses the token and has ended the session",
        hint: "start it again with a new token: `meterhost session start --help`")
    }
    guard report.waiting == 0, report.waitingImages == 0 else {
      let images = report.waitingImages == 0 ? "" : ", and \(report.waitingImages) images"
      throw GatewayError(
        .temporary, code: "not_delivered", "\(report.waiting) readings could not be delivered yet\(images)",
        hint: hintOfWaiting)
    }
    guard report.dead == 0, report.deadImages == 0 else {
      let images = report.deadImages == 0 ? "" : ", and \(report.deadImages) images"
      throw GatewayError(
        .failed, code: "refused_readings", "the receiver has refused \(report.dead) readings for good\(images)",
        hint: "`meterhost queue list` shows why")
    }
  }
}
