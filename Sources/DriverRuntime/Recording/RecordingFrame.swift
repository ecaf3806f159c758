package import DriverContract

/// A piece of a recording's content: type (u8), length (u32), payload. The payload is coded like the frames between host and
/// worker.
package enum RecordingFrame: Sendable, Hashable {
  /// The first one: what the driver was told.
  case opening(DriverOpening)
  /// What happened next.
  case step(RecordingStep)

  /// Bytes before the payload.
  package static let headSize = 5

  private var type: UInt8 {
    switch self {
    case .opening: 1
    case .step(.service): 2
    case .step(.event): 3
    case .step(.unit): 4
    case .step(.unitDigest): 5
    case .step(.fault): 6
    case .step(.refusedOutput): 7
    case .step(.closed): 8
    case .step(.full): 9
    case .step(.captured): 10
    case .step(.closingFault): 11
    case .step(.asked): 12
    case .step(.answered): 13
    }
  }

  /// The frame's bytes.
  package var bytes: [UInt8] {
    var payload = WireWriter()
    switch self {
    case .opening(let opening): opening.encode(to: &payload)
    case .step(.service(let request, let answer)):
      request.encode(to: &payload)
      answer.encode(to: &payload)
    case .step(.event(let event)): event.encode(to: &payload)
    case .step(.unit(let unit)): unit.encode(to: &payload)
    case .step(.unitDigest(let digest)): payload.put(digest)
    case .step(.fault(let fault)), .step(.refusedOutput(let fault)), .step(.closingFault(let fault)):
      fault.encode(to: &payload)
    case .step(.captured(let step)): step.encode(to: &payload)
    case .step(.asked(let kind, let isOpening, let bytes)):
      payload.put(kind)
      payload.put(isOpening)
      payload.put(bytes)
    case .step(.answered(let bytes)): payload.put(bytes)
    case .step(.closed), .step(.full): break
    }
    var writer = WireWriter()
    writer.put(type)
    writer.put(payload.bytes)
    return writer.bytes
  }

  /// Takes the next frame.
  package init(from reader: inout WireReader) throws(WireError) {
    let type = try reader.number(UInt8.self)
    var payload = WireReader(try reader.content())
    switch type {
    case 1: self = .opening(try DriverOpening(from: &payload))
    case 2: self = .step(.service(try ServiceRequest(from: &payload), try ServiceAnswer(from: &payload)))
    case 3:
      let event = try DriverEvent(from: &payload)
      try Self.check(time: event.unixMicroseconds)
      self = .step(.event(event))
    case 4: self = .step(.unit(try DriverUnit(from: &payload)))
    case 5: self = .step(.unitDigest(try payload.content()))
    case 6: self = .step(.fault(try DriverFault(from: &payload)))
    case 7: self = .step(.refusedOutput(try DriverFault(from: &payload)))
    case 8: self = .step(.closed)
    case 9: self = .step(.full)
    case 10: self = .step(.captured(try CapturedStep(from: &payload)))
    case 11: self = .step(.closingFault(try DriverFault(from: &payload)))
    case 12:
      let (kind, isOpening) = (try payload.text(), try payload.flag())
      self = .step(.asked(extension: kind, isOpening: isOpening, try payload.content()))
    case 13: self = .step(.answered(try payload.content()))
    default: throw WireError(message: "frame type \(type) is unknown")
    }
    try payload.end()
  }

  /// Recordings come from elsewhere, too, and times are counted with.
  fileprivate static func check(time: Int64) throws(WireError) {
    guard RecordedTime.range.contains(time) else { throw WireError(message: "a time in it cannot be") }
  }
}

extension DriverUnit {
  /// The bytes that a replay compares: everything but the host's own log lines.
  package var comparedBytes: [UInt8] {
    var unit = self
    unit.logs.removeAll(where: \.isHosts)
    var writer = WireWriter()
    unit.encode(to: &writer)
    return writer.bytes
  }
}

extension CapturedStep {
  func encode(to writer: inout WireWriter) {
    writer.put(unixMicroseconds)
    switch content {
    case .fact(let fact):
      writer.put(UInt8(1))
      fact.encode(to: &writer)
    case .subscribe(let handle, let enable, let status):
      writer.put(UInt8(2))
      writer.put(handle)
      writer.put(enable)
      writer.put(status)
    case .read(let handle, let value, let status):
      writer.put(UInt8(3))
      writer.put(handle)
      writer.put(value)
      writer.put(status)
    case .write(let handle, let value, let status):
      writer.put(UInt8(4))
      writer.put(handle)
      writer.put(value)
      writer.put(status)
    case .writeNoResponse(let handle, let value):
      writer.put(UInt8(5))
      writer.put(handle)
      writer.put(value)
    case .mtu(let mtu):
      writer.put(UInt8(6))
      writer.put(mtu)
    }
  }

  init(from reader: inout WireReader) throws(WireError) {
    let time = try reader.number(Int64.self)
    try RecordingFrame.check(time: time)
    let content: Content
    switch try reader.number(UInt8.self) {
    case 1: content = .fact(try DriverFact(from: &reader))
    case 2:
      content = .subscribe(handle: try reader.number(), enable: try reader.flag(), status: try reader.number())
    case 3:
      content = .read(handle: try reader.number(), value: try reader.content(), status: try reader.number())
    case 4:
      content = .write(handle: try reader.number(), value: try reader.content(), status: try reader.number())
    case 5: content = .writeNoResponse(handle: try reader.number(), value: try reader.content())
    case 6: content = .mtu(try reader.number())
    default: throw WireError(message: "a captured step is unknown")
    }
    self.init(unixMicroseconds: time, content: content)
  }
}
