import CMeterDriver
import MeterDriver

/// The driver's own metrics: protocol facts for tools.
enum WeightScaleMetric {
  static var opcode: Metric { Metric(0x8000) }
  static var requestOpcode: Metric { Metric(0x8001) }
  static var response: Metric { Metric(0x8002) }
  static var userIndex: Metric { Metric(0x8003) }
  static var adjustReason: Metric { Metric(0x8004) }
  static var dayOfWeek: Metric { Metric(0x8005) }
  static var weightFeatures: Metric { Metric(0x8006) }
  static var compositionFeatures: Metric { Metric(0x8007) }
}

/// The code with which a person lets a host read a user's data: 0 to 9999 (User Data Service 1.0, 3.2.2.2).
struct ConsentCode: Equatable {
  let number: UInt16

  static var key: StaticString { "user/secret/consent" }

  /// Nil outside the range of codes.
  init?(number: Int64) {
    guard let exact = UInt16(exactly: number), exact <= 9999 else { return nil }
    self.number = exact
  }

  /// Two bytes as they are stored, least significant first; nil when they are no code.
  init?(stored bytes: [UInt8]) {
    guard bytes.count == 2 else { return nil }
    number = UInt16(bytes[0]) | UInt16(bytes[1]) << 8
    guard number <= 9999 else { return nil }
  }

  /// One to four decimal digits; nil when they are none.
  init?(digits: RawSpan) {
    guard (1...4).contains(digits.byteCount) else { return nil }
    var reader = ByteReader(digits)
    var number: UInt16 = 0
    while reader.remaining > 0 {
      guard let digit = try? reader.uint8(), (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
      number = number * 10 + UInt16(digit - UInt8(ascii: "0"))
    }
    self.number = number
  }

  var stored: [UInt8] { [UInt8(truncatingIfNeeded: number), UInt8(number >> 8)] }

  func request(user: UInt8) -> [UInt8] { [ControlPointResponse.consent, user] + stored }
}

/// An answer of the User Control Point (2A9F; User Data Service 1.0, 3.2.2.3).
struct ControlPointResponse {
  static var consent: UInt8 { 0x02 }
  static var opcode: UInt8 { 0x20 }

  let request: UInt8
  let value: UInt8

  /// Nil for bytes that are no response.
  init?(_ bytes: RawSpan) throws(DecodeError) {
    var reader = ByteReader(bytes)
    guard try reader.uint8() == ControlPointResponse.opcode else { return nil }
    request = try reader.uint8()
    value = try reader.uint8()
  }
}

extension WeightScaleDriver {
  /// A request or a response of the User Control Point as a diagnostic record, without the consent code.
  static func decodeControlPoint(_ bytes: RawSpan, _ output: inout RecordOutput) throws(DecodeError) {
    var reader = ByteReader(bytes)
    let opcode = try reader.uint8()
    output.begin()
    output.add(WeightScaleMetric.opcode, code: Int64(opcode))
    switch opcode {
    case ControlPointResponse.opcode:
      let request = try reader.uint8()
      output.add(WeightScaleMetric.requestOpcode, code: Int64(request))
      output.add(WeightScaleMetric.response, code: Int64(try reader.uint8()))
      // A registration is answered with the new user's index.
      if request == 0x01, reader.remaining > 0 {
        output.add(WeightScaleMetric.userIndex, code: Int64(try reader.uint8()))
      }
    case ControlPointResponse.consent:
      output.add(WeightScaleMetric.userIndex, code: Int64(try reader.uint8()))
      try reader.skip(2)
    case 0x01: try reader.skip(2)
    default: break
    }
    output.end(.diagnostic, .live)
  }

  /// Current Time (2A2B; GATT Specification Supplement 3.62) as a diagnostic record.
  static func decodeCurrentTime(_ bytes: RawSpan, _ output: inout RecordOutput) throws(DecodeError) {
    var reader = ByteReader(bytes)
    let time = try reader.dateTime()
    let day = try reader.uint8()
    try reader.skip(1)
    let reason = try reader.uint8()
    output.begin()
    output.add(WeightScaleMetric.adjustReason, code: Int64(reason))
    output.add(WeightScaleMetric.dayOfWeek, code: Int64(day))
    output.end(
      .diagnostic, .live, time: time.civilMicroseconds.map { RecordTime.civil($0) } ?? .none,
      flags: time.isSet ? [] : .clockSuspect)
  }

  /// Weight Scale Feature (2A9E) or Body Composition Feature (2A9B): 32 bits.
  static func decodeFeatures(
    _ bytes: RawSpan, _ metric: Metric, _ output: inout RecordOutput
  ) throws(DecodeError) {
    var reader = ByteReader(bytes)
    let features = try reader.uint32()
    output.begin()
    output.add(metric, code: Int64(features))
    output.end(.diagnostic, .live)
  }
}
