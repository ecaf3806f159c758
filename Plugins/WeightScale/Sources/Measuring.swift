import CMeterDriver
import MeterDriver

// What becomes of the packets: one record an act of weighing, each weight once.
extension WeightScaleDriver {
  mutating func take(_ weight: WeightMeasurement, _ bytes: [UInt8], _ output: inout Output) {
    // Sent again because its confirmation was lost, or by a scale that sends its memory at every connection.
    if let act, act.weight == bytes, act.isStored(quirks) {
      hasResult = true
      return
    }
    if var known = act, known.precedes(weight, quirks) {
      join(&known, weight, bytes, &output)
      return
    }
    settle(&output)
    var next = Act(weight: bytes)
    // What cannot be kept is delivered before it is confirmed: the scale deletes it then (rule R25).
    if compositionHandle == 0 || !isRemembered { deliver(&next, &output) }
    keep(next, &output)
  }

  /// Takes the weight that a composition has waited for.
  private mutating func join(
    _ known: inout Act, _ weight: WeightMeasurement, _ bytes: [UInt8], _ output: inout Output
  ) {
    let packets = known.composition.indices.map { known.packet($0, quirks) }
    if !packets.allSatisfy({ $0?.isBelievable(beside: weight) == true }) {
      output.log(.warning, "a body composition that does not fit its weight was left out")
      known.composition = []
    }
    known.weight = bytes
    known.isLeft = false
    if known.isComplete(quirks) || !isRemembered { deliver(&known, &output) }
    keep(known, &output)
  }

  mutating func take(_ composition: BodyComposition, _ bytes: [UInt8], _ output: inout Output) {
    if let act, act.composition.contains(where: { $0 == bytes }), act.isStored(quirks) { return }
    let belongs = act?.takes(composition, quirks) == true
    guard composition.isBelievable(beside: belongs ? act?.measurement(quirks) : nil) else {
      output.log(.warning, "a body composition that cannot be one was left out, bytes", UInt64(bytes.count))
      return
    }
    guard var known = act, belongs else {
      settle(&output)
      var alone = Act(composition: bytes)
      if !isRemembered { deliver(&alone, &output) }
      keep(alone, &output)
      return
    }
    known.composition.append(bytes)
    if known.isComplete(quirks) || !isRemembered { deliver(&known, &output) }
    keep(known, &output)
  }

  /// An act whose composition did not come, or only half, is delivered as it is.
  mutating func settle(_ output: inout Output) {
    guard var unfinished = act, unfinished.isPending else { return }
    deliver(&unfinished, &output)
    keep(unfinished, &output)
  }

  private mutating func deliver(_ finished: inout Act, _ output: inout Output) {
    finished.emit(quirks, &output.records)
    hasResult = true
  }

  private mutating func keep(_ next: Act, _ output: inout Output) {
    act = next
    output.store(next.stored, as: Act.key)
    if isOfEarlierKey { output.removeStored(Act.earlierKey) }
    isOfEarlierKey = false
  }

  /// A packet's bytes; beyond a length that no field reaches nothing is read.
  func copy(_ value: RawSpan) -> [UInt8] {
    let count = min(value.byteCount, 64)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    for index in 0..<count { bytes.append(value.unsafeLoad(fromUncheckedByteOffset: index, as: UInt8.self)) }
    return bytes
  }

  // MARK: Endings

  mutating func fellSilent(_ output: inout Output) {
    switch phase {
    case .consenting: fail(.timeout, "The scale did not answer. Wake it, keep it near and read again.", &output)
    case .measuring where !hasHeard && !hasResult && act?.isPending == true:
      // Nothing is sent again: what the last session left is all that there is, and the person may still step on.
      settle(&output)
      output.timer(Token.silence, after: WeightScaleDriver.noReadingLimit)
    case .measuring:
      if hasResult || act?.isPending == true {
        finish(&output)
      } else {
        fail(.noReading, "The scale sent no reading. Step on it while it is near and read again.", &output)
      }
    default: break
    }
  }

  mutating func disconnected(_ output: inout Output) {
    // The rest of it comes with the next session. As a record of its own that would have no weight to stand by.
    if let act, act.isPending, act.isHalf(quirks), act.isStored(quirks) {
      phase = .ended
      output.fail(.communication, subcode: 0, "The scale went away in the middle of a measurement. Read it again.")
      return
    }
    settle(&output)
    if hasResult {
      finish(&output)
    } else {
      fail(.communication, "The scale went away before it sent a reading. Read it again.", &output)
    }
  }

  mutating func finish(_ output: inout Output) {
    settle(&output)
    phase = .ended
    output.finish()
  }

  mutating func fail(_ failure: Failure, subcode: Int32 = 0, _ text: StaticString, _ output: inout Output) {
    settle(&output)
    phase = .ended
    output.fail(failure, subcode: UInt64(UInt32(bitPattern: subcode)), text)
  }
}
