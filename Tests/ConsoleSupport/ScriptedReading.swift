public import MeterConsole
import Synchronization

/// A reading that does what a test says.
public final class ScriptedReading: DeskReading {
  /// The meter that was chosen.
  public let meter: DeskMeter
  /// The unit that was chosen.
  public let unit: String?
  /// What ``show(_:)`` shows.
  public let previews: AsyncStream<PreviewPicture>
  /// What ``tell(_:)`` tells.
  public let partials: AsyncStream<PartialReading>
  /// The texts of every submission.
  public let submissions: AsyncStream<[String]>

  /// Ends when nobody wants the reading any more.
  public let life: AsyncStream<Never>

  private struct State {
    var outcome: ReadingOutcome?
    var waiters: [CheckedContinuation<ReadingOutcome, Never>] = []
    var refusal: DeskError?
  }

  private let shown: AsyncStream<PreviewPicture>.Continuation
  private let seen: AsyncStream<PartialReading>.Continuation
  private let submitted: AsyncStream<[String]>.Continuation
  private let released: AsyncStream<Never>.Continuation
  private let state = Mutex(State())

  init(meter: DeskMeter, unit: String?) {
    self.meter = meter
    self.unit = unit
    (previews, shown) = AsyncStream.makeStream()
    (partials, seen) = AsyncStream.makeStream()
    (submissions, submitted) = AsyncStream.makeStream()
    (life, released) = AsyncStream.makeStream()
  }

  // MARK: What a test says

  /// The camera has taken a picture.
  public func show(_ jpeg: [UInt8]) { shown.yield(PreviewPicture(jpeg: jpeg)) }

  /// A frame is read.
  public func tell(_ partial: PartialReading) { seen.yield(partial) }

  /// The reading ends; only the first outcome counts.
  public func end(_ outcome: ReadingOutcome) {
    let waiters = state.withLock { state -> [CheckedContinuation<ReadingOutcome, Never>] in
      guard state.outcome == nil else { return [] }
      state.outcome = outcome
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume(returning: outcome) }
  }

  /// The next submission fails with this error.
  public func refuse(_ error: DeskError) {
    state.withLock { $0.refusal = error }
  }

  // MARK: What the view asks

  /// Waits for ``end(_:)``.
  public func outcome() async -> ReadingOutcome {
    await withCheckedContinuation { continuation in
      let outcome = state.withLock { state -> ReadingOutcome? in
        if state.outcome == nil { state.waiters.append(continuation) }
        return state.outcome
      }
      if let outcome { continuation.resume(returning: outcome) }
    }
  }

  /// Ends the reading as a person does.
  public func cancel() async { end(.cancelled) }

  /// Notes that nobody wants it any more.
  public func close() async {
    end(.cancelled)
    released.finish()
  }

  /// Takes numbers with at most one decimal; of two, the first must be the larger one.
  public func check(_ texts: [String]) async -> RowCheck {
    let problems = texts.indices.filter { texts[$0].wholeMatch(of: /[0-9]{1,3}(\.[0-9])?/) == nil }.map { row in
      RowProblem(row: row, message: "Write the number as the display shows it, such as 5.4.")
    }
    guard problems.isEmpty else { return .problems(problems) }
    if texts.count > 1, let upper = Double(texts[0]), let lower = Double(texts[1]), lower >= upper {
      return .problems([RowProblem(row: nil, message: "The second value must be below the first.")])
    }
    return .values(Self.values(texts, unit: shownUnit))
  }

  /// Notes the texts, unless it was told to refuse.
  public func submit(_ texts: [String]) async throws(DeskError) -> String {
    let refusal = state.withLock { state -> DeskError? in
      defer { state.refusal = nil }
      return state.refusal
    }
    if let refusal { throw refusal }
    submitted.yield(texts)
    return "Submitted:"
  }

  // MARK: What it reads

  private static let labels = ["Systolic", "Diastolic", "Pulse"]

  private var shownUnit: String {
    let title = meter.units.first { $0.code == unit }?.title
    return if let title { title } else { meter.units.first?.title ?? "" }
  }

  private static func values(_ texts: [String], unit: String) -> [DeskValue] {
    texts.indices.map { row in
      DeskValue(name: texts.count > 1 ? labels[row % 3] : "Value", text: texts[row], unit: row == 2 ? "/min" : unit)
    }
  }

  /// A frame in which these texts are seen.
  public func partial(
    _ texts: [String], advice: PreviewAdvice = .none, glare: [RelativeBox] = []
  ) -> PartialReading {
    PartialReading(
      rows: Self.values(texts, unit: shownUnit).map { PartialReading.Row(label: $0.name, text: $0.text) },
      advice: advice, overlay: RelativeBox(x: 0.2, y: 0.15, width: 0.6, height: 0.7), glare: glare)
  }

  /// A result in which these texts are read.
  public func result(_ texts: [String], crop: [UInt8]) -> FinishedReading {
    let values = Self.values(texts, unit: shownUnit)
    return FinishedReading(
      values: values, rows: values.map { FinishedReading.Row(label: $0.name, text: $0.text, unit: $0.unit) },
      crop: crop)
  }
}
