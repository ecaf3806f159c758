public import DriverContract
public import DriverRuntime

/// A session with a driver as it was: what went in, what came out, and what the host answered (rule R8).
public struct Recording: Sendable, Hashable {
  /// Whose it is and how it ended.
  package var head: RecordingHead
  /// What the driver was told at its opening.
  public var opening: DriverOpening
  /// What happened, in order.
  public var steps: [RecordingStep]

  /// Makes a recording.
  package init(head: RecordingHead, opening: DriverOpening, steps: [RecordingStep]) {
    self.head = head
    self.opening = opening
    self.steps = steps
  }

  /// Most steps of a recording: more than twice what a session's recorder keeps, and what an imported capture may have. A
  /// step may have five bytes in a file and many times as much in memory.
  public static let mostSteps = 250_000

  /// The content's frames, unencrypted.
  var content: [UInt8] {
    steps.reduce(into: RecordingFrame.opening(opening).bytes) { $0 += RecordingFrame.step($1).bytes }
  }

  /// Reads the frames of a content.
  init(head: RecordingHead, content: [UInt8]) throws(RecordingError) {
    var reader = WireReader(content)
    var opening: DriverOpening?
    var steps: [RecordingStep] = []
    while reader.remaining > 0 {
      let offset = content.count - reader.remaining
      do throws(WireError) {
        switch try RecordingFrame(from: &reader) {
        case .opening(let found):
          guard opening == nil, steps.isEmpty else { throw WireError(message: "a second opening follows") }
          opening = found
        case .step(let step):
          guard steps.count < Self.mostSteps else {
            throw WireError(message: "it has more than \(Self.mostSteps) steps")
          }
          steps.append(step)
        }
      } catch {
        throw RecordingError(.damaged, "the recording's content makes no sense: \(error.message)", offset: offset)
      }
    }
    guard let opening else { throw RecordingError(.damaged, "the recording has no opening", offset: 0) }
    self.init(head: head, opening: opening, steps: steps)
  }
}
