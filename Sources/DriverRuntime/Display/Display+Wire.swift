import DriverContract
import CMeterDriver

extension ImageBox {
  func encode(to writer: inout WireWriter) { for number in [x, y, width, height] { writer.put(number) } }

  init(from reader: inout WireReader) throws(WireError) {
    self.init(x: try reader.double(), y: try reader.double(), width: try reader.double(), height: try reader.double())
  }
}

extension DisplayFrame {
  func encode(to writer: inout WireWriter) {
    writer.put(isStill)
    switch place {
    case .overlay(let box):
      writer.put(UInt8(1))
      box.encode(to: &writer)
    case .boxes(let boxes):
      writer.put(UInt8(2))
      writer.put(boxes) { $1.encode(to: &$0) }
    }
    writer.put(UInt32(clamping: image.width))
    writer.put(UInt32(clamping: image.height))
    writer.put(image.pixels)
  }

  init(from reader: inout WireReader) throws(WireError) {
    let isStill = try reader.flag()
    let place: Place
    switch try reader.number(UInt8.self) {
    case 1: place = .overlay(try ImageBox(from: &reader))
    case 2:
      place = .boxes(try reader.list(least: 32) { reader throws(WireError) in try ImageBox(from: &reader) })
    default: throw WireError(message: "a frame's place is unknown")
    }
    let (width, height) = (Int(try reader.number(UInt32.self)), Int(try reader.number(UInt32.self)))
    self.init(
      image: GreyImage(width: width, height: height, pixels: try reader.content()), isStill: isStill, place: place)
    // A driver reads where the sizes say.
    if let problem { throw WireError(message: problem) }
  }
}

extension RawLayout {
  func encode(to writer: inout WireWriter) {
    writer.put(status)
    writer.put(aspect.bitPattern)
    writer.put(reserved)
    writer.put(overlay)
    writer.put(rows) {
      $0.put($1.role)
      $0.put($1.flags)
      $0.put($1.reserved)
      for number in $1.box { $0.put(number.bitPattern) }
      $0.put($1.characters)
    }
  }

  init(from reader: inout WireReader) throws(WireError) {
    self.init(
      status: try reader.number(), aspect: Float(bitPattern: try reader.number()), reserved: try reader.number(),
      overlay: try reader.content(),
      rows: try reader.list(least: 28) { reader throws(WireError) in
        let (role, flags, reserved) = (
          try reader.number(UInt16.self), try reader.number(UInt16.self), try reader.number(UInt32.self)
        )
        var box: [Float] = []
        for _ in 0..<4 { box.append(Float(bitPattern: try reader.number())) }
        return Row(role: role, flags: flags, reserved: reserved, box: box, characters: try reader.content())
      })
  }
}

extension RawReading {
  func encode(to writer: inout WireWriter) {
    writer.put(status)
    writer.putRaw([reading])
  }

  init(from reader: inout WireReader) throws(WireError) {
    let status = try reader.number(Int32.self)
    guard let reading = try reader.raw(1, mh_ocr_reading.self).first else {
      throw WireError(message: "a frame's reading is cut off")
    }
    self.init(status: status, reading: reading)
  }
}

extension RawInterpretation {
  func encode(to writer: inout WireWriter) {
    writer.put(status)
    writer.put(verdict)
    output.encode(to: &writer)
  }

  init(from reader: inout WireReader) throws(WireError) {
    self.init(status: try reader.number(), verdict: try reader.number(), output: try RawOutput(from: &reader))
  }
}
