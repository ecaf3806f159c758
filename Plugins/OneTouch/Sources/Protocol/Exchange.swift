/// One command at a time and its reply, over fragments that each side acknowledges: a pure state machine.
///
/// The meter acknowledges the fragments of the command, then sends its reply. A reply carries neither a number nor the
/// command that it answers, so everything that comes before the command's last acknowledgement belongs to an earlier
/// command and is dropped; before a command is repeated, whatever may still be on its way is let pass.
struct Exchange {
  private enum Phase: Equatable {
    case idle
    /// A fragment of the command waits for its acknowledgement.
    case sending
    /// The command is through.
    case awaitingReply
    /// What comes now is late; the command is repeated after it.
    case quiet
  }

  /// What a received value led to.
  enum Step: Equatable {
    /// Wait on.
    case wait
    /// Send the next fragment of the command, or the acknowledgement of a fragment that is not the reply's last.
    case send([UInt8])
    /// The reply is whole. Its acknowledgement is the caller's to send: the meter may forget what was acknowledged.
    case reply(payload: [UInt8], acknowledgement: [UInt8])
    /// The value is not taken.
    case dropped(Reason)
  }

  /// Why a value is not taken.
  enum Reason: Error, Equatable {
    /// Nothing was asked, or the command was not acknowledged yet.
    case unasked
    /// It is late: the command is being repeated.
    case late
    /// An acknowledgement of nothing that waits for one.
    case unexpectedAcknowledgement
    case fragment(FragmentError)
    case frame(FrameError)
  }

  /// What to do when the time is up.
  enum Expiry: Equatable {
    /// Nothing was waited for.
    case nothing
    /// Wait once more, briefly, so that what is late passes.
    case quieten
    /// Send the command again.
    case send([UInt8])
    /// The command was sent often enough.
    case giveUp
  }

  /// How often a command is sent at most.
  static var attempts: Int { 3 }
  /// A value that fits the smallest MTU of 23 (Core Specification, Vol 3 Part F 3.2.8).
  static var fragmentSize: Int { 20 }

  private var phase = Phase.idle
  private var queue = FragmentQueue([], size: fragmentSize)
  private var assembler = FragmentAssembler()
  private var attemptsLeft = 0
  private let fragmentSize: Int

  init(fragmentSize: Int = Exchange.fragmentSize) { self.fragmentSize = fragmentSize }

  /// Starts a command; what was under way is forgotten.
  ///
  /// - Returns: The first fragment to send.
  mutating func begin(_ frame: [UInt8]) -> [UInt8] {
    queue = FragmentQueue(frame, size: fragmentSize)
    attemptsLeft = Exchange.attempts
    return sendAgain()
  }

  /// Takes a value that the meter notified.
  mutating func receive(_ value: [UInt8]) -> Step {
    guard let first = value.first else { return .dropped(.fragment(.empty)) }
    guard phase != .quiet else { return .dropped(.late) }
    if case .acknowledgement(let number) = FragmentHeader(first) { return acknowledged(number) }
    guard phase == .awaitingReply else { return .dropped(.unasked) }
    let acknowledgement = FragmentHeader.acknowledgement(number: first & 0x3f).byte
    let frame: [UInt8]?
    do throws(FragmentError) {
      frame = try assembler.take(value)
    } catch {
      return .dropped(.fragment(error))
    }
    guard let frame else { return .send([acknowledgement]) }
    do throws(FrameError) {
      let payload = try Frame.decode(frame)
      phase = .idle
      return .reply(payload: payload, acknowledgement: [acknowledgement])
    } catch {
      return .dropped(.frame(error))
    }
  }

  /// The time for an answer, or the quiet time, is up.
  mutating func expire() -> Expiry {
    switch phase {
    case .idle: return .nothing
    case .quiet: return .send(sendAgain())
    case .sending, .awaitingReply: return doubt() ? .quieten : .giveUp
    }
  }

  /// Takes the reply as not given: the command is to be repeated after a quiet time.
  ///
  /// - Returns: False when the command was sent often enough.
  mutating func doubt() -> Bool {
    assembler.reset()
    guard attemptsLeft > 0 else {
      phase = .idle
      return false
    }
    phase = .quiet
    return true
  }

  private mutating func sendAgain() -> [UInt8] {
    attemptsLeft -= 1
    queue.rewind()
    assembler.reset()
    phase = .sending
    return queue.current ?? []
  }

  private mutating func acknowledged(_ number: UInt8) -> Step {
    guard phase == .sending, queue.acknowledge(number) else { return .dropped(.unexpectedAcknowledgement) }
    if let next = queue.current { return .send(next) }
    phase = .awaitingReply
    return .wait
  }
}
