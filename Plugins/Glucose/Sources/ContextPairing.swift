/// Which context a measurement has.
enum ContextMatch: Equatable {
  case missing
  case context(GlucoseContext)
  /// Several measurements, or several contexts, stand under its number, and their order does not tell which belong together.
  case unclear
}

/// Pairs the measurements of a whole memory with their contexts.
///
/// A context names its measurement by number only, and a number stands twice in a memory whose numbering has begun again. Then the order
/// tells: a context comes right behind its measurement (Glucose Service 3.2), or, of some meters, right before it.
struct ContextPairing {
  private enum Packet: Equatable {
    case measurement(Int)
    case context(Int)
  }

  private enum Order { case behind, before }

  private(set) var measurements: [GlucoseMeasurement] = []
  private var contexts: [GlucoseContext] = []
  /// What came, in the order of arrival: places in the two arrays above.
  private var packets: [Packet] = []
  private var matches: [ContextMatch] = []

  /// More than any meter sends, and sends twice.
  private static var packetLimit: Int { 4 * Transfer.decidingLimit }

  // MARK: Arrivals

  /// - Returns: False when more has come than any meter holds.
  mutating func take(_ measurement: GlucoseMeasurement) -> Bool {
    // The same packet again, under the same number, is a repeat, however late.
    let sent = Identity(measurement, noClock: false)
    let place = measurements.firstIndex { Identity($0, noClock: false) == sent }
    if place == nil { measurements.append(measurement) }
    take(.measurement(place ?? measurements.count - 1))
    return measurements.count <= Transfer.decidingLimit && packets.count < ContextPairing.packetLimit
  }

  mutating func take(_ context: GlucoseContext) {
    let place = contexts.firstIndex(of: context)
    if place == nil {
      guard contexts.count < Transfer.decidingLimit else { return }
      contexts.append(context)
    }
    take(.context(place ?? contexts.count - 1))
  }

  private mutating func take(_ packet: Packet) {
    if packets.last != packet, packets.count < ContextPairing.packetLimit { packets.append(packet) }
  }

  // MARK: Pairing

  /// The context of a measurement, when ``pair()`` has been called.
  subscript(_ measurement: Int) -> ContextMatch { measurement < matches.count ? matches[measurement] : .missing }

  /// Whether a measurement announces a context, and none that has come is surely its own. Call ``pair()`` first.
  var lacksContext: Bool {
    for place in measurements.indices where measurements[place].contextFollows && measurements[place].hasReading {
      switch self[place] {
      case .context: continue
      case .missing, .unclear: return true
      }
    }
    return false
  }

  mutating func pair() {
    var counts = [UInt16](repeating: 0, count: 65536)
    for measurement in measurements { counts[Int(measurement.sequence)] += 1 }
    // By number: the only context, or that there are several.
    var only = [Int32](repeating: -1, count: 65536)
    for (place, context) in contexts.enumerated() {
      only[Int(context.sequence)] = only[Int(context.sequence)] == -1 ? Int32(place) : -2
    }
    var behind = Assignment(measurements.count)
    var before = Assignment(measurements.count)
    let order = assign(&behind, &before)
    behind.judge(measurements)
    before.judge(measurements)
    matches = measurements.enumerated().map { place, measurement in
      let number = Int(measurement.sequence)
      let context = only[number]
      if context == -1 { return .missing }
      if counts[number] == 1, context >= 0 { return .context(contexts[Int(context)]) }
      let chosen: Assignment
      switch order {
      case .behind where behind.fits(number): chosen = behind
      case .before where before.fits(number): chosen = before
      case nil where behind.fits(number) && !before.fits(number): chosen = behind
      case nil where before.fits(number) && !behind.fits(number): chosen = before
      default: return .unclear
      }
      guard let own = chosen[place] else { return .missing }
      return .context(contexts[own])
    }
  }

  /// Gives each context to the measurement of its number right before it, and to the one right behind it.
  ///
  /// - Returns: On which side of its measurement this meter sends a context; nil when that cannot be told.
  private func assign(_ behind: inout Assignment, _ before: inout Assignment) -> Order? {
    var follows = false
    var precedes = false
    for place in packets.indices {
      guard case .context(let context) = packets[place] else { continue }
      let sequence = contexts[context].sequence
      let last = measurement(at: place - 1, sequence)
      let next = measurement(at: place + 1, sequence)
      behind.give(context, of: sequence, to: last)
      before.give(context, of: sequence, to: next)
      if last != nil, next == nil { follows = true }
      if next != nil, last == nil { precedes = true }
    }
    return follows == precedes ? nil : follows ? .behind : .before
  }

  private func measurement(at place: Int, _ sequence: UInt16) -> Int? {
    guard packets.indices.contains(place), case .measurement(let found) = packets[place],
      measurements[found].sequence == sequence
    else { return nil }
    return found
  }

  /// One way of giving the contexts to measurements.
  private struct Assignment {
    private var given: [Int32]
    /// By number: it leaves a context over, gives a measurement two, or leaves one without that announces one.
    private var isBad = [Bool](repeating: false, count: 65536)

    init(_ count: Int) { given = [Int32](repeating: -1, count: count) }

    subscript(_ measurement: Int) -> Int? { given[measurement] < 0 ? nil : Int(given[measurement]) }

    func fits(_ number: Int) -> Bool { !isBad[number] }

    mutating func give(_ context: Int, of sequence: UInt16, to measurement: Int?) {
      guard let measurement, given[measurement] == -1 || given[measurement] == Int32(context) else {
        isBad[Int(sequence)] = true
        return
      }
      given[measurement] = Int32(context)
    }

    mutating func judge(_ measurements: [GlucoseMeasurement]) {
      for (place, measurement) in measurements.enumerated() where measurement.contextFollows && given[place] == -1 {
        isBad[Int(measurement.sequence)] = true
      }
    }
  }
}
