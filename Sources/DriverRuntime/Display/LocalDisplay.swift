import HostPrimitives
public import DriverContract
import CMeterDriver

/// Reads displays with a driver in this process (rule R17). Not thread-safe.
public final class LocalDisplay {
  private let tables: any ExtensionTables
  private let driver: String
  private let table: Functions
  private let call: CallContext
  private let sink = Sink(.display, takesActions: false)

  /// The table's functions, all there.
  private struct Functions {
    let layout: @convention(c) (UInt32, UnsafeMutablePointer<mh_ocr_layout>?) -> Int32
    let recognize: @convention(c) (UInt32, UnsafePointer<mh_ocr_frame>?, UnsafeMutablePointer<mh_ocr_reading>?) -> Int32
    let interpret:
      @convention(c) (
        UInt32, UInt16, UnsafePointer<mh_ocr_text>?, UInt32, UnsafeMutablePointer<UInt32>?,
        UnsafeMutablePointer<mh_sink>?
      ) -> Int32
  }

  /// Loads the driver's data.
  ///
  /// - Parameter assets: The bundle's files.
  /// - Throws: `DriverFault` `unknownDriver` when the driver reads no displays, `refused` when it cannot use its assets.
  public convenience init(library: DriverLibrary, driver: String, assets: [String: [UInt8]]) throws(DriverFault) {
    try self.init(tables: library, driver: driver, assets: assets)
  }

  init(tables: any ExtensionTables, driver: String, assets: [String: [UInt8]]) throws(DriverFault) {
    let table = try tables.table(driver, .ocr, empty: mh_ocr())
    guard let load = table.load, let layout = table.layout, let recognize = table.recognize,
      let interpret = table.interpret
    else { throw DisplayCheck(driver: driver).fault("its table lacks a function") }
    self.tables = tables
    self.driver = driver
    self.table = Functions(layout: layout, recognize: recognize, interpret: interpret)
    call = CallContext(peer: nil, storage: [:], assets: AssetTable(assets))
    let status = inTurn { load() }
    let words = call.log.take().map(\.message).joined(separator: "; ")
    guard status == MH_OK else { throw Self.notLoaded(driver, status, words) }
  }

  private static func notLoaded(_ driver: String, _ status: Int32, _ words: String) -> DriverFault {
    let what =
      switch status {
      case MH_E_NOT_FOUND: "an asset that the driver needs is missing"
      case MH_E_PROTOCOL: "an asset of the driver is damaged or of another version"
      default: "load returned \(statusName(status))"
      }
    return DriverFault(
      .refused, driver: driver, rule: "R17", message: "\(what); install the bundle with its assets again",
      cause: words.isEmpty ? nil : words.oneLine(atMost: 512))
  }

  /// Where the rows of a meter's display lie.
  public func layout(meter: UInt32) throws(DriverFault) -> DisplayLayout {
    try DisplayCheck(driver: driver).check(rawLayout(meter: meter), meter: meter)
  }

  /// The text of each row, or of each box where the frame names boxes; what the driver answers is checked.
  public func recognize(_ frame: DisplayFrame, meter: UInt32) throws(DriverFault) -> DisplayReading {
    let rows: Int
    switch frame.place {
    case .overlay: rows = try layout(meter: meter).rows.count
    case .boxes(let boxes): rows = boxes.count
    }
    return try DisplayCheck(driver: driver).check(rawReading(frame, meter: meter), rows: rows)
  }

  /// What texts mean, in the layout's order.
  ///
  /// - Parameter unit: A unit of the dictionary; nil: the meter's default.
  public func interpret(_ texts: [String], meter: UInt32, unit: UInt16?) throws(DriverFault) -> DisplayVerdict {
    try DisplayCheck(driver: driver).check(rawInterpretation(texts, meter: meter, unit: unit))
  }

  private func inTurn(_ body: () -> Int32) -> Int32 { tables.inTurn { call.inCall(body) } }

  // MARK: - Unchecked: a worker's part

