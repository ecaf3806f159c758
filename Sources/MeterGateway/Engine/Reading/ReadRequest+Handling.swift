import Foundation
import MeterBluetooth
public import MeterCore

/// What a read or a pairing tells.
public enum ReadTelling: Codable, Sendable {
  /// Something that the person should know first.
  case warning(String)
  /// Something happened at the meter.
  case read(ReadEventDescription)
  /// What delivery has come to, and how many readings are held for a person's word.
  case delivery(DeliveryDescription, held: Int)
}

/// Reads a meter and delivers its readings.
public struct ReadRequest: ControlConversation {
  /// What it tells.
  public typealias Event = ReadTelling

  /// Its name on the socket.
  public static let name = "meter.read"
  /// The peripheral's id in the catalogue.
  public var peripheral: UInt32
  /// Addresses of the meters that may be read; nil is any.
  public var allow: [String]?
  /// How long to listen for the meter, in seconds.
  public var timeout = 60.0
  /// How long a connected meter may be silent, in seconds.
  public var silence = 180.0
  /// Take what the meter measured before it was the user's, and read its whole memory again for that.
  public var takesHistory = false
  /// The user's slot of a meter that several people share.
  public var slot: UInt16?
  /// Only readings from this moment on.
  public var since: MomentText?
  /// Only readings before this moment.
  public var until: MomentText?
  /// The zone of moments that are written without one, where the session has none.
  public var zone = GatewayZone.name
  /// At most so many readings.
  public var limit: UInt32?
  /// Hold the readings until a person confirms them.
  public var confirmsFirst = false
  /// Vouch for the host's clock.
  public var trustsClock = false
  /// Pair if the meter requires it.
  public var pairs = false
  /// Set the meter's clock, or not; nil: what is set for the meter decides.
  public var setsClock: Bool?
  /// Write a recording of each session.
  public var records: Bool?
  /// Deliver during and after the read.
  public var delivers = true
  /// Whether somebody answers questions.
  public var answersQuestions = false
  /// The radio; nothing named takes the owner's.
  public var radio = RadioChoice()

  /// A read with the defaults.
  public init(peripheral: UInt32) { self.peripheral = peripheral }

  private func options(_ person: PersonZone) throws(DraftError) -> ReadOptions {
    var options = ReadOptions()
    options.allowList = allow.map(Set.init)
    options.connectionTimeout = .seconds(timeout)
    options.session.silence = .seconds(silence)
    options.submission = confirmsFirst ? .confirmFirst : .automatic
    options.clockTrust = trustsClock ? .vouched : .kernel
    options.pairs = pairs
    options.setsClock = setsClock
    options.takesHistory = takesHistory
    options.readsAgain = takesHistory
    options.userSlot = slot
    if let since { options.window.sinceMicroseconds = try person.time(since).startMicroseconds }
    if let until { options.window.untilMicroseconds = try person.time(until).startMicroseconds }
    options.window.limit = limit
    options.answersQuestions = answersQuestions
    options.records = records ?? false
    return options
  }

  /// Performs it.
  public func perform(on owner: GatewayOwner, with partner: ControlPartner<ReadTelling>) async throws {
    try TimeLimit.check(timeout, silence)
    try UserSlot.check(slot)
    let store = owner.store
    try owner.checkZone()
    let options = try self.options(owner.personZone(else: zone))
    if try store.currentSession().user == nil {
      await partner.tell(
        .warning(
          "there is no session: the readings are held and nothing is delivered (`meterhost session start --help`)"))
    }
    let delivery = delivers ? try await owner.delivery() : nil
    let cursor = try store.newestEvent()
    let failure = try await owner.interactively {
      // Delivery goes on beside the read; what is committed first is delivered first. A service has it running already.
      let uploading = Task { if !owner.deliversByItself { await delivery?.run() } }
      defer { uploading.cancel() }
      let controller = try await owner.controller(radio)
      let failure = try await controller.tell(partner) { controller throws(BluetoothError) in
        try controller.read(peripheral: peripheral, options: options)
      }
      // Whoever gives up wants an end now; what is on disk is delivered later.
      if let delivery, !partner.patience.isOver {
        let drained = await delivery.drain()
        let report = DeliveryDescription(drained, end: try LeftBehind.end(after: cursor, in: store))
        await partner.tell(.delivery(report, held: try store.awaitingWord()))
      }
      return failure
    }
    if let failure { throw failure }
  }
}

