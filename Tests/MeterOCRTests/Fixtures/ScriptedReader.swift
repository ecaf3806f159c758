import DriverContract
import MeterOCR

/// Reads from a frame's number what a test wants it to.
actor ScriptedReader: DisplayRecognizing {
  typealias Answer = Result<DisplayReading, DriverFault>

  private let answer: @Sendable (Int, DisplayFrame) -> Answer
  private let verdict: @Sendable ([String], UInt16?) -> Result<DisplayVerdict, DriverFault>
  private let isHeldUp: Bool
  private var held: [CheckedContinuation<Void, Never>] = []
  private var watchers: [CheckedContinuation<Void, Never>] = []
  private(set) var frames: [DisplayFrame] = []
  private(set) var interpreted: [[String]] = []

  init(
    isHeldUp: Bool = false,
    verdict: @escaping @Sendable ([String], UInt16?) -> Result<DisplayVerdict, DriverFault> = { texts, _ in
      .success(Displays.verdict(texts))
    }, answer: @escaping @Sendable (Int, DisplayFrame) -> Answer
  ) {
    self.isHeldUp = isHeldUp
    self.verdict = verdict
    self.answer = answer
  }

  /// The same texts in every frame.
  init(_ texts: String..., isHeldUp: Bool = false) {
    let reading = Displays.reading(texts)
    self.init(isHeldUp: isHeldUp) { _, _ in .success(reading) }
  }

  var numbers: [Int] { frames.map { Pictures.number($0.image) } }

  func recognize(_ frame: DisplayFrame, meter: UInt32) async throws(DriverFault) -> DisplayReading {
    frames.append(frame)
    if isHeldUp {
      await withCheckedContinuation { look in
        held.append(look)
        for watcher in watchers { watcher.resume() }
        watchers = []
      }
    }
    return try answer(Pictures.number(frame.image), frame).get()
  }

  func interpret(_ texts: [String], meter: UInt32, unit: UInt16?) async throws(DriverFault) -> DisplayVerdict {
    interpreted.append(texts)
    return try verdict(texts, unit).get()
  }

  /// Waits until a look is under way.
  func looks() async {
    if !held.isEmpty { return }
    await withCheckedContinuation { watchers.append($0) }
  }

  /// Lets the look go on.
  func release() {
    let all = held
    held = []
    for look in all { look.resume() }
  }
}
