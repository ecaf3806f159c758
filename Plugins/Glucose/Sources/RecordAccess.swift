import CMeterDriver
import MeterDriver

/// The driver's own metrics, for diagnostic records; the registry's driver entry names them.
enum ControlPointMetric {
  static var opcode: Metric { Metric(MH_METRIC_VENDOR) }
  static var requestOperator: Metric { Metric(MH_METRIC_VENDOR + 1) }
  static var requestOpcode: Metric { Metric(MH_METRIC_VENDOR + 2) }
  static var response: Metric { Metric(MH_METRIC_VENDOR + 3) }
  static var recordCount: Metric { Metric(MH_METRIC_VENDOR + 4) }
  static var filterType: Metric { Metric(MH_METRIC_VENDOR + 5) }
  static var operand: Metric { Metric(MH_METRIC_VENDOR + 6) }
  static var features: Metric { Metric(MH_METRIC_VENDOR + 7) }
  static var upperOperand: Metric { Metric(MH_METRIC_VENDOR + 8) }
}

/// What to ask the meter for (Record Access Control Point, GATT Specification Supplement 3.187).
enum ReportRequest: Equatable {
  /// Everything, leaving out what the cursor covers.
  case all
  /// Everything, after proof that the cursor belongs to an earlier life of the meter's memory.
  case everything
  /// Everything of a memory whose numbers do not say what is new: they are an index, or have begun again beside older records.
  case whole
  /// From this sequence number on: the cursor's own, whose record shows that the memory is the one that was read.
  case from(UInt16)
  /// The newest record, to see whether the cursor still belongs to this memory.
  case newest

  /// True when a refusal leaves something plainer to ask for.
  var canFallBack: Bool { bytes != [0x01, 0x01] }

  /// True when records are judged together, at the end: what one of them is depends on the others.
  var isJudgedTogether: Bool { self == .everything || self == .whole }

  var bytes: [UInt8] {
    switch self {
    case .all, .everything, .whole: [0x01, 0x01]
    case .from(let sequence): [0x01, 0x03, 0x01, UInt8(sequence & 0xff), UInt8(sequence >> 8)]
    case .newest: [0x01, 0x06]
    }
  }
}

/// The meter's answer to a request, or nothing that a session waits for.
struct ControlPointResponse {
  static var abortRequest: [UInt8] { [0x03, 0x00] }
  static var report: UInt8 { 0x01 }
  static var abort: UInt8 { 0x03 }

  let request: UInt8
  let value: UInt8

  /// Nil for a well-formed indication that is not a response.
  init?(_ bytes: RawSpan) throws(DecodeError) {
    var reader = ByteReader(bytes)
    guard try reader.uint8() == 0x06 else { return nil }
    try reader.skip(1)
    request = try reader.uint8()
    value = try reader.uint8()
  }
}

/// Decodes a control point value, request or answer, into one diagnostic record.
func decodeControlPoint(_ bytes: RawSpan, _ output: inout RecordOutput) throws(DecodeError) {
  var reader = ByteReader(bytes)
  let opcode = try reader.uint8()
  let requestOperator = try reader.uint8()
  output.begin()
  output.add(ControlPointMetric.opcode, code: Int64(opcode))
  output.add(ControlPointMetric.requestOperator, code: Int64(requestOperator))
  switch opcode {
  case 0x05:
    // The profile has two bytes; meters with one and four exist.
    let count: Int64 =
      switch reader.remaining {
      case 1: Int64(try reader.uint8())
      case 2, 3: Int64(try reader.uint16())
      default: Int64(try reader.uint32())
      }
    output.add(ControlPointMetric.recordCount, code: count)
  case 0x06:
    output.add(ControlPointMetric.requestOpcode, code: Int64(try reader.uint8()))
    output.add(ControlPointMetric.response, code: Int64(try reader.uint8()))
  case 0x01...0x04 where opcode != 0x03 && requestOperator >= 2 && requestOperator <= 4:
    let filter = try reader.uint8()
    output.add(ControlPointMetric.filterType, code: Int64(filter))
    // Filter 2 compares user-facing times; seven bytes are no number.
    if filter == 0x01 {
      output.add(ControlPointMetric.operand, code: Int64(try reader.uint16()))
      if requestOperator == 4 { output.add(ControlPointMetric.upperOperand, code: Int64(try reader.uint16())) }
    } else if filter == 0x02 {
      try reader.skip(requestOperator == 4 ? 14 : 7)
    }
  default: break
  }
  output.end(.diagnostic, .live)
}

/// Decodes Glucose Feature (2A51) into one diagnostic record.
func decodeFeatures(_ bytes: RawSpan, _ output: inout RecordOutput) throws(DecodeError) {
  var reader = ByteReader(bytes)
  let bits = try reader.uint16()
  output.begin()
  output.add(ControlPointMetric.features, code: Int64(bits))
  output.end(.diagnostic, .live)
}
