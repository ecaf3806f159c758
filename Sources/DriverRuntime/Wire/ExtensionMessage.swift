/// What goes one way in an exchange with an extension: bytes that only the extension's own coding reads.
///
/// Large content lies behind the rest in a piece of its own, so that it is sent from where it lies.
package struct ExtensionPayload: Sendable {
  let head: ArraySlice<UInt8>
  let bulk: [UInt8]

  /// A payload in one piece.
  package init(_ bytes: [UInt8] = []) { self.init(received: bytes[...]) }

  /// A payload whose last field is `bulk`, as `WireWriter.put` would have written it.
  init(_ writer: WireWriter, bulk: [UInt8]) {
    var writer = writer
    writer.put(UInt32(bulk.count))
    head = writer.bytes[...]
    self.bulk = bulk
  }

  /// A part of a message that came over the wire; nothing is copied.
  init(received: ArraySlice<UInt8>) {
    head = received
    bulk = []
  }

  /// Makes a payload of fields.
  init(_ write: (inout WireWriter) -> Void) {
    var writer = WireWriter()
    write(&writer)
    self.init(writer.bytes)
  }

  package var count: Int { head.count + bulk.count }

  /// All of it in one piece.
  package var bytes: [UInt8] { Array(head) + bulk }

  /// Reads all of it.
  ///
  /// - Throws: `WireError` also when something follows what was read.
  func read<Value>(_ body: (inout WireReader) throws(WireError) -> Value) throws(WireError) -> Value {
    var reader = bulk.isEmpty ? WireReader(head) : WireReader(bytes)
    let value = try body(&reader)
    try reader.end()
    return value
  }
}

/// What the host says to an extension in a worker.
package struct ExtensionMessage: Sendable {
  /// What it is for.
  package enum Step: Sendable, Hashable {
    /// Opens the extension of a driver; what was open of this kind is closed.
    case open(driver: String)
    /// Asks what is open.
    case call
  }

  /// The extension's id. A worker answers one that it does not know with a fault.
  package let kind: String
  package let step: Step
  package let payload: ExtensionPayload

  package init(kind: String, _ step: Step, _ payload: ExtensionPayload) {
    self.kind = kind
    self.step = step
    self.payload = payload
  }

  /// Room for what stands before a payload.
  static let longestHead = 4_096

  /// What stands before the payload.
  var head: [UInt8] {
    var writer = WireWriter()
    switch step {
    case .open(let driver):
      writer.put(UInt8(1))
      writer.put(kind)
      writer.put(driver)
    case .call:
      writer.put(UInt8(2))
      writer.put(kind)
    }
    return writer.bytes
  }

  package func encode(to writer: inout WireWriter) {
    writer.putRaw(head)
    writer.putRaw(payload.bytes)
  }

  package init(from reader: inout WireReader) throws(WireError) {
    switch try reader.number(UInt8.self) {
    case 1:
      let kind = try reader.text()
      self.init(kind: kind, .open(driver: try reader.text()), reader.payload())
    case 2: self.init(kind: try reader.text(), .call, reader.payload())
    default: throw WireError(message: "a step of an extension is unknown")
    }
  }
}

extension WireReader {
  /// All that is left.
  mutating func payload() -> ExtensionPayload { ExtensionPayload(received: takeRest()) }
}
