import ArgumentParser
import BluetoothWire
import Foundation
import MeterBluetooth
import MeterCore
import MeterGateway

/// `meterhost read`: one interactive read.
struct ReadCommand: AsyncParsableCommand, InterruptibleCommand {
  static let configuration = CommandConfiguration(
    commandName: "read", abstract: "Read a meter and deliver its readings.",
    discussion: """
      Listens for the meter, reads it, and puts every reading on disk before the meter may forget it. With a session the readings are
      delivered at once; without one, or with the receiver out of reach, they wait in the queue. Ctrl-C ends the read; what was read stays.

      EXAMPLES
        meterhost read 1000                                 any glucose meter of the Bluetooth profile
        meterhost read 4000 --allow 7C:01:0A:60:00:01       this thermometer and no other
        meterhost read 1000 --confirm-first --json          hold the readings until they are confirmed
        meterhost read 3000 --slot 2 --history              the second person's readings, also those from before today

      The first read of a meter makes it yours: readings from before that stay in it until --history asks for them. With --since, --until
      or --limit a part of the memory is read, and later reads miss nothing.
      """)

  @Argument(help: "The peripheral's id in the catalogue.")
  var peripheral: UInt32
  @Option(help: ArgumentHelp("Read only the meter with this address; may be repeated.", valueName: "address"))
  var allow: [String] = []
  @Option(help: ArgumentHelp("How long to listen for the meter.", valueName: "seconds"))
  var timeout = 60.0
  @Option(help: ArgumentHelp("How long the meter may be silent once it is connected.", valueName: "seconds"))
  var silence = 180.0
  @Flag(help: "Take what the meter measured before it was yours, too; reads its whole memory again.")
  var history = false
  @Option(help: ArgumentHelp("Your user slot of a meter that several people share.", valueName: "number"))
  var slot: UInt16?
  @Option(
    help: ArgumentHelp(
      "Take readings from this moment on, for example 2026-03-01 or 2026-03-01T08:00Z.", valueName: "time"))
  var since: String?
  @Option(help: ArgumentHelp("Take readings before this moment.", valueName: "time"))
  var until: String?
  @Option(help: ArgumentHelp("Take at most so many readings, in the meter's order.", valueName: "number"))
  var limit: UInt32?
  @Flag(help: "Hold the readings until a person confirms them.")
  var confirmFirst = false
  @Flag(help: "Vouch for this machine's clock although no time source disciplines it.")
  var trustClock = false
  @Flag(help: "Pair if the meter requires it and is not paired.")
  var pair = false
  @Flag(help: "Set the meter's clock to this machine's after it was read.")
  var setClock = false
  @Flag(help: "Leave delivery to a later command.")
  var noUpload = false
  @OptionGroup var answers: AnswerOptions
  @OptionGroup var air: AirOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var locations: LocationOptions

  func validate() throws {
    for address in allow where BluetoothAddress(address) == nil {
      throw ValidationError("--allow takes addresses like AA:BB:CC:DD:EE:FF, not \(address).")
    }
    for (name, text) in [("--since", since), ("--until", until)] {
      guard let text else { continue }
      guard MomentText(text) != nil else {
        throw ValidationError("\(name) takes a moment like 2026-03-01 or 2026-03-01T08:00Z, not \(text).")
      }
    }
    guard limit != 0 else { throw ValidationError("--limit counts from 1.") }
    guard timeout > 0, timeout <= 86_400, silence > 0, silence <= 86_400 else {
      throw ValidationError("--timeout and --silence take seconds above 0, at most 86400.")
    }
  }

  private var options: ReadOptions {
    var options = ReadOptions()
    options.allowList = allow.isEmpty ? nil : Set(allow.compactMap { BluetoothAddress($0)?.description })
    options.connectionTimeout = .seconds(timeout)
    options.session.silence = .seconds(silence)
    options.submission = confirmFirst ? .confirmFirst : .automatic
    options.clockTrust = trustClock ? .vouched : .kernel
    options.pairs = pair
    options.setsClock = setClock
    options.takesHistory = history
    options.userSlot = slot
    options.window.sinceMicroseconds = since.flatMap { MomentText($0)?.microseconds }
    options.window.untilMicroseconds = until.flatMap { MomentText($0)?.microseconds }
    options.window.limit = limit
    return options
  }

