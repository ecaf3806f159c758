import DriverContract
import DriverRuntime

/// The steps of a recording, by the call into the driver to which they belong.
struct RecordedCourse {
  /// How a call ended.
  enum End {
    case unit(DriverUnit)
    case digest([UInt8])
    case fault(DriverFault)
    /// The recording ends in the middle.
    case open
  }

  /// One event and what belongs to it.
  struct Turn {
    let event: DriverEvent
    var answers: [ReplayServices.Exchange] = []
    var end = End.open
    /// The host would not take what came out.
    var refusal: DriverFault?
  }

  private(set) var openingAnswers: [ReplayServices.Exchange] = []
  /// A fault of the opening itself.
  private(set) var openingFault: DriverFault?
  private(set) var turns: [Turn] = []
  /// A fault that came after the recording was full.
  private(set) var unseenFault: DriverFault?
  /// A fault of the driver's when the session was closed.
  private(set) var closingFault: DriverFault?
  /// Something that happened is not in the recording.
  private(set) var isFull = false

  init(_ steps: [RecordingStep]) throws(RecordingError) {
    for step in steps { try take(step) }
  }

  /// The fault that ended the session; only one of a driver counts.
  var fault: DriverFault? {
    [openingFault, turns.last?.fault, turns.last?.refusal, closingFault, unseenFault].compactMap(\.self)
      .first(where: \.isDrivers)
  }

  private mutating func take(_ step: RecordingStep) throws(RecordingError) {
    let last = turns.indices.last
    switch step {
    case .service(let request, let answer):
      let exchange = ReplayServices.Exchange(request: request, answer: answer)
      if let last { turns[last].answers.append(exchange) } else { openingAnswers.append(exchange) }
    case .event(let event): turns.append(Turn(event: event))
    case .unit(let unit): try end(.unit(unit))
    case .unitDigest(let digest): try end(.digest(digest))
    case .fault(let fault):
      if isFull {
        unseenFault = fault
      } else if let last {
        turns[last].end = .fault(fault)
      } else {
        openingFault = fault
      }
    case .refusedOutput(let fault):
      if isFull { unseenFault = fault } else if let last { turns[last].refusal = fault }
    case .closingFault(let fault):
      if isFull { unseenFault = unseenFault ?? fault } else if fault.isDrivers { closingFault = fault }
    case .full: isFull = true
    case .closed: break
    case .asked, .answered:
      throw RecordingError(.damaged, "the recording of a session holds an exchange with an extension")
    case .captured: throw RecordingError(.damaged, "the recording of a session holds a captured packet")
    }
  }

  private mutating func end(_ end: End) throws(RecordingError) {
    guard let last = turns.indices.last, case .open = turns[last].end else {
      throw RecordingError(.damaged, "the recording holds an output that belongs to no event")
    }
    turns[last].end = end
  }
}

extension RecordedCourse.Turn {
  var fault: DriverFault? { if case .fault(let fault) = end { fault } else { nil } }
}
