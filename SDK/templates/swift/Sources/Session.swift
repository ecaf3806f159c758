import CMeterDriver
import MeterDriver

// The cursor is the identity of the newest committed reading. The meter is asked for that one and all after it: if it
// still has it, the memory is the one that the cursor belongs to; if not, everything is read again and the host knows by
// their identities which readings it has. So neither a cleared memory nor a new numbering loses a reading.
extension Driver {
  mutating func handle(_ event: borrowing Event, _ output: inout Output) throws(DriverError) {
    guard phase != .ended else { return }
    switch event {
    case .services(let database): start(database, &output)
    case .servicesChanged: forgetServices(&output)
    case .subscribed(_, let status): try subscribed(status, &output)
    case .wrote(let token, let status): wrote(token, status, &output)
    case .notification(let handle, let value): if handle == measurementHandle { try received(value, &output) }
    case .indication(let handle, let value): if handle == controlHandle { try answered(value, &output) }
    case .timer(Token.silence): fail(.timeout, "The meter stopped sending. Keep it near and read it again.", &output)
    case .cancel: cancelled(&output)
    case .disconnected:
      fail(.communication, "The meter went away before it had sent everything. Read it again.", &output)
    default: break
    }
  }

  // MARK: Setting up

  private mutating func start(_ database: GATTDatabase, _ output: inout Output) {
    guard phase == .idle else { return }
    guard let measurement = database.characteristic(0x2a18, in: 0x1808), measurement.canSubscribe,
      let control = database.characteristic(0x2a52, in: 0x1808), control.canSubscribe
    else {
      fail(
        .unsupportedMeter, "The meter does not offer its readings. Check that the right meter is chosen.", &output)
      return
    }
    measurementHandle = measurement.handle
    controlHandle = control.handle
    phase = .subscribing
    subscriptionsLeft = 2
    output.subscribe(measurementHandle, token: Token.measurement)
    output.subscribe(controlHandle, token: Token.controlPoint)
  }

  /// Handles may mean something else now: start again at the next list of services.
  private mutating func forgetServices(_ output: inout Output) {
    phase = .idle
    output.cancelTimer(Token.silence)
  }

  private mutating func subscribed(_ status: Int32, _ output: inout Output) throws(DriverError) {
    guard phase == .subscribing else { return }
    guard status == 0 else {
      fail(.communication, subcode: status, "The meter refused to send its readings. Read it again.", &output)
      return
    }
    guard subscriptionsLeft == 1 else {
      subscriptionsLeft -= 1
      return
    }
    // What throws comes first: nothing of the driver's state has changed then.
    cursor = Cursor.read(try output.stored(Cursor.key))
    output.ready()
    if let cursor, cursor.sequence != Cursor.lastSequence {
      ask(.from(cursor.sequence), &output)
    } else {
      ask(.all, &output)
    }
  }

  private mutating func ask(_ request: Request, _ output: inout Output) {
    phase = .reading
    transfer = Transfer(request: request)
    output.write(controlHandle, request.bytes, token: Token.request)
    output.timer(Token.silence, after: Driver.silenceLimit)
  }

  private mutating func wrote(_ token: UInt64, _ status: Int32, _ output: inout Output) {
    guard phase == .reading, token == Token.request, status != 0 else { return }
    fail(.communication, subcode: status, "The meter refused the request for readings. Read it again.", &output)
  }

  // MARK: Reading

  private mutating func received(_ value: RawSpan, _ output: inout Output) throws(DriverError) {
    guard phase == .reading else { return }
    let reading: Measurement
    do throws(DecodeError) {
      reading = try Measurement(value)
    } catch {
      output.log(.warning, "a packet was refused: it is shorter than its flags say")
      isDamaged = true
      throw .protocolViolation
    }
    output.timer(Token.silence, after: Driver.silenceLimit)
    guard transfer.take(Identity(reading), cursor: cursor) else { return }
    do throws(DecodeError) {
      try reading.emit(&output.records)
    } catch {
      output.log(.info, "the meter could not measure this one; no reading, number", UInt64(reading.sequence))
    }
    received += 1
    output.progress(done: received)
  }

  private mutating func answered(_ value: RawSpan, _ output: inout Output) throws(DriverError) {
    guard phase == .reading else { return }
    var reader = ByteReader(value)
    let (operation, request, result): (UInt8, UInt8, UInt8)
    do throws(DecodeError) {
      operation = try reader.uint8()
      try reader.skip(1)
      request = try reader.uint8()
      result = try reader.uint8()
    } catch {
      throw .protocolViolation
    }
    guard operation == 0x06, request == 0x01 else { return }
    // 1: success, 6: no records found.
    if result == 1 || result == 6 {
      reported(&output)
    } else if transfer.request != .all {
      output.log(.info, "the meter does not filter by number, reading all; response", UInt64(result))
      ask(.all, &output)
    } else {
      fail(.meterError, subcode: Int32(result), "The meter could not send its readings. Read it again.", &output)
    }
  }

  /// The meter has sent what it was asked for. The cursor moves once, here, so that it never passes what did not come.
  private mutating func reported(_ output: inout Output) {
    let ended = transfer
    if ended.request != .all, !ended.sawCursor {
      output.log(.info, "the cursor's reading is not in the meter any more, reading all")
      ask(.all, &output)
      return
    }
    guard !isDamaged else {
      fail(.meterError, "The meter sent a reading that cannot be read. Update the driver.", &output)
      return
    }
    if let newest = ended.newest { output.store(Cursor.bytes(newest), as: Cursor.key) }
    if ended.request != .all, ended.newest?.sequence == Cursor.lastSequence {
      ask(.all, &output)
      return
    }
    output.cancelTimer(Token.silence)
    phase = .ended
    output.finish()
  }

  // MARK: Endings

  private mutating func cancelled(_ output: inout Output) {
    if phase == .reading { output.write(controlHandle, [0x03, 0x00], token: Token.abort) }
    phase = .ended
    output.finish()
  }

  private mutating func fail(
    _ failure: Failure, subcode: Int32 = 0, _ text: StaticString, _ output: inout Output
  ) {
    phase = .ended
    output.fail(failure, subcode: UInt64(UInt32(bitPattern: subcode)), text)
  }
}
