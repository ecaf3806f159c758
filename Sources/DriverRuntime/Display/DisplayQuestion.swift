import DriverContract

/// What the host asks a reader of displays.
enum DisplayQuestion: Sendable {
  /// Where the rows of a meter's display lie. Answer: a raw layout.
  case layout(meter: UInt32)
  /// Reads a frame. Answer: a raw reading.
  case recognize(meter: UInt32, DisplayFrame)
  /// What texts mean; without a unit, in the meter's default. Answer: a raw interpretation.
  case interpret(meter: UInt32, unit: UInt16?, texts: [String])

  /// What a reader is opened with: the bundle's files.
  static func opening(assets: [String: [UInt8]]) -> ExtensionPayload {
    ExtensionPayload { DriverOpening.putTable(assets, to: &$0) }
  }

  var payload: ExtensionPayload {
    ExtensionPayload { writer in
      switch self {
      case .layout(let meter):
        writer.put(UInt8(1))
        writer.put(meter)
      case .recognize(let meter, let frame):
        writer.put(UInt8(2))
        writer.put(meter)
        frame.encode(to: &writer)
      case .interpret(let meter, let unit, let texts):
        writer.put(UInt8(3))
        writer.put(meter)
        writer.put(unit ?? 0)
        writer.put(texts) { $0.put($1) }
      }
    }
  }

  init(from reader: inout WireReader) throws(WireError) {
    switch try reader.number(UInt8.self) {
    case 1: self = .layout(meter: try reader.number())
    case 2: self = .recognize(meter: try reader.number(), try DisplayFrame(from: &reader))
    case 3:
      let (meter, unit) = (try reader.number(UInt32.self), try reader.number(UInt16.self))
      let texts = try reader.list(least: 4) { reader throws(WireError) in try reader.text() }
      self = .interpret(meter: meter, unit: unit == 0 ? nil : unit, texts: texts)
    default: throw WireError(message: "a question about a display is unknown")
    }
  }
}
