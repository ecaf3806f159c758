import CMeterDriver
import MeterDriver

// What each reply means, and what is asked next. The acknowledgement of a reply leaves in the unit that holds what the
// reply said, so the host sends it after the commit (rule R25).
extension OneTouchDriver {
  mutating func answered(
    _ command: Command, _ payload: [UInt8], _ acknowledgement: [UInt8], _ output: inout Output
  ) {
    let status = payload.first ?? 0
    let body = payload.dropFirst()
    switch (command, status) {
    case (_, ReplyStatus.notAllowed):
      write(acknowledgement, &output)
      pairOrFail(subcode: Int32(status), &output)
    case (.readClock, ReplyStatus.success) where body.count >= 4:
      tookClock(littleEndian(body, body.startIndex, 4), &output)
      ask(.readNewestNumber, after: acknowledgement, &output)
    case (.readNewestNumber, ReplyStatus.success) where body.count >= 4:
      tookNewest(littleEndian(body, body.startIndex, 4), acknowledgement, &output)
    case (.readRecordCount, ReplyStatus.success) where body.count >= 2:
      tookCount(UInt16(littleEndian(body, body.startIndex, 2)), acknowledgement, &output)
    case (.readRecord(let number), ReplyStatus.success):
      tookRecord(number, StoredRecord.read(body), acknowledgement, &output)
    case (.readRecord(let number), ReplyStatus.invalid):
      tookRecord(number, .empty, acknowledgement, &output)
    case (.setClock, _):
      if status == ReplyStatus.success {
        tellClock(0, &output)
      } else {
        output.log(.warning, "the meter did not take the time, status", UInt64(status))
      }
      write(acknowledgement, &output)
      finish(&output)
    default:
      fail(.meterError, subcode: UInt64(status), "The meter could not do what it was asked. Read it again.", &output)
    }
  }

  /// The meter's clock is read before anything else, and stands in a record of its own.
  private mutating func tookClock(_ seconds: UInt32, _ output: inout Output) {
    let host = output.unixMicroseconds / 1_000_000 + utcOffset
    reading.clock = seconds
    reading.clockOffset = MeterClock.civil(seconds) - host
    reading.hostClockIsTrusted = hostClockIsTrusted
    if hostClockIsTrusted { tellClock(reading.clockOffset, &output) }
  }

  /// How far the meter's clock is ahead; said a second time, it was set.
  private func tellClock(_ offset: Int64, _ output: inout Output) {
    output.records.begin()
    output.records.add(Metric(MH_METRIC_CLOCK_OFFSET), Unit(MH_UNIT_SECOND), Decimal(mantissa: offset, exponent: 0))
    output.records.end(.deviceInfo, .live)
  }

  private mutating func tookNewest(_ number: UInt32, _ acknowledgement: [UInt8], _ output: inout Output) {
    guard let newest = UInt16(exactly: number) else {
      write(acknowledgement, &output)
      fail(
        .meterError, subcode: UInt64(number),
        "The meter counts more readings than it can be asked for. Update or replace the meter.", &output)
      return
    }
    reading.newest = newest
    ask(.readRecordCount, after: acknowledgement, &output)
  }

  private mutating func tookCount(_ count: UInt16, _ acknowledgement: [UInt8], _ output: inout Output) {
    let walk = RecordWalk(newest: reading.newest, count: count, newestFirst: since != nil)
    reading.walk = walk
    guard let cursor = reading.cursor, cursor.record.isProof, walk.holds(cursor.number) else {
      // Whatever became of the cursor's record, everything that the memory holds is still to be read.
      reading.cursor = nil
      next(after: acknowledgement, &output)
      return
    }
    // Is the cursor's record still what it was? The number alone would not show a memory that began again.
    ask(.readRecord(cursor.number), after: acknowledgement, &output)
  }

  // MARK: Records

  private mutating func tookRecord(
    _ number: UInt16, _ content: StoredRecord.Content, _ acknowledgement: [UInt8], _ output: inout Output
  ) {
    if let cursor = reading.cursor {
      reading.cursor = nil
      checked(cursor, content, &output)
      next(after: acknowledgement, &output)
      return
    }
    if isRepeat(number, content) {
      output.log(.warning, "a record came again under the next number, asking once more, number", UInt64(number))
      reading.doubted = number
      if exchange.doubt() {
        output.timer(Token.patience, after: OneTouchDriver.quietTime)
      } else {
        fail(.communication, "The meter repeats itself. Switch it off and on and read again.", &output)
      }
      return
    }
    take(number, content, &output)
    advance(content, &output)
    if let walk = reading.walk { output.progress(done: UInt64(walk.asked), total: UInt64(walk.count)) }
    next(after: acknowledgement, &output)
  }

