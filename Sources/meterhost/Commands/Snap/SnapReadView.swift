import MeterCore
import DriverContract
import Foundation
import GatewayAPI
import MeterOCR

/// Shows what happens while a display is read.
struct SnapReadView: Sendable {
  let terminal = Terminal()
  let json: Bool
  let rows: Int

  func warn(_ text: String) {
    if !json { terminal.error("\(terminal.styled("warning:", .yellow)) \(text)") }
  }

  func endProgress() { if !json { terminal.endProgress() } }

  func show(_ preview: PreviewDescription) { if json { terminal.json(preview) } }

  func show(_ partial: OCRPartial, crop: String?) {
    guard !json else { return terminal.json(LocalDesk.description(of: partial, crop: crop)) }
    let texts = partial.text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.isEmpty ? "-" : String($0) }.joined(separator: " / ")
    let advice =
      partial.unitToChoose.map { "the meter shows \(UnitSpelling.readable($0.ucum))" } ?? partial.advice.sentence
    terminal.progress(
      "\(texts)  (\(partial.progress.agreeing) of \(partial.progress.needed))" + (advice.map { "  \($0)" } ?? ""))
  }

  func show(_ none: OCRNoValue) {
    guard json else { return }
    terminal.json(
      NoValue(
        reason: none.reason.rawValue, unitToChoose: none.unitToChoose?.ucum, frames: none.framesLookedAt,
        damaged: none.damagedPictures))
  }

  func show(_ reading: OCRReading, _ picture: [UInt8], at time: RecordTime?) {
    let described = LocalDesk.description(of: reading, crop: picture, measuredAt: time?.startMicroseconds)
    guard !json else { return terminal.json(described) }
    terminal.out(described.text)
    if let time { terminal.error("  measured at \(time.localText)") }
    for (number, row) in described.rows.enumerated() {
      let read = row.read.map { "  (was read as \($0.isEmpty ? "nothing" : $0))" } ?? ""
      terminal.error("  \(number + 1)  \(row.role): \(row.text.isEmpty ? "-" : row.text)\(read)")
    }
    if reading.isHeld { warn("it was not read for certain: it is held until a person confirms it") }
  }

  func show(_ answer: DisplaySubmitRequest.Answer) {
    guard !json else { return terminal.json(Submitted(answer: answer)) }
    for record in answer.records {
      if let file = record.recoveryFile {
        terminal.out("\(record.logID) is not delivered: its session has ended, and it is kept in \(file)")
        continue
      }
      let states = record.deliveries.states
      terminal.out(
        "\(record.logID) is taken" + (answer.hasPicture ? " with its picture" : "")
          + (states.isEmpty ? "" : " (\(states.joined(separator: ", ")))"))
    }
  }

  private struct NoValue: Encodable {
    let event = "no_value"
    var reason: String
    var unitToChoose: String?
    var frames: Int
    var damaged: Int

    enum CodingKeys: String, CodingKey {
      case event, reason, frames, damaged
      case unitToChoose = "unit_to_choose"
    }
  }

  private struct Submitted: Encodable {
    let event = "submitted"
    var answer: DisplaySubmitRequest.Answer

    enum CodingKeys: CodingKey { case event }

    func encode(to encoder: any Encoder) throws {
      try answer.encode(to: encoder)
      var object = encoder.container(keyedBy: CodingKeys.self)
      try object.encode(event, forKey: .event)
    }
  }
}

/// Asks the person at the terminal whether a reading is right.
struct SnapQuestion: Sendable {
  let desk: LocalDesk
  let view: SnapReadView

  /// The reading that the person has confirmed, corrected where they say so.
  ///
  /// - Throws: ``GatewayError`` with code `cancelled` when they refuse it.
  func confirmed(_ first: OCRReading, _ picture: [UInt8], at time: RecordTime?) async throws -> OCRReading {
    var reading = first
    while true {
      view.show(reading, picture, at: time)
      view.terminal.error("submit it? y: it is what the display shows, e: edit, n: no")
      switch await SecretInput.line(isSecret: false)?.lowercased() {
      case "y", "yes": return reading.confirmed()
      case "e", "edit": reading = await edited(reading)
      case nil, "n", "no":
        throw GatewayError(.cancelled, code: "cancelled", "the reading was refused; nothing was taken")
      default: continue
      }
    }
  }

  private func edited(_ reading: OCRReading) async -> OCRReading {
    var texts: [String?] = []
    for (number, row) in reading.rows.enumerated() {
      view.terminal.error("  \(number + 1)  \(row.role.word) [\(row.text)] (Enter: as it is, -: nothing)")
      let line = await SecretInput.line(isSecret: false) ?? ""
      texts.append(line.isEmpty ? nil : line == "-" ? "" : line)
    }
    do { return try await desk.correct(reading, texts) } catch {
      view.warn(error.message)
      return reading
    }
  }
}
