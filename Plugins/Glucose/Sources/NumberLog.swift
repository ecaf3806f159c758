import MeterDriver

/// Which records of the meter this host knows, and under which number each was seen last.
///
/// Some meters number their records from the newest, so that each new one moves all others up: their number is an index, and
/// asking for those behind the last number brings an old one again and the new one never. It shows in records that come back
/// with the same time and value under another number.
struct NumberLog {
  struct Known: Equatable {
    /// As it was delivered.
    let identity: Identity
    /// Where it was seen last.
    var number: UInt16
  }

  /// The numbers are an index: this was proved once and stays.
  var isIndex = false
  /// The meter measures more than glucose and does not say which: seen by its fillers (``GlucoseMeasurement/isFiller(after:)``).
  var isMultiMeter = false
  /// It has measured what no glucose meter shows.
  var hasShownKetone = false
  private(set) var known: [Known] = []

  /// More records than meters hold; the oldest go first.
  static var mostKnown: Int { 1000 }

  init() {}

  // MARK: Recognising

  /// For each record the known one that it is, by time and raw value; of equal readings each is known once.
  func matches(_ measurements: [GlucoseMeasurement]) -> [Int?] {
    var result = [Int?](repeating: nil, count: measurements.count)
    var used = [Bool](repeating: false, count: known.count)
    for index in measurements.indices.sorted(by: { measurements[$0].sequence < measurements[$1].sequence }) {
      let identity = Identity(measurements[index], noClock: false)
      var best: Int?
      for place in known.indices where !used[place] && known[place].identity.isSameReading(as: identity) {
        if best == nil || known[place].number < known[best ?? place].number { best = place }
      }
      if let best { used[best] = true }
      result[index] = best
    }
    return result
  }

  /// Whether known records have moved by one same number: several, and none of them otherwise. A single one may be a clock that was
  /// set back, or a chance.
  func showsIndex(_ measurements: [GlucoseMeasurement], _ matches: [Int?]) -> Bool {
    var shift: Int?
    var count = 0
    for index in measurements.indices {
      guard let match = matches[index], measurements[index].baseTime.isSet else { continue }
      let moved = Int(measurements[index].sequence) - Int(known[match].number)
      if let shift, shift != moved { return false }
      shift = moved
      count += 1
    }
    return count >= 2 && shift != 0
  }

  /// Whether a record cannot be behind the cursor's in a memory whose numbers rise with time, or has another place than it had.
  func contradicts(_ measurement: GlucoseMeasurement, _ cursor: ResumeCursor) -> Bool {
    let identity = Identity(measurement, noClock: false)
    guard measurement.baseTime.isSet else { return false }
    if cursor.distance(to: measurement.sequence) > 0 {
      let last = cursor.newest.baseTime
      if last.isSet, let time = measurement.baseTime.civilMicroseconds, let newest = last.civilMicroseconds,
        time < newest
      {
        return true
      }
      return known.contains { $0.number != measurement.sequence && $0.identity.isSameReading(as: identity) }
    }
    var isThere = false
    for record in known where record.number == measurement.sequence {
      if record.identity.isSameReading(as: identity) { return false }
      isThere = true
    }
    return isThere
  }

  // MARK: Remembering

  mutating func moved(_ place: Int, to number: UInt16) { known[place].number = number }

  mutating func add(_ identity: Identity, number: UInt16) {
    let record = Known(identity: identity, number: number)
    if !known.suffix(64).contains(record) { known.append(record) }
  }

  /// The identity of a record that is new in a memory whose numbers are an index: its time and value, and how many of the same second
  /// and value are known.
  func newIdentity(_ measurement: GlucoseMeasurement) -> Identity {
    let identity = Identity(measurement, noClock: false)
    var ordinal: UInt16 = 0
    while known.contains(where: { $0.identity == identity.numbered(ordinal) }) { ordinal &+= 1 }
    return identity.numbered(ordinal)
  }
}

// MARK: Storage

// Four keys, for a value has 4 KiB at most (rule R23): the first one begins with a version and flags; a record has 14 bytes.
extension NumberLog {
  private static var version: UInt8 { 1 }
  private static var chunk: Int { 250 }
  private static var chunks: Int { 4 }

  private static func key(_ chunk: Int) -> StaticString {
    switch chunk {
    case 0: "meter/numbers"
    case 1: "meter/numbers/1"
    case 2: "meter/numbers/2"
    default: "meter/numbers/3"
    }
  }

  /// What this meter's log is; empty when there is none, or one of another version.
  init(_ output: borrowing Output) throws(DriverError) {
    guard let head = try output.stored(NumberLog.key(0)), head.count >= 2, head[0] == NumberLog.version else { return }
    isIndex = head[1] & 1 != 0
    isMultiMeter = head[1] & 2 != 0
    hasShownKetone = head[1] & 4 != 0
    var bytes = Array(head.dropFirst(2))
    for index in 1..<NumberLog.chunks { bytes += try output.stored(NumberLog.key(index)) ?? [] }
    var reader = ByteReader(bytes.span.bytes)
    do throws(DecodeError) {
      while reader.remaining >= 14 {
        let identity = Identity(low: try reader.uint64(), high: try reader.uint32())
        known.append(Known(identity: identity, number: try reader.uint16()))
      }
    } catch {}
  }

  mutating func store(_ output: inout Output) {
    if known.count > NumberLog.mostKnown {
      known.sort { $0.identity.timeOrder < $1.identity.timeOrder }
      known.removeFirst(known.count - NumberLog.mostKnown)
    }
    for index in 0..<NumberLog.chunks {
      let isEmpty = known.isEmpty && !isIndex && !isMultiMeter
      var bytes: [UInt8] =
        index == 0 && !isEmpty
        ? [NumberLog.version, (isIndex ? 1 : 0) | (isMultiMeter ? 2 : 0) | (hasShownKetone ? 4 : 0)] : []
      for record in known.dropFirst(index * NumberLog.chunk).prefix(NumberLog.chunk) { bytes += record.bytes }
      let key = NumberLog.key(index)
      let stored = (try? output.stored(key)) ?? nil
      if bytes != stored ?? [] { output.store(bytes, as: key) }
    }
  }
}

extension NumberLog.Known {
  fileprivate var bytes: [UInt8] {
    var bytes = identity.bytes
    bytes.append(UInt8(number & 0xff))
    bytes.append(UInt8(number >> 8))
    return bytes
  }
}

extension Identity {
  /// The twelve bytes as they are stored.
  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    for index in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: low >> UInt64(8 * index))) }
    for index in 0..<4 { bytes.append(UInt8(truncatingIfNeeded: high >> UInt32(8 * index))) }
    return bytes
  }

  /// Whether two records have the same time, value and unit, whatever their numbers.
  func isSameReading(as other: Identity) -> Bool { low >> 16 == other.low >> 16 && high == other.high }

  func numbered(_ sequence: UInt16) -> Identity { Identity(low: low & ~0xffff | UInt64(sequence), high: high) }

  var baseTime: DateTime {
    DateTime(
      year: UInt16(truncatingIfNeeded: low >> 16), month: UInt8(truncatingIfNeeded: low >> 32),
      day: UInt8(truncatingIfNeeded: low >> 40), hour: UInt8(truncatingIfNeeded: low >> 48),
      minute: UInt8(truncatingIfNeeded: low >> 56), second: UInt8(truncatingIfNeeded: high))
  }

  /// Earlier times first; those that are none before all.
  fileprivate var timeOrder: Int64 { baseTime.civilMicroseconds ?? .min }
}
