import BluetoothWire
import HostPrimitives
import Logging
import MeterCore

/// The security of one link: pairs when somebody asks for it, and once when the meter refuses a request for want of it (ATT
/// errors 05, 0C and 0F).
actor LinkSecurity {
  /// How long the radio has to end a pairing by itself whose link has gone, before it is told to.
  private static let grace = Duration.seconds(2)

  private static let log = LogArea.bluetooth.logger

  private let radio: any Radio
  private let address: BluetoothAddress
  private let mayPair: @Sendable () async throws(BluetoothError) -> Void
  private let clock: any HostClock
  private let person: PairingPerson
  private let isGivenUp: @Sendable () -> Bool
  /// The pairing that is under way. It is no part of the session that has asked for it: when the link breaks, the session is
  /// over, and why the link broke is still to come.
  private var pairing: Task<Result<PairedLink, BluetoothError>, Never>?
  /// What has come of raising the security; nil: nothing was refused yet.
  private var attempt: Result<UInt8, BluetoothError>?
  private var isRefusedAgain = false
  /// Whether this link has made a bond.
  private(set) var hasBonded = false
  /// The address by which the meter is known; it tells it with a bond, when it changes it.
  private(set) var identity: BluetoothAddress
  private var onBond: (@Sendable () throws(BluetoothError) -> Void)?

  /// - Parameters:
  ///   - mayPair: Throws unless a bond may be made.
  ///   - person: Who is asked for what the meter shows.
  ///   - isGivenUp: Whether nobody wants the pairing any more.
  init(
    radio: any Radio, address: BluetoothAddress, mayPair: @escaping @Sendable () async throws(BluetoothError) -> Void,
    clock: any HostClock, person: PairingPerson, isGivenUp: @escaping @Sendable () -> Bool = { false }
  ) {
    self.radio = radio
    self.address = address
    identity = address
    self.clock = clock
    self.mayPair = mayPair
    self.person = person
    self.isGivenUp = isGivenUp
  }

  /// Whether the meter is paired, so that what it is told to remember lasts.
  var isBonded: Bool { get async { await radio.isPaired(with: address) } }

  /// Whether the meter wants a security that the link could not be given.
  var isRefused: Bool {
    if case .failure = attempt { true } else { false }
  }

  /// Waits for a pairing that is under way: a meter that refuses it may hang up before the radio has said so.
  private func settled() async {
    while let pairing {
      _ = await pairing.value
      // Whoever has asked for it takes note first.
      await Task.yield()
    }
  }

  /// Why the meter still refuses what it wants security for, with the cure; nil: it does not.
  func refusal(by peripheral: String, _ id: UInt32) async -> BluetoothError? {
    await settled()
    if case .failure(let error) = attempt { return error }
    guard isRefusedAgain else { return nil }
    return BluetoothError(
      .notPaired,
      "\(peripheral) refuses what it wants a pairing for, although it is paired; forget it, and pair it again with "
        + "`meterhost pair \(id)`")
  }

  /// Does something with the bond of this link, if one was made or as soon as one is made.
  func whenBonded(_ action: @escaping @Sendable () throws(BluetoothError) -> Void) throws(BluetoothError) {
    onBond = action
    if hasBonded { try action() }
  }

  /// Pairs, or raises the link's security with the bond that exists.
  ///
  /// - Returns: The link's level.
  func pair() async throws(BluetoothError) -> UInt8 {
    let isBonded = await isBonded
    if !isBonded { try await mayPair() }
    Self.log.debug("pairing, or encrypting by a bond", metadata: ["address": "\(address)", "bonded": "\(isBonded)"])
    let result = await carryOut()
    switch result {
    case .success(let link):
      Self.log.debug(
        "the link is secure",
        metadata: ["address": "\(link.identity)", "level": "\(link.level)", "bonded": "\(link.isBonded)"])
    case .failure(let error):
      Self.log.debug("the link could not be secured: \(error.message)", metadata: ["address": "\(address)"])
    }
    if case .failure(let error) = result { attempt = .failure(error) }
    let link = try result.get()
    identity = link.identity
    if !isBonded, link.isBonded {
      hasBonded = true
      try onBond?()
    }
    return link.level
  }

  private func carryOut() async -> Result<PairedLink, BluetoothError> {
    let task = Task { [radio, address, person] () -> Result<PairedLink, BluetoothError> in
      do throws(BluetoothError) {
        return .success(try await radio.pair(with: address, asking: person))
      } catch {
        return .failure(error)
      }
    }
    pairing = task
    defer { pairing = nil }
    return await withTaskCancellationHandler {
      await task.value
    } onCancel: { [clock, isGivenUp] in
      guard !isGivenUp() else { return task.cancel() }
      // The session may be over because the link is: then the radio is about to say why, which says more than "given up".
      Task {
        try? await clock.sleep(for: Self.grace)
        task.cancel()
      }
    }
  }

  /// The meter has refused a request for want of security: pairs, or encrypts, the first time.
  ///
  /// - Returns: Whether the request is worth another try.
  func raise() async -> Bool {
    guard attempt == nil else {
      noteRefusal()
      return false
    }
    do throws(BluetoothError) {
      attempt = .success(try await pair())
      return true
    } catch {
      attempt = .failure(error)
      return false
    }
  }

  /// The meter has refused a request again behind a pairing.
  func noteRefusal() { isRefusedAgain = true }
}
