import HostPrimitives
import DriverContract
import CMeterDriver

/// Believes nothing of what a driver says of a display (rule R17). The same check for workers and for this process.
struct DisplayCheck {
  let driver: String

  /// The characters of the contract.
  static let characters = Set("0123456789.-LoHiEr ".utf8)
  private static let longestName = 64
  /// Overlays from a tall strip to a flat one.
  private static let aspects: ClosedRange<Float> = 0.05...20

  /// Throws when a function says that it could not do its work.
  func expectDone(_ status: Int32, _ words: @autoclosure () -> String) throws(DriverFault) {
    guard (MH_E_NO_VALUE...MH_OK).contains(status) else {
      throw fault("it returned \(statusName(status)), which is no status of the contract")
    }
    guard status == MH_OK else { throw DriverFault(.refused, driver: driver, rule: "R17", message: words()) }
  }

  // MARK: - Layout

  func check(_ raw: RawLayout, meter: UInt32) throws(DriverFault) -> DisplayLayout {
    try expectDone(raw.status, DriverStatusWords.layout(raw.status, meter: meter))
    let place = "the layout of the peripheral \(meter)"
    guard (1...Int(MH_OCR_ROWS_MAX)).contains(raw.rows.count) else {
      throw fault("\(place) has \(raw.rows.count) rows")
    }
    guard Self.aspects.contains(raw.aspect), raw.reserved == 0 else {
      throw fault("\(place) has an impossible aspect, or a reserved field set")
    }
    guard (1...Self.longestName).contains(raw.overlay.count),
      let overlay = String(validating: raw.overlay, as: UTF8.self), overlay == overlay.oneLine(atMost: .max)
    else { throw fault("\(place) does not name its overlay") }
    var rows: [DisplayRow] = []
    for (index, row) in raw.rows.enumerated() { rows.append(try check(row, "row \(index) of \(place)")) }
    return DisplayLayout(aspect: asWritten(raw.aspect), overlay: overlay, rows: rows)
  }

  private func check(_ row: RawLayout.Row, _ place: String) throws(DriverFault) -> DisplayRow {
    guard let role = DisplayRole(rawValue: row.role) else { throw fault("\(place) has the unknown role \(row.role)") }
    let known = UInt16(MH_OCR_ROW_OPTIONAL | MH_OCR_ROW_BLINKS)
    guard row.flags & ~known == 0, row.reserved == 0 else { throw fault("\(place) has unknown flags") }
    guard row.box.count == 4, row.box.allSatisfy(\.isFinite) else { throw fault("\(place) has a box without numbers") }
    let sides = row.box.map(asWritten)
    let box = ImageBox(x: sides[0], y: sides[1], width: sides[2], height: sides[3])
    // Fractions that were added up may end a little behind the edge.
    let edge = 1.000_01
    guard box.x >= 0, box.y >= 0, box.width > 0, box.height > 0, box.x + box.width <= edge, box.y + box.height <= edge
    else { throw fault("\(place) does not lie in the overlay") }
    guard !row.characters.isEmpty, row.characters.allSatisfy(Self.characters.contains),
      Set(row.characters).count == row.characters.count
    else { throw fault("\(place) shows characters that the contract does not have, or one twice") }
    return DisplayRow(
      role: role, isOptional: row.flags & UInt16(MH_OCR_ROW_OPTIONAL) != 0,
      blinks: row.flags & UInt16(MH_OCR_ROW_BLINKS) != 0, box: box,
      characters: String(decoding: row.characters, as: UTF8.self))
  }

  /// The number that the driver's author wrote: .72, where the nearest number of 32 bits is .7200000286.
  private func asWritten(_ number: Float) -> Double { Double(number.description) ?? Double(number) }

  // MARK: - Reading

  func check(_ raw: RawReading, rows count: Int) throws(DriverFault) -> DisplayReading {
    try expectDone(raw.status, "recognize returned \(statusName(raw.status)); report the driver")
    let reading = raw.reading
    guard Int(reading.n_rows) == count else { throw fault("it read \(reading.n_rows) rows of \(count)") }
    guard let advice = DisplayAdvice(rawValue: reading.advice) else {
      throw fault("its advice \(reading.advice) is unknown")
    }
    guard reading.n_glare <= UInt32(MH_OCR_GLARE_MAX) else { throw fault("it found \(reading.n_glare) areas of glare") }
    let (sharpness, glare) = (try part(reading.sharpness, "sharpness"), try part(reading.glare, "glare"))
    var rows: [RowReading] = []
    for (index, row) in elements(reading.rows, mh_ocr_row_reading.self).prefix(count).enumerated() {
      rows.append(try check(row, "row \(index)"))
    }
    var areas: [ImageBox] = []
    for area in elements(reading.areas, mh_ocr_box.self).prefix(Int(reading.n_glare)) {
      let box = ImageBox(area)
      guard [box.x, box.y].allSatisfy(isNear), [box.width, box.height].allSatisfy({ isNear($0) && $0 >= 0 }) else {
        throw fault("an area of glare lies outside every frame")
      }
      areas.append(box)
    }
    return DisplayReading(rows: rows, advice: advice, sharpness: sharpness, glare: glare, glareAreas: areas)
  }

