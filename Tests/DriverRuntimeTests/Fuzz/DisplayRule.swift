import DriverContract
@testable import DriverRuntime

/// What rule R17 promises of whatever a host has accepted.
enum DisplayRule {
  private static let characters = Set("0123456789.-LoHiEr ")

  static func problem(in reading: DisplayReading, rows: Int) -> String? {
    if reading.rows.count != rows { return "another number of rows" }
    let parts = reading.rows.flatMap { $0.characterConfidences + [$0.confidence] } + [reading.glare, reading.sharpness]
    if !parts.allSatisfy({ (0...1).contains($0) }) { return "a confidence that is none" }
    let places = reading.rows.flatMap(\.corners).flatMap { [$0.x, $0.y] }
    if !places.allSatisfy(\.isFinite) || reading.rows.contains(where: { $0.corners.count != 4 }) {
      return "bad corners"
    }
    if reading.glareAreas.contains(where: { !($0.width >= 0) || !($0.height >= 0) || !$0.x.isFinite }) {
      return "an area that is none"
    }
    for row in reading.rows {
      if row.text.isEmpty == (row.state == .text) || row.text.utf8.count > 16 { return "a text of another state" }
      if row.characterConfidences.count != row.text.count { return "another number of confidences" }
      if !row.text.allSatisfy(characters.contains) { return "a strange character" }
    }
    return nil
  }

  static func problem(in verdict: DisplayVerdict) -> String? {
    guard case .valid(let records) = verdict else { return nil }
    let isGood = records.allSatisfy {
      $0.kind == .measurement && $0.timeKind == .none && $0.identityClass == .live && !$0.values.isEmpty
        && $0.values.allSatisfy(\.value.isFinite)
    }
    return isGood && !records.isEmpty ? nil : "a reading without its record"
  }

  static func problem(in layout: DisplayLayout) -> String? {
    if !(1...8).contains(layout.rows.count) || !layout.aspect.isFinite || layout.overlay.isEmpty { return "no layout" }
    let isGood = layout.rows.allSatisfy { row in
      row.box.x >= 0 && row.box.y >= 0 && row.box.x + row.box.width < 1.1 && row.box.y + row.box.height < 1.1
        && row.box.width > 0 && row.box.height > 0 && !row.characters.isEmpty
        && row.characters.allSatisfy(characters.contains)
    }
    return isGood ? nil : "a row that is none"
  }
}
