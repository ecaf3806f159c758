import CMeterDriver
import MeterDriver

/// One packet of a Body Composition Measurement (2A9C; GATT Specification Supplement 3.39).
struct BodyComposition {
  let isImperial: Bool
  /// The measurement comes in two packets; this is one of them.
  let isPart: Bool
  /// Tenths of a percent.
  let fat: UInt16
  let time: DateTime?
  let user: UInt8?
  /// What the flags announce, in the order of their bits; 0: not sent.
  let metabolism: UInt16
  let musclePercent: UInt16
  let muscleMass: UInt16
  let fatFreeMass: UInt16
  let softLeanMass: UInt16
  let waterMass: UInt16
  let impedance: UInt16
  let weight: UInt16
  let height: UInt16
  /// Bytes behind what the flags announce.
  let unreadBytes: Int

  /// - Throws: ``DecodeError/noValue`` when the measurement was unsuccessful (0xFFFF) or the packet is a placeholder
  ///   without a body fat; ``DecodeError/malformed`` when more than all of the body is fat, which is how a vendor's own
  ///   payload under this UUID reads.
  init(_ bytes: RawSpan, _ quirks: Quirks) throws(DecodeError) {
    var reader = ByteReader(bytes)
    let flags = try reader.uint16()
    isImperial = flags & 0x0001 != 0
    isPart = flags & 0x1000 != 0
    fat = try reader.uint16()
    let sent = flags & 0x0002 != 0 ? try reader.dateTime() : nil
    time = quirks.noClock ? nil : sent
    let index: UInt8 = flags & 0x0004 != 0 ? try reader.uint8() : 0xff
    user = index == 0xff || index == quirks.guest?.user ? nil : index
    metabolism = flags & 0x0008 != 0 ? try reader.uint16() : 0
    musclePercent = flags & 0x0010 != 0 ? try reader.uint16() : 0
    muscleMass = flags & 0x0020 != 0 ? try reader.uint16() : 0
    fatFreeMass = flags & 0x0040 != 0 ? try reader.uint16() : 0
    softLeanMass = flags & 0x0080 != 0 ? try reader.uint16() : 0
    waterMass = flags & 0x0100 != 0 ? try reader.uint16() : 0
    impedance = flags & 0x0200 != 0 ? try reader.uint16() : 0
    weight = flags & 0x0400 != 0 ? try reader.uint16() : 0
    height = flags & 0x0800 != 0 ? try reader.uint16() : 0
    unreadBytes = reader.remaining
    guard isReported(fat) else { throw .noValue }
    guard fat <= 1000 else { throw .malformed }
  }

  /// Which fields a record takes from a packet.
  struct Fields: OptionSet {
    let rawValue: UInt8
    static var fat: Fields { Fields(rawValue: 1) }
    static var weight: Fields { Fields(rawValue: 2) }
    static var height: Fields { Fields(rawValue: 4) }
    static var everything: Fields { [.fat, .weight, .height] }
  }

  func add(to output: inout RecordOutput, with fields: Fields) {
    if fields.contains(.weight) { addMass(MH_METRIC_BODY_WEIGHT, weight, &output) }
    if fields.contains(.fat) { add(MH_METRIC_BODY_FAT, MH_UNIT_PERCENT, fat, -1, &output) }
    add(MH_METRIC_BODY_MUSCLE_PERCENT, MH_UNIT_PERCENT, musclePercent, -1, &output)
    addMass(MH_METRIC_BODY_MUSCLE_MASS, muscleMass, &output)
    addMass(MH_METRIC_FAT_FREE_MASS, fatFreeMass, &output)
    addMass(MH_METRIC_SOFT_LEAN_MASS, softLeanMass, &output)
    addMass(MH_METRIC_BODY_WATER_MASS, waterMass, &output)
    add(MH_METRIC_BODY_IMPEDANCE, MH_UNIT_OHM, impedance, -1, &output)
    add(MH_METRIC_BASAL_METABOLISM, MH_UNIT_KILOJOULE, metabolism, 0, &output)
    if fields.contains(.height) { addHeight(height, isImperial: isImperial, to: &output) }
  }

  func end(_ output: inout RecordOutput) {
    identifyPacket(time, kind: 2, raw: fat, &output)
    endRecord(time, user: user, &output)
  }

  private func add(_ metric: UInt32, _ unit: UInt32, _ raw: UInt16, _ exponent: Int8, _ output: inout RecordOutput) {
    guard isReported(raw) else { return }
    output.add(Metric(metric), Unit(unit), Decimal(mantissa: Int64(raw), exponent: exponent))
  }

  /// Steps of 0.005 kg or 0.01 lb.
  private func addMass(_ metric: UInt32, _ raw: UInt16, _ output: inout RecordOutput) {
    guard isReported(raw) else { return }
    output.add(
      Metric(metric), Unit(isImperial ? MH_UNIT_POUND : MH_UNIT_KILOGRAM),
      isImperial ? Decimal(mantissa: Int64(raw), exponent: -2) : Decimal(mantissa: Int64(raw) * 5, exponent: -3))
  }
}