  private func check(_ row: mh_ocr_row_reading, _ place: String) throws(DriverFault) -> RowReading {
    guard let state = RowReading.State(rawValue: row.state) else {
      throw fault("\(place) has the unknown state \(row.state)")
    }
    let length = Int(row.length)
    let lengths =
      switch state {
      case .empty: 0...0
      case .text: 1...Int(MH_OCR_TEXT_MAX)
      case .unreadable: 0...Int(MH_OCR_TEXT_MAX)
      }
    guard lengths.contains(length) else {
      throw fault("\(place) has a text of \(length) bytes in the state \(state)")
    }
    guard state != .unreadable || row.confidence == 0 else {
      throw fault("\(place) is unreadable and has a confidence")
    }
    let text = elements(row.text, UInt8.self).prefix(length)
    guard text.allSatisfy(Self.characters.contains) else {
      throw fault("\(place) has characters that the contract does not have")
    }
    var confidences: [Double] = []
    for confidence in elements(row.characters, Float.self).prefix(length) {
      confidences.append(try part(confidence, "confidence of a character of \(place)"))
    }
    let corners = elements(row.corners, Float.self).map { Double($0) }
    guard corners.allSatisfy(isNear) else { throw fault("\(place) has corners outside every frame") }
    return RowReading(
      state: state, text: String(decoding: text, as: UTF8.self),
      confidence: try part(row.confidence, "confidence of \(place)"), characterConfidences: confidences,
      corners: Swift.stride(from: 0, to: corners.count, by: 2).map { ImagePoint(x: corners[$0], y: corners[$0 + 1]) })
  }

  /// A row that was looked for at the edge of what may be asked may have been refined to lie a little behind it.
  private func isNear(_ number: Double) -> Bool { number.isFinite && number.magnitude <= 2 * ImageBox.reach }

  private func part(_ number: Float, _ what: String) throws(DriverFault) -> Double {
    guard number >= 0, number <= 1 else { throw fault("the \(what) is not between 0 and 1") }
    return Double(number)
  }

  /// A C array, which Swift takes for a tuple.
  private func elements<Tuple: BitwiseCopyable, Element: BitwiseCopyable>(
    _ tuple: Tuple, _ type: Element.Type
  ) -> [Element] {
    withUnsafeBytes(of: tuple) { bytes in
      Swift.stride(from: 0, to: bytes.count, by: MemoryLayout<Element>.stride).map {
        bytes.loadUnaligned(fromByteOffset: $0, as: Element.self)
      }
    }
  }

  // MARK: - Verdict

  func check(_ raw: RawInterpretation) throws(DriverFault) -> DisplayVerdict {
    try expectDone(
      raw.status,
      raw.status == MH_E_ARG
        ? "the meter has no such unit, or another number of rows; choose one of its units"
        : "interpret returned \(statusName(raw.status)); report the driver")
    let verdict: DisplayVerdict
    switch raw.verdict {
    case UInt32(MH_OCR_INCOMPLETE): verdict = .incomplete
    case UInt32(MH_OCR_VALID): return .valid(try records(raw.output))
    case UInt32(MH_OCR_NOT_A_VALUE): verdict = .notAValue
    case UInt32(MH_OCR_WRONG_METER): verdict = .wrongMeter
    case UInt32(MH_OCR_OTHER_UNIT): verdict = .otherUnit
    default: throw fault("its verdict \(raw.verdict) is unknown")
    }
    let output = raw.output
    guard output.records.isEmpty, output.values.isEmpty, output.texts.isEmpty else {
      throw fault("its verdict says that there is no reading, and it gave records")
    }
    return verdict
  }

  private func records(_ output: RawOutput) throws(DriverFault) -> [DriverRecord] {
    var records: [DriverRecord] = []
    try output.withView { view throws(DriverFault) in
      try OutputCheck(driver: driver).check(view)
      for index in view.records.indices { records.append(view.record(index)) }
    }
    guard !records.isEmpty else { throw fault("its verdict says that there is a reading, and it gave no record") }
    for record in records {
      guard record.kind == .measurement, record.timeKind == .none, record.identityClass == .live else {
        throw fault("a reading of a display is no live measurement without a time")
      }
      guard record.flags.subtracting(.control).isEmpty, !record.values.isEmpty else {
        throw fault("a reading of a display is provisional, held or taken back, or has no values")
      }
    }
    return records
  }

  func fault(_ what: String) -> DriverFault {
    DriverFault(
      .brokeRule, driver: driver, rule: "R17", message: "\(what); the driver must be repaired by its author")
  }
}
