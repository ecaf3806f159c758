import CMeterDriver
import MeterDriver

/// One Glucose Measurement Context (2A34) as the meter sent it (GATT Specification Supplement 3.108).
struct GlucoseContext: Equatable {
  let flags: UInt8
  let sequence: UInt16
  var carbohydrateType: UInt8 = 0
  var carbohydrate: UInt16 = 0
  var meal: UInt8 = 0
  var testerAndHealth: UInt8 = 0
  var exerciseDuration: UInt16 = 0
  var exerciseIntensity: UInt8 = 0
  var medicationType: UInt8 = 0
  var medication: UInt16 = 0
  var hba1c: UInt16 = 0

  init(_ bytes: RawSpan) throws(DecodeError) {
    var reader = ByteReader(bytes)
    flags = try reader.uint8()
    sequence = try reader.uint16()
    // Extended flags: all reserved.
    if flags & 0x80 != 0 { try reader.skip(1) }
    if flags & 0x01 != 0 {
      carbohydrateType = try reader.uint8()
      carbohydrate = try reader.uint16()
    }
    if flags & 0x02 != 0 { meal = try reader.uint8() }
    if flags & 0x04 != 0 { testerAndHealth = try reader.uint8() }
    if flags & 0x08 != 0 {
      exerciseDuration = try reader.uint16()
      exerciseIntensity = try reader.uint8()
    }
    if flags & 0x10 != 0 {
      medicationType = try reader.uint8()
      medication = try reader.uint16()
    }
    if flags & 0x40 != 0 { hba1c = try reader.uint16() }
  }

  var hasMeal: Bool { flags & 0x02 != 0 }

  /// Adds what the context says to the open record. Specials and amounts below zero are left out: a field without a
  /// value is no reason to lose the glucose beside it.
  ///
  /// - Parameter leavingOutMeal: The meal field tells the analyte and is not a meal.
  func add(to output: inout RecordOutput, leavingOutMeal: Bool = false) {
    if flags & 0x01 != 0 {
      addAmount(Metric(MH_METRIC_CARBOHYDRATE), Unit(MH_UNIT_GRAM), carbohydrate, power: 3, &output)
      addCode(Metric(MH_METRIC_CARBOHYDRATE_TYPE), carbohydrateType, &output)
    }
    if hasMeal, !leavingOutMeal { addCode(Metric(MH_METRIC_RELATIONSHIP_TO_MEAL), meal, &output) }
    if flags & 0x04 != 0 {
      addCode(Metric(MH_METRIC_TESTER), testerAndHealth & 0x0f, &output)
      addCode(Metric(MH_METRIC_HEALTH_STATUS), testerAndHealth >> 4, &output)
    }
    if flags & 0x08 != 0 { addExercise(&output) }
    if flags & 0x10 != 0 {
      if flags & 0x20 != 0 {
        addAmount(Metric(MH_METRIC_MEDICATION_VOLUME), Unit(MH_UNIT_MILLILITRE), medication, power: 3, &output)
      } else {
        addAmount(Metric(MH_METRIC_MEDICATION_MASS), Unit(MH_UNIT_MG), medication, power: 6, &output)
      }
      addCode(Metric(MH_METRIC_MEDICATION_TYPE), medicationType, &output)
    }
    if flags & 0x40 != 0 {
      // What the person or an earlier test says, beside the measurement and not part of what identifies it.
      addAmount(Metric(MH_METRIC_CONTEXT_HBA1C), Unit(MH_UNIT_PERCENT), hba1c, power: 0, &output)
    }
  }

  private func addExercise(_ output: inout RecordOutput) {
    // 65535 is the profile's overrun mark: longer than 65534 seconds.
    let overrun = exerciseDuration == .max
    let seconds = Decimal(mantissa: overrun ? 65_534 : Int64(exerciseDuration), exponent: 0)
    output.add(Metric(MH_METRIC_EXERCISE_DURATION), Unit(MH_UNIT_SECOND), seconds, overrun ? .above : .exact)
    let intensity = Decimal(mantissa: Int64(exerciseIntensity), exponent: 0)
    output.add(Metric(MH_METRIC_EXERCISE_INTENSITY), Unit(MH_UNIT_PERCENT), intensity)
  }

  private func addAmount(
    _ metric: Metric, _ unit: Unit, _ bits: UInt16, power: Int8, _ output: inout RecordOutput
  ) {
    guard let number = MedicalFloat(sfloat: bits).decimal, number.mantissa >= 0,
      let scaled = number.scaled(byPowerOfTen: power)
    else { return }
    output.add(metric, unit, scaled)
  }

  /// Zero is reserved in all of the context's code lists.
  private func addCode(_ metric: Metric, _ code: UInt8, _ output: inout RecordOutput) {
    if code != 0 { output.add(metric, code: Int64(code)) }
  }
}
