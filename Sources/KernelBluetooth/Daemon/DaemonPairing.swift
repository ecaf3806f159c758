package import BluetoothWire

/// One pairing through bluetoothd, as a value: what comes over the bus goes in, what to do comes out.
///
/// bluetoothd pairs on the link that this host's ATT socket holds, and reports the pairing as a property of the meter. It does
/// not answer the call itself: for that it waits to read the meter's services on an ATT channel of its own, which it cannot
/// have. So the properties are looked at, and the answer counts only when it is a refusal.
struct DaemonPairing: Sendable {
  /// The calls that a pairing makes.
  enum Step: Sendable, Hashable {
    /// Asks for the meter's properties.
    case look
    /// Offers to answer for the person (BlueZ, doc/agent-api.txt).
    case registerAgent
    case pair
    /// Gives up.
    case cancelPairing
  }

  /// What happens.
  enum Input: Sendable, Hashable {
    /// A call was answered with the meter's properties, or with nothing that is read.
    case answered(Step, DaemonDevice?)
    /// A call was refused.
    case refused(Step, BusRefusal)
    /// The meter's properties have changed.
    case changed
    /// bluetoothd asks its agent; the number names the call.
    case asked(AgentRequest, UInt32)
    /// The person has answered a call.
    case answer(PairingMachine.Answer, UInt32)
    /// A ``tick`` has gone by.
    case tick
    /// The caller gives up.
    case cancel
  }

  /// What the surroundings have to do.
  enum Command: Sendable, Hashable {
    /// Make a call.
    case call(Step)
    /// Answer bluetoothd's call with this number.
    case reply(UInt32, AgentReply)
    /// Ask the person for the digits that the meter shows.
    case askPasskey(UInt32)
    /// Ask the person whether the meter shows this number, too.
    case askConfirmation(UInt32, number: UInt32)
    /// Show the person what to type at the meter.
    case show(UInt32)
    /// It is over; nothing follows.
    case end(DaemonPairingOutcome)
    /// bluetoothd cannot be talked to; nothing follows.
    case fail(KernelBluetoothError)
  }

  private enum Phase {
    case looking, registering, pairing, cancelling, closing, over
  }

  /// How often properties are looked at that no signal has told of: bluetoothd keeps some back until it knows the services.
  static let tick = Duration.milliseconds(250)
  /// Ticks until the meter's link must be known to bluetoothd, and until a call must be answered.
  private static let patience = 20
  /// Ticks a pairing may take. The peers give up after 30 s of silence (Core Specification, Vol 3 Part H 3.4), and a person may
  /// be asked more than once.
  private static let longest = 360
  /// Numbers that are shown at most.
  private static let mostShown = 8

  private let path: String
  private let peer: BluetoothAddress
  private var phase = Phase.looking
  private var ticks = 0
  private var ticksOfLook: Int?
  private var isLookWanted = false
  private var isLinkMissed = false
  private var isTimeout = false
  private var shown: [UInt32] = []
  private var question: UInt32?
  private var hasAnswered = false
  private var hasRefused = false

  /// A pairing with the meter at an object's path, whose link is up.
  init(with peer: BluetoothAddress, path: String) {
    self.peer = peer
    self.path = path
  }

  /// What to do first.
  mutating func start() -> [Command] { look() }

  /// Takes one fact and answers with what to do now.
  mutating func handle(_ input: Input) -> [Command] {
    guard phase != .over else { return [] }
    switch input {
    case .answered(.look, let device): return take(device)
    case .answered(.registerAgent, _): return phase == .registering ? enter(.pairing, .pair) : []
    case .answered(.cancelPairing, _): return close()
    case .answered(.pair, _), .changed: return look()
    case .refused(let step, let refusal): return take(refusal, of: step)
    case .asked(let request, let call): return take(request, call)
    case .answer(let answer, let call): return take(answer, call)
    case .tick: return passTick()
    case .cancel: return cancel()
    }
  }

  private mutating func enter(_ next: Phase, _ step: Step) -> [Command] {
    phase = next
    ticks = 0
    return [.call(step)]
  }

  private mutating func end(_ outcome: DaemonPairingOutcome) -> [Command] {
    phase = .over
    return [.end(outcome)]
  }

  private mutating func fail(_ error: KernelBluetoothError) -> [Command] {
    phase = .over
    return [.fail(error)]
  }

  private mutating func look() -> [Command] {
    guard ticksOfLook == nil else {
      isLookWanted = true
      return []
    }
    ticksOfLook = 0
    isLookWanted = false
    return [.call(.look)]
  }

  private mutating func take(_ device: DaemonDevice?) -> [Command] {
    ticksOfLook = nil
    guard let device else { return fail(.daemonUnknown) }
    switch phase {
    case .looking where device.isPaired: return end(.failed(.alreadyPaired))
    case .looking where device.isConnected: return enter(.registering, .registerAgent)
    case .looking, .registering, .over: return []
    case .pairing where device.isPaired, .cancelling where device.isPaired, .closing where device.isPaired:
      return end(device.isBonded ? .bonded(device.address) : .notBonded)
    case .closing where isLookWanted: return look()
    case .closing: return end(.failed(isTimeout ? .timeout : .cancelled))
    case .cancelling: return []
    case .pairing: return device.isConnected ? lookAgain() : missLink()
    }
  }

