import MeterDriver

/// One act of weighing: its weight and the packets of its composition, as the scale sent them.
///
/// It is kept in storage from its first packet on, in the unit that lets the host confirm that packet: a scale deletes
/// what was confirmed, and what a session that breaks off has not delivered the next one delivers (rule R25).
struct Act {
  static var key: StaticString { "user/act" }
  private static var version: UInt8 { 1 }

  /// Empty: only a composition was seen.
  var weight: [UInt8] = []
  var composition: [[UInt8]] = []
  /// Its record has been emitted with what is here.
  var isDelivered = false

  init(weight: [UInt8]) { self.weight = weight }

  init(composition: [UInt8]) { self.composition = [composition] }

  /// Nil when the bytes are of another version.
  init?(stored bytes: [UInt8]) {
    guard bytes.count >= 3, bytes[0] == Act.version, bytes[1] <= 1 else { return nil }
    isDelivered = bytes[1] == 1
    var packets: [[UInt8]] = []
    var place = 2
    while place < bytes.count {
      let end = place + 1 + Int(bytes[place])
      guard end <= bytes.count, packets.count < 3 else { return nil }
      packets.append([UInt8](bytes[place + 1..<end]))
      place = end
    }
    weight = packets.removeFirst()
    composition = packets
    guard !weight.isEmpty || !composition.isEmpty else { return nil }
  }

  /// A measurement has at most 255 bytes here; ``WeightScaleDriver`` cuts what follows its fields.
  var stored: [UInt8] {
    var bytes: [UInt8] = [Act.version, isDelivered ? 1 : 0, UInt8(truncatingIfNeeded: weight.count)]
    bytes.append(contentsOf: weight)
    for packet in composition {
      bytes.append(UInt8(truncatingIfNeeded: packet.count))
      bytes.append(contentsOf: packet)
    }
    return bytes
  }

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

  private static func agree(_ one: DateTime?, _ other: DateTime?) -> Bool {
    guard let one, let other else { return true }
    return one == other
  }

  /// Whether a set clock gives its record the same identity on every read.
  func isStored(_ quirks: Quirks) -> Bool {
    if let measured = measurement(quirks) { return measured.time?.isSet == true }
    return packet(0, quirks)?.time?.isSet == true
  }

  /// Appends the one record of this act.
  func emit(_ quirks: Quirks, _ output: inout RecordOutput) {
    let measured = measurement(quirks)
    let first = packet(0, quirks)
    output.begin()
    measured?.add(to: &output)
    first?.add(to: &output, with: fields(measured))
    packet(1, quirks)?.add(to: &output, with: [])
    if let measured {
      measured.end(&output, user: first?.user)
    } else {
      first?.end(&output)
    }
  }

  /// Appends only the composition: of an act whose weight was delivered without an identity to recognise it by.
  func emitComposition(_ quirks: Quirks, _ output: inout RecordOutput) {
    output.begin()
    packet(0, quirks)?.add(to: &output, with: .fat)
    packet(1, quirks)?.add(to: &output, with: [])
    endRecord(nil, user: packet(0, quirks)?.user ?? measurement(quirks)?.user, &output)
  }

  /// The weight comes by its own characteristic and never twice; the height from either.
  private func fields(_ measured: WeightMeasurement?) -> BodyComposition.Fields {
    measured?.hasHeight == true ? .fat : [.fat, .height]
  }
}
