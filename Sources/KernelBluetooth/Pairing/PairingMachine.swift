package import BluetoothWire

/// One pairing as the host sees it, as a value: what the kernel tells goes in, what to do comes out.
///
/// Pairing itself is the kernel's (Core Specification, Vol 3 Part H); the host answers for the person.
package struct PairingMachine: Sendable {
  /// What happens.
  package enum Input: Sendable, Hashable {
    /// The kernel told something.
    case event(ManagementEvent)
    /// The person has answered.
    case answer(Answer)
    /// The kernel has ended the pairing.
    case ended(ManagementStatus)
    /// The caller gives up.
    case cancel
    /// The whole has taken too long: the kernel waits without limit for a meter whose link has gone before it began.
    case timeout
  }

  /// What a person says.
  package enum Answer: Sendable, Hashable {
    /// The six digits that the meter shows; nil refuses.
    case passkey(UInt32?)
    /// Whether both show the same number.
    case confirmation(Bool)
  }

  /// What the surroundings have to do.
  package enum Command: Sendable, Hashable {
    /// Ask the person for the digits that the meter shows.
    case askPasskey
    /// Ask the person whether the meter shows this number, too.
    case askConfirmation(UInt32)
    /// Show the person what to type at the meter.
    case show(UInt32)
    /// Send this to the kernel.
    case send(ManagementCommand)
    /// It is over; nothing follows.
    case end(Outcome)
  }

  /// What a pairing has come to.
  package enum Outcome: Sendable, Hashable {
    /// There is a bond: its keys, and the identity of a meter that changes its address.
    case bonded([LongTermKey], IdentityKey?)
    /// The meter paired and keeps no bond.
    case notBonded
    case failed(Failure)
  }

  /// Why it failed.
  package enum Failure: Sendable, Hashable {
    /// The person refused, or nobody could be asked.
    case refused
    /// The caller gave up.
    case cancelled
    /// The person has answered, and the meter does not agree: the passkey is another one.
    case authentication
    /// The meter has refused before anybody was asked: it does not pair now.
    case notPairable
    /// The link went.
    case disconnected
    /// Nothing came in time.
    case timeout
    /// There is a bond already.
    case alreadyPaired
    /// Anything else.
    case status(ManagementStatus)
  }

  /// The meter that is paired with.
  package let peer: BluetoothAddress
  private var keys: [LongTermKey] = []
  private var identity: IdentityKey?
  private var hasAsked = false
  private var hasAnswered = false
  private var hasRefused = false
  private var isCancelled = false
  private var isTimedOut = false
  private var isOver = false

  /// A pairing with a meter whose link is up.
  package init(with peer: BluetoothAddress) { self.peer = peer }

  /// Takes one fact and answers with what to do now.
  package mutating func handle(_ input: Input) -> [Command] {
    guard !isOver else { return [] }
    switch input {
    case .event(let event): return take(event)
    case .answer(let answer):
      guard hasAsked, !isCancelled else { return [] }
      hasAsked = false
      hasAnswered = true
      switch answer {
      case .passkey(let number):
        hasRefused = number == nil
        return [.send(.passkey(peer, number))]
      case .confirmation(let isSame):
        hasRefused = !isSame
        return [.send(.confirm(peer, isSame))]
      }
    case .cancel:
      guard !isCancelled else { return [] }
      isCancelled = true
      return [.send(.cancelPairing(peer))]
    case .timeout:
      isTimedOut = true
      return handle(.cancel)
    case .ended(let status):
      isOver = true
      return [.end(outcome(of: status))]
    }
  }

  private mutating func take(_ event: ManagementEvent) -> [Command] {
    switch event {
    case .confirmationRequest(let address, let number) where address == peer:
      // Without a number nothing can be compared: both sides know that nobody stands between them, or accept it.
      guard let number else { return [.send(.confirm(peer, true))] }
      hasAsked = true
      return [.askConfirmation(number)]
    case .passkeyRequest(let address) where address == peer:
      hasAsked = true
      return [.askPasskey]
    case .passkeyToShow(let address, let number) where address == peer: return [.show(number)]
    case .identityKey(let key, let address, let isToBeKept) where address == peer || key.peer == peer:
      if isToBeKept { identity = key }
      return []
    case .longTermKey(let key, let isToBeKept) where key.peer == peer || key.peer == identity?.peer:
      if isToBeKept { keys.append(key) }
      return []
    default: return []
    }
  }

  private func outcome(of status: ManagementStatus) -> Outcome {
    switch status {
    case .success: keys.isEmpty ? .notBonded : .bonded(keys, identity)
    case _ where isTimedOut: .failed(.timeout)
    case _ where isCancelled: .failed(.cancelled)
    case _ where hasRefused: .failed(.refused)
    // The kernel has one status for all that the meter can say; one that has not even asked does not pair now.
    case .authenticationFailed: .failed(hasAnswered ? .authentication : .notPairable)
    case .notSupported, .rejected: .failed(.notPairable)
    case .disconnected, .notConnected, .connectFailed: .failed(.disconnected)
    case .timeout: .failed(.timeout)
    case .cancelled: .failed(.cancelled)
    case .alreadyPaired: .failed(.alreadyPaired)
    default: .failed(.status(status))
    }
  }
}
