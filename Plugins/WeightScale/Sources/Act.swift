import MeterDriver

/// One act of weighing: its weight and the packets of its composition, as the scale sent them.
///
/// It is kept in storage from its first packet on, in the unit that lets the host confirm that packet: a scale deletes
/// what was confirmed, and what a session that breaks off has not delivered the next one delivers (rule R25).
struct Act {
  /// Under `user/pending/`, so that it is there for a read of the whole memory as well.
  static var key: StaticString { "user/pending/act" }
  /// Where it was kept before: what is left there is delivered as well.
  static var earlierKey: StaticString { "user/act" }
  private static var version: UInt8 { 1 }

  /// Empty: only a composition was seen.
  var weight: [UInt8] = []
  var composition: [[UInt8]] = []
  /// What a record has been emitted of.
  var deliveredWeight = false
  var deliveredPackets = 0
  /// An earlier session has left it: without a time of its own nobody knows when it was.
  var isLeft = false

  init(weight: [UInt8]) { self.weight = weight }

  init(composition: [UInt8]) { self.composition = [composition] }

  /// Nil when the bytes are of another version.
  init?(stored bytes: [UInt8]) {
    guard bytes.count >= 3, bytes[0] == Act.version else { return nil }
    var packets: [[UInt8]] = []
    var place = 2
    while place < bytes.count {
      let end = place + 1 + Int(bytes[place])
      guard end <= bytes.count, packets.count < 3 else { return nil }
      packets.append([UInt8](bytes[place + 1..<end]))
      place = end
    }
    deliveredWeight = bytes[1] & 1 == 1
    deliveredPackets = Int(bytes[1] >> 1)
    weight = packets.removeFirst()
    composition = packets
    isLeft = true
    guard !weight.isEmpty || !composition.isEmpty, deliveredPackets <= composition.count else { return nil }
  }

  /// A packet has at most 255 bytes here; the session cuts what follows its fields.
  var stored: [UInt8] {
    var bytes: [UInt8] = [
      Act.version, UInt8(truncatingIfNeeded: deliveredPackets << 1) | (deliveredWeight ? 1 : 0),
      UInt8(truncatingIfNeeded: weight.count),
    ]
    bytes.append(contentsOf: weight)
    for packet in composition {
      bytes.append(UInt8(truncatingIfNeeded: packet.count))
      bytes.append(contentsOf: packet)
    }
    return bytes
  }

  /// Whether a record is still to be emitted.
  var isPending: Bool { (!weight.isEmpty && !deliveredWeight) || deliveredPackets < composition.count }

  func measurement(_ quirks: Quirks) -> WeightMeasurement? {
    weight.isEmpty ? nil : try? WeightMeasurement(weight.span.bytes, quirks)
  }

  func packet(_ index: Int, _ quirks: Quirks) -> BodyComposition? {
    guard index < composition.count else { return nil }
    let bytes = composition[index]
    return try? BodyComposition(bytes.span.bytes, quirks)
  }

  /// Whether both packets of a composition in two are here, or the one of a composition in one.
  func isComplete(_ quirks: Quirks) -> Bool {
    guard let first = packet(0, quirks) else { return false }
    return !first.isPart || composition.count == 2
  }

  /// Whether the first of two packets is here, so that this is surely not all.
  func isHalf(_ quirks: Quirks) -> Bool { composition.count == 1 && packet(0, quirks)?.isPart == true }

  /// Whether a composition is of this act: not already complete, and not of another time or user. One that names
  /// neither follows its weight.
  func takes(_ next: BodyComposition, _ quirks: Quirks) -> Bool {
    if let first = packet(0, quirks) {
      guard first.isPart, next.isPart, composition.count == 1 else { return false }
      guard Act.agree(first.time, next.time), first.user == nil || next.user == nil || first.user == next.user
      else { return false }
    }
    guard let measured = measurement(quirks) else { return !composition.isEmpty }
    return Act.agree(measured.time, next.time)
      && (measured.user == nil || next.user == nil || measured.user == next.user)
  }

  /// Whether a composition waits for this weight, which some scales send behind it.
  func precedes(_ measured: WeightMeasurement, _ quirks: Quirks) -> Bool {
    guard weight.isEmpty, deliveredPackets == 0, !isLeft || isStored(quirks), let first = packet(0, quirks) else {
      return false
    }
    return Act.agree(first.time, measured.time)
      && (first.user == nil || measured.user == nil || first.user == measured.user)
  }

  private static func agree(_ one: DateTime?, _ other: DateTime?) -> Bool {
    guard let one, let other else { return true }
    return one == other
  }

  /// Whether a set clock gives its record the same identity on every read.
  func isStored(_ quirks: Quirks) -> Bool {
    if let measured = measurement(quirks) { return measured.time?.isSet == true }
    return packet(0, quirks)?.time?.isSet == true
  }

  /// Appends one record of what has not been delivered yet: as a rule all. What comes after its weight, or its first
  /// packet, was delivered is a record of its own: a weight is never delivered twice, and an identity never changes what
  /// it stands for.
  mutating func emit(_ quirks: Quirks, _ output: inout RecordOutput) {
    let measured = measurement(quirks)
    let time = measured?.time ?? packet(0, quirks)?.time
    let user = measured?.user ?? packet(0, quirks)?.user
    let hasWeight = !deliveredWeight && measured != nil
    output.begin()
    if hasWeight { measured?.add(to: &output) }
    for index in deliveredPackets..<composition.count {
      var fields: BodyComposition.Fields = index == 0 ? .fat : []
      // The weight comes by its own characteristic; the height from either.
      if index == 0, measured?.hasHeight != true { fields.insert(.height) }
      packet(index, quirks)?.add(to: &output, with: fields)
    }
    if hasWeight, let measured {
      measured.identify(time, &output)
    } else {
      identifyPacket(
        time, kind: UInt8(truncatingIfNeeded: 2 + deliveredPackets), raw: packet(0, quirks)?.fat ?? 0, &output)
    }
    // Without its weight nobody can say whose a composition is.
    var flags: RecordFlags = measured == nil ? .held : []
    if isLeft, !isStored(quirks) { flags.insert(.clockSuspect) }
    endRecord(time, user: user, flags: flags, &output)
    deliveredWeight = !weight.isEmpty
    deliveredPackets = composition.count
  }
}