  func rawLayout(meter: UInt32) throws(DriverFault) -> RawLayout {
    let room = Guarded(mh_ocr_layout())
    room.value.pointee.struct_size = UInt32(MemoryLayout<mh_ocr_layout>.size)
    let status = inTurn { table.layout(meter, room.value) }
    try expect(room.isIntact, "layout wrote behind the end of its struct")
    guard status == MH_OK else { return RawLayout(status: status) }
    let layout = room.value.pointee
    guard layout.n_rows <= UInt32(MH_OCR_ROWS_MAX), let rows = layout.rows, layout.overlay.n <= 256,
      let overlay = HostServices.borrowed(layout.overlay.p, layout.overlay.n)
    else { throw DisplayCheck(driver: driver).fault("layout gave \(layout.n_rows) rows, or no name of an overlay") }
    var raw = RawLayout(
      status: status, aspect: layout.aspect, reserved: layout.reserved, overlay: Array(overlay), rows: [])
    for index in 0..<Int(layout.n_rows) {
      let row = rows[index]
      guard row.characters.n <= 256, let characters = HostServices.borrowed(row.characters.p, row.characters.n) else {
        throw DisplayCheck(driver: driver).fault("layout gave a row without characters")
      }
      raw.rows.append(
        RawLayout.Row(
          role: row.role, flags: row.flags, reserved: row.reserved,
          box: [row.box.x, row.box.y, row.box.width, row.box.height], characters: Array(characters)))
    }
    return raw
  }

  func rawReading(_ frame: DisplayFrame, meter: UInt32) throws(DriverFault) -> RawReading {
    if let problem = frame.problem {
      throw DriverFault(.refused, driver: driver, rule: "R17", message: "this is \(problem); give another frame")
    }
    let room = Guarded(mh_ocr_reading())
    room.value.pointee.struct_size = UInt32(MemoryLayout<mh_ocr_reading>.size)
    var overlay = mh_ocr_box()
    var boxes: [mh_ocr_box] = []
    var flags = frame.isStill ? UInt32(MH_OCR_FRAME_STILL) : 0
    switch frame.place {
    case .overlay(let box): overlay = box.raw
    case .boxes(let list):
      boxes = list.map(\.raw)
      flags |= UInt32(MH_OCR_FRAME_BOXES)
    }
    let image = frame.image
    let status = image.pixels.withUnsafeBufferPointer { pixels in
      boxes.withUnsafeBufferPointer { boxes in
        var given = mh_ocr_frame(
          struct_size: UInt32(MemoryLayout<mh_ocr_frame>.size), flags: flags, width: UInt32(image.width),
          height: UInt32(image.height), stride: UInt32(image.stride), n_boxes: UInt32(boxes.count), overlay: overlay,
          boxes: boxes.baseAddress, pixels: mh_bytes(p: pixels.baseAddress, n: UInt64(pixels.count)))
        return inTurn { table.recognize(meter, &given, room.value) }
      }
    }
    try expect(room.isIntact, "recognize wrote behind the end of its struct")
    return RawReading(status: status, reading: room.value.pointee)
  }

  func rawInterpretation(_ texts: [String], meter: UInt32, unit: UInt16?) throws(DriverFault) -> RawInterpretation {
    if let problem = DisplayFrame.problem(of: texts) {
      throw DriverFault(.refused, driver: driver, rule: "R17", message: "there are \(problem); correct them")
    }
    let bytes = texts.flatMap { Array($0.utf8) }
    var verdict: UInt32 = 0
    sink.startRound()
    call.sink = sink
    defer { call.sink = nil }
    let status = bytes.withUnsafeBytes { bytes in
      var offset = 0
      let rows = texts.map { text in
        defer { offset += text.utf8.count }
        let start = bytes.baseAddress.map { ($0 + offset).assumingMemoryBound(to: CChar.self) }
        return mh_ocr_text(text: mh_str(p: start, n: UInt64(text.utf8.count)))
      }
      return inTurn {
        table.interpret(meter, unit ?? UInt16(MH_UNIT_NONE), rows, UInt32(rows.count), &verdict, sink.table)
      }
    }
    guard let output = sink.output else {
      throw DisplayCheck(driver: driver).fault("interpret put more into the sink than the sink holds")
    }
    return RawInterpretation(status: status, verdict: verdict, output: RawOutput(output))
  }

  private func expect(_ isSo: Bool, _ words: String) throws(DriverFault) {
    guard isSo else { throw DisplayCheck(driver: driver).fault(words) }
  }
}

extension DisplayFrame {
  /// Why no driver may be asked about these texts; nil when it may.
  package static func problem(of texts: [String]) -> String? {
    guard (1...Int(MH_OCR_ROWS_MAX)).contains(texts.count) else {
      return "\(texts.count) texts; a display has 1 to \(MH_OCR_ROWS_MAX) rows"
    }
    guard
      texts.allSatisfy({ $0.utf8.count <= Int(MH_OCR_TEXT_MAX) && $0.utf8.allSatisfy(DisplayCheck.characters.contains) }
      )
    else { return "a text that no display shows: at most \(MH_OCR_TEXT_MAX) of \"0123456789.-LoHiEr\" and the space" }
    return nil
  }
}
