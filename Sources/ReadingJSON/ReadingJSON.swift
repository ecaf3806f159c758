package import MeterCore
package import StrictJSON

/// A reading as one JSON object (docs/reference/file-sink.md, "JSON Lines"): the form of every sink that has none of its receiver's.
///
/// Its members have the names by which `--json` shows a reading, and its details those of the documents that `submit` takes.
package enum ReadingJSON {
  /// The object, without a line break in it or behind it.
  ///
  /// - Throws: ``FormatRefusal`` for a reading that no form has a place for.
  package static func bytes(of record: Record, user: SessionUser) throws(FormatRefusal) -> [UInt8] {
    try FormatRefusal.check(record)
    var json = JSONWriter(capacity: 1_024)
    json.object { json in
      // The first two say what the object is about, to whoever reads only its beginning.
      json.member("log_id", record.logID.description)
      json.member("revision", integer: Int64(record.revision))
      json.member("type", record.type.rawValue)
      json.put(record.time)
      json.put("sequence", record.deviceSequence)
      json.member("origin", record.origin.rawValue)
      json.values(record.values)
      json.notes(record.namedNotes)
      let flags = record.flags.words
      if !flags.isEmpty { json.array("flags") { json in for flag in flags { json.member(nil, flag) } } }
      if let details = record.details, !details.isEmpty { json.put(details, of: record.time) }
      json.put("manufacturer", record.source.manufacturer)
      json.put("model", record.source.model)
      json.member("device_id", record.source.deviceID)
      json.member("peripheral", integer: Int64(record.source.peripheralID))
      json.put(user)
    }
    return json.bytes
  }
}

extension JSONWriter {
  fileprivate mutating func put(_ time: RecordTime) {
    member("time", time.startText)
    put("end", time.endText)
    put("civil_time", time.civilText)
    member("time_kind", time.kindText)
    put("zone_source", time.zoneSource?.rawValue)
  }

  /// Whose reading it is.
  package mutating func put(_ user: SessionUser) {
    member("user", user.userID)
    member("organization", user.organizationID)
  }

  fileprivate mutating func notes(_ notes: [(field: String, text: String)]) {
    guard !notes.isEmpty else { return }
    array("notes") { json in
      for note in notes {
        json.object { json in
          json.member("field", note.field)
          json.member("text", note.text)
        }
      }
    }
  }

  fileprivate mutating func put(_ name: String, _ number: UInt64?) { if let number { member(name, unsigned: number) } }

  /// A text that may be missing.
  mutating func put(_ name: String, _ text: String?) { if let text { member(name, text) } }

  mutating func values(_ values: [RecordValue]) {
    array("values") { json in for value in values.delivered { json.object { $0.put(value) } } }
  }

  /// A number as the meter reported it: as one, and as a text, whose last zeros no reader drops.
  mutating func put(_ number: ReportedNumber) {
    member("value", literal: number.description)
    member("reported", number.description)
  }

  private mutating func put(_ value: RecordValue) {
    member("metric", value.metricName)
    put(value.number)
    member("unit", value.ucum)
    put("qualifier", value.qualifierText)
    put("word", value.word)
    put("loinc", value.loinc)
  }
}
