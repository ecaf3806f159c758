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
  /// Contexts that came before their measurement.
  var early: [GlucoseContext] = []
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
  /// What is judged together, at the end.
  var together: [GlucoseMeasurement] = []
  var contexts: [GlucoseContext] = []
  /// A record judged together lacks the context that names its analyte.
  var hasUnnamed = false

  init(
    _ request: ReportRequest, _ quirks: Quirks, cursor: ResumeCursor?, epoch: UInt16, knownNewest: Identity? = nil,
    numbers: NumberLog, hasCursor: Bool
  ) {
    self.numbers = numbers
    self.hasCursor = hasCursor
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
    if request == .newest {
      newestSeen = identity
      return true
    }
    if request.isJudgedTogether {
      // The same packet again, under the same number, is a repeat, however late.
      let sent = Identity(measurement, noClock: false)
      if !together.contains(where: { Identity($0, noClock: false) == sent }) { together.append(measurement) }
      return together.count <= Transfer.decidingLimit
    }
    if !quirks.noClock, numbers.contradicts(measurement, cursor) { isDoubtful = true }
    if isDoubtful { return true }
    if request == .all, let cursor, cursor.distance(to: measurement.sequence) <= 0 {
      skipped += 1
      if cursor.newest == identity { sawCursorRecord = true }
      return true
    }
    // Meters repeat a notification whose acknowledgement they missed.
    if entries.suffix(16).contains(where: { $0.identity == identity }) { return true }
    lookBack(from: measurement, &output)
    entries.append(Entry(identity: identity, state: .final, hasReading: measurement.hasReading))
    let entry = entries.count - 1
    let context = takeEarly(measurement.sequence)
    if !measurement.hasReading {
      if measurement.isFiller { filler = measurement }
      output.log(.warning, "no reading (NaN, filler or below zero), sequence", UInt64(measurement.sequence))
    } else if context == nil, !mustWait(measurement), measurement.mayBeUnmarked, !isMultiMeter {
      entries[entry].state = .waiting
      ahead = Waiting(measurement: measurement, entry: entry)
    } else if context != nil || !mustWait(measurement) && !mayTurnOutKetone(measurement) {
      emit(measurement, context, &output)
    } else {
      entries[entry].state = .waiting
      waiting.append(Waiting(measurement: measurement, entry: entry))
      if !limitWaiting(&output) { return false }
    }
    movePrefix(&output)
    return true
  }

  mutating func take(_ context: GlucoseContext, _ output: inout Output) {
    if request.isJudgedTogether {
      if contexts.count < Transfer.decidingLimit { contexts.append(context) }
      return
    }
    if let waiting = ahead, waiting.measurement.sequence == context.sequence {
      ahead = nil
      entries[waiting.entry].state = .final
      emit(waiting.measurement, context, &output)
      movePrefix(&output)
      return
    }
    if let index = waiting.lastIndex(where: { $0.measurement.sequence == context.sequence }) {
      let found = waiting.remove(at: index)
      entries[found.entry].state = .final
      emit(found.measurement, context, &output)
      movePrefix(&output)
    } else if let index = bare.lastIndex(where: { $0.sequence == context.sequence }) {
      // The same identity bytes again: the host keeps it as a revision of the record that it has.
      emit(bare.remove(at: index), context, &output)
    } else {
      if early.count >= Transfer.waitingLimit { early.removeFirst() }
      early.append(context)
    }
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

  // MARK: Multi-meters

  private var isMultiMeter: Bool { numbers.isMultiMeter || quirks.sendsUnmarkedKetone || quirks.mayBeMultiMeter }

  var mark: AnalyteMark {
    if quirks.sendsUnmarkedKetone { return .noneOfKnownModel }
    if quirks.mayBeMultiMeter || numbers.hasShownKetone { return .none }
    return numbers.isMultiMeter ? .uncertain : .profile
  }

  /// Knows by the record that comes behind a measurement, or came before it, whether the meter is one that fills in empty records.
  private mutating func lookBack(from measurement: GlucoseMeasurement?, _ output: inout Output) {
    if let measurement {
      if let ahead, measurement.isFiller(after: ahead.measurement) { numbers.isMultiMeter = true }
      if let filler, filler.isFiller(after: measurement) { numbers.isMultiMeter = true }
    }
    guard let last = ahead else { return }
    ahead = nil
    if mayTurnOutKetone(last.measurement) { return waiting.append(last) }
    entries[last.entry].state = .final
    emit(last.measurement, nil, &output)
  }

  /// Of a meter that fills in empty records a ketone may still come, which makes those doubtful that came before it.
  private func mayTurnOutKetone(_ measurement: GlucoseMeasurement) -> Bool {
    mark == .uncertain && measurement.mayBeUnmarked && measurement.mayBeKetone
  }

  // MARK: Emission

  /// Under `context_decides` even a measurement that announces no context waits for the end of the procedure: a
  /// context that comes after all must not find it delivered as glucose (rule R26).
  private func mustWait(_ measurement: GlucoseMeasurement) -> Bool {
    quirks.contextDecides || measurement.contextFollows
  }

  private mutating func takeEarly(_ sequence: UInt16) -> GlucoseContext? {
    early.lastIndex { $0.sequence == sequence }.map { early.remove(at: $0) }
  }

  private mutating func emit(
    _ measurement: GlucoseMeasurement, _ context: GlucoseContext?, _ output: inout Output
  ) {
    if isMultiMeter, measurement.mayBeUnmarked, measurement.isBelowGlucose { numbers.hasShownKetone = true }
    do throws(DecodeError) {
      try measurement.emit(
        context, mark, noClock: quirks.noClock, ketoneMealCode: quirks.ketoneMealCode, &output.records)
    } catch {
      output.log(.warning, "the analyte's unit is not known, no reading, sequence", UInt64(measurement.sequence))
      return
    }
    if context == nil {
      if bare.count >= Transfer.memory { bare.removeFirst() }
      bare.append(measurement)
    }
  }

  private mutating func limitWaiting(_ output: inout Output) -> Bool {
    guard waiting.count > Transfer.waitingLimit else { return true }
    if let index = waiting.firstIndex(where: { !mustHaveContext($0.measurement) }) {
      let oldest = waiting.remove(at: index)
      entries[oldest.entry].state = .final
      emit(oldest.measurement, nil, &output)
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
    if request.isJudgedTogether { return judge(&output) }
    release(&output)
    if !isDoubtful { moveToEnd(&output) }
    remember(&output)
  }

  /// Delivers what waits for more: a meter may delete what it has sent as soon as its answer is confirmed.
  mutating func release(_ output: inout Output) {
    lookBack(from: nil, &output)
    if isMultiMeter, waiting.contains(where: { $0.measurement.mayBeUnmarked && $0.measurement.isBelowGlucose }) {
      numbers.hasShownKetone = true
    }
    var left: [Waiting] = []
    for item in waiting {
      if mustHaveContext(item.measurement) {
        output.log(
          .warning, "not delivered: the context that names the analyte did not come, sequence",
          UInt64(item.measurement.sequence))
        left.append(item)
      } else {
        entries[item.entry].state = .final
        emit(item.measurement, nil, &output)
      }
    }
    waiting = left
  }

  /// Notes where each record of this procedure was.
  private mutating func remember(_ output: inout Output) {
    guard !quirks.noClock else { return }
    for entry in entries where entry.state == .final && entry.hasReading {
      numbers.add(entry.identity, number: entry.identity.sequence)
    }
  }

  /// The procedure broke off: what waits is delivered without its context, unless the context decides. The cursor stays
  /// before it, so that the next session brings the context.
  mutating func breakOff(_ output: inout Output) {
    guard !request.isJudgedTogether else { return }
    lookBack(from: nil, &output)
    remember(&output)
    guard !quirks.contextDecides else { return }
    // What a ketone behind the break may still make doubtful comes with the next session.
    for item in waiting where !isKnown(item.measurement) && !mayTurnOutKetone(item.measurement) {
      emit(item.measurement, nil, &output)
    }
    waiting.removeAll()
  }

  /// Whether an earlier procedure delivered the record with all that belongs to it: alone it would take its context back.
  private func isKnown(_ measurement: GlucoseMeasurement) -> Bool {
    let identity = Identity(measurement, noClock: quirks.noClock)
    return numbers.known.contains { $0.identity == identity }
  }
}
