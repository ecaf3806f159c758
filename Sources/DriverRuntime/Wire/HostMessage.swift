package import DriverContract
package import CMeterDriver

/// What the host says to a worker. `decode` is answered by frames of `decoded`, everything else by one message.
package enum HostMessage: Sendable {
  /// The bundle whose descriptor was sent just before, how messages call it, and what it may use up. Answer: hello.
  case load(name: String, DriverLimits)
  /// Opens the worker's one session. Answer: ready.
  case open(driver: String, DriverOpening)
  /// Answer: unit.
  case event(DriverEvent)
  /// Prepares decoding. Answer: ready.
  case prepare(driver: String, DriverOpening)
  /// Values to decode. Answer: decoded, as often as needed.
  case decode(slices: [mh_slice], arena: [UInt8])
  /// Ends the session. Answer: ready.
  case close
  /// Answers a worker's request; the unit or ready that the worker owes still follows.
  case answer(ServiceAnswer)
  /// Calls an extension function. Answer: returned.
  case call(driver: String, FunctionCall)
  /// For an extension of the driver. Answer: ready when it opens one, else extension.
  case `extension`(ExtensionMessage)

  /// The type of a frame of values to decode: both counts, then both arrays.
  package static let decodeType: UInt8 = 4
  /// The type of what goes to an extension.
  package static let extensionType: UInt8 = 8

  package var type: UInt8 {
    switch self {
    case .load: 16
    case .open: 1
    case .event: 2
    case .prepare: 3
    case .decode: Self.decodeType
    case .close: 5
    case .answer: 6
    case .call: 7
    case .extension: Self.extensionType
    }
  }

  package var payload: [UInt8] {
    var writer = WireWriter()
    switch self {
    case .load(let name, let limits):
      writer.put(name)
      limits.encode(to: &writer)
    case .open(let driver, let opening), .prepare(let driver, let opening):
      writer.put(driver)
      opening.encode(to: &writer)
    case .event(let event): event.encode(to: &writer)
    case .decode(let slices, let arena):
      writer.put(UInt32(slices.count))
      writer.put(UInt32(arena.count))
      writer.putRaw(slices)
      writer.putRaw(arena)
    case .close: break
    case .answer(let answer): answer.encode(to: &writer)
    case .call(let driver, let call):
      writer.put(driver)
      call.encode(to: &writer)
    case .extension(let message): message.encode(to: &writer)
    }
    return writer.bytes
  }

  package init(type: UInt8, payload: [UInt8]) throws(WireError) {
    var reader = WireReader(payload)
    switch type {
    case 1: self = .open(driver: try reader.text(), try DriverOpening(from: &reader))
    case 2: self = .event(try DriverEvent(from: &reader))
    case 3: self = .prepare(driver: try reader.text(), try DriverOpening(from: &reader))
    case Self.decodeType:
      let (slices, bytes) = (Int(try reader.number(UInt32.self)), Int(try reader.number(UInt32.self)))
      self = .decode(slices: try Self.inside(bytes, try reader.raw(slices)), arena: try reader.raw(bytes))
    case 5: self = .close
    case 6: self = .answer(try ServiceAnswer(from: &reader))
    case 7: self = .call(driver: try reader.text(), try FunctionCall(from: &reader))
    case 16: self = .load(name: try reader.text(), try DriverLimits(from: &reader))
    case Self.extensionType: self = .extension(try ExtensionMessage(from: &reader))
    default: throw WireError(message: "message type \(type) is unknown")
    }
    try reader.end()
  }

  /// A driver reads where a slice says: none may point outside its bytes.
  private static func inside(_ count: Int, _ slices: [mh_slice]) throws(WireError) -> [mh_slice] {
    guard slices.allSatisfy({ Int($0.off) + Int($0.len) <= count }) else {
      throw WireError(message: "a value to decode lies outside its bytes")
    }
    return slices
  }
}