/// Pairs a meter with the gateway.
public struct PairRequest: ControlConversation {
  /// What it tells.
  public typealias Event = ReadTelling

  /// Its name on the socket.
  public static let name = "meter.pair"
  /// The peripheral's id in the catalogue.
  public var peripheral: UInt32
  /// Addresses of the meters that may be paired; nil is any.
  public var allow: [String]?
  /// How long to listen for the meter, in seconds.
  public var timeout = 60.0
  /// The user's slot of a meter that several people share.
  public var slot: UInt16?
  /// Whether somebody answers questions.
  public var answersQuestions = false
  /// The radio; nothing named takes the owner's.
  public var radio = RadioChoice()

  /// A pairing with the defaults.
  public init(peripheral: UInt32) { self.peripheral = peripheral }

  /// Performs it.
  public func perform(on owner: GatewayOwner, with partner: ControlPartner<ReadTelling>) async throws {
    try TimeLimit.check(timeout)
    try UserSlot.check(slot)
    var options = ReadOptions()
    options.allowList = allow.map(Set.init)
    options.connectionTimeout = .seconds(timeout)
    options.userSlot = slot
    options.answersQuestions = answersQuestions
    let chosen = options
    if try owner.actsWithoutSession("a meter is paired") {
      await partner.tell(
        .warning("there is no session: the meter is paired with this gateway, and assigned to nobody"))
    }
    let failure = try await owner.interactively {
      let controller = try await owner.controller(radio)
      return try await controller.tell(partner) { controller throws(BluetoothError) in
        try controller.pair(peripheral: peripheral, options: chosen)
      }
    }
    // A pairing that was given up has told so.
    if let failure, !(failure is CancellationError) { throw failure }
  }
}

/// Limits in seconds, as they come from outside.
enum TimeLimit {
  /// - Throws: ``GatewayError`` with code `time_limit` for what is no time above 0, or more than a day.
  static func check(_ limits: Double...) throws(GatewayError) {
    guard limits.allSatisfy({ $0 > 0 && $0 <= 86_400 }) else {
      throw GatewayError(.usage, code: "time_limit", "a time limit is seconds above 0, at most 86400")
    }
  }
}

/// The number of a meter's user, as it comes from outside.
enum UserSlot {
  /// Meters count from 0 or from 1 in one byte, of which 255 says that nobody is known (Blood Pressure Service 3.1.1.5): a meter
  /// that is assigned under such a number would never give its user a reading.
  ///
  /// - Throws: ``GatewayError`` with code `user_slot`.
  static func check(_ slot: UInt16?) throws(GatewayError) {
    guard let slot, slot > 254 else { return }
    throw GatewayError(
      .usage, code: "user_slot", "no meter has a user \(slot)",
      hint: "its users are 0 to 254, as the meter numbers them")
  }
}

extension PeripheralController {
  /// Runs an operation and tells what happens; questions go to the partner.
  ///
  /// - Returns: What the operation failed with; nil when it was completed.
  fileprivate func tell(
    _ partner: ControlPartner<ReadTelling>,
    _ start: @Sendable (PeripheralController) throws(BluetoothError) -> AsyncStream<ReadEvent>
  ) async throws -> (any Error)? {
    var failure: (any Error)?
    try await partner.patience.during {
      self.cancel()
    } _: {
      let events = try start(self)
      // Giving up before the operation had started could not reach it.
      if partner.patience.isOver { cancel() }
      // Beside the events: an operation may end, as a link breaks, while nobody answers.
      var asking: Task<Void, Never>?
      defer { asking?.cancel() }
      for await event in events {
        await partner.tell(.read(ReadEventDescription(event)))
        switch event {
        case .question(let question):
          asking?.cancel()
          asking = Task {
            if let answer = await partner.ask(QuestionDescription(question)) {
              self.answer(question.id, answer)
            } else {
              self.refuse(question.id)
            }
          }
        case .failed(let error, _): failure = error
        case .cancelled: failure = CancellationError()
        default: break
        }
      }
    }
    return failure
  }
}
