import DriverContract
import MeterOCR

/// The looks at one photograph, and how long they took.
struct BenchLooks: Sendable {
  var single: [DisplayAnswer]
  var vote: [DisplayAnswer]
  var singleMilliseconds: Double
  var voteMilliseconds: Double

  func lines(_ photograph: DisplayLabels.Photograph) -> [DisplayBench.Line] {
    zip(single, vote).enumerated().map { row, answers in
      DisplayBench.Line(photograph: photograph, row: row, single: answers.0, vote: answers.1, problem: nil)
    }
  }

  /// Rows whose boxes are given: what they may show is known as far as the kind of the device is.
  static func generic(
    _ image: GreyImage, _ boxes: [ImageBox], _ display: HealthDisplay?, labels: [String?],
    _ look: (DisplayFrame) async throws -> DisplayReading
  ) async throws -> BenchLooks {
    let (first, singleTime) = try await timed {
      try await look(DisplayFrame(image: image, isStill: false, place: .boxes(boxes)))
    }
    let (looks, voteTime) = try await timed {
      var looks: [DisplayReading] = []
      for place in StillVote.places(rows: boxes) {
        looks.append(try await look(DisplayFrame(image: image, isStill: true, place: .boxes(place))))
      }
      return looks
    }
    let floor = max(DisplayBench.singleFloor, RowVote.floor(of: display))
    let single = zip(labels, first.rows).map { label, row in
      DisplayAnswer(
        label: label, raw: row.guess, confidence: row.confidence,
        isAnswered: row.confidence >= floor && row.shown.map { display?.canShow($0) != false } == true
      )
    }
    let vote = labels.indices.map { row in
      let vote = RowVote(looks.map { $0.rows[row] }, of: display)
      return DisplayAnswer(
        label: labels[row], raw: vote.text, confidence: vote.confidence, isAnswered: vote.isAccepted)
    }
    return BenchLooks(single: single, vote: vote, singleMilliseconds: singleTime, voteMilliseconds: voteTime)
  }

  /// A meter's own rows, which its driver judges together.
  static func meter(
    _ image: GreyImage, _ overlay: ImageBox, _ rows: [DisplayRow], labels: [String?],
    _ look: (DisplayFrame) async throws -> StillVote.Look
  ) async throws -> BenchLooks {
    let (first, singleTime) = try await timed {
      try await look(DisplayFrame(image: image, isStill: false, place: .overlay(overlay)))
    }
    let (looks, voteTime) = try await timed {
      var looks: [StillVote.Look] = []
      for place in StillVote.places(overlay) {
        looks.append(try await look(DisplayFrame(image: image, isStill: true, place: .overlay(place))))
      }
      return looks
    }
    let least = first.reading.rows.filter { $0.state == .text }.map(\.confidence).min() ?? 0
    let isValid = if case .valid(let records) = first.verdict { !records.isEmpty } else { false }
    let single = zip(labels, first.reading.rows).map { label, row in
      DisplayAnswer(
        label: label, raw: row.shown, confidence: row.confidence,
        isAnswered: isValid && least >= DisplayBench.singleFloor)
    }
    var counted = StillVote(rows: rows)
    let agreed: [String]? = if case .agreed(let agreement) = counted.add(looks) { agreement.texts } else { nil }
    let vote = labels.indices.map { row in
      // Whether it is believed is the driver's word, for all rows together.
      let vote = RowVote(looks.map { $0.reading.rows[row] }, of: nil)
      let text = agreed.map { $0[row].isEmpty ? nil : $0[row] } ?? vote.text
      return DisplayAnswer(
        label: labels[row], raw: text, confidence: vote.confidence, isAnswered: agreed != nil)
    }
    return BenchLooks(single: single, vote: vote, singleMilliseconds: singleTime, voteMilliseconds: voteTime)
  }

  private static func timed<Value>(_ body: () async throws -> Value) async throws -> (Value, Double) {
    let start = ContinuousClock.now
    let value = try await body()
    return (value, (ContinuousClock.now - start) / .milliseconds(1))
  }
}
