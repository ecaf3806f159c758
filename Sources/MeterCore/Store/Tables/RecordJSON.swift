internal import StrictJSON

/// Writes a record's JSON (RFC 8259) byte for byte as `JSONEncoder` does with sorted keys, which takes longer for a record
/// than everything else of its commit together.
///
/// A member that is added to a record must be added here; the tests compare both for every kind of record.
enum RecordJSON {
  /// - Returns: nil for a record with details, whose form is that of their source.
  static func encode(_ record: Record) -> [UInt8]? {
    guard record.details == nil else { return nil }
    var json = JSONWriter(escapes: .foundation, capacity: 1024)
    json.object { $0.members(of: record) }
    return json.bytes
  }
}

extension JSONWriter {
  fileprivate mutating func members(of record: Record) {
    array("contentHash", record.contentHash) { $0.member(nil, unsigned: UInt64($1)) }
    put("deviceSequence", record.deviceSequence)
    put("deviceUser", record.deviceUser)
    put("flags", record.flags.rawValue)
    put("identityClass", record.identityClass.rawValue)
    put("logID", record.logID.description)
    array("notes", record.notes) { json, note in
      json.object {
        $0.put("field", note.field)
        $0.put("text", note.text)
      }
    }
    put("origin", record.origin.rawValue)
    put("revision", record.revision)
    object("source") { $0.members(of: record.source) }
    object("time") { $0.members(of: record.time) }
    put("type", record.type.rawValue)
    array("values", record.values) { json, value in json.object { $0.members(of: value) } }
  }

  private mutating func members(of source: RecordSource) {
    put("deviceID", source.deviceID)
    put("driverID", source.driverID)
    put("driverVersion", source.driverVersion)
    put("manufacturer", source.manufacturer)
    put("model", source.model)
    put("peripheralID", source.peripheralID)
  }

  private mutating func members(of time: RecordTime) {
    put("civilMicroseconds", time.civilMicroseconds)
    put("endMicroseconds", time.endMicroseconds)
    put("kind", time.kind.rawValue)
    put("startMicroseconds", time.startMicroseconds)
    put("utcOffsetSeconds", time.utcOffsetSeconds)
    put("zoneSource", time.zoneSource?.rawValue)
  }

  private mutating func members(of value: RecordValue) {
    member("isRounded", flag: value.isRounded)
    put("metric", value.metric)
    object("number") {
      $0.put("exponent", value.number.exponent)
      $0.put("mantissa", value.number.mantissa)
    }
    put("qualifier", value.qualifier.rawValue)
    put("unit", value.unit)
  }

  private mutating func array<Element>(
    _ name: String, _ elements: [Element], _ body: (inout JSONWriter, Element) -> Void
  ) {
    array(name) { json in for element in elements { body(&json, element) } }
  }

  private mutating func put(_ name: String, _ text: String?) {
    if let text { member(name, text) }
  }

  private mutating func put(_ name: String, _ number: (some FixedWidthInteger & SignedInteger)?) {
    if let number { member(name, integer: Int64(number)) }
  }

  private mutating func put(_ name: String, _ number: (some FixedWidthInteger & UnsignedInteger)?) {
    if let number { member(name, unsigned: UInt64(number)) }
  }
}
