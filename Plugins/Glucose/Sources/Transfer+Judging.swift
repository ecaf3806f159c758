import MeterDriver

// A memory that is judged as a whole: what one record is depends on where the others are.
extension Transfer {
  /// Decides, when the meter has sent everything, whether its numbers are an index, and emits what is to be had.
  mutating func judge(_ output: inout Output) {
    pairing.pair()
    let together = pairing.measurements
    let matches = quirks.noClock ? [Int?](repeating: nil, count: together.count) : numbers.matches(together)
    for (index, measurement) in together.enumerated() where measurement.isFiller {
      let isBehind = index > 0 && measurement.isFiller(after: together[index - 1])
      let isBefore = index + 1 < together.count && measurement.isFiller(after: together[index + 1])
      if isBehind || isBefore { numbers.isMultiMeter = true }
    }
    if numbers.isMultiMeter, together.contains(where: { $0.mayBeUnmarked && $0.isBelowGlucose }) {
      numbers.hasShownKetone = true
    }
    if numbers.isIndex || numbers.showsIndex(together, matches) {
      if !numbers.isIndex {
        output.log(.info, "the meter numbers its records from the newest: reading all of them each time")
      }
      numbers.isIndex = true
      emitIndexed(together, matches, &output)
    } else {
      emitNumbered(together, matches, &output)
    }
  }

  /// The numbers are an index: a record is known by its time and value, and keeps the name under which it was delivered.
  private mutating func emitIndexed(
    _ together: [GlucoseMeasurement], _ matches: [Int?], _ output: inout Output
  ) {
    var newest: Identity?
    let lastKnown = together.indices.filter { matches[$0] != nil }.map { together[$0].sequence }.max()
    for (index, measurement) in together.enumerated() where measurement.hasReading {
      let identity: Identity
      if let match = matches[index] {
        let known = numbers.known[match]
        identity = known.identity
        if !hasCursor || !known.isSure { _ = emit(index, as: identity, isHeld: false, &output) }
        numbers.moved(match, to: measurement.sequence)
      } else if numbers.mayHaveForgotten(measurement, behind: lastKnown) {
        // It was delivered before the log was full, under a name that is forgotten.
        if !hasCursor { _ = emit(index, as: numbers.newIdentity(measurement), isHeld: true, &output) }
        continue
      } else {
        identity = numbers.newIdentity(measurement)
        guard emit(index, as: identity, isHeld: false, &output) else { continue }
        numbers.add(identity, number: measurement.sequence)
      }
      let (time, last) = (identity.baseTime.civilMicroseconds ?? .min, newest?.baseTime.civilMicroseconds ?? .min)
      if newest == nil || time > last { newest = identity }
    }
    if !isBroken, let newest { store(newest, &output) }
  }

  /// The numbers are the meter's own: what was read before has its number still, and is not read again. A record that was known under
  /// another number waits for a person: the clock was set back, or the numbers are an index and this is the first sign of it.
  private mutating func emitNumbered(
    _ together: [GlucoseMeasurement], _ matches: [Int?], _ output: inout Output
  ) {
    for (index, measurement) in together.enumerated() {
      let identity = Identity(measurement, noClock: quirks.noClock)
      let known = matches[index].map { numbers.known[$0] }
      // The person has set the meter to another unit: what was read in the first one is not read again.
      let isInOtherUnit = known.map { $0.identity.isMolePerLitre != identity.isMolePerLitre } ?? false
      let isMoved = known.map { $0.identity != identity && measurement.baseTime.isSet } ?? false
      let isFinal =
        isRead(known, as: identity, isMoved: isMoved, isInOtherUnit: isInOtherUnit)
        || emit(index, as: identity, isHeld: isMoved, &output)
      entries.append(Entry(identity: identity, state: isFinal ? .final : .waiting))
      if !isFinal { waiting.append(Waiting(measurement: measurement, entry: entries.count - 1)) }
      guard !quirks.noClock, isFinal, measurement.hasReading else { continue }
      if let match = matches[index], known?.identity == identity || isMoved || isInOtherUnit {
        numbers.moved(match, to: measurement.sequence)
      } else {
        numbers.add(identity, number: measurement.sequence)
      }
    }
    numbers.holdsTwoLives = NumberLog.showsTwoLives(entries.map { $0.identity })
    if numbers.holdsTwoLives {
      output.log(.info, "the meter's numbering has begun again beside older records: reading all of them each time")
    }
    moveToEnd(&output)
  }

  /// Whether a known record was delivered to this user, with its context: alone, or with another one, it would be revised.
  ///
  /// - Parameter isMoved: It was known under another number at first; it has been delivered under this one if it was seen there.
  private func isRead(
    _ known: NumberLog.Known?, as identity: Identity, isMoved: Bool, isInOtherUnit: Bool
  ) -> Bool {
    guard let known, hasCursor, known.isSure else { return false }
    return known.identity == identity || isInOtherUnit || isMoved && known.number == identity.sequence
  }

  /// - Parameter index: A measurement's place among those that are judged together.
  /// - Returns: False when the record may not be had without a context that did not come.
  private mutating func emit(
    _ index: Int, as identity: Identity, isHeld: Bool, _ output: inout Output
  ) -> Bool {
    let measurement = pairing.measurements[index]
    guard measurement.hasReading else { return true }
    var context: GlucoseContext?
    let match = pairing[index]
    if case .context(let found) = match { context = found }
    if match == .missing, mustHaveContext(measurement) {
      hasUnnamed = true
      output.log(
        .warning, "not delivered: the context that names the analyte did not come, sequence",
        UInt64(measurement.sequence))
      return false
    }
    do throws(DecodeError) {
      try measurement.emit(
        context, mark, noClock: quirks.noClock, ketoneMealCode: quirks.ketoneMealCode, identity: identity,
        isHeld: isHeld, isUnclear: match == .unclear, &output.records)
    } catch {
      output.log(.warning, "the analyte's unit is not known, no reading, sequence", UInt64(measurement.sequence))
    }
    return true
  }

  /// What the doubt has left aside and the whole memory has not brought again: a person says what becomes of it, for its context, if it
  /// had one, is not looked for.
  mutating func emitLeft(_ output: inout Output) {
    let left = left
    self.left = []
    for measurement in left where measurement.hasReading {
      let identity = Identity(measurement, noClock: quirks.noClock)
      if hasCursor && isKnown(measurement) { continue }
      if pairing.measurements.contains(where: { Identity($0, noClock: quirks.noClock) == identity }) { continue }
      output.log(
        .warning, "a record of another life of the memory did not come again, sequence", UInt64(measurement.sequence))
      do throws(DecodeError) {
        try measurement.emit(
          nil, mark, noClock: quirks.noClock, ketoneMealCode: quirks.ketoneMealCode, identity: identity, isHeld: true,
          isUnclear: true, &output.records)
      } catch {
        output.log(.warning, "the analyte's unit is not known, no reading, sequence", UInt64(measurement.sequence))
      }
    }
  }
}
