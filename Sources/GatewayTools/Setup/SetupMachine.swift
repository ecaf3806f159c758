package import GatewayAPI

/// From nothing to the first reading, step by step: what is asked, what is done, and what follows from an answer or a result. It
/// asks nobody and does nothing itself.
///
/// ```swift
/// var setup = SetupMachine()
/// while true {
///   switch setup.turn {
///   case .ask(let question): try setup.answer(await person.answer(question))
///   case .act(let action): setup.report(await work.perform(action))
///   case .over: return
///   }
///   for line in setup.takeNotices() { show(line) }
/// }
/// ```
package struct SetupMachine: Sendable {
  /// What is to happen next.
  package enum Turn: Sendable, Hashable {
    case ask(SetupQuestion)
    case act(SetupAction)
    case over
  }

  /// Where the setup is.
  enum Phase: Sendable, Hashable {
    case looking
    case keepingSession(SetupFacts.Session)
    case user, organization, destination, receiver, tokenFile, token, folder
    case startingSession
    case radio, examiningRadio
    case meterWanted
    case scanning
    case nothingHeard
    case choosing([SetupMeter])
    case choosingEntry(SetupMeter)
    case ready(Chosen)
    case pairing(Chosen)
    case history(Chosen)
    case reading(Chosen, takesHistory: Bool)
    case passive(Chosen)
    case settingPassive
    case service
    case enablingService
    case over
  }

  /// A meter and what it is read as.
  struct Chosen: Sendable, Hashable {
    let meter: SetupMeter
    let entry: SetupMeter.Entry
  }

  /// What is known of the session that is to be started.
  struct Draft: Sendable, Hashable {
    var user: String?
    var organization: String?
    var isFolder = true
    var receiver: String?
    var token: SetupToken?
    var folder: String?
  }

  var phase = Phase.looking
  var facts = SetupFacts()
  var draft = Draft()
  private var notices: [String] = []
  private var steps: [String] = []
  /// Why the last thing that was tried did not work; nil: it did.
  package private(set) var failure: GatewayError?

  package init() {}

  /// What was done, a line each, for the end.
  package var summary: [String] { steps }

  /// What is to be told before the next turn.
  package mutating func takeNotices() -> [String] {
    defer { notices = [] }
    return notices
  }

  /// Whether everything has been gone through.
  package var isOver: Bool { phase == .over }

  mutating func tell(_ line: String) { if !line.isEmpty { notices.append(line) } }

  mutating func note(_ step: String) {
    steps.append(step)
    failure = nil
  }

  // MARK: - Results

  /// Goes on after an action.
  package mutating func report(_ result: SetupResult) {
    if case .failed(let error) = result {
      failure = error
      tell("\(error.message)" + (error.hint.map { "\n\($0)" } ?? ""))
      return goBack()
    }
    failure = nil
    switch (phase, result) {
    case (.looking, .facts(let facts)): begin(with: facts)
    case (.examiningRadio, .radio(let problems)):
      facts.radioProblems = problems
      toRadio()
    case (.startingSession, .done):
      note("a session of \(draft.user ?? "") has begun")
      toRadio()
    case (.scanning, .heard(let meters)): heard(meters)
    case (.pairing(let chosen), .done):
      note("\(chosen.meter.name) is paired")
      phase = .history(chosen)
    case (.reading(let chosen, _), .done):
      note("\(chosen.meter.name) was read")
      toPassive(chosen)
    case (.settingPassive, .done):
      note("meters of this kind are read by themselves while the host runs")
      toService()
    case (.enablingService, .done):
      note("the service runs, and begins with the machine")
      phase = .over
    // A result that nothing waits for changes nothing.
    default: break
    }
  }

  /// Where a failed action leads: to the questions before it, or on where nothing depends on it.
  private mutating func goBack() {
    switch phase {
    case .startingSession: phase = .user
    case .examiningRadio: phase = .radio
    case .scanning: phase = .nothingHeard
    case .pairing(let chosen): phase = .ready(chosen)
    case .reading: phase = .meterWanted
    case .settingPassive: toService()
    // Without knowing what is there nothing can be asked; without rights to enable it there is nothing to try again.
    default: phase = .over
    }
  }

  // MARK: - Ways

  private mutating func begin(with facts: SetupFacts) {
    self.facts = facts
    tell("Session and readings are kept in \(facts.state).")
    phase = facts.session.map { .keepingSession($0) } ?? .user
  }

  mutating func toRadio() {
    guard !facts.radioProblems.isEmpty else {
      phase = .meterWanted
      return
    }
    for problem in facts.radioProblems { tell(problem.message + (problem.cure.map { "\n\($0)" } ?? "")) }
    phase = .radio
  }

  private mutating func heard(_ meters: [SetupMeter]) {
    guard !meters.isEmpty else {
      tell("No meter was heard. Take a measurement, or switch the meter's Bluetooth on, so that it advertises.")
      phase = .nothingHeard
      return
    }
    phase = .choosing(meters)
  }

  mutating func choose(_ chosen: Chosen) {
    if chosen.entry.needsPairing, !chosen.meter.isPaired {
      tell(chosen.entry.pairingInstructions)
      phase = .ready(chosen)
    } else {
      phase = .history(chosen)
    }
  }

  private mutating func toPassive(_ chosen: Chosen) {
    guard chosen.entry.canBePassive, !facts.passive.contains(chosen.entry.peripheral) else { return toService() }
    phase = .passive(chosen)
  }

  mutating func toService() {
    switch facts.service {
    case .absent:
      tell("No service is installed: `meterhost run` reads and delivers as long as it runs.")
      phase = .over
    case .installed(isRunning: true, _):
      note("the service runs")
      phase = .over
    case .installed(_, mayEnable: false):
      tell("The service begins with the machine once you run: sudo systemctl enable --now meterhost")
      phase = .over
    case .installed: phase = .service
    }
  }
}
