import CMeterDriver
import MeterDriver

// Functions that tools call by name (rule R19).
extension WeightScaleDriver {
  static func declare(_ functions: inout FunctionList) {
    functions.addSelfTest(vectors)
    functions.addEncoder("clock_bytes") { civil, output throws(FunctionError) in
      guard DateTime.range.contains(civil) else { throw .invalidArgument }
      output.append(CurrentTime(civilMicroseconds: civil).bytes)
    }
    // Current Time begins with a Date Time (Current Time Service 1.1, 3.1).
    functions.addDateTimeDecoder("clock_time")
  }

  private static var vectors: [TestVector] {
    [
      TestVector(
        "wss-bf720", 0x2a9d, "0e783eea07050c12353601ee002607",
        .value(
          Metric(MH_METRIC_BODY_WEIGHT), Unit(MH_UNIT_KILOGRAM), Decimal(mantissa: 7996, exponent: -2),
          at: 1_778_612_034_000_000)),
      TestVector(
        "wss-spec-lb", 0x2a9d, "01a640",
        .value(Metric(MH_METRIC_BODY_WEIGHT), Unit(MH_UNIT_POUND), Decimal(mantissa: 1655, exponent: -1))),
      TestVector(
        "bcs-bf720", 0x2a9c, "9803c200df1a9701cc2fca21a811",
        .value(Metric(MH_METRIC_BODY_FAT), Unit(MH_UNIT_PERCENT), Decimal(mantissa: 194, exponent: -1))),
      TestVector(
        "cts-omron", 0x2a2b, "ea07060c143008000001",
        .value(
          WeightScaleMetric.adjustReason, Unit(MH_UNIT_NONE), Decimal(mantissa: 1, exponent: 0),
          at: 1_781_297_288_000_000)),
      TestVector("wss-spec-unsuccessful", 0x2a9d, "00ffff", .refused(.noValue)),
    ]
  }
}
