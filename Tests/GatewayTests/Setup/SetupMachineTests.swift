import GatewayAPI
import Testing

@testable import GatewayTools

/// The setup as a value: no radio, no store, nobody who is asked.
@Suite struct SetupMachineTests {
  private static let glucose = SetupMeter.Entry(
    peripheral: 1000, name: "Glucose meter", needsPairing: true, pairingInstructions: "Hold the button.",
    readingInstructions: "Take a measurement.", canBePassive: true)
  private static let thermometer = SetupMeter.Entry(
    peripheral: 1, name: "Thermometer", needsPairing: false, pairingInstructions: "", readingInstructions: "Measure.",
    canBePassive: false)

  private func meter(_ entries: [SetupMeter.Entry], paired: Bool = false) throws -> SetupMeter {
    try #require(SetupMeter(address: "AA:BB:CC:00:00:01", name: "Contour", isPaired: paired, entries: entries))
  }

  private func facts(_ change: (inout SetupFacts) -> Void = { _ in }) -> SetupFacts {
    var facts = SetupFacts()
    facts.state = "/state"
    facts.proposedUser = "anna"
    facts.proposedFolder = "/readings"
    change(&facts)
    return facts
  }

  private func key(_ setup: SetupMachine) -> SetupQuestion.Key? {
    if case .ask(let question) = setup.turn { question.key } else { nil }
  }

  private func action(_ setup: SetupMachine) -> SetupAction? {
    if case .act(let action) = setup.turn { action } else { nil }
  }

  /// A setup whose session is there already.
  private func begun(_ change: (inout SetupFacts) -> Void = { _ in }) throws -> SetupMachine {
    var setup = SetupMachine()
    setup.report(
      .facts(
        facts {
          $0.session = .init(user: "anna", organization: "home", receiver: "/readings")
          change(&$0)
        }))
    try setup.answer("")
    return setup
  }