  /// Goes on, and remembers what is still to be found. It stands beside the cursor: numbers behind that are asked for again, so that
  /// what they say is remembered with the record that moves the cursor past them.
  private mutating func advance(_ content: StoredRecord.Content, _ output: inout Output) {
    reading.walk?.advance(hasRecord: content != .empty)
    guard since == nil, !reading.cursorIsHeld, let walk = reading.walk, walk.older != reading.older else { return }
    if let older = walk.older {
      guard older.pending == nil || content != .empty else { return }
      output.store(older.bytes, as: RecordWalk.Older.key)
    } else {
      output.removeStored(RecordWalk.Older.key)
    }
    reading.older = walk.older
  }

  private mutating func checked(
    _ cursor: ReadCursor, _ content: StoredRecord.Content, _ output: inout Output
  ) {
    if content.record == cursor.record {
      reading.walk?.skip(through: cursor.number, leaving: reading.older)
      reading.previous = cursor.record
    } else {
      output.log(.info, "the meter's numbers have started again, reading all records")
    }
  }

  /// A late reply to the command before this one would give a reading twice, under two numbers. Two measurements in one
  /// second with one value do not exist; a meter that says so twice is believed.
  private func isRepeat(_ number: UInt16, _ content: StoredRecord.Content) -> Bool {
    guard let record = content.record, let previous = reading.previous else { return false }
    return record == previous && record.seconds != 0 && reading.doubted != number
  }

  private mutating func take(_ number: UInt16, _ content: StoredRecord.Content, _ output: inout Output) {
    switch content {
    case .empty: output.log(.debug, "no record has the number", UInt64(number))
    case .event(let record):
      output.log(.debug, "no measurement, number", UInt64(number))
      move(to: number, record, &output)
    case .refused(let reason):
      refuse(number, reason, &output)
    case .reading(let record):
      do throws(DecodeError) {
        try reading.append(record, number: number, &output.records)
        move(to: number, record, &output)
        if let since, reading.isBefore(since, record) { reading.walk?.stop() }
      } catch {
        refuse(number, .wrongLength, &output)
      }
    }
    reading.previous = content.record
  }

  private mutating func refuse(_ number: UInt16, _ reason: StoredRecord.Refusal, _ output: inout Output) {
    output.log(.warning, "a record was refused and stays in the meter, number", UInt64(number))
    output.log(.warning, "its reason", reason.rawValue)
    reading.cursorIsHeld = true
    reading.lastRefusal = reason
  }

  /// The cursor follows the records in their own order, oldest first, and never passes one that was refused.
  private func move(to number: UInt16, _ record: StoredRecord, _ output: inout Output) {
    // What lies below was left behind by the cursor, and is remembered by itself.
    guard since == nil, !reading.cursorIsHeld, reading.walk?.isBelow != true else { return }
    output.store(ReadCursor(number: number, record: record).bytes, as: ReadCursor.key)
  }

  // MARK: What comes next

  private mutating func next(after acknowledgement: [UInt8], _ output: inout Output) {
    if let number = reading.walk?.current {
      ask(.readRecord(number), after: acknowledgement, &output)
      return
    }
    if let reason = reading.lastRefusal {
      write(acknowledgement, &output)
      fail(
        .meterError, subcode: reason.rawValue,
        "Records of this meter hold data that MeterHost does not know. They stay in the meter; all others were read.",
        &output)
    } else if reading.walk?.lost ?? 0 > 0 {
      write(acknowledgement, &output)
      fail(
        .meterError, subcode: UInt64(reading.walk?.lost ?? 0),
        "The meter announces more readings than it has given. What came is kept; compare with its display.", &output)
    } else if let seconds = newClock(output) {
      ask(.setClock(seconds), after: acknowledgement, &output)
    } else {
      write(acknowledgement, &output)
      finish(&output)
    }
  }

  /// The time to set, nil when the meter's clock is to be left alone: it is set after the readings, only where the
  /// registry and the host's clock allow it, and only when it is wrong by more than the time that reading it may take.
  private func newClock(_ output: borrowing Output) -> UInt32? {
    guard setsClock, reading.clock != nil, reading.clockOffset.magnitude > 10 else { return nil }
    return MeterClock.seconds(civil: output.unixMicroseconds / 1_000_000 + utcOffset)
  }
}
