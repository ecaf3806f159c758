import Foundation
import StrictJSON

/// What the page is told, as JSON. It shows texts as they are: what would turn their direction, or cannot be seen, is marked.
enum PageJSON {
  static func encode(_ value: some Encodable) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Nothing that is told has numbers without a value; if one had, the page would show a fault and no value.
    guard let json = try? encoder.encode(value) else { return Array(#"{"error":"internal"}"#.utf8) }
    return json.allSatisfy { $0 < 0x7F } ? Array(json) : Array(marked(String(decoding: json, as: UTF8.self)).utf8)
  }
}

/// An event of a reading.
struct PageEvent: Sendable {
  let name: String
  let json: String

  init(_ partial: PartialReading) {
    struct Row: Encodable { let label, text: String }
    struct Body: Encodable {
      let rows: [Row]
      let advice, hint: String
      let overlay: RelativeBox?
      let glare: [RelativeBox]
    }
    let hint = if let objection = partial.objection { objection } else { partial.advice.sentence }
    name = "partial"
    json = String(
      decoding: PageJSON.encode(
        Body(
          rows: partial.rows.map { Row(label: $0.label, text: $0.text) }, advice: partial.advice.rawValue,
          hint: hint, overlay: partial.overlay.flatMap { $0.isFinite ? $0 : nil },
          glare: partial.glare.filter(\.isFinite))), as: UTF8.self)
  }

  init(_ outcome: ReadingOutcome) {
    struct Row: Encodable {
      let label, text, unit: String
      let optional: Bool
    }
    struct Body: Encodable {
      let outcome: String
      var code: String?
      var message: String?
      var values: [DeskValue]?
      var rows: [Row]?
      var hasCrop: Bool?
    }
    let body =
      switch outcome {
      case .cancelled: Body(outcome: "cancelled")
      case .failed(let error):
        Body(
          outcome: error.kind == .cameraDenied ? "denied" : "failed", code: error.code, message: error.message)
      case .completed(let reading):
        Body(
          outcome: "completed", values: reading.values,
          rows: reading.rows.map { Row(label: $0.label, text: $0.text, unit: $0.unit, optional: $0.isOptional) },
          hasCrop: !reading.crop.isEmpty)
      }
    name = "ended"
    json = String(decoding: PageJSON.encode(body), as: UTF8.self)
  }
}

/// The list of meters.
struct PageMeters: Encodable {
  struct Meter: Encodable {
    struct Unit: Encodable { let code, title: String }
    let id: UInt32
    let name, kind: String
    let units: [Unit]
    let needsUnit: Bool
  }
  let meters: [Meter]

  init(_ meters: [DeskMeter]) {
    self.meters = meters.map { meter in
      Meter(
        id: meter.id, name: meter.name, kind: meter.kind,
        units: meter.units.map { Meter.Unit(code: $0.code, title: $0.title) }, needsUnit: meter.needsUnit)
    }
  }
}
