import CMeterDriver
import MeterDriver

/// What happened to a record that arrived in this procedure.
enum Arrival {
  /// Emitted, or known to hold no reading.
  case final
  /// Its context has not come.
  case waiting
}

/// One report procedure: pairs measurements with their contexts and knows how far the cursor may move.
///
/// The cursor covers what is final *and* has everything older than it final too (rule R25). While the procedure runs,
/// that is known only along an unbroken run of numbers from the cursor on, in the order of arrival; a meter that sends
/// newest first, or its memory in physical order, moves it once, when the procedure has succeeded.
struct Transfer {
  struct Entry {
    let identity: Identity
    var state: Arrival
    var hasReading = true
  }

  struct Waiting {
    let measurement: GlucoseMeasurement
    let entry: Int
  }

  /// A context right behind a measurement that announces none: it is that one's unless the same number comes next.
  struct Behind {
    let item: Waiting
    let context: GlucoseContext
    /// The measurement was emitted as it is.
    let isEmitted: Bool
  }

  /// What a measurement without context waits for at most; a meter that announces contexts and never sends them must
  /// not fill the memory, nor one event with records.
  static var waitingLimit: Int { 1024 }
  /// With a context that decides, nothing may be given up: so many mean a broken meter.
  static var decidingLimit: Int { 8192 }
  static var memory: Int { 64 }

  let request: ReportRequest
  let quirks: Quirks
  let cursor: ResumeCursor?
  let epoch: UInt16
  /// The newest record as the meter named it, when it was asked.
  let knownNewest: Identity?
  var entries: [Entry] = []
  var waiting: [Waiting] = []
  /// Contexts that wait for their measurement, or for the end, each once.
  var early: [GlucoseContext] = []
  /// The entry whose measurement was the last packet; nil when a context was.
  var last: Int?
  /// The context that was the last packet.
  var lastContext: GlucoseContext?
  var behind: Behind?
  /// The entry that came last and was emitted without a context, which may be the next packet: the cursor stays before it.
  var open: Int?
  /// This meter sends contexts behind their measurements.
  var contextsFollow: Bool
  /// The last packet was a measurement that announces a context.
  var awaitsContext = false
  /// Emitted without a context, in case one comes late.
  var bare: [GlucoseMeasurement] = []
  /// How many entries from the front are an unbroken, final run.
  var prefix = 0
  /// Records that the cursor covers, and whether its own was among them.
  var skipped = 0
  var sawCursorRecord = false
  /// A packet that could not be read: nothing says which record it was.
  var isDamaged = false
  /// A packet that could not be read but for its number.
  var damaged: [UInt16] = []
  /// What the meter named as its newest record.
  var newestSeen: Identity?
  /// Where the cursor stands after this procedure, when it moved.
  var moved: ResumeCursor?
  /// What the meter's numbers were before, and are now.
  var numbers: NumberLog
  /// Whether this user has read the meter before.
  let hasCursor: Bool
  /// A record that cannot be where it is: nothing from there on is taken, and the whole memory is looked at.
  var isDoubtful = false
  /// The measurement that may turn out to be a multi-meter's with the next one.
  var ahead: Waiting?
  /// The filler that came last, in a memory that is sent newest first.
  var filler: GlucoseMeasurement?
  /// What was not taken for a doubt. A meter may delete it behind its answer, so that the whole memory does not bring it again.
  var left: [GlucoseMeasurement] = []
  /// What is judged together, at the end.
  var pairing = ContextPairing()
  /// A record judged together lacks the context that names its analyte.
  var hasUnnamed = false

  init(
    _ request: ReportRequest, _ quirks: Quirks, cursor: ResumeCursor?, epoch: UInt16, knownNewest: Identity? = nil,
    numbers: NumberLog, hasCursor: Bool, contextsFollow: Bool, left: [GlucoseMeasurement] = []
  ) {
    self.left = left
    self.numbers = numbers
    self.hasCursor = hasCursor
    self.contextsFollow = contextsFollow
    self.request = request
    self.quirks = quirks
    self.cursor = cursor
    self.epoch = epoch
    self.knownNewest = knownNewest
  }

