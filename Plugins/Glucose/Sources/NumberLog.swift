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
    /// It was delivered. One that was only seen by a session that wanted a part of the memory may have been left there.
    var isSure = true
  }

  /// The numbers are an index: this was proved once and stays.
  var isIndex = false
  /// The numbering has begun again, and records from before stand in the memory beside the new ones, when it was read as a whole last.
  var holdsTwoLives = false
  /// The meter measures more than glucose and does not say which: seen by its fillers (``GlucoseMeasurement/isFiller(after:)``).
  var isMultiMeter = false
  /// It has measured what no glucose meter shows.
  var hasShownKetone = false
  private(set) var known: [Known] = []

  /// What is read now is delivered only where it is wanted.
  var wantsPart = false

  /// More records than meters hold; the oldest go first.
  static var mostKnown: Int { chunk * chunks }

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
    // A meter that was set to another unit sends the same readings in that one.
    for index in measurements.indices where result[index] == nil {
      let identity = Identity(measurements[index], noClock: false)
      guard let place = known.indices.first(where: { !used[$0] && known[$0].identity.isInOtherUnit(than: identity) })
      else { continue }
      used[place] = true
      result[index] = place
    }
    return result
  }

  /// Whether a record that is not known may have been: the log is full, and the record lies behind all known ones in a memory that is
  /// numbered from the newest. One before them is new, whatever date a battery change has left it.
  ///
  /// - Parameter last: The highest number of a known record in the meter; nil when it has none of them.
  func mayHaveForgotten(_ measurement: GlucoseMeasurement, behind last: UInt16?) -> Bool {
    guard known.count >= NumberLog.mostKnown, let last else { return false }
    return measurement.sequence > last
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

  /// Whether a memory holds records of before and after its numbering began again: a number stands twice, or numbers neither rise nor fall
  /// in the order of arrival and do not rise with time either. A ring that is sent from its middle is in order with time, and a clock that
  /// was set back leaves the order of arrival.
  ///
  /// - Parameter arrived: In the order of arrival, each once.
  static func showsTwoLives(_ arrived: [Identity]) -> Bool {
    guard let first = arrived.first else { return false }
    let sorted = arrived.sorted {
      serialDistance(from: first.sequence, to: $0.sequence) < serialDistance(from: first.sequence, to: $1.sequence)
    }
    var (rises, falls, isOutOfOrder) = (false, false, false)
    for place in arrived.indices.dropFirst() {
      if serialDistance(from: arrived[place - 1].sequence, to: arrived[place].sequence) > 0 {
        rises = true
      } else {
        falls = true
      }
      let (earlier, later) = (sorted[place - 1], sorted[place])
      if earlier.sequence == later.sequence, earlier != later { return true }
      if let time = earlier.baseTime.civilMicroseconds, let next = later.baseTime.civilMicroseconds, time > next {
        isOutOfOrder = true
      }
    }
    return rises && falls && isOutOfOrder
  }

  /// Whether a record cannot be behind the cursor's in a memory whose numbers rise with time, or has another place than it had. One of the
  /// same time may be the cursor's own, or the one that its filler belongs to. What stands before the cursor has been read, and is known
  /// unless there is more of it than the log holds.
  func contradicts(_ measurement: GlucoseMeasurement, _ cursor: ResumeCursor?) -> Bool {
    let identity = Identity(measurement, noClock: false)
    guard measurement.baseTime.isSet, measurement.hasReading else { return false }
    guard let cursor else {
      return known.contains { $0.number != measurement.sequence && $0.identity.isSameReading(as: identity) }
    }
    if cursor.distance(to: measurement.sequence) > 0 {
      if cursor.newest.isSameReading(as: identity) { return true }
      let last = cursor.newest.baseTime
      if last.isSet, let time = measurement.baseTime.civilMicroseconds, let newest = last.civilMicroseconds,
        time <= newest
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
    return isThere || !known.isEmpty && known.count < NumberLog.mostKnown
  }

  // MARK: Remembering

  mutating func moved(_ place: Int, to number: UInt16) {
    known[place].number = number
    if !wantsPart { known[place].isSure = true }
  }

  mutating func add(_ identity: Identity, number: UInt16) {
    if let place = known.lastIndex(where: { $0.identity == identity }) { return moved(place, to: number) }
    known.append(Known(identity: identity, number: number, isSure: !wantsPart))
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

// Eight keys, for a value has 4 KiB at most (rule R23): the first one begins with a version and flags; a record has 14 bytes, and the
// highest bit of its identity, which no identity has, says that it is not sure.
extension NumberLog {
  private static var version: UInt8 { 1 }
  private static var chunk: Int { 250 }
  private static var chunks: Int { 8 }
  private static var unsure: UInt32 { 1 << 31 }

  private static func key(_ chunk: Int) -> StaticString {
    switch chunk {
    case 0: "meter/numbers"
    case 1: "meter/numbers/1"
    case 2: "meter/numbers/2"
    case 3: "meter/numbers/3"
    case 4: "meter/numbers/4"
    case 5: "meter/numbers/5"
    case 6: "meter/numbers/6"
    default: "meter/numbers/7"
    }
  }

  /// What this meter's log is; empty when there is none, or one of another version.
  init(_ output: borrowing Output) throws(DriverError) {
    guard let head = try output.stored(NumberLog.key(0)), head.count >= 2, head[0] == NumberLog.version else { return }
    isIndex = head[1] & 1 != 0
    isMultiMeter = head[1] & 2 != 0
    hasShownKetone = head[1] & 4 != 0
    holdsTwoLives = head[1] & 8 != 0
    var bytes = Array(head.dropFirst(2))
    for index in 1..<NumberLog.chunks { bytes += try output.stored(NumberLog.key(index)) ?? [] }
    var reader = ByteReader(bytes.span.bytes)
    do throws(DecodeError) {
      while reader.remaining >= 14 {
        let (low, high) = (try reader.uint64(), try reader.uint32())
        known.append(
          Known(
            identity: Identity(low: low, high: high & ~NumberLog.unsure), number: try reader.uint16(),
            isSure: high & NumberLog.unsure == 0))
      }
    } catch {}
  }

  private var flags: UInt8 {
    (isIndex ? 1 : 0) | (isMultiMeter ? 2 : 0) | (hasShownKetone ? 4 : 0) | (holdsTwoLives ? 8 : 0)
  }

  mutating func store(_ output: inout Output) {
    if known.count > NumberLog.mostKnown {
      known.sort { $0.identity.timeOrder < $1.identity.timeOrder }
      known.removeFirst(known.count - NumberLog.mostKnown)
    }
    for index in 0..<NumberLog.chunks {
      var bytes: [UInt8] = index == 0 && (!known.isEmpty || flags != 0) ? [NumberLog.version, flags] : []
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
    if !isSure { bytes[11] |= 0x80 }
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

  var isMolePerLitre: Bool { high & 1 << 24 != 0 }

  /// Whether two records have the same time, and the same value but for the unit, as displays round it.
  func isInOtherUnit(than other: Identity) -> Bool {
    guard low >> 16 == other.low >> 16, high & 0xff == other.high & 0xff, isMolePerLitre != other.isMolePerLitre,
      let milligrams, let others = other.milligrams
    else { return false }
    return abs(milligrams - others) <= 2
  }

  /// Glucose in mg/dL: 18.016 of them are a mmol/L.
  private var milligrams: Double? {
    let field = UInt16(truncatingIfNeeded: high >> 8)
    guard let size = MedicalFloat(sfloat: field).decimal?.scaled(byPowerOfTen: isMolePerLitre ? 3 : 5) else {
      return nil
    }
    return size.doubleValue * (isMolePerLitre ? 18.016 : 1)
  }

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
