import ArgumentParser
import BluetoothWire
import Foundation
import MeterBluetooth
import MeterCore
import GatewayAPI
import ProgramTerminal

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

      The first read of a meter makes it yours: readings from before that stay in it until --history asks for them. --history reads the
      whole memory each time it is given, and readings that are known already are not delivered twice; where such a read breaks off, the
      next one goes on without it. With --since, --until or --limit a part of the memory is read, and later reads miss nothing. --slot
      also releases readings of that slot that were held because it was nobody's.
      """)

  @Argument(help: "The peripheral's id in the catalogue.")
  var peripheral: UInt32
  @Option(
    help: ArgumentHelp(
      "Read only this meter, by its address, or by UUID or name when it is known; may be repeated. None with an empty text.",
      valueName: "meter"), completion: .meters)
  var allow: [String] = []
  @Option(help: ArgumentHelp("How long to listen for the meter.", valueName: "seconds"))
  var timeout = 60.0
  @Option(help: ArgumentHelp("How long the meter may be silent once it is connected.", valueName: "seconds"))
  var silence = 180.0
  @Flag(help: "Take what the meter measured before it was yours, too; reads its whole memory, each time.")
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
  @Flag(
    inversion: .prefixedNo,
    help: "Set the meter's clock to this machine's after it was read; else `meterhost meters set` decides.")
  var setClock: Bool?
  @Flag(help: "Write a recording of the session, encrypted, for `meterhost driver replay`.")
  var record = false
  @Flag(help: "Leave delivery to a later command.")
  var noUpload = false
  @OptionGroup var answers: AnswerOptions
  @OptionGroup var radio: RadioOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var locations: LocationOptions

  func validate() throws {
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

  private var request: ReadRequest {
    var request = ReadRequest(peripheral: peripheral)
    request.timeout = timeout
    request.silence = silence
    request.takesHistory = history
    request.slot = slot
    request.since = since.flatMap { MomentText($0) }
    request.until = until.flatMap { MomentText($0) }
    request.limit = limit
    request.confirmsFirst = confirmFirst
    request.trustsClock = trustClock
    request.pairs = pair
    request.setsClock = setClock
    request.delivers = !noUpload
    request.records = record ? true : nil
    request.radio = radio.choice
    return request
  }

  func run() async throws {
    let answers = try answers.answers(json: output.json)
    var request = request
    request.allow = try await locations.allowed(allow)
    request.answersQuestions = answers.isStaffed
    let (asked, locations) = (request, locations)
    try await ReadView(json: output.json).follow(answers) { try await locations.converse(asked, with: $0) }
  }
}

extension ReadView {
  /// Reads or pairs a meter: shows what happens, asks the person, and lets an interruption end it in order.
  ///
  /// - Parameter conversation: Holds it with whoever owns the state folder.
  func follow(
    _ answers: Answers, _ conversation: @escaping @Sendable (ControlPartner<ReadTelling>) async throws -> Void
  ) async throws {
    let patience = Patience()
    let partner = ControlPartner<ReadTelling>(patience: patience) { telling in
      show(telling)
    } ask: { question in
      await answers.answer(question, on: terminal)
    }
    try await Interruption.whileRunning(onInterrupt: { patience.end() }) { _ in
      try await conversation(partner)
    }
  }
}

/// Shows what happens during a read.
struct ReadView: Sendable {
  let terminal = Terminal()
  let json: Bool

  func warn(_ text: String) {
    if !json { terminal.error("\(terminal.styled("warning:", .yellow)) \(text)") }
  }

  func show(_ telling: ReadTelling) {
    switch telling {
    case .warning(let text): warn(text)
    case .read(let event): json ? terminal.json(event) : show(event)
    case .delivery(let report, let held): json ? terminal.json(report) : show(report, held: held)
    }
  }

  private func show(_ event: ReadEventDescription) {
    switch event.kind {
    case .passkeyToEnter: if let text = event.text, !text.isEmpty { terminal.error(text) }
    case .started, .ready: if let text = event.text, !text.isEmpty { terminal.notice(text) }
    case .connected: terminal.notice("connected to \(event.model ?? event.name ?? "a meter") (\(event.address ?? ""))")
    // Who answers asks, too.
    case .question, .provisional: break
    case .paired: if let meter = event.meter { terminal.out("paired \(meter.name): \(meter.uuid)") }
    case .progress: terminal.progress("\(event.done ?? 0)" + (event.total.map { " of \($0)" } ?? "") + " read")
    case .meterFacts: if let text = event.facts?.text { terminal.notice(text) }
    case .shouldSubmit:
      terminal.endProgress()
      for reading in event.readings ?? [] { terminal.out(reading.text) }
    case .alreadyDelivered:
      terminal.endProgress()
      for reading in event.readings ?? [] { terminal.out(reading.text) }
      let held = event.readings?.count { $0.state != "pending" } ?? 0
      let others = (event.readings?.count ?? 0) - held
      terminal.error(
        "passive reading was faster: "
          + (held == 0
            ? "these readings are on their way already"
            : "\(others) on their way already, \(held) not delivered by themselves; see `meterhost queue list`"))
    case .completed, .cancelled, .failed:
      terminal.endProgress()
      terminal.error(
        "\(event.new ?? 0) new, \(event.revised ?? 0) changed, \(event.duplicates ?? 0) already known")
      if event.sinceUnknown == true {
        warn(
          "this machine's clock is not synchronised, so that nobody can say since when the meter is yours: readings with a time of "
            + "their own stay in it, and those that may be somebody else's are held. Read it again when the clock is right, or vouch "
            + "for it with --trust-clock")
      }
      for (reason, count) in (event.left ?? [:]).sorted(by: { $0.key < $1.key }) {
        guard let reason = LeaveReason(rawValue: reason) else { continue }
        terminal.error(reason.text(count, isSinceUnknown: event.sinceUnknown == true))
      }
      for reason in event.rejected ?? [] { terminal.error("refused: \(reason)") }
      for name in event.recordings ?? [] { terminal.notice("recorded as \(name)") }
    // What only a later version of the service tells.
    default: break
    }
  }

  private func show(_ report: DeliveryDescription, held: Int) {
    if report.sessionEnded {
      let kept = report.recoveryFile.map { "; what was not delivered is kept in \($0)" } ?? ""
      terminal.error("the receiver refuses the token and has ended the session\(kept)")
      return terminal.error(report.hint ?? "")
    }
    if report.dead > 0 {
      terminal.error("the receiver has refused \(report.dead) for good; `meterhost queue list` shows why")
    }
    terminal.error(
      report.waiting == 0
        ? report.dead == 0 ? "nothing waits for delivery" : "nothing else waits for delivery"
        : "\(report.waiting) \(report.waiting == 1 ? "reading waits" : "readings wait") for delivery; `meterhost queue list` and `meterhost doctor` show why"
    )
    if held > 0 { terminal.error("\(held) held for a person's word; see `meterhost queue list` and `queue confirm`") }
  }
}

extension LeaveReason {
  /// What to tell the person.
  fileprivate func text(_ count: Int, isSinceUnknown: Bool) -> String {
    let readings = count == 1 ? "1 reading" : "\(count) readings"
    return switch self {
    case .beforeAssignment where isSinceUnknown:
      "\(readings) left in the meter until it is known since when it is yours; `meterhost read ID --history` takes them"
    case .beforeAssignment:
      "\(readings) from before this meter was yours left in it; `meterhost read ID --history` takes them"
    case .outsideWindow: "\(readings) outside --since and --until left in the meter"
    case .overLimit: "\(readings) beyond --limit left in the meter"
    }
  }
}

extension MeterFactsDescription {
  /// The clock, where it is worth a word.
  fileprivate var text: String? {
    if isClockSet == true { return "the meter's clock was set to this machine's" }
    guard let offset = clockOffsetSeconds, abs(offset) >= 60 else { return nil }
    let minutes = Int((abs(offset) / 60).rounded())
    return "the meter's clock is \(minutes) min \(offset > 0 ? "ahead" : "behind"); `--set-clock` sets it"
  }
}
