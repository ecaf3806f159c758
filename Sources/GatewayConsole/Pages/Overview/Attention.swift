import GatewayAPI

/// Something that needs a person, with what to do about it.
struct Attention: Sendable, Hashable {
  /// How much it matters: what loses readings or keeps them back comes first.
  enum Weight: Int, Sendable, Hashable, Comparable {
    case urgent, soon, note

    static func < (left: Weight, right: Weight) -> Bool { left.rawValue < right.rawValue }
  }

  let weight: Weight
  let text: String
  let cure: String?
  /// The page on which it is done; nil where no page does it.
  let path: String?
  let link: String?
  /// For the style.
  let mark: String

  init(_ weight: Weight, _ text: String, cure: String? = nil, path: String? = nil, link: String? = nil) {
    self.weight = weight
    self.text = text.clipped(to: 600)
    self.cure = cure?.clipped(to: 600)
    (self.path, self.link) = (path, link)
    mark = weight == .urgent ? "urgent" : weight == .soon ? "soon" : "note"
  }
}

/// What the overview is made of. What could not be asked is nil, and says so in ``problems``.
struct OverviewFacts: Sendable {
  var session: SessionDescription?
  var sinks: [SinkReport] = []
  var newest: [QueueItem] = []
  var isPaused = false
  var limits: QueueLimitsDescription?
  var held = 0
  var dead = 0
  var passive: PassiveDescription?
  var radios: RadioDescription?
  var meters: [KnownMeterDescription] = []
  var offences: [OffenceDescription] = []
  /// What the doctor found, when somebody has let him look.
  var findings: [ConsoleFinding] = []
  /// What the host has failed to answer.
  var problems: [String] = []
}

extension Attention {
  /// Everything that needs a person, what matters most first.
  static func all(_ facts: OverviewFacts) -> [Attention] {
    let found =
      ofSession(facts) + ofQueue(facts) + facts.sinks.compactMap(ofSink) + ofReading(facts) + ofDoctor(facts)
      + facts.problems.map { Attention(.urgent, "The host has not answered: \($0)") }
    return found.enumerated().sorted { ($0.element.weight, $0.offset) < ($1.element.weight, $1.offset) }.map(\.element)
  }

  private static func ofSession(_ facts: OverviewFacts) -> [Attention] {
    guard let session = facts.session else { return [] }
    var found: [Attention] = []
    if session.user == nil {
      let before = session.ended.map { " The session of before has left \($0.unsynced) readings undelivered." } ?? ""
      found.append(
        Attention(
          .urgent, "There is no session: what meters measure is nobody's, and nothing is delivered.\(before)",
          cure: session.ended?.recoveryFile.map { "Start a session, then `meterhost session recover \($0)`" }
            ?? "Start one: `meterhost session start --help`"))
    }
    if let problem = session.zoneProblem {
      found.append(Attention(.soon, problem, cure: SessionDescription.zoneCure))
    }
    return found
  }

  private static func ofQueue(_ facts: OverviewFacts) -> [Attention] {
    var found: [Attention] = []
    if facts.held > 0 {
      found.append(
        Attention(
          .soon, facts.held == 1 ? "A reading is held." : "\(facts.held) readings are held.",
          cure: "Look at each: confirm it, correct it, or discard it.", path: "/readings/held", link: "Held readings"))
    }
    if facts.dead > 0 {
      found.append(
        Attention(
          .soon,
          facts.dead == 1 ? "A receiver has refused a reading." : "Receivers have refused \(facts.dead) readings.",
          cure: "Read the reason, mend it, and send again.", path: "/delivery", link: "Refused readings"))
    }
    if facts.isPaused {
      found.append(
        Attention(.soon, "Deliveries are paused.", cure: "Let them go on.", path: "/delivery", link: "Delivery"))
    }
    if let limits = facts.limits, limits.isNearlyFull {
      found.append(
        Attention(
          .urgent, "The queue is nearly full: \(limits.text).",
          cure: "Look why the receiver takes nothing, or raise the limit: `meterhost queue limits`", path: "/delivery",
          link: "Delivery"))
    }
    return found
  }

  private static func ofSink(_ report: SinkReport) -> Attention? {
    let name = report.sink.name
    if report.sink.token == "refused" {
      return Attention(
        .urgent, "The receiver \(name) refuses the token.",
        cure: "Get a new one and start the session with it: `meterhost session start --help`", path: "/delivery",
        link: "Delivery")
    }
    guard let wait = report.wait, !wait.isAsked else { return nil }
    return Attention(
      .soon, "The receiver \(name) does not take readings: \(wait.error.isEmpty ? "attempts fail" : wait.error)",
      cure: "Test it. What waits is kept, and sent later.", path: "/delivery", link: "Delivery")
  }

  private static func ofReading(_ facts: OverviewFacts) -> [Attention] {
    var found: [Attention] = []
    if let problem = facts.passive?.problem {
      found.append(Attention(.urgent, "Meters are not read by themselves: \(problem)", path: "/log", link: "Doctor"))
    }
    // Those that were pulled out are remembered: that one is gone says nothing as long as another works.
    if let radios = facts.radios?.adapters, !radios.isEmpty, !radios.contains(where: \.isUp) {
      found.append(
        Attention(
          .urgent, "No radio can be used: \(radios.map(\.name).joined(separator: ", "))",
          cure: "Look whether it is plugged in and switched on, and let the doctor look.", path: "/log", link: "Doctor")
      )
    }
    for offence in facts.offences where offence.state == .quarantined || offence.state == .setAside {
      found.append(
        Attention(
          .urgent, "The driver \(offence.driver) is not used: \(offence.message)",
          cure: "Update it, or go back to the version before.", path: "/drivers", link: "Drivers"))
    }
    return found
  }

  private static func ofDoctor(_ facts: OverviewFacts) -> [Attention] {
    facts.findings.filter { $0.status != .passed && $0.check != "state" }.map { finding in
      Attention(
        finding.status == .failed ? .urgent : .note, "\(finding.check): \(finding.message)", cure: finding.cure,
        path: "/log", link: "Doctor")
    }
  }
}
