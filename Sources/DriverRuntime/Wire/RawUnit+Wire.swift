package import DriverContract
import CMeterDriver

extension RawUnit {
  package func encode(to writer: inout WireWriter) {
    writer.put(status)
    writer.put(rounds) { $1.encode(to: &$0) }
    writer.put(actions) { $1.encode(to: &$0) }
    writer.put(writes) {
      $0.put($1.key)
      $0.put($1.value)
    }
    DriverLogLine.encode(logs, to: &writer)
  }

  package init(from reader: inout WireReader) throws(WireError) {
    self.init(
      status: try reader.number(),
      rounds: try reader.list(least: 16) { reader throws(WireError) in try RawOutput(from: &reader) },
      actions: try reader.list(least: 44) { reader throws(WireError) in try RawAction(from: &reader) },
      writes: try reader.list(least: 8) { reader throws(WireError) in
        DriverStorageWrite(key: try reader.text(), value: try reader.content())
      },
      logs: try DriverLogLine.list(from: &reader))
  }
}

extension RawOutput {
  func encode(to writer: inout WireWriter) {
    writer.putFrozen(records)
    writer.putFrozen(values)
    writer.putFrozen(texts)
    writer.put(arena)
  }

  init(from reader: inout WireReader) throws(WireError) {
    self.init(
      records: try reader.frozen(), values: try reader.frozen(), texts: try reader.frozen(),
      arena: try reader.content())
  }
}

extension DriverLogLine {
  package static func encode(_ lines: [DriverLogLine], to writer: inout WireWriter) {
    writer.put(lines) {
      $0.put($1.level.rawValue)
      $0.put($1.message)
      $0.put($1.isHosts)
    }
  }

  package static func list(from reader: inout WireReader) throws(WireError) -> [DriverLogLine] {
    try reader.list(least: 9) { reader throws(WireError) in
      guard let level = DriverLogLevel(rawValue: try reader.number()) else {
        throw WireError(message: "a log line has an unknown level")
      }
      return DriverLogLine(level: level, message: try reader.text(), isHosts: try reader.flag())
    }
  }
}

extension RawAction {
  package func encode(to writer: inout WireWriter) {
    writer.put(kind)
    writer.put(token)
    writer.put(first)
    writer.put(second)
    writer.put(handle)
    writer.put(flags)
    writer.put(code)
    writer.put(value)
    writer.put(text)
  }

  package init(from reader: inout WireReader) throws(WireError) {
    self.init(
      kind: try reader.number(), token: try reader.number(), first: try reader.number(), second: try reader.number(),
      handle: try reader.number(), flags: try reader.number(), code: try reader.number(),
      value: try reader.content(), text: try reader.content())
  }
}
