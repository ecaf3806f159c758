import MeterCore
import ReadingJSON

/// A row for each value (RFC 4180), for spreadsheets.
struct CSVRows: LineForm {
  let heading = CSVRow.heading

  func lines(of record: Record, user: SessionUser) throws(FormatRefusal) -> [UInt8] {
    try FormatRefusal.check(record)
    var rows = values(of: record)
    // A reading without a value is one all the same, as one that is taken back may be.
    if rows.isEmpty { rows = [CSVRow()] }
    var bytes: [UInt8] = []
    for (index, row) in rows.enumerated() {
      var row = row
      describe(record, in: &row, hasTime: row.hasTime)
      if index == 0 { addWords(of: record, to: &row) }
      row.set(.row, "\(index + 1)")
      row.set(.rows, "\(rows.count)")
      row.set(.user, words: user.userID)
      row.set(.organization, words: user.organizationID)
      bytes += row.bytes
    }
    return bytes
  }

  func line(of image: SinkImage, file: String, user: SessionUser) -> [UInt8] {
    var row = CSVRow()
    row.set(.logID, image.logID.description)
    row.set(.row, "1")
    row.set(.rows, "1")
    row.set(.image, file)
    row.set(.user, words: user.userID)
    row.set(.organization, words: user.organizationID)
    return row.bytes
  }

  func mark(_ line: ArraySlice<UInt8>) -> LineMark? {
    var reader = MarkReader(line)
    guard let logID = reader.logID(), reader.skip(",") else { return nil }
    if reader.skip(",1,1,images/") { return reader.checksum().map { LineMark(.image(logID, checksum: $0)) } }
    guard let revision = reader.number(), reader.skip(","), let row = reader.number(), reader.skip(","),
      let rows = reader.number(), reader.skip(",")
    else { return nil }
    return LineMark(.reading(logID, revision: revision), row: row, rows: rows)
  }

  // MARK: - Rows

  private func values(of record: Record) -> [CSVRow] {
    var rows = record.values.delivered.map { row($0) }
    for (index, segment) in (record.details?.segments ?? []).enumerated() {
      let part = "segment \(index + 1)"
      let (start, end) = (
        segment.startMicroseconds.map(record.time.text), segment.endMicroseconds.map(record.time.text)
      )
      rows += segment.values.delivered.map { row($0, part, name: segment.name, start, end) }
      for (index, food) in segment.foods.enumerated() {
        let name = food.brand.map { "\(food.name) (\($0))" } ?? food.name
        rows += food.values.delivered.map { row($0, "\(part) food \(index + 1)", name: name, start, end) }
      }
    }
    for (index, channel) in (record.details?.series?.channels ?? []).enumerated() {
      guard channel.metric < Metric.firstVendorCode else { continue }
      rows += channel.points.map { point in
        row(channel.value(point), "channel \(index + 1)", record.time.text(point.timeMicroseconds))
      }
    }
    return rows
  }

  private func row(
    _ value: RecordValue, _ part: String? = nil, name: String? = nil, _ start: String? = nil, _ end: String? = nil
  ) -> CSVRow {
    var row = CSVRow()
    row.set(.part, part)
    row.set(.partName, words: name)
    row.set(.time, start)
    row.set(.end, end)
    row.hasTime = start != nil || end != nil
    row.set(.metric, value.metricName)
    row.set(.value, value.number.description)
    row.set(.unit, words: value.ucum)
    row.set(.qualifier, value.qualifierText)
    row.set(.word, value.word)
    row.set(.loinc, value.loinc)
    return row
  }

  private func describe(_ record: Record, in row: inout CSVRow, hasTime: Bool) {
    row.set(.logID, record.logID.description)
    row.set(.revision, "\(record.revision)")
    row.set(.type, record.type.rawValue)
    if !hasTime {
      row.set(.time, record.time.startText)
      row.set(.end, record.time.endText)
    }
    row.set(.civilTime, record.time.civilText)
    row.set(.timeKind, record.time.kindText)
    row.set(.zoneSource, record.time.zoneSource?.rawValue)
    row.set(.sequence, record.deviceSequence.map { "\($0)" })
    row.set(.origin, record.origin.rawValue)
    row.set(.flags, record.flags.words.joined(separator: " "))
    row.set(.manufacturer, words: record.source.manufacturer)
    row.set(.model, words: record.source.model)
    row.set(.deviceID, words: record.source.deviceID)
    row.set(.peripheral, "\(record.source.peripheralID)")
  }

  /// Once for each reading: a series of thousands of values would repeat them in each row.
  private func addWords(of record: Record, to row: inout CSVRow) {
    let extras = (record.details?.extras ?? []).map { extra in
      switch extra.value {
      case .text(let text): "\(extra.name)=\(text)"
      case .number(let number): "\(extra.name)=\(number)"
      case .flag(let flag): "\(extra.name)=\(flag)"
      }
    }
    row.set(.notes, words: record.namedNotes.map { "\($0.field): \($0.text)" }.joined(separator: "; "))
    row.set(.tags, words: (record.details?.tags ?? []).map { "\($0.name)=\($0.value)" }.joined(separator: "; "))
    row.set(.extras, words: extras.joined(separator: "; "))
  }
}
