internal import Crypto
import CurlHTTP
import HostPrimitives
import MeterCore

/// What one sink has to do with its broker: the connection, what was published over it, and what is shown.
actor MQTTDesk {
  let setting: MQTTSinkSetting
  let topics: MQTTTopics
  let clock: any HostClock
  private let broker: ByteConnectionAddress
  private let dialer: any ByteDialer

  private struct Open {
    let link: MQTTLink
    let credential: SinkCredential
    let listening: Task<Void, Never>
    let since: HostInstant
  }

  private var open: Open?
  private var opening: (credential: SinkCredential, task: Task<Result<MQTTLink, MQTTSessionEnd>, Never>)?
  /// Another client has taken this one's place: nothing is opened before this time.
  private var staysAwayUntil = HostInstant.boot
  /// Connections in a row that the broker has closed soon, and without a word.
  private var shortLived = 0

  var keeper = LatestKeeper()
  var announced = AnnouncedMeters()
  /// Meters that another gateway has announced since this one did.
  var foreign: Set<String> = []
  var kept = KeptReadings()
  /// Events that somebody has got: those of readings that are published again are not told again.
  var told = RecentNames<KeptReadings.Name>(limit: mostTold)
  static let mostTold = 8_192
  var lastStatus: SinkStatus?
  private let confirmed = Broadcast<SinkConfirmation>(.bufferingOldest(10_000))

  init(_ setting: MQTTSinkSetting, to broker: ByteConnectionAddress, dialer: any ByteDialer, clock: any HostClock) {
    (self.setting, self.broker, self.dialer, self.clock) = (setting, broker, dialer, clock)
    topics = MQTTTopics(setting)
  }

  deinit { open?.listening.cancel() }

  func confirmations() -> AsyncStream<SinkConfirmation> { confirmed.listen() }

  // MARK: The connection

  /// The connection, which is opened where there is none.
  func link(_ credential: SinkCredential) async throws(MQTTSessionEnd) -> MQTTLink {
    if let open {
      if let end = await open.link.end {
        forget(open.link, end)
      } else if open.credential.token == credential.token, open.credential.user == credential.user {
        return open.link
      } else {
        await leave()
      }
    }
    if let opening {
      let result = await opening.task.value
      guard opening.credential.token == credential.token, opening.credential.user == credential.user else {
        return try await link(credential)
      }
      return try result.get()
    }
    guard clock.now >= staysAwayUntil else {
      throw MQTTSessionEnd(
        .disconnected(.sessionTakenOver),
        "another client seems to connect with the client id \(clientID): the broker closes one connection for the other; give "
          + "each gateway a name of its own")
    }
    let task = Task { await self.connect(credential) }
    opening = (credential, task)
    return try await task.value.get()
  }

  var clientID: String { setting.clientID ?? "meterhost-\(setting.gateway ?? "gateway")" }

  private func connect(_ credential: SinkCredential) async -> Result<MQTTLink, MQTTSessionEnd> {
    // Before anybody hears of it: who asks anew must not find it.
    defer { opening = nil }
    do throws(MQTTSessionEnd) {
      let link = try await MQTTLink.open(broker, hello(credential, isCheck: false), dialer: dialer, clock: clock)
      // Whatever the broker of an earlier connection has taken, this one may not have.
      kept.removeAll()
      do throws(MQTTSessionEnd) { try await greet(link, credential) } catch {
        await link.leave()
        throw error
      }
      let listening = Task { [weak self] in
        for await message in link.messages { await self?.heard(message) }
        if let end = await link.end { await self?.forget(link, end) }
      }
      open = Open(link: link, credential: credential, listening: listening, since: clock.now)
      return .success(link)
    } catch {
      return .failure(error)
    }
  }

  /// - Parameter isCheck: Whether it is to be a client beside the one that delivers.
  private func hello(_ credential: SinkCredential, isCheck: Bool) -> MQTTConnect {
    var connect = MQTTConnect(clientID: clientID + (isCheck ? "-check" : ""), keepAlive: 30)
    connect.userName = setting.user
    connect.password = credential.token.map { Array($0.secret.utf8) }
    guard !isCheck else { return connect }
    // The will waits a little, so that a short gap is not told; that only works as long as the broker keeps the session.
    connect.properties.set(.sessionExpiryInterval, .fourBytes(60))
    var will = MQTTConnect.Will(topic: topics.status, payload: Array("offline".utf8), isRetained: true)
    will.properties.set(.willDelayInterval, .fourBytes(30))
    connect.will = will
    return connect
  }

  private func forget(_ link: MQTTLink, _ end: MQTTSessionEnd) {
    guard let open, open.link === link else { return }
    open.listening.cancel()
    self.open = nil
    // mosquitto 2.0 closes the connection of a client whose place another one takes without saying why.
    let isSoon = clock.now - open.since < .seconds(30)
    if case .broken(isCertificate: false) = end.cause, isSoon { shortLived += 1 } else { shortLived = 0 }
    if end.cause == .disconnected(.sessionTakenOver) || shortLived >= 3 {
      shortLived = 0
      staysAwayUntil = clock.now + MQTTSessionEnd.waitAfterTakeOver
    }
  }

  /// Says that the gateway is gone, and closes.
  func leave() async {
    guard let open else { return }
    self.open = nil
    open.listening.cancel()
    await open.link.leave(last: [message(topics.status, Array("offline".utf8), isRetained: true)])
  }

  /// The connection that is open now.
  var current: MQTTLink? { open?.link }

  func check(_ credential: SinkCredential) async -> CredentialReply {
    do throws(MQTTSessionEnd) {
      let link = try await MQTTLink.open(broker, hello(credential, isCheck: true), dialer: dialer, clock: clock)
      let refusal = await refusalOfConfirmations(link, of: credential.user)
      await link.leave()
      return refusal.map { CredentialReply(.refused, text: $0, reason: $0) } ?? CredentialReply(.accepted)
    } catch {
      return error.credentialReply
    }
  }

  private func refusalOfConfirmations(_ link: MQTTLink, of user: SessionUser) async -> String? {
    guard setting.acknowledgedBy == .receiver else { return nil }
    let topic = topics.confirm(owner(user))
    let answer = await link.subscribe([MQTTSubscribe.Filter(topic: topic, quality: 1)])?.first
    guard let answer, answer.isFailure else { return nil }
    return "the broker lets nobody subscribe to \(topic) with this user: \(answer.text)"
  }

  // MARK: Messages

  /// A message of this sink, which goes out at quality of service 1.
  nonisolated func message(_ topic: String, _ payload: [UInt8], isRetained: Bool) -> MQTTPublish {
    MQTTPublish(topic: topic, payload: payload, isRetained: isRetained)
  }

  private func heard(_ message: MQTTPublish) async {
    if let user = open?.credential.user, message.topic == topics.confirm(owner(user)) {
      if let confirmation = SinkConfirmation(payload: message.payload) { confirmed.send(confirmation) }
    } else if message.topic == topics.birth {
      if message.payload == Array("online".utf8) { await showAgain() }
    } else {
      await heardOfDevice(message)
    }
  }

  /// A digest by which a later connection knows whether what stands on the broker is of the same person.
  func owner(_ user: SessionUser) -> String {
    let text = "meterhost owner\0\(setting.gateway ?? "")\0\(user.organizationID)\0\(user.userID)"
    return Array(SHA256.hash(data: Array(text.utf8)).prefix(6)).hexadecimal
  }
}
