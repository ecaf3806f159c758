import DriverContract
import DriverRuntime
import CMeterDriver

/// What a suite says to a probe: a worker that runs one bundle in a ``ProbeManner``. Each is answered by one
/// ``ProbeReply``; requests to the services may come before it, as from a worker.
enum ProbeMessage: Sendable {
  /// Maps the bundle. Answer: hello.
  case load(name: String, ProbeManner)
  /// Asks for the driver of an index, which may be one that there is not. Answer: entry.
  case entry(index: UInt32)
  /// `purpose` 0: the opening's own. Answer: status.
  case open(session: UInt32, driver: String, purpose: UInt32, DriverOpening)
  /// `kind` 0: the event's own. Answer: unit.
  case event(session: UInt32, kind: UInt32, DriverEvent)
  /// Answer: status.
  case close(session: UInt32)
  /// Opens, hands over the events and closes, so many times. Answer: growth.
  case cycle(driver: String, DriverOpening, [DriverEvent], times: UInt32)
  /// Answer: decoded.
  case decode(driver: String, DriverOpening, ProbeDecoding, slices: [mh_slice], arena: [UInt8])
  /// Asks the driver for a table by id. Answer: status, 1 when there is one.
  case hasExtension(driver: String, id: String)
  /// For an extension of the driver, as a host says it to a worker. Answer: extension, empty when one was opened.
  case `extension`(ExtensionMessage)
  /// Answer: process.
  case look

  var type: UInt8 {
    switch self {
    case .load: 16
    case .entry: 17
    case .open: 18
    case .event: 19
    case .close: 20
    case .cycle: 21
    case .decode: 22
    case .hasExtension: 23
    case .look: 24
    case .extension: 25
    }
  }

  var payload: [UInt8] {
    var writer = WireWriter()
    switch self {
    case .load(let name, let manner):
      writer.put(name)
      writer.put(manner.rawValue)
    case .entry(let index): writer.put(index)
    case .open(let session, let driver, let purpose, let opening):
      writer.put(session)
      writer.put(driver)
      writer.put(purpose)
      opening.encode(to: &writer)
    case .event(let session, let kind, let event):
      writer.put(session)
      writer.put(kind)
      event.encode(to: &writer)
    case .close(let session): writer.put(session)
    case .cycle(let driver, let opening, let events, let times):
      writer.put(driver)
      opening.encode(to: &writer)
      writer.put(events) { $1.encode(to: &$0) }
      writer.put(times)
    case .decode(let driver, let opening, let decoding, let slices, let arena):
      writer.put(driver)
      opening.encode(to: &writer)
      writer.put(decoding.rawValue)
      writer.putFrozen(slices)
      writer.put(arena)
    case .hasExtension(let driver, let id):
      writer.put(driver)
      writer.put(id)
    case .extension(let message): message.encode(to: &writer)
    case .look: break
    }
    return writer.bytes
  }

  init(type: UInt8, payload: [UInt8]) throws(WireError) {
    var reader = WireReader(payload)
    switch type {
    case 16: self = .load(name: try reader.text(), ProbeManner(rawValue: try reader.number()))
    case 17: self = .entry(index: try reader.number())
    case 18:
      self = .open(
        session: try reader.number(), driver: try reader.text(), purpose: try reader.number(),
        try DriverOpening(from: &reader))
    case 19: self = .event(session: try reader.number(), kind: try reader.number(), try DriverEvent(from: &reader))
    case 20: self = .close(session: try reader.number())
    case 21:
      self = .cycle(
        driver: try reader.text(), try DriverOpening(from: &reader),
        try reader.list(least: 16) { reader throws(WireError) in try DriverEvent(from: &reader) },
        times: try reader.number())
    case 22:
      let driver = try reader.text()
      let opening = try DriverOpening(from: &reader)
      guard let decoding = ProbeDecoding(rawValue: try reader.number()) else {
        throw WireError(message: "a way of decoding is unknown")
      }
      self = .decode(driver: driver, opening, decoding, slices: try reader.frozen(), arena: try reader.content())
    case 23: self = .hasExtension(driver: try reader.text(), id: try reader.text())
    case 24: self = .look
    case 25: self = .extension(try ExtensionMessage(from: &reader))
    default: throw WireError(message: "message type \(type) is unknown")
    }
    try reader.end()
  }
}
