import CMeterDriver
import MeterDriver

/// One Weight Measurement (2A9D) as the scale sent it (GATT Specification Supplement 3.264).
struct WeightMeasurement {
  let isImperial: Bool
  let weight: UInt16
  /// Nil: none was sent, or the scale's times mean nothing.
  let time: DateTime?
  /// The user index; nil: none was sent, or it names nobody (0xFF, a guest).
  let user: UInt8?
  let bmi: UInt16
  let height: UInt16
  let step: Int64

  /// - Throws: ``DecodeError/noValue`` when the measurement was unsuccessful (0xFFFF) or nobody was on the scale.
  init(_ bytes: RawSpan, _ quirks: Quirks) throws(DecodeError) {
    var reader = ByteReader(bytes)
    let flags = try reader.uint8()
    isImperial = flags & 0x01 != 0
    weight = try reader.uint16()
    let sent = flags & 0x02 != 0 ? try reader.dateTime() : nil
    time = quirks.noClock ? nil : sent
    let index: UInt8 = flags & 0x04 != 0 ? try reader.uint8() : 0xff
    user = index == 0xff || index == quirks.guest?.user ? nil : index
    bmi = flags & 0x08 != 0 ? try reader.uint16() : 0
    height = flags & 0x08 != 0 ? try reader.uint16() : 0
    step = quirks.weightStep
    guard weight != 0, weight != 0xffff else { throw .noValue }
  }

  /// Steps of 0.005 kg or 0.01 lb, unless a quirk says otherwise.
  func add(to output: inout RecordOutput) {
    if isImperial {
      output.add(
        Metric(MH_METRIC_BODY_WEIGHT), Unit(MH_UNIT_POUND), Decimal(mantissa: Int64(weight), exponent: -2))
    } else {
      output.add(
        Metric(MH_METRIC_BODY_WEIGHT), Unit(MH_UNIT_KILOGRAM), Decimal(mantissa: Int64(weight) * step, exponent: -3))
    }
    guard hasFittingIndex else { return }
    if isReported(bmi) {
      output.add(Metric(MH_METRIC_BMI), Unit(MH_UNIT_KG_PER_M2), Decimal(mantissa: Int64(bmi), exponent: -1))
    }
    addHeight(height, isImperial: isImperial, to: &output)
  }

  var hasHeight: Bool { isReported(height) }

  /// The identity is the uncorrected time, the unit and the raw weight; the user is left out, because a scale lets a
  /// person claim a weight later.
  ///
  /// - Parameter time: The weight's, or of its composition when the weight has none.
  func identify(_ time: DateTime?, _ output: inout RecordOutput) {
    identifyPacket(time, kind: isImperial ? 1 : 0, raw: weight, &output)
  }
}

/// 0 and 0xFFFF stand for "not known" in every optional field.
func isReported(_ field: UInt16) -> Bool { field != 0 && field != 0xffff }

/// Steps of 0.001 m, which are tenths of a centimetre, or of 0.1 in.
func addHeight(_ height: UInt16, isImperial: Bool, to output: inout RecordOutput) {
  guard isReported(height) else { return }
  output.add(
    Metric(MH_METRIC_BODY_HEIGHT), Unit(isImperial ? MH_UNIT_INCH : MH_UNIT_CENTIMETRE),
    Decimal(mantissa: Int64(height), exponent: -1))
}

/// Ten bytes that make two reports the same record; none without a set clock.
func identifyPacket(_ time: DateTime?, kind: UInt8, raw: UInt16, _ output: inout RecordOutput) {
  guard let time, time.isSet else { return }
  output.identify(time.year)
  output.identify(time.month)
  output.identify(time.day)
  output.identify(time.hour)
  output.identify(time.minute)
  output.identify(time.second)
  output.identify(kind)
  output.identify(raw)
}

/// A time that was sent and is not set flags the clock.
func endRecord(_ time: DateTime?, user: UInt8?, flags: RecordFlags = [], _ output: inout RecordOutput) {
  let civil = time.flatMap { $0.civilMicroseconds }
  var flags = flags
  if time != nil, civil == nil { flags.insert(.clockSuspect) }
  output.end(
    .measurement, civil == nil ? .live : .stored, time: civil.map { RecordTime.civil($0) } ?? .none, flags: flags,
    deviceUser: user.map { UInt16($0) })
}