  // MARK: Arrivals

  /// Takes a measurement.
  ///
  /// - Returns: false when more measurements wait for the context that decides than any meter holds.
  mutating func take(_ measurement: GlucoseMeasurement, _ output: inout Output) -> Bool {
    let identity = Identity(measurement, noClock: quirks.noClock)
    awaitsContext = measurement.contextFollows
    if request == .newest {
      newestSeen = identity
      return true
    }
    if request.isJudgedTogether { return pairing.take(measurement) }
    guard !isDoubtful, isWanted(measurement, identity) else {
      if isDoubtful { leave(measurement) }
      return true
    }
    lookBack(from: measurement, &output)
    entries.append(Entry(identity: identity, state: .final, hasReading: measurement.hasReading))
    let entry = entries.count - 1
    let context = measurement.contextFollows ? takeEarly(measurement.sequence) : nil
    (last, lastContext) = (entry, nil)
    if !measurement.hasReading {
      if measurement.isFiller { filler = measurement }
      output.log(.warning, "no reading (NaN, filler or below zero), sequence", UInt64(measurement.sequence))
    } else if context == nil, !mustWait(measurement), measurement.mayBeUnmarked, !isMultiMeter {
      entries[entry].state = .waiting
      ahead = Waiting(measurement: measurement, entry: entry)
    } else if context != nil || !mustWait(measurement) && !mayTurnOutKetone(measurement) {
      emit(measurement, context, &output)
      if context == nil { open = entry }
    } else {
      entries[entry].state = .waiting
      waiting.append(Waiting(measurement: measurement, entry: entry))
      if !limitWaiting(&output) { return false }
    }
    movePrefix(&output)
    return true
  }

  /// Whether a record is to be taken: it has not come before, the cursor does not cover it, and nothing speaks against its place. A number
  /// that stands twice has begun again.
  private mutating func isWanted(_ measurement: GlucoseMeasurement, _ identity: Identity) -> Bool {
    if let cursor, cursor.newest == identity {
      sawCursorRecord = true
      return isSkipped()
    }
    if let place = entries.lastIndex(where: { $0.identity.sequence == identity.sequence }) {
      // Meters repeat a notification whose acknowledgement they missed.
      guard entries[place].identity == identity else { return doubt() }
      (last, lastContext) = (place, nil)
      return false
    }
    if cursor?.newest.sequence == identity.sequence { return doubt() }
    if !quirks.noClock, numbers.contradicts(measurement, cursor) { return doubt() }
    if request == .all, let cursor, cursor.distance(to: measurement.sequence) <= 0 { return isSkipped() }
    return true
  }

  private mutating func isSkipped() -> Bool {
    skipped += 1
    (last, lastContext) = (nil, nil)
    return false
  }

  private mutating func doubt() -> Bool {
    isDoubtful = true
    putBack()
    if let ahead { leave(ahead.measurement) }
    for item in waiting { leave(item.measurement) }
    return false
  }

  private mutating func leave(_ measurement: GlucoseMeasurement) {
    if left.count < Transfer.decidingLimit { left.append(measurement) }
  }

  /// Notes a measurement that could not be read, so that the cursor stays before it.
  mutating func takeDamaged(_ bytes: RawSpan) {
    var reader = ByteReader(bytes)
    do throws(DecodeError) {
      try reader.skip(1)
      damaged.append(try reader.uint16())
    } catch {
      isDamaged = true
    }
    if damaged.count > Transfer.memory { isDamaged = true }
  }

  // MARK: Emission

  /// Under `context_decides` even a measurement that announces no context waits for the end of the procedure: a
  /// context that comes after all must not find it delivered as glucose (rule R26).
  private func mustWait(_ measurement: GlucoseMeasurement) -> Bool {
    quirks.contextDecides || measurement.contextFollows
  }