  /// bluetoothd has given up; a bond that was there before counts.
  private mutating func close() -> [Command] {
    guard phase == .cancelling else { return [] }
    phase = .closing
    ticks = 0
    return look()
  }

  private mutating func lookAgain() -> [Command] {
    isLinkMissed = false
    return isLookWanted ? look() : []
  }

  /// bluetoothd does not end a pairing whose link goes while its agent is asked. One look more lets it say first why a meter
  /// that refuses has dropped the link.
  private mutating func missLink() -> [Command] {
    if isLinkMissed { return end(.failed(.disconnected)) }
    isLinkMissed = true
    return []
  }

  private mutating func take(_ refusal: BusRefusal, of step: Step) -> [Command] {
    if step == .look { ticksOfLook = nil }
    if refusal.isDaemonGone { return fail(.daemonGone) }
    switch (step, phase) {
    // bluetoothd makes the object when the kernel tells it of the link.
    case (.look, .looking) where refusal.isUnknownObject: return []
    case (.look, _) where refusal.isUnknownObject: return end(.failed(.disconnected))
    case (.pair, .cancelling), (.cancelPairing, _): return close()
    case (.pair, .closing): return []
    case (.pair, _):
      guard let failure = failure(of: refusal) else {
        return fail(KernelBluetoothError(refusal, trying: "pair with \(peer)"))
      }
      return end(.failed(failure))
    default: return fail(KernelBluetoothError(refusal, trying: "pair with \(peer)"))
    }
  }

  /// What the refusal of a pairing means (BlueZ, doc/device-api.txt, "Pair"); nil when it is not of the pairing itself.
  private func failure(of refusal: BusRefusal) -> PairingMachine.Failure? {
    switch refusal.name {
    case "org.bluez.Error.AuthenticationFailed" where hasRefused: .refused
    // One name for all that the meter can say; one that has not even asked does not pair now.
    case "org.bluez.Error.AuthenticationFailed": hasAnswered ? .authentication : .notPairable
    case "org.bluez.Error.AuthenticationRejected": hasRefused ? .refused : .notPairable
    // Not by this pairing: bluetoothd calls a link that goes so, too.
    case "org.bluez.Error.AuthenticationCanceled": .disconnected
    case "org.bluez.Error.AuthenticationTimeout": .timeout
    case "org.bluez.Error.ConnectionAttemptFailed": .disconnected
    case "org.bluez.Error.AlreadyExists": .alreadyPaired
    case "org.bluez.Error.InProgress": .status(.busy)
    case "org.bluez.Error.Failed": .status(.failed)
    default: refusal.isUnknownObject ? .disconnected : nil
    }
  }

  private mutating func passTick() -> [Command] {
    ticks += 1
    if let waited = ticksOfLook {
      ticksOfLook = waited + 1
      return waited < Self.patience ? [] : fail(.daemonSilent)
    }
    switch phase {
    case .looking where ticks >= Self.patience: return end(.failed(.disconnected))
    case .registering where ticks >= Self.patience: return fail(.daemonSilent)
    case .cancelling where ticks >= Self.patience, .closing where ticks >= Self.patience: return fail(.daemonSilent)
    case .pairing where ticks >= Self.longest:
      isTimeout = true
      return enter(.cancelling, .cancelPairing)
    case .looking, .pairing: return look()
    case .registering, .cancelling, .closing, .over: return []
    }
  }

  private mutating func cancel() -> [Command] {
    switch phase {
    case .looking, .registering: end(.failed(.cancelled))
    case .pairing: enter(.cancelling, .cancelPairing)
    case .cancelling, .closing, .over: []
    }
  }

  private mutating func take(_ request: AgentRequest, _ call: UInt32) -> [Command] {
    switch request {
    case .cancel, .release:
      question = nil
      return [.reply(call, .done)]
    case _ where phase != .pairing || request.path != path: return [.reply(call, .rejected)]
    case .authorization: return [.reply(call, .done)]
    case .display(_, let number): return [.reply(call, .done)] + show(number)
    case .passkey, .confirmation:
      guard question == nil else { return [.reply(call, .rejected)] }
      question = call
      if case .confirmation(_, let number) = request { return [.askConfirmation(call, number: number)] }
      return [.askPasskey(call)]
    case .unknown: return [.reply(call, .rejected)]
    }
  }

  private mutating func show(_ number: UInt32) -> [Command] {
    guard !shown.contains(number), shown.count < Self.mostShown else { return [] }
    shown.append(number)
    return [.show(number)]
  }

  private mutating func take(_ answer: PairingMachine.Answer, _ call: UInt32) -> [Command] {
    guard question == call else { return [] }
    question = nil
    hasAnswered = true
    switch answer {
    case .passkey(let number?) where number <= 999_999: return [.reply(call, .number(number))]
    case .confirmation(true): return [.reply(call, .done)]
    case .passkey, .confirmation:
      hasRefused = true
      return [.reply(call, .rejected)]
    }
  }
}

/// What a pairing through bluetoothd has come to.
package enum DaemonPairingOutcome: Sendable, Hashable {
  /// bluetoothd keeps a bond; the address is that by which the meter is known from now on.
  case bonded(BluetoothAddress)
  /// The meter paired and keeps no bond.
  case notBonded
  case failed(PairingMachine.Failure)
}
