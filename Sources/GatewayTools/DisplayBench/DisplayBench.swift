package import GatewayEngine
package import GatewayAPI
import DriverContract
package import Foundation
import MeterDrivers
import MeterOCR

/// Reads a labelled set and says what became of each line.
package struct DisplayBench: Sendable {
  /// What became of one line of a display.
  package struct Line: Sendable, Hashable {
    package let photograph: DisplayLabels.Photograph
    /// Which of its rows, from 0.
    package let row: Int
    /// One look, as a camera's frame is looked at.
    package let single: DisplayAnswer
    /// Several looks that vote, as photographs are read.
    package let vote: DisplayAnswer
    /// Why it could not be measured, with its line of the file; nil when it could.
    package let problem: String?
  }

  /// What came of the set.
  package struct Result: Sendable {
    /// The lines in the file's order.
    package var lines: [Line] = []
    /// How long the reader took for a frame, on the average, in milliseconds.
    package var millisecondsPerFrame = 0.0
    /// How long the looks that vote took together, for a photograph.
    package var millisecondsPerPhotograph = 0.0

    /// How many lines could not be measured.
    package var unmeasured: Int { lines.count(where: { $0.problem != nil }) }

    /// The error of a set of which no line could be measured, with the first problem; nil when one was.
    package var fault: GatewayError? {
      guard let problem = lines.first?.problem, unmeasured == lines.count else { return nil }
      return DisplayLabels.fault("no line could be measured: \(problem)")
    }
  }

  /// The confidence that a single look of a camera needs to count.
  static let singleFloor = ConvergenceRules().floor

  let gateway: Gateway
  let labels: DisplayLabels
  /// Where the paths of the labels begin.
  let folder: URL
  /// The peripheral of photographs that name none.
  let peripheral: UInt32?
  /// The boxes are rows, and no meter says what they may show, only the kind of the device.
  let isGeneric: Bool

  /// A run.
  ///
  /// - Throws: ``GatewayError`` with code `unknown_peripheral` when there is none of this id.
  package init(
    _ labels: DisplayLabels, folder: URL, gateway: Gateway, peripheral: UInt32? = nil, isGeneric: Bool
  ) throws(GatewayError) {
    self.labels = labels
    self.folder = folder
    self.gateway = gateway
    self.peripheral = peripheral
    self.isGeneric = isGeneric
    if let peripheral { _ = try gateway.display(peripheral) }
  }

  /// Finds what is wrong as far as it can be told without the picture.
  private func check(_ photograph: DisplayLabels.Photograph) throws(BenchProblem) {
    if let problem = photograph.problem { throw BenchProblem(problem) }
    guard FileManager.default.fileExists(atPath: path(photograph)) else {
      throw BenchProblem("there is no file \(photograph.path); paths begin at the folder of the labels")
    }
    if isGeneric {
      _ = try photograph.lines()
      return
    }
    guard photograph.boxes.count <= 1 else {
      throw BenchProblem(
        "a meter's overlay is one box, not \(photograph.boxes.count); --generic takes a box for each row")
    }
    guard let id = photograph.peripheral ?? peripheral else {
      throw BenchProblem(
        "no meter is named; name it with --peripheral or in a column of that name, or measure the boxes as rows with "
          + "--generic")
    }
    do { _ = try gateway.display(id) } catch { throw BenchProblem(error) }
  }

  /// Where a picture lies itself: who has written the labels vouches for links, which no picture's file is read through.
  private func path(_ photograph: DisplayLabels.Photograph) -> String {
    URL(fileURLWithPath: photograph.path, relativeTo: folder).standardizedFileURL.resolvingSymlinksInPath().path
  }

  /// Reads all photographs. One that cannot be measured has lines that were not answered, with the problem.
  ///
  /// - Parameter onLine: Hears of each line, with how many photographs are done.
  /// - Throws: ``GatewayError`` when no reader or decoder can be opened before anything was measured;
  ///   `CancellationError`.
  package func run(_ onLine: @Sendable (Line, Int) -> Void = { _, _ in }) async throws -> Result {
    let tools = BenchTools(gateway)
    do {
      let result = try await run(tools, onLine)
      await tools.close()
      return result
    } catch {
      await tools.close()
      throw error
    }
  }

  private func run(_ tools: BenchTools, _ onLine: @Sendable (Line, Int) -> Void) async throws -> Result {
    var result = Result()
    var measured = 0
    for (index, photograph) in labels.photographs.enumerated() {
      try Task.checkCancellation()
      let found: [Line]
      do {
        try check(photograph)
        let frame = try await tools.frame(path(photograph))
        let picture = try BenchPicture(frame.image, divisor: frame.divisor, photograph)
        let looks = try await self.looks(picture, photograph, tools)
        measured += 1
        result.millisecondsPerFrame += looks.singleMilliseconds
        result.millisecondsPerPhotograph += looks.voteMilliseconds
        found = looks.lines(photograph)
      } catch let error as BenchProblem {
        found = unanswered(photograph, error)
      } catch let error as GatewayError where measured > 0 {
        // What could be opened before has broken with a picture: the others are measured as far as they can be.
        try Task.checkCancellation()
        found = unanswered(photograph, BenchProblem(error))
      }
      for line in found { onLine(line, index + 1) }
      result.lines += found
    }
    if measured > 0 {
      result.millisecondsPerFrame /= Double(measured)
      result.millisecondsPerPhotograph /= Double(measured)
    }
    return result
  }

  private func looks(
    _ picture: BenchPicture, _ photograph: DisplayLabels.Photograph, _ tools: BenchTools
  ) async throws -> BenchLooks {
    if isGeneric {
      let lines = try photograph.lines()
      let boxes = picture.boxes.isEmpty ? [picture.whole] : picture.boxes
      let reader = try await tools.genericReader(peripheral)
      let display = HealthDisplay(deviceType: photograph.deviceType)
      return try await BenchLooks.generic(picture.image, boxes, display, labels: lines.map(\.text)) { frame in
        try await tools.asking(reader) { try await $0.recognize(frame, meter: 0) }
      }
    }
    guard let id = photograph.peripheral ?? peripheral else {
      throw GatewayError.unknownDisplay(0, in: gateway.registry)
    }
    let (reader, layout) = try await tools.reader(id)
    let labels =
      photograph.texts == [nil] ? [String?](repeating: nil, count: layout.rows.count) : photograph.texts
    guard labels.count == layout.rows.count else {
      throw BenchProblem(
        "\(labels.count) texts, and the display of \(id) has \(layout.rows.count) rows; write \\n between them")
    }
    let size = ViewSize(picture.image)
    let overlay = picture.boxes.first ?? OverlayGeometry(aspect: layout.aspect, frame: size).overlayInFrame
    return try await BenchLooks.meter(picture.image, overlay, layout.rows, labels: labels) { frame in
      try await tools.asking(reader) { reader in
        let reading = try await reader.recognize(frame, meter: id)
        let texts = reading.rows.map { $0.shown ?? "" }
        return StillVote.Look(reading, try await reader.interpret(texts, meter: id))
      }
    }
  }

  private func unanswered(_ photograph: DisplayLabels.Photograph, _ problem: BenchProblem) -> [Line] {
    let labels = (try? photograph.lines().map(\.text)) ?? photograph.texts
    return labels.enumerated().map { row, label in
      let none = DisplayAnswer(unmeasured: label)
      return Line(
        photograph: photograph, row: row, single: none, vote: none,
        problem: "line \(photograph.line): \(problem.message)")
    }
  }
}
