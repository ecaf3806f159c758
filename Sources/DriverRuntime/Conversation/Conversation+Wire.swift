import CMeterDriver
import DriverContract

extension ConversationOpening {
  func encode(to writer: inout WireWriter) {
    writer.put(source)
    writer.put(size) { $0.put($1) }
    writer.put(unixMicroseconds)
    writer.put(utcOffsetSeconds)
    DriverOpening.putTable(assets, to: &writer)
  }

  init(from reader: inout WireReader) throws(WireError) {
    self.init(
      source: try reader.text(), size: try reader.optional { reader throws(WireError) in try reader.number() },
      unixMicroseconds: try reader.number(), utcOffsetSeconds: try reader.number(),
      assets: try DriverOpening.table(&reader))
  }
}

extension ConversationEvent {
  func encode(to writer: inout WireWriter) {
    writer.put(sequence)
    writer.put(monotonicNanoseconds)
    writer.put(unixMicroseconds)
    writer.put(fact.kind)
    switch fact {
    case .started, .ended: break
    case .bytes(let bytes, let offset, let isLast, let token):
      writer.put(offset)
      writer.put(isLast)
      writer.put(token)
      writer.put(bytes)
    case .timer(let token): writer.put(token)
    case .answer(let status, let token):
      writer.put(status)
      writer.put(token)
    case .value(let value, let token):
      writer.put(token)
      writer.put(value) { $0.put($1) }
    case .committed(let sequence): writer.put(sequence)
    }
  }

  init(from reader: inout WireReader) throws(WireError) {
    self.init(
      sequence: try reader.number(), monotonicNanoseconds: try reader.number(), unixMicroseconds: try reader.number(),
      fact: try ConversationFact(from: &reader))
    if let problem = fact.problem { throw WireError(message: problem) }
  }
}

extension ConversationFact {
  init(from reader: inout WireReader) throws(WireError) {
    switch try reader.number(UInt32.self) {
    case MH_TALK_STARTED: self = .started
    case MH_TALK_BYTES:
      let (offset, isLast, token) = (try reader.number(UInt64.self), try reader.flag(), try reader.number(UInt64.self))
      self = .bytes(try reader.content(), offset: offset, isLast: isLast, token: token)
    case MH_TALK_TIMER: self = .timer(token: try reader.number())
    case MH_TALK_ANSWER: self = .answer(status: try reader.number(), token: try reader.number())
    case MH_TALK_VALUE:
      let token = try reader.number(UInt64.self)
      self = .value(try reader.optional { reader throws(WireError) in try reader.content() }, token: token)
    case MH_TALK_COMMITTED: self = .committed(through: try reader.number())
    case MH_TALK_ENDED: self = .ended
    default: throw WireError(message: "the event's kind is unknown")
    }
  }

  /// Why no driver may be told this; nil when it may.
  var problem: String? {
    switch self {
    case .bytes(let bytes, let offset, _, _):
      guard bytes.count <= Int(MH_TALK_CHUNK_MAX) else {
        return "a chunk of \(bytes.count) bytes; at most \(MH_TALK_CHUNK_MAX) are given at a time"
      }
      return offset.addingReportingOverflow(UInt64(bytes.count)).overflow ? "a chunk behind every end" : nil
    case .value(.some(let value), _):
      return value.count <= Int(MH_VALUE_MAX) ? nil : "a key's value of \(value.count) bytes"
    case .started, .timer, .answer, .value(.none, _), .committed, .ended: return nil
    }
  }
}

extension RawTalkRound {
  func encode(to writer: inout WireWriter) {
    output.encode(to: &writer)
    writer.putFrozen(extents)
    writer.putFrozen(segments)
    writer.putFrozen(series)
    writer.putFrozen(points)
  }

  init(from reader: inout WireReader) throws(WireError) {
    self.init(
      output: try RawOutput(from: &reader), extents: try reader.frozen(), segments: try reader.frozen(),
      series: try reader.frozen(), points: try reader.frozen())
  }
}

extension RawTalkAction {
  func encode(to writer: inout WireWriter) {
    writer.put(kind)
    writer.put(token)
    writer.put(first)
    writer.put(second)
    writer.put(text)
  }

  init(from reader: inout WireReader) throws(WireError) {
    self.init(
      kind: try reader.number(), token: try reader.number(), first: try reader.number(), second: try reader.number(),
      text: try reader.content())
  }
}

extension RawTalkUnit {
  func encode(to writer: inout WireWriter) {
    writer.put(status)
    writer.put(rounds) { $1.encode(to: &$0) }
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
      rounds: try reader.list(least: 32) { reader throws(WireError) in try RawTalkRound(from: &reader) },
      actions: try reader.list(least: 32) { reader throws(WireError) in try RawTalkAction(from: &reader) },
      writes: try reader.list(least: 8) { reader throws(WireError) in
        DriverStorageWrite(key: try reader.text(), value: try reader.content())
      },
      logs: try DriverLogLine.list(from: &reader))
  }
}
