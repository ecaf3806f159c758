import CMeterDriver
import MeterDriver

// Functions that tools call by name (rule R19).
extension OneTouchDriver {
  static func declare(_ functions: inout FunctionList) {
    functions.addSelfTest(vectors)
    functions.addEncoder("clock_bytes") { civil, output throws(FunctionError) in
      guard let seconds = MeterClock.seconds(civil: civil / 1_000_000),
        let frame = Frame.encode(Command.setClock(seconds).payload, prefix: 0x03),
        let fragment = FragmentQueue(frame, size: Exchange.fragmentSize).current
      else { throw .invalidArgument }
      output.append(fragment)
    }
    functions.addDecoder("clock_time") { bytes throws(FunctionError) in try clockTime(bytes) }
  }

  /// The meter's reply to "read the clock", in its one fragment, as microseconds of civil time.
  private static func clockTime(_ bytes: RawSpan) throws(FunctionError) -> Int64 {
    let fragment = (0..<bytes.byteCount).map { bytes.unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
    guard let first = fragment.first, FragmentHeader(first) == .first(count: 1) else { throw .protocolViolation }
    let payload: [UInt8]
    do throws(FrameError) { payload = try Frame.decode(Array(fragment[1...])) } catch { throw .protocolViolation }
    guard payload.count == 5, payload[0] == ReplyStatus.success else { throw .protocolViolation }
    var seconds: UInt32 = 0
    for byte in payload[1...].reversed() { seconds = seconds << 8 | UInt32(byte) }
    // Zero: the clock was never set.
    guard seconds != 0 else { throw .noValue }
    return MeterClock.civil(seconds) * 1_000_000
  }

  private static var vectors: [TestVector] {
    [
      TestVector(
        "verio-record", 0x8001, "010213000c06c0c59f2f6900000000000003337a",
        .value(
          Metric(MH_METRIC_BLOOD_GLUCOSE), Unit(MH_UNIT_MG_PER_DL), Decimal(mantissa: 105, exponent: 0),
          at: 1_745_684_799_000_000)),
      TestVector(
        "verio-record-control", 0x8001, "010213000c06c0c59f2f70000100000000032e5b",
        .value(
          Metric(MH_METRIC_CONTROL_SOLUTION_GLUCOSE), Unit(MH_UNIT_MG_PER_DL), Decimal(mantissa: 112, exponent: 0),
          at: 1_745_684_799_000_000)),
      TestVector("verio-event", 0x8001, "010213000c06c0c59f2f0000000100000003d304", .refused(.noValue)),
      TestVector("verio-wrong-checksum", 0x8001, "010213000c06c0c59f2f6800000000000003337a", .refused(.malformed)),
      TestVector(
        "verio-record-unset-clock", 0x8001, "010213000c060000000069000000000000031850",
        .value(Metric(MH_METRIC_BLOOD_GLUCOSE), Unit(MH_UNIT_MG_PER_DL), Decimal(mantissa: 105, exponent: 0))),
    ]
  }
}