  /// - Parameter isUnclear: Which of several contexts is this one's is not known.
  mutating func emit(
    _ measurement: GlucoseMeasurement, _ context: GlucoseContext?, isUnclear: Bool = false, _ output: inout Output
  ) {
    if isMultiMeter, measurement.mayBeUnmarked, measurement.isBelowGlucose { numbers.hasShownKetone = true }
    do throws(DecodeError) {
      try measurement.emit(
        context, mark, noClock: quirks.noClock, ketoneMealCode: quirks.ketoneMealCode, isUnclear: isUnclear,
        &output.records)
    } catch {
      output.log(.warning, "the analyte's unit is not known, no reading, sequence", UInt64(measurement.sequence))
      return
    }
    if context == nil, !isUnclear {
      if bare.count >= Transfer.waitingLimit { bare.removeFirst() }
      bare.append(measurement)
    }
  }

  private mutating func limitWaiting(_ output: inout Output) -> Bool {
    guard waiting.count > Transfer.waitingLimit else { return true }
    if let index = waiting.firstIndex(where: { !mustHaveContext($0.measurement) }) {
      let oldest = waiting.remove(at: index)
      if !deliver(oldest, &output) { waiting.append(oldest) }
      return true
    }
    return waiting.count <= Transfer.decidingLimit
  }

  func mustHaveContext(_ measurement: GlucoseMeasurement) -> Bool {
    quirks.contextDecides && measurement.contextFollows
  }

  // MARK: The end

  /// The meter says that it has sent everything: what still waits is delivered without its context, unless the context
  /// decides, and the cursor moves as far as everything is final.
  mutating func succeed(_ output: inout Output) {
    if request == .newest { return }
    if request.isJudgedTogether {
      judge(&output)
      return emitLeft(&output)
    }
    release(&output)
    for item in waiting where !isDoubtful {
      output.log(
        .warning, "not delivered: the context that names the analyte did not come, sequence",
        UInt64(item.measurement.sequence))
    }
    remember(isWhole: !isDoubtful)
    // Without the cursor's own record this is another memory, or a later life of it.
    var isOther = false
    if case .from = request { isOther = !sawCursorRecord }
    if isOther, !isBroken { isDoubtful = true }
    guard !isDoubtful, !isOther else { return }
    if NumberLog.showsTwoLives(entries.map { $0.identity }) { numbers.holdsTwoLives = true }
    moveToEnd(&output)
  }

  /// Notes where each record of this procedure was.
  ///
  /// - Parameter isWhole: Nothing more belongs to any of them. Else those that may get a context are left out, for what is noted is not
  ///   read again.
  private mutating func remember(isWhole: Bool) {
    guard !quirks.noClock else { return }
    var awaited = [Bool](repeating: false, count: isWhole ? 0 : 65536)
    if !isWhole {
      for context in early { awaited[Int(context.sequence)] = true }
      if let open { awaited[Int(entries[open].identity.sequence)] = true }
    }
    for entry in entries where entry.state == .final && entry.hasReading {
      if !isWhole, awaited[Int(entry.identity.sequence)] { continue }
      numbers.add(entry.identity, number: entry.identity.sequence)
    }
  }

  /// The procedure broke off: what waits is delivered without its context, unless the context decides. The cursor stays
  /// before it, so that the next session brings the context.
  mutating func breakOff(_ output: inout Output) {
    guard !request.isJudgedTogether else { return emitLeft(&output) }
    putBack()
    if let ahead { waiting.append(ahead) }
    ahead = nil
    remember(isWhole: false)
    guard !quirks.contextDecides, !isDoubtful else { return }
    // What a ketone behind the break may still make doubtful comes with the next session, and so does what has a context, but not for sure.
    for item in waiting
    where !isKnown(item.measurement) && !mayTurnOutKetone(item.measurement)
      && match(item.measurement.sequence) == .missing
    {
      emit(item.measurement, nil, &output)
    }
    waiting.removeAll()
  }

  /// Whether an earlier procedure delivered the record with all that belongs to it: alone it would take its context back.
  func isKnown(_ measurement: GlucoseMeasurement) -> Bool {
    let identity = Identity(measurement, noClock: quirks.noClock)
    return numbers.known.contains { $0.identity == identity }
  }
}
