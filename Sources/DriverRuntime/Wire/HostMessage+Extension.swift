import DriverContract

extension HostMessage {
  /// The payloads of what goes to the draft extensions.
  func encodeExtension(to writer: inout WireWriter) {
    switch self {
    case .loadDisplay(let driver, let assets):
      writer.put(driver)
      writer.put(assets.sorted { $0.key < $1.key }) {
        $0.put($1.key)
        $0.put($1.value)
      }
    case .layout(let meter): writer.put(meter)
    case .recognize(let meter, let frame):
      writer.put(meter)
      frame.encode(to: &writer)
    case .interpret(let meter, let unit, let texts):
      writer.put(meter)
      writer.put(unit ?? 0)
      writer.put(texts) { $0.put($1) }
    case .loadImages(let driver): writer.put(driver)
    case .measureImage(let file): writer.put(file)
    case .decodeImage(let request, let file):
      request.encode(to: &writer)
      writer.put(file)
    case .encodeImage(let image, let quality):
      image.encode(to: &writer)
      writer.put(quality)
    case .load, .open, .event, .prepare, .decode, .close, .answer, .call: break
    }
  }

  static func ofExtension(_ type: UInt8, _ reader: inout WireReader) throws(WireError) -> HostMessage {
    switch type {
    case 8:
      return .loadDisplay(driver: try reader.text(), assets: try DriverOpening.table(&reader))
    case 9: return .layout(meter: try reader.number())
    case 10: return .recognize(meter: try reader.number(), try DisplayFrame(from: &reader))
    case 11:
      let (meter, unit) = (try reader.number(UInt32.self), try reader.number(UInt16.self))
      let texts = try reader.list(least: 4) { reader throws(WireError) in try reader.text() }
      return .interpret(meter: meter, unit: unit == 0 ? nil : unit, texts: texts)
    case 12: return .loadImages(driver: try reader.text())
    case 13: return .measureImage(try reader.content())
    case 14: return .decodeImage(try ImageRequest(from: &reader), try reader.content())
    default: return .encodeImage(try DecodedImage(from: &reader), quality: try reader.number())
    }
  }
}
