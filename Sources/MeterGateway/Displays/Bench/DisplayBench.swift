import DriverRuntime
public import Foundation
public import MeterDrivers
import MeterOCR

/// Reads a labelled set and says what became of each line.
public struct DisplayBench: Sendable {
  /// What became of one line of a display.
  public struct Line: Sendable, Hashable {
    /// The photograph.
    public let photograph: DisplayLabels.Photograph
    /// Which of its rows, from 0.
    public let row: Int
    /// One look, as a camera's frame is looked at.
    public let single: DisplayAnswer
    /// Several looks that vote, as photographs are read.
    public let vote: DisplayAnswer
    /// Why the picture could not be read; nil when it could.
    public let problem: String?
  }

  /// What came of the set.
  public struct Result: Sendable {
    /// The lines in the file's order.
    public var lines: [Line] = []
    /// How long the reader took for a frame, on the average, in milliseconds.
    public var millisecondsPerFrame = 0.0
    /// How long the looks that vote took together, for a photograph.
    public var millisecondsPerPhotograph = 0.0
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
  /// - Throws: ``GatewayError`` with code `labels` for a photograph that is not there, whose rows have no boxes, or, without
  ///   `isGeneric`, no peripheral; `unknown_peripheral` for one that there is not.
  public init(
    _ labels: DisplayLabels, folder: URL, gateway: Gateway, peripheral: UInt32? = nil, isGeneric: Bool
  ) throws(GatewayError) {
    self.labels = labels
    self.folder = folder
    self.gateway = gateway
    self.peripheral = peripheral
    self.isGeneric = isGeneric
    for photograph in labels.photographs { try check(photograph) }
  }

  private func check(_ photograph: DisplayLabels.Photograph) throws(GatewayError) {
    guard FileManager.default.fileExists(atPath: path(photograph)) else {
      throw DisplayLabels.fault("line \(photograph.line): there is no file \(photograph.path)")
    }
    if isGeneric {
      _ = try photograph.lines()
      return
    }
    guard photograph.boxes.count <= 1 else {
      throw GatewayError(
        .usage, code: "labels",
        "line \(photograph.line): a meter's overlay is one box, not \(photograph.boxes.count)",
        hint: "--generic takes a box for each row")
    }
    guard let id = photograph.peripheral ?? peripheral else {
      throw GatewayError(
        .usage, code: "labels", "line \(photograph.line): no meter is named",
        hint: "name it with --peripheral or in a column of that name, or measure the boxes as rows with --generic")
    }
    _ = try gateway.display(id)
  }

  private func path(_ photograph: DisplayLabels.Photograph) -> String {
    URL(fileURLWithPath: photograph.path, relativeTo: folder).standardizedFileURL.path
  }

  /// Reads all photographs. One that is damaged has lines that were not answered.
  ///
  /// - Parameter onLine: Hears of each line, with how many photographs are done.
  /// - Throws: ``GatewayError`` with code `labels` for a box outside of its picture, or when no reader or decoder can be
  ///   opened; `CancellationError`.
  public func run(_ onLine: @Sendable (Line, Int) -> Void = { _, _ in }) async throws -> Result {
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
    var (frames, photographs) = (0, 0)
    for (index, photograph) in labels.photographs.enumerated() {
      try Task.checkCancellation()
      var found: [Line]
      do {
        let picture = try BenchPicture(try await tools.frame(path(photograph)), photograph)
        let looks = try await self.looks(picture, photograph, tools)
        frames += 1
        photographs += 1
        result.millisecondsPerFrame += looks.singleMilliseconds
        result.millisecondsPerPhotograph += looks.voteMilliseconds
        found = looks.lines(photograph)
      } catch let error as BenchTools.Unreadable {
        found = unanswered(photograph, error.message)
      }
      for line in found { onLine(line, index + 1) }
      result.lines += found
    }
    if frames > 0 { result.millisecondsPerFrame /= Double(frames) }
    if photographs > 0 { result.millisecondsPerPhotograph /= Double(photographs) }
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
    guard let id = photograph.peripheral ?? peripheral else { throw GatewayError.unknownDisplay(0) }
    let (reader, layout) = try await tools.reader(id)
    let labels =
      photograph.texts == [nil] ? [String?](repeating: nil, count: layout.rows.count) : photograph.texts
    guard labels.count == layout.rows.count else {
      throw DisplayLabels.fault(
        "line \(photograph.line): \(labels.count) texts, and the display of \(id) has \(layout.rows.count) rows")
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

  private func unanswered(_ photograph: DisplayLabels.Photograph, _ problem: String) -> [Line] {
    let labels = (try? photograph.lines().map(\.text)) ?? photograph.texts
    return labels.enumerated().map { row, label in
      let none = DisplayAnswer(label: label, raw: nil, confidence: 0, isAnswered: false)
      return Line(photograph: photograph, row: row, single: none, vote: none, problem: problem)
    }
  }
}

extension Gateway {
  /// The meter whose display has this id.
  ///
  /// - Throws: ``GatewayError`` with code `unknown_peripheral`.
  public func display(_ id: UInt32) throws(GatewayError) -> Peripheral {
    guard let found = registry.peripheral(id: id, kind: .ocr), !found.isDisabled else { throw .unknownDisplay(id) }
    return found
  }
}