  func run() async throws {
    let answers = try answers.answers(json: output.json)
    let gateway = try locations.gateway()
    let store = try gateway.openStore()
    let radio = VirtualRadio(air: try VirtualAir.of(air.air), bonds: StoreBonds(store))
    let controller = gateway.controller(store: store, radio: radio)
    let delivery = noUpload ? nil : try GatewayDelivery.configured(store: store)
    let view = ReadView(json: output.json)
    if try store.currentSession().user == nil {
      view.warn(
        "there is no session: the readings are held and nothing is delivered (`meterhost session start --help`)")
    }
    var chosen = options
    chosen.answersQuestions = answers.isStaffed(json: output.json)
    let (peripheral, options) = (peripheral, chosen)
    try await Interruption.whileRunning(onInterrupt: { controller.cancel() }) { interruption in
      // Delivery goes on beside the read; what is committed first is delivered first.
      let uploading = Task { await delivery?.run() }
      defer { uploading.cancel() }
      var failure: (any Error)?
      let events = try controller.read(peripheral: peripheral, options: options)
      // An interruption before the read had started could not reach it.
      if interruption.isRaised { controller.cancel() }
      for await event in events {
        view.show(event)
        switch event {
        case .question(let question): await controller.settle(question, answers, view.terminal)
        case .failed(let error, _): failure = error
        case .cancelled: failure = CancellationError()
        default: break
        }
      }
      // Whoever interrupts wants an end now; what is on disk is delivered by a later command.
      if let delivery, !interruption.isRaised {
        view.show(await delivery.drain(), held: try store.queueSnapshot(states: [.held]).count)
      }
      if let failure { throw failure }
    }
  }
}

/// Shows what happens during a read.
struct ReadView: Sendable {
  /// Readings matter more than who looks on.
  let terminal = Terminal(outlivesOutput: true)
  let json: Bool

  func warn(_ text: String) {
    if !json { terminal.error("\(terminal.styled("warning:", .yellow)) \(text)") }
  }

  func show(_ event: ReadEvent) {
    if json { return terminal.json(ReadEventDescription(event)) }
    switch event {
    case .started(let instructions): if !instructions.isEmpty { terminal.error(instructions) }
    case .connected(let meter):
      terminal.error("connected to \(meter.information.model ?? meter.name ?? "a meter") (\(meter.address))")
    // Who answers asks, too.
    case .question: break
    case .paired(let meter): terminal.out("paired \(meter.name): \(meter.uuid.uuidString.lowercased())")
    case .ready(let instructions): if !instructions.isEmpty { terminal.error(instructions) }
    case .progress(let done, let total): terminal.progress("\(done)" + (total.map { " of \($0)" } ?? "") + " read")
    case .provisional: break
    case .meterFacts(let facts): if let text = facts.text { terminal.error(text) }
    case .shouldSubmit(let records):
      terminal.endProgress()
      for record in records { terminal.out(ReadingDescription(record).text) }
    case .completed(let summary), .cancelled(let summary), .failed(_, let summary):
      terminal.endProgress()
      terminal.error(
        "\(summary.records.count) new, \(summary.revised.count) changed, \(summary.duplicates) already known")
      for (reason, count) in summary.left.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
        terminal.error(reason.text(count))
      }
      for reason in summary.rejected { terminal.error("refused: \(reason)") }
    }
  }

  func show(_ report: DrainReport, held: Int) {
    if json { return terminal.json(DeliveryDescription(report)) }
    if report.sessionEnded {
      return terminal.error("the receiver ended the session; undelivered readings are in the recovery file")
    }
    if report.dead > 0 {
      terminal.error("the receiver has refused \(report.dead) for good; `meterhost queue list` shows why")
    }
    terminal.error(
      report.waiting == 0
        ? report.dead == 0 ? "nothing waits for delivery" : "nothing else waits for delivery"
        : "\(report.waiting) \(report.waiting == 1 ? "reading waits" : "readings wait") for delivery; `meterhost queue list` shows why"
    )
    if held > 0 { terminal.error("\(held) held for a person's word; see `meterhost queue list` and `queue confirm`") }
  }
}

extension LeaveReason {
  /// What to tell the person.
  fileprivate func text(_ count: Int) -> String {
    let readings = count == 1 ? "1 reading" : "\(count) readings"
    return switch self {
    case .beforeAssignment:
      "\(readings) from before this meter was yours left in it; `meterhost read ID --history` takes them"
    case .outsideWindow: "\(readings) outside --since and --until left in the meter"
    case .overLimit: "\(readings) beyond --limit left in the meter"
    }
  }
}

extension MeterFacts {
  /// The clock, where it is worth a word.
  fileprivate var text: String? {
    guard let offset = clockOffsetSeconds, abs(offset) >= 60 else { return nil }
    let minutes = Int((abs(offset) / 60).rounded())
    return "the meter's clock is \(minutes) min \(offset > 0 ? "ahead" : "behind"); `--set-clock` sets it"
  }
}
