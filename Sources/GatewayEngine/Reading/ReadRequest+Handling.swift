package import GatewayAPI
import Foundation
import MeterBluetooth
import MeterCore

extension ReadRequest: HandledConversation {
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

  package func perform(on owner: GatewayOwner, with partner: ControlPartner<ReadTelling>) async throws {
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

extension PairRequest: HandledConversation {
  package func perform(on owner: GatewayOwner, with partner: ControlPartner<ReadTelling>) async throws {
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
