import DriverContract
import MeterOCR

/// Gives what a test has put in, and waits when there is nothing.
actor ScriptedSource: FrameSource {
  enum Step: Sendable {
    case frame(CapturedFrame)
    case error(FrameSourceError)
    case end
  }

  private var steps: [Step]
  private var asker: CheckedContinuation<Step, Never>?
  private var askWatchers: [CheckedContinuation<Void, Never>] = []
  private var closeWatchers: [CheckedContinuation<Void, Never>] = []
  private(set) var isClosed = false
  private(set) var closings = 0
  private(set) var asked = 0

  init(_ steps: [Step] = []) { self.steps = steps }

  func put(_ step: Step) {
    if let asker {
      self.asker = nil
      asker.resume(returning: step)
    } else {
      steps.append(step)
    }
  }

  func nextFrame() async throws(FrameSourceError) -> CapturedFrame? {
    asked += 1
    if isClosed { return nil }
    let step: Step
    if steps.isEmpty {
      step = await withCheckedContinuation { asker in
        self.asker = asker
        for watcher in askWatchers { watcher.resume() }
        askWatchers = []
      }
    } else {
      step = steps.removeFirst()
    }
    switch step {
    case .frame(let frame): return frame
    case .error(let error): throw error
    case .end: return nil
    }
  }

  func close() {
    closings += 1
    isClosed = true
    asker?.resume(returning: .end)
    asker = nil
    for watcher in closeWatchers { watcher.resume() }
    closeWatchers = []
  }

  /// Waits until everything that was put in was taken and more is asked for.
  func isIdle() async {
    if asker != nil || isClosed { return }
    await withCheckedContinuation { askWatchers.append($0) }
  }

  func closed() async {
    if isClosed { return }
    await withCheckedContinuation { closeWatchers.append($0) }
  }
}

/// Numbered pictures of 64 x 48 pixels, each another one.
enum Pictures {
  static func frame(
    _ number: Int, name: String? = "film", isStill: Bool = false, moment: UInt64? = nil
  ) -> CapturedFrame {
    CapturedFrame(
      image: image(number), moment: moment ?? UInt64(number) * 100_000_000, isStill: isStill, name: name)
  }

  static func image(_ number: Int) -> GreyImage {
    GreyImage(
      width: 64, height: 48, pixels: (0..<64 * 48).map { UInt8(truncatingIfNeeded: $0 % 2 == 0 ? number : number >> 8) }
    )
  }

  static func number(_ image: GreyImage) -> Int { Int(image.pixels[0]) | Int(image.pixels[1]) << 8 }

  static func film(_ numbers: ClosedRange<Int>) -> [ScriptedSource.Step] { numbers.map { .frame(frame($0)) } }
}
