import CMeterDriver
import MeterDriver

// Functions that tools call by name (rule R19).
extension BloodPressureDriver {
  static func declare(_ functions: inout FunctionList) {
    functions.addSelfTest(vectors)
    functions.addDateTimeDecoder("clock_time")
  }

  private static var vectors: [TestVector] {
    [
      TestVector(
        "bls-omron-124", 0x2a35, "167c0056006100e807060f11111b33000000",
        .value(
          Metric(MH_METRIC_SYSTOLIC), Unit(MH_UNIT_MMHG), Decimal(mantissa: 124, exponent: 0), at: 1_718_471_847_000_000
        )),
      TestVector(
        "bls-fb597", 0x2a35, "1666003c004800e407060111331d3f000000",
        .value(
          Metric(MH_METRIC_SYSTOLIC), Unit(MH_UNIT_MMHG), Decimal(mantissa: 102, exponent: 0), at: 1_591_033_889_000_000
        )),
      TestVector(
        "bls-so-127", 0x2a35, "def6f416f3ff07e4070114082b00b2f2018000",
        .value(
          Metric(MH_METRIC_SYSTOLIC), Unit(MH_UNIT_MMHG), Decimal(mantissa: 127, exponent: 0), at: 1_579_509_780_000_000
        )),
      TestVector("bls-err-motion", 0x2a35, "16ff07ff07ff07e80706170e230aff070000", .refused(.noValue)),
      TestVector(
        "bls-nordic-min", 0x2a35, "00bdf00b009ff0",
        .value(Metric(MH_METRIC_SYSTOLIC), Unit(MH_UNIT_MMHG), Decimal(mantissa: 189, exponent: -1))),
    ]
  }
}
