import CMeterDriver
import MeterDriver

// Functions that tools call by name (rule R19).
extension OximeterDriver {
  static func declare(_ functions: inout FunctionList) {
    functions.addSelfTest(vectors)
    functions.addDateTimeDecoder("clock_time")
  }

  private static var vectors: [TestVector] {
    [
      TestVector(
        "plx-spec-spot-time", 0x2a5e, "0162004800e8070c1f173b3a",
        .value(
          Metric(MH_METRIC_SPO2), Unit(MH_UNIT_PERCENT), Decimal(mantissa: 98, exponent: 0), at: 1_735_689_598_000_000)),
      TestVector(
        "plx-spec-spot-min", 0x2a5e, "00d4f3d0f2",
        .value(Metric(MH_METRIC_SPO2), Unit(MH_UNIT_PERCENT), Decimal(mantissa: 98, exponent: 0))),
      TestVector("plx-spec-above-100", 0x2a5f, "0065004800", .refused(.noValue)),
      TestVector(
        "plx-spec-cont-all", 0x2a5f, "1f62004800610049006300470020000000001900",
        .value(Metric(MH_METRIC_SPO2), Unit(MH_UNIT_PERCENT), Decimal(mantissa: 98, exponent: 0))),
    ]
  }
}
