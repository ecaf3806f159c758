import DriverContract

/// Checked units, as recordings keep them; a worker's unchecked ones are `RawUnit`.
extension DriverUnit {
  func encode(to writer: inout WireWriter) {
    writer.put(status)
    writer.put(records) { $1.encode(to: &$0) }
    writer.put(actions) { $1.encode(to: &$0) }
    writer.put(writes) {
      $0.put($1.key)
      $0.put($1.value)
    }
    DriverLogLine.encode(logs, to: &writer)
  }

  init(from reader: inout WireReader) throws(WireError) {
    self.init(
      status: try reader.number(),
      records: try reader.list(least: 60) { reader throws(WireError) in try DriverRecord(from: &reader) },
      actions: try reader.list(least: 1) { reader throws(WireError) in try DriverAction(from: &reader) },
      writes: try reader.list(least: 8) { reader throws(WireError) in
        DriverStorageWrite(key: try reader.text(), value: try reader.content())
      },
      logs: try DriverLogLine.list(from: &reader))
  }
}

extension DriverRecord {
  func encode(to writer: inout WireWriter) {
    writer.put(kind.rawValue)
    writer.put(flags.rawValue)
    writer.put(deviceUser) { $0.put($1) }
    writer.put(timeKind.rawValue)
    writer.put(startMicroseconds)
    writer.put(endMicroseconds)
    writer.put(deviceSequence) { $0.put($1) }
    writer.put(utcOffsetSeconds) { $0.put($1) }
    writer.put(group)
    writer.put(identity)
    writer.put(identityClass.rawValue)
    writer.put(values) { $1.encode(to: &$0) }
    writer.put(texts) {
      $0.put($1.field)
      $0.put($1.text)
    }
  }

  init(from reader: inout WireReader) throws(WireError) {
    self.init(
      kind: try reader.code("kind of a record"), flags: DriverRecordFlags(rawValue: try reader.number()),
      deviceUser: try reader.optional { reader throws(WireError) in try reader.number() },
      timeKind: try reader.code("kind of time"), startMicroseconds: try reader.number(),
      endMicroseconds: try reader.number(),
      deviceSequence: try reader.optional { reader throws(WireError) in try reader.number() },
      utcOffsetSeconds: try reader.optional { reader throws(WireError) in try reader.number() },
      group: try reader.number(), identity: try reader.content(), identityClass: try reader.code("identity class"),
      values: try reader.list(least: 23) { reader throws(WireError) in try DriverValue(from: &reader) },
      texts: try reader.list(least: 6) { reader throws(WireError) in
        DriverText(field: try reader.number(), text: try reader.text())
      })
  }
}

extension DriverValue {
  func encode(to writer: inout WireWriter) {
    writer.put(metric)
    writer.put(unit)
    writer.put(exponent)
    writer.put(qualifier.rawValue)
    writer.put(value)
    writer.put(raw)
    writer.put(isRounded)
  }

  init(from reader: inout WireReader) throws(WireError) {
    self.init(
      metric: try reader.number(), unit: try reader.number(), exponent: try reader.number(),
      qualifier: try reader.code("qualifier"), value: try reader.double(), raw: try reader.number(),
      isRounded: try reader.flag())
  }
}

extension WireWriter {
  mutating func put<Value>(_ value: Value?, _ each: (inout WireWriter, Value) -> Void) {
    put(value != nil)
    if let value { each(&self, value) }
  }
}

extension WireReader {
  mutating func optional<Value>(
    _ each: (inout WireReader) throws(WireError) -> Value
  ) throws(WireError) -> Value? {
    try flag() ? try each(&self) : nil
  }

  /// A case by its raw value.
  mutating func code<Code: RawRepresentable>(_ what: String) throws(WireError) -> Code
  where Code.RawValue: FixedWidthInteger & BitwiseCopyable {
    guard let code = Code(rawValue: try number()) else { throw WireError(message: "a \(what) is unknown") }
    return code
  }
}
