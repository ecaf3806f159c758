import CMeterDriver
import MeterDriver

// Which context belongs to which measurement while records arrive. Every number stands once here: where one stands twice, the whole memory
// is judged together (``ContextPairing``).
extension Transfer {
  mutating func take(_ context: GlucoseContext, _ output: inout Output) {
    awaitsContext = false
    if request.isJudgedTogether {
      // What the last answer overtook.
      if contextsFollow, pairing.measurements.isEmpty { return }
      return pairing.take(context)
    }
    guard request != .newest, !isDoubtful else { return }
    let place = last
    (last, lastContext) = (nil, context)
    if let behind {
      if behind.context == context { return }
      putBack()
    }
    guard let place, entries[place].identity.sequence == context.sequence else { return keep(context) }
    if let index = waiting.lastIndex(where: { $0.entry == place && $0.measurement.contextFollows }) {
      // Right behind the measurement that announces it.
      contextsFollow = true
      let found = waiting.remove(at: index)
      entries[place].state = .final
      emit(found.measurement, context, &output)
      movePrefix(&output)
    } else if let item = ahead, item.entry == place {
      ahead = nil
      behind = Behind(item: item, context: context, isEmitted: false)
    } else if place == open, let measurement = bare.last {
      behind = Behind(item: Waiting(measurement: measurement, entry: place), context: context, isEmitted: true)
    } else {
      keep(context)
    }
  }

  /// Keeps a context for the end, where all of its number are known.
  private mutating func keep(_ context: GlucoseContext) {
    guard !early.contains(context) else { return }
    if early.count >= Transfer.decidingLimit { early.removeFirst() }
    early.append(context)
  }

  /// The context that came right before a measurement that announces one, of a meter that sends them so.
  mutating func takeEarly(_ sequence: UInt16) -> GlucoseContext? {
    guard let context = lastContext, context.sequence == sequence, !contextsFollow,
      match(sequence) == .context(context)
    else { return nil }
    early.removeAll { $0 == context }
    return context
  }

  /// What there is for a number whose measurement stands once.
  func match(_ sequence: UInt16) -> ContextMatch {
    var found: GlucoseContext?
    for context in early where context.sequence == sequence {
      if found != nil { return .unclear }
      found = context
    }
    guard let found else { return .missing }
    return .context(found)
  }

  /// The next packet does not speak against it: the context is that of the measurement before it.
  mutating func settle(_ output: inout Output) {
    guard let found = behind else { return }
    behind = nil
    // The same identity bytes again: the host keeps it as a revision of the record that it has.
    if found.isEmitted { bare.removeAll { $0.sequence == found.context.sequence } }
    if !found.isEmitted, mayTurnOutKetone(found.item.measurement) {
      keep(found.context)
      return waiting.append(found.item)
    }
    entries[found.item.entry].state = .final
    emit(found.item.measurement, found.context, &output)
  }

  /// The next packet speaks against it, or does not come: the end decides.
  mutating func putBack() {
    guard let found = behind else { return }
    behind = nil
    keep(found.context)
    if !found.isEmitted { waiting.append(found.item) }
  }

  /// - Returns: False when the record may not be had without a context that did not come.
  mutating func deliver(_ item: Waiting, _ output: inout Output) -> Bool {
    let match = match(item.measurement.sequence)
    if match == .missing, mustHaveContext(item.measurement) { return false }
    entries[item.entry].state = .final
    switch match {
    case .missing: emit(item.measurement, nil, &output)
    case .context(let context): emit(item.measurement, context, &output)
    case .unclear: emit(item.measurement, nil, isUnclear: true, &output)
    }
    return true
  }

  /// Delivers what waits for more.
  mutating func release(_ output: inout Output) {
    guard !isDoubtful, !request.isJudgedTogether else { return }
    lookBack(from: nil, &output)
    if isMultiMeter, waiting.contains(where: { $0.measurement.mayBeUnmarked && $0.measurement.isBelowGlucose }) {
      numbers.hasShownKetone = true
    }
    // Emitted before their context came.
    let late = bare
    bare = []
    for measurement in late {
      if case .context(let context) = match(measurement.sequence) {
        emit(measurement, context, &output)
      } else {
        bare.append(measurement)
      }
    }
    var left: [Waiting] = []
    for item in waiting where !deliver(item, &output) { left.append(item) }
    waiting = left
  }

  /// A context that a measurement announces has not come.
  mutating func lacksContext() -> Bool {
    if request.isJudgedTogether {
      pairing.pair()
      return pairing.lacksContext
    }
    return waiting.contains { $0.measurement.contextFollows && match($0.measurement.sequence) == .missing }
  }
}
