/// Writes a record's JSON (RFC 8259) byte for byte as `JSONEncoder` does with sorted keys, which takes longer for a record
/// than everything else of its commit together.
///
/// A member that is added to a record must be added here; the tests compare both for every kind of record.
struct RecordJSON {
  private(set) var bytes: [UInt8] = []
  private var needsComma = false

  /// - Returns: nil for a record with details, whose form is that of their source.
  static func encode(_ record: Record) -> [UInt8]? {
    guard record.details == nil else { return nil }
    var json = RecordJSON()
    json.bytes.reserveCapacity(1024)
    json.object { $0.members(of: record) }
    return json.bytes
  }

  private mutating func members(of record: Record) {
    array("contentHash", record.contentHash) { $0.append(UInt64($1)) }
    member("deviceSequence", record.deviceSequence)
    member("deviceUser", record.deviceUser)
    member("flags", record.flags.rawValue)
    member("identityClass", record.identityClass.rawValue)
    member("logID", record.logID.description)
    array("notes", record.notes) { json, note in
      json.object {
        $0.member("field", note.field)
        $0.member("text", note.text)
      }
    }
    member("origin", record.origin.rawValue)
    member("revision", record.revision)
    object("source") { $0.members(of: record.source) }
    object("time") { $0.members(of: record.time) }
    member("type", record.type.rawValue)
    array("values", record.values) { json, value in json.object { $0.members(of: value) } }
  }

  private mutating func members(of source: RecordSource) {
    member("deviceID", source.deviceID)
    member("driverID", source.driverID)
    member("driverVersion", source.driverVersion)
    member("manufacturer", source.manufacturer)
    member("model", source.model)
    member("peripheralID", source.peripheralID)
  }

  private mutating func members(of time: RecordTime) {
    member("civilMicroseconds", time.civilMicroseconds)
    member("endMicroseconds", time.endMicroseconds)
    member("kind", time.kind.rawValue)
    member("startMicroseconds", time.startMicroseconds)
    member("utcOffsetSeconds", time.utcOffsetSeconds)
    member("zoneSource", time.zoneSource?.rawValue)
  }

  private mutating func members(of value: RecordValue) {
    name("isRounded")
    bytes += value.isRounded ? "true".utf8 : "false".utf8
    member("metric", value.metric)
    object("number") {
      $0.member("exponent", value.number.exponent)
      $0.member("mantissa", value.number.mantissa)
    }
    member("qualifier", value.qualifier.rawValue)
    member("unit", value.unit)
  }
}

// The syntax.
extension RecordJSON {
  private mutating func object(_ name: String? = nil, _ body: (inout RecordJSON) -> Void) {
    if let name { self.name(name) } else { separate() }
    bytes.append(UInt8(ascii: "{"))
    needsComma = false
    body(&self)
    bytes.append(UInt8(ascii: "}"))
    needsComma = true
  }

  private mutating func array<Element>(
    _ name: String, _ elements: [Element], _ body: (inout RecordJSON, Element) -> Void
  ) {
    self.name(name)
    bytes.append(UInt8(ascii: "["))
    needsComma = false
    for element in elements { body(&self, element) }
    bytes.append(UInt8(ascii: "]"))
    needsComma = true
  }

  private mutating func member(_ name: String, _ value: String?) {
    guard let value else { return }
    self.name(name)
    append(value)
  }

  private mutating func member(_ name: String, _ value: (some FixedWidthInteger)?) {
    guard let value else { return }
    self.name(name)
    if value < 0 { bytes.append(UInt8(ascii: "-")) }
    appendDigits(UInt64(value.magnitude))
  }

  /// A number as an element of an array.
  private mutating func append(_ number: UInt64) {
    separate()
    appendDigits(number)
  }

  private mutating func name(_ name: String) {
    separate()
    append(name)
    bytes.append(UInt8(ascii: ":"))
  }

  private mutating func separate() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    needsComma = true
  }

  private mutating func appendDigits(_ number: UInt64) {
    var divisor: UInt64 = 1
    while number / divisor >= 10 { divisor *= 10 }
    while divisor > 0 {
      bytes.append(UInt8(ascii: "0") + UInt8(number / divisor % 10))
      divisor /= 10
    }
  }

  private mutating func append(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    var text = text
    text.withUTF8 { utf8 in
      if utf8.contains(where: Self.needsEscape) {
        for byte in utf8 { appendEscaped(byte) }
      } else {
        bytes += utf8
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private static func needsEscape(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte == UInt8(ascii: "/")
  }

  private mutating func appendEscaped(_ byte: UInt8) {
    guard Self.needsEscape(byte) else { return bytes.append(byte) }
    bytes.append(UInt8(ascii: "\\"))
    switch byte {
    case 0x08: bytes.append(UInt8(ascii: "b"))
    case 0x09: bytes.append(UInt8(ascii: "t"))
    case 0x0A: bytes.append(UInt8(ascii: "n"))
    case 0x0C: bytes.append(UInt8(ascii: "f"))
    case 0x0D: bytes.append(UInt8(ascii: "r"))
    case ..<0x20:
      bytes += "u00".utf8
      bytes.append(UInt8(ascii: "0") + byte >> 4)
      bytes.append((byte & 0xF) + (byte & 0xF < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10))
    default: bytes.append(byte)
    }
  }
}
