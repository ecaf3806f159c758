public import CurlHTTP
package import HostPrimitives
public import MeterCore

/// A receiver that speaks Inform v2 or the Legacy API, over HTTP.
public struct InformSink: Sink {
  let calls: WireCalls
  let transport: any HTTPTransport
  let clock: any HostClock

  /// One record a request, as both formats have it, of those that the format has a form for.
  public let capabilities: SinkCapabilities

  /// A receiver.
  ///
  /// - Parameters:
  ///   - endpoint: Where it listens.
  ///   - format: The form in which records go out.
  ///   - transport: The way to it.
  public init(_ endpoint: ReceiverEndpoint, format: WireFormat = .informV2, transport: any HTTPTransport) {
    self.init(endpoint, format: format, transport: transport, clock: .system)
  }

  /// - Parameter clock: To compare its date with the receiver's.
  package init(
    _ endpoint: ReceiverEndpoint, format: WireFormat = .informV2, transport: any HTTPTransport, clock: any HostClock
  ) {
    capabilities = format.capabilities
    calls = WireCalls(endpoint: endpoint, format: format)
    self.transport = transport
    self.clock = clock
  }

  /// Asks whose token it is (docs/reference/wire-format.md, "Whose token it is").
  public func check(_ credential: SinkCredential) async -> CredentialReply {
    guard let token = credential.token else {
      return CredentialReply(.unclear, text: Self.noToken, reason: Self.noToken)
    }
    let endpoint = calls.endpoint
    let attempt = await send(
      endpoint.request("GET", endpoint.user, token: token), hiding: token)
    return CredentialReply(
      verdict(on: credential.user, attempt), text: attempt.text, reason: attempt.reason,
      clockSkewSeconds: attempt.clockSkewSeconds)
  }

  private func verdict(on user: SessionUser, _ attempt: Attempt) -> CredentialReply.Verdict {
    guard !attempt.isWithoutValidation else { return .cannotSay }
    return switch AnswerStatus.ofRecords.outcome(of: attempt.outcome) {
    case .delivered: TokenOwner.contradicts(user, in: attempt.answer) ? .otherUser : .accepted
    case .credentialRefused: .refused
    case .retry(let asked): .outOfReach(after: asked)
    case .refused, .unconfirmed: .unclear
    }
  }

  /// Sends one record a request.
  public func deliver(_ records: [Record], with credential: SinkCredential) async -> [SinkReply] {
    var replies: [SinkReply] = []
    for record in records { replies.append(await deliver(record, credential)) }
    return replies
  }

  private func deliver(_ record: Record, _ credential: SinkCredential) async -> SinkReply {
    guard let token = credential.token else { return SinkReply(.retry(), text: Self.noToken) }
    let request: HTTPRequest
    do {
      request = try calls.request(record, .deliver, of: credential.user, token: token)
    } catch {
      return Attempt(error).reply(.ofRecords)
    }
    let answered = await send(request, hiding: token)
    let mixed = calls.mixUp(answered.answer, withDeliveryOf: record, isRefusal: answered.isRefusal)
    let attempt = mixed.map(Attempt.mixedUp) ?? answered
    return attempt.reply(.ofRecords, id: calls.recordID(in: attempt.answer, of: record.type, hiding: token))
  }

  /// Sends a picture of a record that the receiver has.
  public func deliver(_ image: SinkImage, with credential: SinkCredential) async -> SinkReply {
    guard let token = credential.token else { return SinkReply(.retry(), text: Self.noToken) }
    let request = calls.store(image.image, ofRecord: image.recordID, token: token)
    let answered = await send(request, hiding: token)
    let mixed = calls.mixUp(answered.answer, with: image.image, ofRecord: image.recordID, logID: image.logID)
    let attempt = mixed.map(Attempt.mixedUp) ?? answered
    let stored = ReceiverAnswer.image(attempt.answer, from: calls.endpoint, hiding: token)
    return attempt.reply(.ofImages, id: stored.id, address: stored.url)
  }

  private static let noToken = "the receiver wants a token, and none is kept for it"

  private func send(_ request: HTTPRequest, hiding token: AccessToken) async -> Attempt {
    await Attempt.send(request, transport, hiding: token, clock: clock)
  }
}

extension WireFormat {
  var capabilities: SinkCapabilities { SinkCapabilities { takes($0) } }
}

extension DeliveryEngine {
  /// An engine for a receiver that speaks Inform v2 or the Legacy API.
  ///
  /// - Parameters:
  ///   - target: The sink's kind and setting in the store, of which `endpoint` was made: once the store has others, nothing
  ///     more goes out. Nil: whatever the store has.
  ///   - endpoint: Where the receiver listens.
  ///   - format: The form in which records go out.
  ///   - transport: The way to it.
  public init(
    store: MeterStore, sink: String = MeterStore.defaultSink, target: SinkTarget? = nil, endpoint: ReceiverEndpoint,
    format: WireFormat = .informV2, transport: any HTTPTransport, settings: DeliverySettings = DeliverySettings()
  ) {
    self.init(
      store: store, sink: sink, target: target, endpoint: endpoint, format: format, transport: transport,
      settings: settings, clock: .system)
  }

  /// - Parameters:
  ///   - policy: What follows an attempt.
  ///   - clock: For waiting, and to compare its date with the receiver's.
  package init(
    store: MeterStore, sink: String = MeterStore.defaultSink, target: SinkTarget? = nil, endpoint: ReceiverEndpoint,
    format: WireFormat = .informV2, transport: any HTTPTransport, settings: DeliverySettings = DeliverySettings(),
    policy: DeliveryPolicy = DeliveryPolicy(), clock: any HostClock = .system,
    jitter: @escaping @Sendable () -> Double = { Double.random(in: 0...1) }
  ) {
    self.init(
      store: store, sink: sink, target: target,
      receiver: InformSink(endpoint, format: format, transport: transport, clock: clock), settings: settings,
      policy: policy, clock: clock, jitter: jitter)
  }
}
