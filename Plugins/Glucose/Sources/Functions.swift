import CMeterDriver
import MeterDriver

// Functions that tools call by name (rule R19).
extension GlucoseDriver {
  static func declare(_ functions: inout FunctionList) {
    functions.addSelfTest(vectors)
    functions.addDateTimeDecoder("clock_time")
  }

  private static var vectors: [TestVector] {
    [
      TestVector(
        "gls-contour-30", 0x2a18, "131e00e2070914051b075cfe6fb0f1",
        .value(
          Metric(MH_METRIC_BLOOD_GLUCOSE), Unit(MH_UNIT_MG_PER_DL), Decimal(mantissa: 111, exponent: 0),
          at: 1_537_396_027_000_000)),
      TestVector(
        "gls-molL-1", 0x2a18, "070100e3070815061f0db4003bc0f1",
        .value(
          Metric(MH_METRIC_BLOOD_GLUCOSE), Unit(MH_UNIT_MMOL_PER_L), Decimal(mantissa: 59, exponent: -1),
          at: 1_566_379_873_000_000)),
      TestVector(
        "gls-spec-control-type", 0x2a18, "020f00e807011e053a1b6fb0fa",
        .value(
          Metric(MH_METRIC_CONTROL_SOLUTION_GLUCOSE), Unit(MH_UNIT_MG_PER_DL), Decimal(mantissa: 111, exponent: 0),
          at: 1_706_594_307_000_000)),
      TestVector("gls-spec-nan", 0x2a18, "020f00e807011e053a1bff07f1", .refused(.noValue)),
      TestVector(
        "gls-contour-30-ctx", 0x2a34, "021e0002",
        .value(Metric(MH_METRIC_RELATIONSHIP_TO_MEAL), Unit(MH_UNIT_NONE), Decimal(mantissa: 2, exponent: 0))),
    ]
  }
}
