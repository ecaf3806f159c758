import CMeterDriver
import DriverContract

extension ImportOpening {
  func encode(to writer: inout WireWriter) {
    writer.put(source)
    writer.put(size) { $0.put($1) }
    writer.put(unixMicroseconds)
    writer.put(utcOffsetSeconds)
    writer.put(since) { $0.put($1) }
    writer.put(until) { $0.put($1) }
    writer.put(wanted.words) { $0.put($1) }
    DriverOpening.putTable(assets, to: &writer)
  }

  init(from reader: inout WireReader) throws(WireError) {
    self.init(
      source: try reader.text(), size: try reader.optional { reader throws(WireError) in try reader.number() },
      unixMicroseconds: try reader.number(), utcOffsetSeconds: try reader.number(),
      since: try reader.optional { reader throws(WireError) in try reader.number() },
      until: try reader.optional { reader throws(WireError) in try reader.number() },
      wanted: try ImportQuantities(from: &reader), assets: try DriverOpening.table(&reader))
  }
}

extension ImportQuantities {
  init(from reader: inout WireReader) throws(WireError) {
    let words = try reader.list(least: 8) { reader throws(WireError) in try reader.number(UInt64.self) }
    guard let quantities = ImportQuantities(words: words) else {
      throw WireError(message: "\(words.count) words of quantities")
    }
    self = quantities
  }
}

extension ImportEvent {
  /// The same as an event of a conversation, which it is on its way to the driver.
  var ofConversation: ConversationEvent {
    ConversationEvent(
      sequence: sequence, monotonicNanoseconds: monotonicNanoseconds, unixMicroseconds: unixMicroseconds,
      fact: fact.ofConversation)
  }

  func encode(to writer: inout WireWriter) { ofConversation.encode(to: &writer) }

  init(from reader: inout WireReader) throws(WireError) {
    let event = try ConversationEvent(from: &reader)
    guard let fact = ImportFact(event.fact) else { throw WireError(message: "no import is told this event") }
    self.init(
      sequence: event.sequence, monotonicNanoseconds: event.monotonicNanoseconds,
      unixMicroseconds: event.unixMicroseconds, fact: fact)
  }
}

extension RawImportRound {
  func encode(to writer: inout WireWriter) {
    writer.put(samples)
    writer.put(attributes)
    writer.put(names)
    writer.put(counts)
    writer.put(refusals)
    writer.put(arena)
    writer.put(exportedMicroseconds)
    writer.put(flags)
  }

  init(from reader: inout WireReader) throws(WireError) {
    self.init(
      samples: try reader.number(), attributes: try reader.number(), names: try reader.number(),
      counts: try reader.number(), refusals: try reader.number(), arena: try reader.number(),
      exportedMicroseconds: try reader.number(), flags: try reader.number())
  }

  /// Bytes of a round on the wire.
  fileprivate static let size = 40
}

extension RawImportUnit {
  /// The unit with its content behind it.
  var payload: ExtensionPayload {
    var writer = WireWriter()
    writer.put(status)
    writer.put(rounds) { $1.encode(to: &$0) }
    writer.put(actions) { $1.encode(to: &$0) }
    DriverLogLine.encode(logs, to: &writer)
    return ExtensionPayload(writer, bulk: Array(content))
  }

  init(from reader: inout WireReader) throws(WireError) {
    self.init(
      status: try reader.number(),
      rounds: try reader.list(least: RawImportRound.size) { reader throws(WireError) in
        try RawImportRound(from: &reader)
      },
      actions: try reader.list(least: 32) { reader throws(WireError) in try RawTalkAction(from: &reader) },
      logs: try DriverLogLine.list(from: &reader), content: try reader.slice())
    var length = 0
    for round in rounds {
      length += round.extent.length
      guard length <= content.count else { throw WireError(message: "the rows of an import are cut off") }
    }
    guard length == content.count else { throw WireError(message: "bytes follow the rows of an import") }
  }
}
