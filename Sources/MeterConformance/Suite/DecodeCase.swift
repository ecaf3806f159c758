import CMeterDriver
import DriverContract
import DriverProbe
import MeterDrivers

/// One value to decode: of the bundle's vectors, or what a virtual meter sent.
struct DecodeCase: Sendable {
  var name: String
  var item: ProbeItem
  var parameters: [DriverParameter]
  /// What the vectors say of it; nil: nobody says.
  var vector: DecodeVector?
  /// The meter and the event that it was heard in; nil of a vector.
  var source: (meter: String, event: UInt64)?

  static func all(of subject: Subject, reads: [RecordedRead]) -> [DecodeCase] {
    guard subject.entry.capabilities.contains(.decode) else { return [] }
    var cases: [DecodeCase] = subject.vectors.compactMap { vector in
      // Those that cannot be decoded are told by the check of vectors.
      guard let code = try? subject.code(of: vector), let parameters = try? subject.parameters(of: vector) else {
        return nil
      }
      let flags = vector.isServiceData ? UInt16(MH_SLICE_SERVICE_DATA) : 0
      return DecodeCase(
        name: vector.id, item: ProbeItem(characteristic: code, flags: flags, bytes: vector.bytes),
        parameters: parameters, vector: vector)
    }
    for read in reads {
      for tape in read.tapes { cases += heard(tape, read.meter.peripheral) }
    }
    return cases
  }

  /// The values of a tape, by the codes that `decode` names characteristics with.
  private static func heard(_ tape: SessionTape, _ peripheral: Peripheral) -> [DecodeCase] {
    var codes: [UInt16: UInt16] = [:]
    for characteristic in tape.characteristics {
      guard let uuid = UUIDString(bigEndian: characteristic.uuid.bigEndianBytes) else { continue }
      codes[characteristic.handle] = peripheral.decodeCode(of: uuid)
    }
    var seen: Set<[UInt8]> = []
    return tape.events.compactMap { event in
      let (handle, value): (UInt16, [UInt8])
      switch event.fact {
      case .notification(let number, let bytes), .indication(let number, let bytes): (handle, value) = (number, bytes)
      default: return nil
      }
      guard let code = codes[handle], seen.insert(value).inserted, seen.count <= 64 else { return nil }
      return DecodeCase(
        name: "\(tape.meter) event \(event.sequence)",
        item: ProbeItem(characteristic: code, receivedMicroseconds: event.unixMicroseconds, bytes: value),
        parameters: tape.opening.parameters, vector: nil, source: (tape.meter, event.sequence))
    }
  }
}

/// Values that are decoded with the same opening.
struct DecodeGroup: Sendable {
  var opening: DriverOpening
  var cases: [DecodeCase]

  var items: [ProbeItem] { cases.map(\.item) }

  /// The cases of a list, those with the same parameters together.
  static func groups(_ cases: [DecodeCase]) -> [DecodeGroup] {
    var groups: [DecodeGroup] = []
    for one in cases {
      if let index = groups.firstIndex(where: { $0.opening.parameters == one.parameters }) {
        groups[index].cases.append(one)
      } else {
        var opening = DriverOpening(purpose: .test)
        opening.parameters = one.parameters
        groups.append(DecodeGroup(opening: opening, cases: [one]))
      }
    }
    return groups
  }
}
