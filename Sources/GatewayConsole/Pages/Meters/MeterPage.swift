import GatewayAPI
import MeterCore

/// One meter: what is known of it, and how it is woken.
struct MeterPage: ConsolePage {
  static let template = PageTemplate.meter
  static let area: PageArea? = .meters

  struct Fact: Sendable {
    let label: String
    let text: String
  }

  let title: String
  let facts: [Fact]
  let instructions: [Fact]
  let action: String
  let isPaired: Bool
  let uuid: String
  /// Where the picture of its kind is; nil where the catalogue has none on this machine.
  let picture: String?
  /// What the command is called that reads it.
  let readCommand: String?

  init(
    _ meter: KnownMeterDescription, entry: PeripheralDescription?, passive: PassiveDescription? = nil,
    times: LocalTimes
  ) {
    title = meter.name.isEmpty ? "A meter" : meter.name.clipped(to: 120)
    uuid = meter.uuid.clipped
    action = "/meters/\(uuid)"
    isPaired = meter.paired != nil
    picture = entry.flatMap { MeterFace.picture($0) }
    readCommand = meter.peripheral.map { "meterhost read \($0)" }
    facts = [
      Fact(label: "Id", text: uuid),
      Fact(label: "Kind", text: meter.peripheralName?.clipped ?? "unknown"),
      Fact(
        label: "Address",
        text: (meter.address ?? "unknown")
          + (meter.addressKind?.known == .random ? " (changes now and then)" : "")),
      Fact(label: "Paired", text: meter.paired.map { "since \(times.text($0.since))" } ?? "no"),
      Fact(label: "Belongs to", text: MeterRow.owner(meter)),
      Fact(label: "First seen", text: times.text(meter.firstSeen, else: "unknown")),
      Fact(label: "Last seen", text: times.text(meter.lastSeen, else: "unknown")),
      Fact(label: "Last read", text: times.text(meter.lastRead, else: "never")),
      Fact(label: "Battery", text: MeterRow.battery(meter, times) ?? Self.notTold),
      Fact(label: "Firmware", text: MeterRow.firmware(meter) ?? Self.notTold),
      Fact(label: "Read by itself", text: MeterRow.passive(meter, passive)),
      Fact(label: "Reads set its clock", text: meter.settings.syncClock ? "yes" : "no"),
    ]
    instructions = MeterPage.instructions(entry)
  }

  private static let notTold = "not told by this meter"

  /// What a person has to press, as the registry says it.
  static func instructions(_ entry: PeripheralDescription?) -> [Fact] {
    guard let entry else { return [] }
    return [
      Fact(label: "In general", text: entry.instructions.clipped(to: 2000)),
      Fact(label: "To read it", text: entry.readingInstructions.clipped(to: 2000)),
      Fact(label: "To pair it", text: entry.pairingInstructions.clipped(to: 2000)),
    ].filter { !$0.text.isEmpty }
  }
}

/// Pairing a meter, from what to press to its end.
struct PairingPage: ConsolePage {
  static let template = PageTemplate.pairing
  static let area: PageArea? = .meters

  struct Question: Sendable {
    let id: String
    let prompt: String
    let problem: String?
    let choices: [String]
    let hasChoices: Bool
    let inputMode: String
    let isSecret: Bool
  }

  let title: String
  let instructions: [MeterPage.Fact]
  let lines: [String]
  let progress: String?
  let question: Question?
  let isRunning: Bool
  /// It goes on by itself, so that the page looks again.
  let isWaiting: Bool
  let end: String?
  let endHint: String?
  let endKind: String

  init(title: String, shown: Conversation.Shown, entry: PeripheralDescription?) {
    self.title = title.clipped
    instructions = MeterPage.instructions(entry)
    lines = shown.lines
    progress = shown.progress
    question = shown.question.map { question in
      Question(
        id: shown.questionName ?? "", prompt: question.prompt.clipped(to: 1000), problem: question.problem?.clipped,
        choices: (question.choices ?? []).map { $0.clipped }, hasChoices: !(question.choices ?? []).isEmpty,
        inputMode: question.kind == "passkey" ? "numeric" : "text", isSecret: question.secret)
    }
    isRunning = shown.end == nil
    isWaiting = shown.end == nil && shown.question == nil
    (end, endHint, endKind) = (shown.end?.text, shown.end?.hint, shown.end?.kind ?? "")
  }
}