  @Test func defaultsLeadFromNothingToTheFirstReading() throws {
    var setup = SetupMachine()
    #expect(action(setup) == .look)
    setup.report(.facts(facts()))
    for wanted in [SetupQuestion.Key.user, .organization, .destination, .folder] {
      #expect(key(setup) == wanted)
      try setup.answer("")
    }
    #expect(
      action(setup)
        == .startSession(SetupSession(user: "anna", organization: "home", destination: .folder("/readings"))))
    setup.report(.done)
    #expect(key(setup) == .readsMeter)
    try setup.answer("")
    #expect(action(setup) == .scan)
    setup.report(.heard([try meter([Self.glucose])]))
    #expect(key(setup) == .meter)
    try setup.answer("1")
    let pressed = setup.takeNotices()
    #expect(key(setup) == .isReady && pressed.contains("Hold the button."))
    try setup.answer("y")
    #expect(action(setup) == .pair(peripheral: 1000, address: "AA:BB:CC:00:00:01"))
    setup.report(.done)
    #expect(key(setup) == .takesHistory)
    try setup.answer("")
    let measured = setup.takeNotices()
    #expect(measured.contains("Take a measurement."))
    #expect(action(setup) == .read(peripheral: 1000, address: "AA:BB:CC:00:00:01", takesHistory: false))
    setup.report(.done)
    #expect(key(setup) == .isPassive)
    try setup.answer("")
    #expect(action(setup) == .setPassive([1000]))
    setup.report(.done)
    #expect(setup.isOver && setup.turn == .over && setup.summary.count == 4)
  }

  @Test func whatIsThereIsNotAskedForAgain() throws {
    var setup = try begun { $0.passive = [1000] }
    #expect(key(setup) == .readsMeter)
    try setup.answer("yes")
    setup.report(.heard([try meter([Self.glucose], paired: true)]))
    try setup.answer("")
    #expect(key(setup) == .takesHistory, "it is paired")
    try setup.answer("yes")
    setup.report(.done)
    #expect(setup.isOver, "it is read passively already")
  }

  @Test func aReceiverNeedsATokenThatIsNeverTold() throws {
    var setup = SetupMachine()
    setup.report(.facts(facts()))
    for answer in ["", "", "receiver", "https://receiver.example", ""] { try setup.answer(answer) }
    #expect(key(setup) == .token)
    #expect(throws: GatewayError.self) { try setup.answer("") }
    try setup.answer("secret-token-0123")
    #expect(
      action(setup)
        == .startSession(
          SetupSession(
            user: "anna", organization: "home",
            destination: .receiver(url: "https://receiver.example", token: .text("secret-token-0123")))))
    setup.report(
      .failed(GatewayError(.failed, code: "token_refused", "the receiver refuses the token", hint: "ask it")))
    #expect(key(setup) == .user && setup.failure?.code == "token_refused")
    let told = setup.takeNotices().joined()
    #expect(!told.contains("secret-token"))
  }

  @Test func aMeterThatFitsSeveralEntriesIsAskedAbout() throws {
    var setup = try begun()
    try setup.answer("yes")
    setup.report(.heard([try meter([Self.thermometer, Self.glucose])]))
    try setup.answer("AA:BB:CC:00:00:01")
    #expect(key(setup) == .peripheral)
    try setup.answer("1")
    #expect(key(setup) == .takesHistory, "number 1 of the list is the thermometer, as is its id")
    try setup.answer("no")
    setup.report(.done)
    #expect(setup.isOver, "meters of that kind cannot be read by themselves")
  }

  @Test func whatFailsIsTriedAgainOrLeftOut() throws {
    var setup = try begun()
    try setup.answer("yes")
    setup.report(.heard([]))
    #expect(key(setup) == .listensAgain)
    try setup.answer("yes")
    #expect(action(setup) == .scan)
    setup.report(.heard([try meter([Self.glucose])]))
    try setup.answer("")
    try setup.answer("yes")
    setup.report(.failed(GatewayError(.failed, code: "pairing_failed", "the meter refuses")))
    #expect(key(setup) == .isReady)
    try setup.answer("no")
    #expect(key(setup) == .readsMeter)
    try setup.answer("no")
    #expect(setup.isOver)
  }

  @Test func aRadioThatCannotBeUsedIsToldWithItsCure() throws {
    var setup = try begun {
      $0.radioProblems = [
        DoctorFinding(check: "bluetooth", status: .failed, message: "no adapter", cure: "plug one in")
      ]
    }
    let told = setup.takeNotices()
    #expect(key(setup) == .radio && told.contains("no adapter\nplug one in"))
    try setup.answer("")
    #expect(action(setup) == .examineRadio)
    setup.report(.radio([]))
    #expect(key(setup) == .readsMeter)
  }

  @Test(
    arguments: [
      (SetupFacts.Service.absent, nil), (.installed(isRunning: true, mayEnable: false), nil),
      (.installed(isRunning: false, mayEnable: false), nil),
      (.installed(isRunning: false, mayEnable: true), .enablesService),
    ] as [(SetupFacts.Service, SetupQuestion.Key?)])
  func theServiceIsOfferedToWhoMayEnableIt(service: SetupFacts.Service, wanted: SetupQuestion.Key?) throws {
    var setup = try begun { $0.service = service }
    try setup.answer("no")
    #expect(key(setup) == wanted)
    guard wanted != nil else { return }
    try setup.answer("")
    #expect(action(setup) == .enableService)
    setup.report(.done)
    #expect(setup.isOver)
  }

  @Test(arguments: ["perhaps", "3", "ja"]) func whatIsNoAnswerLeavesTheQuestionOpen(answer: String) throws {
    var setup = try begun()
    let error = #expect(throws: GatewayError.self) { try setup.answer(answer) }
    #expect(error?.code == "answer" && key(setup) == .readsMeter)
  }

  /// Whatever is answered and whatever comes of it, there is a next turn or an end.
  @Test func everyWayHasANextTurn() throws {
    let answers = ["", "yes", "no", "1", "2", "receiver", "/x", "https://r.example"]
    var random = SystemRandomNumberGenerator()
    for _ in 0..<500 {
      var setup = SetupMachine()
      for _ in 0..<60 where !setup.isOver {
        switch setup.turn {
        case .ask: try? setup.answer(answers.randomElement(using: &random) ?? "")
        case .act(.look): setup.report(.facts(facts()))
        case .act(.scan): setup.report(.heard(Bool.random() ? [] : [try meter([Self.glucose, Self.thermometer])]))
        case .act(.examineRadio): setup.report(.radio([]))
        case .act: setup.report(Bool.random() ? .done : .failed(GatewayError(.failed, code: "x", "x")))
        case .over: Issue.record("it stands still at \(setup.phase)")
        }
      }
    }
  }
}

@Suite struct SetupAnswersTests {
  @Test(arguments: [
    ("a.toml", "[session]\nuser = \"anna\"\n[meter]\nread = false\nperipheral = 1000\n"),
    ("a.json", #"{"session":{"user":"anna"},"meter":{"read":false,"peripheral":1000}}"#),
  ])
  func bothFormsAreRead(file: String, text: String) throws {
    let answers = try SetupAnswers(Array(text.utf8), file: file)
    #expect(answers.answer(.user) == "anna" && answers.answer(.readsMeter) == "no")
    #expect(answers.answer(.peripheral) == "1000" && answers.answer(.organization) == nil)
  }

  @Test(arguments: [
    ("a.toml", "[session]\nusr = \"anna\"", "did you mean session.user?"),
    ("a.toml", "[session]\ntoken = \"x\"", "session.token_file"),
    ("a.json", #"{"session":{"token":"x"}}"#, "session.token_file"), ("a.json", "[]", "write {"),
    ("a.toml", "x", "complete the line"), ("a.toml", "[session]\nuser = [1]", "write a string"),
  ])
  func aMistakeIsToldWithItsCure(file: String, text: String, cure: String) {
    let error = #expect(throws: GatewayError.self) { try SetupAnswers(Array(text.utf8), file: file) }
    #expect(error?.code == "answers_file" && error?.hint?.contains(cure) == true, "\(error as Any)")
  }
}
