package import GatewayAPI
import StrictJSON

extension SetupMachine {
  /// What is to happen next.
  package var turn: Turn {
    if let action { return .act(action) }
    return question.map(Turn.ask) ?? .over
  }

  private var action: SetupAction? {
    switch phase {
    case .looking: .look
    case .startingSession: session.map(SetupAction.startSession)
    case .examiningRadio: .examineRadio
    case .scanning: .scan
    case .pairing(let chosen): .pair(peripheral: chosen.entry.peripheral, address: chosen.meter.address)
    case .reading(let chosen, let takesHistory):
      .read(peripheral: chosen.entry.peripheral, address: chosen.meter.address, takesHistory: takesHistory)
    case .settingPassive: .setPassive(facts.passive)
    case .enablingService: .enableService
    default: nil
    }
  }

  private var session: SetupSession? {
    guard let user = draft.user, let organization = draft.organization else { return nil }
    if draft.isFolder {
      guard let folder = draft.folder else { return nil }
      return SetupSession(user: user, organization: organization, destination: .folder(folder))
    }
    guard let receiver = draft.receiver, let token = draft.token else { return nil }
    return SetupSession(user: user, organization: organization, destination: .receiver(url: receiver, token: token))
  }

  private var question: SetupQuestion? {
    switch phase {
    case .keepingSession(let session):
      .init(
        .keepsSession,
        "A session of \(shown(session.user)) (\(shown(session.organization))) delivers to \(shown(session.receiver, limit: 200)). Keep it?",
        form: .decision, standard: "yes")
    case .user:
      .init(
        .user, "Whose readings are they? The receiver's name of the person", standard: draft.user ?? facts.proposedUser)
    case .organization:
      .init(.organization, "The receiver's name of the organisation", standard: draft.organization ?? "home")
    case .destination:
      .init(
        .destination, "Where do readings go?",
        form: .choice([
          .init("folder", "files in a folder of this machine"), .init("receiver", "a receiver on the network"),
        ]), standard: draft.isFolder ? "folder" : "receiver")
    case .folder: .init(.folder, "The folder", standard: draft.folder ?? facts.proposedFolder)
    case .receiver: .init(.receiver, "The receiver's address (https://...)", standard: draft.receiver)
    case .tokenFile: .init(.tokenFile, "The file with the access token; none: it is typed", standard: "")
    case .token: .init(.token, "The access token (it is not shown)", form: .secret)
    case .radio: .init(.radio, "Go on without Bluetooth? `no` looks again", form: .decision, standard: "no")
    default: meterQuestion
    }
  }

  private var meterQuestion: SetupQuestion? {
    switch phase {
    case .meterWanted: .init(.readsMeter, "Read a meter now?", form: .decision, standard: "yes")
    case .nothingHeard: .init(.listensAgain, "Listen again?", form: .decision, standard: "yes")
    case .choosing(let meters):
      .init(
        .meter, "Which meter?",
        form: .choice(
          meters.map {
            .init($0.address, "\(shown($0.name))  \($0.address)  \($0.entries[0].name)\($0.isPaired ? ", paired" : "")")
          }), standard: meters.first?.address)
    case .choosingEntry(let meter):
      .init(
        .peripheral, "What is it?",
        form: .choice(meter.entries.map { .init("\($0.peripheral)", $0.name) }),
        standard: meter.entries.first.map { "\($0.peripheral)" })
    case .ready: .init(.isReady, "Ready to pair?", form: .decision, standard: "yes")
    case .history:
      .init(
        .takesHistory, "Deliver also what the meter measured before today? It may be another person's",
        form: .decision, standard: "no")
    case .passive(let chosen):
      .init(
        .isPassive, "Read meters such as \(chosen.entry.name) by themselves from now on?", form: .decision,
        standard: "yes")
    case .service:
      .init(.enablesService, "Let the service run now, and begin with the machine?", form: .decision, standard: "yes")
    default: nil
    }
  }

  // MARK: - Answers

  /// Takes the answer to the question that is open; an empty one is its default.
  ///
  /// - Throws: ``GatewayError`` with code `answer` where it is none; the question stays open.
  package mutating func answer(_ text: String) throws(GatewayError) {
    guard let question else { return }
    guard let answer = question.meaning(of: text), answer.utf8.count <= 4096 else { throw Self.refusal(question, text) }
    let yes = answer == "yes"
    switch phase {
    case .keepingSession:
      if yes { note("the session goes on") }
      yes ? toRadio() : (phase = .user)
    case .user: (draft.user, phase) = (answer, .organization)
    case .organization: (draft.organization, phase) = (answer, .destination)
    case .destination:
      draft.isFolder = answer == "folder"
      phase = draft.isFolder ? .folder : .receiver
    case .folder:
      guard answer.hasPrefix("/") else { throw Self.refusal(question, text, hint: "begin the path with /") }
      (draft.folder, phase) = (answer, .startingSession)
    case .receiver: (draft.receiver, phase) = (answer, .tokenFile)
    case .tokenFile:
      draft.token = answer.isEmpty ? nil : .file(answer)
      phase = answer.isEmpty ? .token : .startingSession
    case .token: (draft.token, phase) = (.text(answer), .startingSession)
    case .radio:
      guard yes else {
        phase = .examiningRadio
        return
      }
      toService()
    default: answerMeter(answer)
    }
  }

  private mutating func answerMeter(_ answer: String) {
    let yes = answer == "yes"
    switch phase {
    case .meterWanted, .nothingHeard: yes ? (phase = .scanning) : toService()
    case .choosing(let meters):
      guard let meter = meters.first(where: { $0.address == answer }) else { return }
      guard meter.entries.count == 1 else {
        phase = .choosingEntry(meter)
        return
      }
      choose(Chosen(meter: meter, entry: meter.entries[0]))
    case .choosingEntry(let meter):
      guard let entry = meter.entries.first(where: { "\($0.peripheral)" == answer }) else { return }
      choose(Chosen(meter: meter, entry: entry))
    case .ready(let chosen): phase = yes ? .pairing(chosen) : .meterWanted
    case .history(let chosen):
      tell(chosen.entry.readingInstructions)
      phase = .reading(chosen, takesHistory: yes)
    case .passive(let chosen):
      guard yes else { return toService() }
      facts.passive.append(chosen.entry.peripheral)
      phase = .settingPassive
    case .service: phase = yes ? .enablingService : .over
    default: break
    }
  }

  private static func refusal(_ question: SetupQuestion, _ text: String, hint: String? = nil) -> GatewayError {
    let allowed: String =
      switch question.form {
      case .decision: "answer yes or no"
      case .choice(let choices): "answer one of: " + choices.map { "\($0.word)" }.joined(separator: ", ")
      case .text, .secret: "there has to be an answer"
      }
    // What was typed for a secret is not told back.
    let said = question.form == .secret || text.isEmpty ? "" : ", not \(shown(text))"
    return GatewayError(
      .usage, code: "answer", "\(question.key.rawValue) needs another answer\(said)", hint: hint ?? allowed)
  }
}
