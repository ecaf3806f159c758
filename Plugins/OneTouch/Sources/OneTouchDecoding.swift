import CMeterDriver
import MeterDriver

/// The driver's own metrics, for diagnostic records; the registry's driver entry names them.
enum ExchangeMetric {
  static var command: Metric { Metric(MH_METRIC_VENDOR) }
  static var operand: Metric { Metric(MH_METRIC_VENDOR + 1) }
  static var status: Metric { Metric(MH_METRIC_VENDOR + 2) }
  static var number: Metric { Metric(MH_METRIC_VENDOR + 3) }
  static var acknowledged: Metric { Metric(MH_METRIC_VENDOR + 4) }
}

// Single values for tools (rule R14): one value is one fragment, so only frames of one fragment decode alone.
extension OneTouchDriver {
  /// The numbers that the registry gives the two characteristics (`decode_code`).
  private static var commandCode: UInt16 { 0x8000 }
  private static var replyCode: UInt16 { 0x8001 }

  static func decode(
    _ value: borrowing CharacteristicValue, opening: borrowing Opening, _ output: inout RecordOutput
  ) throws(DecodeError) {
    guard value.characteristic == commandCode || value.characteristic == replyCode else {
      throw .unsupported
    }
    let bytes = value.bytes
    let fragment = (0..<bytes.byteCount).map { bytes.unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
    guard let first = fragment.first else { throw .truncated(at: 0) }
    switch FragmentHeader(first) {
    case .acknowledgement(let number):
      guard fragment.count == 1 else { throw .malformed }
      output.begin()
      output.add(ExchangeMetric.acknowledged, code: Int64(number))
      output.end(.diagnostic, .live)
    case .first(let count):
      guard count > 0 else { throw .malformed }
      // The others are values of their own.
      guard count == 1 else { throw .noValue }
      let payload = try payload(of: fragment)
      if value.characteristic == commandCode {
        try decodeCommand(payload, &output)
      } else {
        try decodeReply(payload, &output)
      }
    case .next: throw .noValue
    case .unknown: throw .malformed
    }
  }

  private static func payload(of fragment: [UInt8]) throws(DecodeError) -> [UInt8] {
    do throws(FrameError) {
      return try Frame.decode(Array(fragment[1...]))
    } catch .wrongLength {
      throw .truncated(at: fragment.count)
    } catch {
      throw .malformed
    }
  }

  /// Up to three bytes name what is asked for; what follows is its operand.
  private static func decodeCommand(_ payload: [UInt8], _ output: inout RecordOutput) throws(DecodeError) {
    guard let first = payload.first else { throw .malformed }
    let length = first == 0xb3 ? 1 : first == 0x0a ? 3 : 2
    guard payload.count >= length else { throw .malformed }
    var name: Int64 = 0
    for byte in payload[..<length] { name = name << 8 | Int64(byte) }
    let operand = payload[length...].prefix(4)
    output.begin()
    output.add(ExchangeMetric.command, code: name)
    if !operand.isEmpty {
      output.add(ExchangeMetric.operand, code: Int64(littleEndian(operand, length, operand.count)))
    }
    output.end(.diagnostic, .live)
  }

  /// A record is a reading, without the number that only the command before it tells. Every other reply is a number whose
  /// meaning depends on the command too.
  private static func decodeReply(_ payload: [UInt8], _ output: inout RecordOutput) throws(DecodeError) {
    guard let status = payload.first else { throw .malformed }
    let body = payload.dropFirst()
    if status == ReplyStatus.success, body.count >= StoredRecord.size {
      guard case .reading(let record) = StoredRecord.read(body) else { throw .noValue }
      try record.reading(number: nil, clockIsSuspect: false).append(to: &output)
      return
    }
    output.begin()
    output.add(ExchangeMetric.status, code: Int64(status))
    if status == ReplyStatus.success, !body.isEmpty {
      output.add(ExchangeMetric.number, code: Int64(littleEndian(body, body.startIndex, min(body.count, 4))))
    }
    output.end(.diagnostic, .live)
  }
}
