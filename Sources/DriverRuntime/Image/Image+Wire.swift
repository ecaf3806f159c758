import DriverContract

extension RawPicture {
  func encode(to writer: inout WireWriter) {
    writer.put(status)
    for number in [width, height, format, orientation] { writer.put(number) }
    writer.put(words)
  }

  init(from reader: inout WireReader) throws(WireError) {
    self.init(
      status: try reader.number(), width: try reader.number(), height: try reader.number(),
      format: try reader.number(), orientation: try reader.number(), words: try reader.text())
  }
}

extension ImageRequest {
  func encode(to writer: inout WireWriter) { for number in [format.rawValue, width, height] { writer.put(number) } }

  init(from reader: inout WireReader) throws(WireError) {
    guard let format = DecodedImage.Format(rawValue: try reader.number()) else {
      throw WireError(message: "a picture's format is unknown")
    }
    self.init(format: format, width: try reader.number(), height: try reader.number())
  }
}

extension DecodedImage {
  /// All but the pixels, which follow.
  func encodeHead(to writer: inout WireWriter) {
    for number in [width, height, Int(format.rawValue), orientation] { writer.put(UInt32(clamping: number)) }
  }

  init(from reader: inout WireReader) throws(WireError) {
    let (width, height) = (Int(try reader.number(UInt32.self)), Int(try reader.number(UInt32.self)))
    guard let format = Format(rawValue: try reader.number()) else {
      throw WireError(message: "a picture's format is unknown")
    }
    self.init(
      width: width, height: height, format: format, orientation: Int(try reader.number(UInt32.self)),
      pixels: try reader.content())
    if let problem { throw WireError(message: problem) }
  }
}
