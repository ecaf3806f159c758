import CMeterDriver
import MeterDriver

// The session: subscribe to everything, one report procedure, finish.
extension GlucoseDriver {
  mutating func handle(_ event: borrowing Event, _ output: inout Output) throws(DriverError) {
    guard phase != .ended else { return }
    switch event {
    case .services(let database): try start(database, &output)
    case .encrypted(let level): finishPairing(level, &output)
    case .servicesChanged: forgetServices(&output)
    case .subscribed(let token, let status): try subscribed(token, status, &output)
    case .wrote(let token, let status): wrote(token, status, &output)
    case .notification(let handle, let value), .indication(let handle, let value):
      try received(handle, value, &output)
    case .timer(let token): if token == Token.inactivity { timedOut(&output) }
    case .cancel: cancelled(&output)
    case .disconnected: disconnected(&output)
    default: break
    }
  }

  // MARK: Setting up

  private mutating func start(_ database: GATTDatabase, _ output: inout Output) throws(DriverError) {
    guard phase == .idle else { return }
    if purpose == .pair {
      phase = .pairing
      if isEncrypted { finish(&output) } else { output.pair() }
      return
    }
    let context = database.characteristic(0x2a34, in: 0x1808)
    guard let measurement = database.characteristic(0x2a18, in: 0x1808), measurement.canSubscribe,
      let controlPoint = database.characteristic(0x2a52, in: 0x1808), controlPoint.canSubscribe, controlPoint.canWrite,
      context != nil || !quirks.contextDecides
    else {
      fail(
        .unsupportedMeter, "The meter lacks a part of the Glucose Profile. Check that the right meter is chosen.",
        &output)
      return
    }
    measurementHandle = measurement.handle
    contextHandle = context?.handle ?? 0
    controlPointHandle = controlPoint.handle
    // All subscriptions before the control point is written (Glucose Profile 4.5).
    phase = .subscribing
    subscriptionsLeft = context == nil ? 2 : 3
    output.subscribe(measurementHandle, token: Token.measurement)
    if context != nil { output.subscribe(contextHandle, token: Token.context) }
    output.subscribe(controlPointHandle, token: Token.controlPoint)
  }

  private mutating func finishPairing(_ level: Int32, _ output: inout Output) {
    if phase == .pairing, level >= 2 { finish(&output) }
  }

  /// Handles may mean something else now: start again at the next list of services.
  private mutating func forgetServices(_ output: inout Output) {
    giveUp(&output)
    transfer = nil
    phase = .idle
    output.cancelTimer(Token.inactivity)
  }

  private mutating func subscribed(
    _ token: UInt64, _ status: Int32, _ output: inout Output
  ) throws(DriverError) {
    guard phase == .subscribing else { return }
    if status != 0 {
      guard token == Token.context, !quirks.contextDecides else {
        fail(.communication, subcode: status, "The meter refused to send readings. Pair it again and retry.", &output)
        return
      }
      contextHandle = 0
      output.log(.warning, "the meter refuses context notifications, ATT error", UInt64(truncatingIfNeeded: status))
    }
    subscriptionsLeft -= 1
    guard subscriptionsLeft == 0 else { return }
    let cursor = try loadCursor(output)
    hasCursor = cursor != nil
    numbers = try NumberLog(output)
    numbers.wantsPart = !isRemembered
    output.ready()
    if numbers.isIndex || numbers.holdsTwoLives {
      ask(.whole, cursor, &output)
    } else if let cursor, !quirks.allOnly, cursor.newest.sequence != .max {
      ask(.from(cursor.newest.sequence), cursor, &output)
    } else {
      ask(.all, cursor, &output)
    }
  }

  private func loadCursor(_ output: borrowing Output) throws(DriverError) -> ResumeCursor? {
    guard let bytes = try output.stored(ResumeCursor.key) else { return nil }
    let cursor = ResumeCursor(bytes)
    if cursor == nil { output.log(.warning, "the stored cursor is of another version; reading all records") }
    return cursor
  }

  private mutating func ask(
    _ request: ReportRequest, _ cursor: ResumeCursor?, knownNewest: Identity? = nil, _ output: inout Output
  ) {
    let epoch = (cursor?.epoch ?? 0) &+ (request == .everything ? 1 : 0)
    transfer = Transfer(
      request, quirks, cursor: request.isJudgedTogether ? nil : cursor, epoch: epoch, knownNewest: knownNewest,
      numbers: numbers, hasCursor: hasCursor, contextsFollow: transfer?.contextsFollow ?? false,
      left: request == .everything ? transfer?.left ?? [] : [])
    phase = .reporting
    hasAskedAgain = false
    hasHeard = false
    output.write(controlPointHandle, request.bytes, token: Token.request)
    output.timer(Token.inactivity, after: GlucoseDriver.inactivityLimit)
  }

  // MARK: Reporting

  private mutating func received(
    _ handle: UInt16, _ value: RawSpan, _ output: inout Output
  ) throws(DriverError) {
    if handle == controlPointHandle, handle != 0 {
      try answered(value, &output)
      return
    }
    guard transfer != nil, handle != 0, handle == measurementHandle || handle == contextHandle else { return }
    hasHeard = true
    do throws(DecodeError) {
      if handle == measurementHandle {
        let measurement = try GlucoseMeasurement(value)
        guard transfer?.take(measurement, &output) == true else {
          fail(.meterError, "The meter announces more contexts than it can hold. Update or replace the meter.", &output)
          return
        }
        received += 1
        output.progress(done: received)
      } else {
        transfer?.take(try GlucoseContext(value), &output)
      }
    } catch {
      if handle == measurementHandle { transfer?.takeDamaged(value) }
      output.log(.warning, "a packet was refused: it is shorter than its flags say; bytes", UInt64(value.byteCount))
      throw .protocolViolation
    }
    switch phase {
    case .reporting: output.timer(Token.inactivity, after: GlucoseDriver.inactivityLimit)
    case .lingering: output.timer(Token.inactivity, after: GlucoseDriver.lingeringLimit)
    default: break
    }
  }

  private mutating func answered(_ value: RawSpan, _ output: inout Output) throws(DriverError) {
    let response: ControlPointResponse?
    do throws(DecodeError) {
      response = try ControlPointResponse(value)
    } catch {
      throw .protocolViolation
    }
    guard let response else { return }
    if phase == .aborting, response.request == ControlPointResponse.abort {
      fail(.timeout, "The meter stopped sending readings. Keep it near and read again.", &output)
    } else if phase == .reporting, response.request == ControlPointResponse.report {
      reported(response.value, &output)
    }
  }

  /// A report procedure ended (response values: GATT Specification Supplement 3.187).
  private mutating func reported(_ value: UInt8, _ output: inout Output) {
    guard var ended = transfer else { return }
    switch value {
    case 1 where ended.mayGoOn(hasContexts: contextHandle != 0):
      // A meter may delete what it has sent as soon as its answer is confirmed. What the context decides waits for it all the same.
      if !quirks.contextDecides { ended.release(&output) }
      transfer = ended
      phase = .lingering
      output.timer(Token.inactivity, after: GlucoseDriver.lingeringLimit)
    case 6 where ended.hasRecords:
      breakOff(&output)
      fail(.meterError, subcode: 6, "The meter sent readings and says that it has none. Read it again.", &output)
    case 1, 6:
      complete(&ended, &output)
    case 3...5 where ended.request.canFallBack, 9 where ended.request.canFallBack:
      output.log(.info, "the meter refuses this request, asking for all records; response", UInt64(value))
      ask(.all, ended.cursor, &output)
    default:
      breakOff(&output)
      fail(.meterError, subcode: Int32(value), "The meter could not send its readings. Read it again.", &output)
    }
  }

  private mutating func complete(_ ended: inout Transfer, _ output: inout Output) {
    ended.succeed(&output)
    transfer = ended
    keepNumbers(&output)
    succeeded(ended, &output)
  }

  /// Decides whether the numbering has started again, which would leave readings behind a cursor that has passed them.
  private mutating func succeeded(_ ended: Transfer, _ output: inout Output) {
    switch ended.request {
    case _ where ended.isDoubtful:
      output.log(.info, "a record is where it cannot be, reading all records")
      ask(.everything, ended.moved ?? ended.cursor, &output)
    case .from where !ended.isBroken && !ended.hasNew:
      // Nothing above the cursor although the meter called: is the cursor's record still the newest?
      hasCursorRecord = ended.sawCursorRecord
      ask(.newest, ended.cursor, &output)
    case .from where ended.moved?.newest.sequence == .max:
      // Numbers after 65535 are smaller ones, which "greater than or equal" left out.
      ask(.all, ended.moved, &output)
    case .newest where ended.newestSeen != nil && ended.newestSeen != ended.cursor?.newest:
      output.log(.info, "the meter's numbering has started again, reading all records")
      ask(.everything, ended.cursor, knownNewest: ended.newestSeen, &output)
    case .all where ended.skipped > 0 && !ended.sawCursorRecord:
      output.log(.info, "the meter's numbering has started again, reading all records")
      ask(.everything, ended.cursor, &output)
    case _ where ended.hasLeft:
      // There is no way to finish with some of them: the person hears of it, and the next read asks for them again.
      fail(
        .meterError,
        "Some readings could not be understood and stay in the meter; all others were read. Read it again.",
        &output)
    default: finish(&output)
    }
  }

  // MARK: Endings

  private mutating func wrote(_ token: UInt64, _ status: Int32, _ output: inout Output) {
    guard status != 0 else { return }
    // Procedure already in progress (Core Specification Supplement, Part B 1.2): it has heard the first request.
    if token == Token.request, hasAskedAgain, status == 0xfe { return }
    if token == Token.request, phase == .reporting {
      breakOff(&output)
      fail(.communication, subcode: status, "The meter refused the request for readings. Read it again.", &output)
    } else if token == Token.abort, phase == .aborting {
      fail(.timeout, subcode: status, "The meter stopped sending readings. Keep it near and read again.", &output)
    }
  }

  private mutating func timedOut(_ output: inout Output) {
    switch phase {
    case .reporting where !hasHeard && !hasAskedAgain:
      // A request that is lost, or that the meter was not ready for, is not answered at all: once is no proof.
      hasAskedAgain = true
      if let transfer { output.write(controlPointHandle, transfer.request.bytes, token: Token.request) }
      output.timer(Token.inactivity, after: GlucoseDriver.inactivityLimit)
    case .reporting:
      breakOff(&output)
      phase = .aborting
      output.write(controlPointHandle, ControlPointResponse.abortRequest, token: Token.abort)
      output.timer(Token.inactivity, after: GlucoseDriver.abortLimit)
    case .lingering:
      guard var ended = transfer else { return }
      complete(&ended, &output)
    case .aborting:
      fail(.timeout, "The meter stopped sending readings. Keep it near and read again.", &output)
    default: break
    }
  }

  private mutating func cancelled(_ output: inout Output) {
    giveUp(&output)
    if phase == .reporting {
      output.write(controlPointHandle, ControlPointResponse.abortRequest, token: Token.abort)
    }
    finish(&output)
  }

  private mutating func disconnected(_ output: inout Output) {
    if phase == .lingering {
      // The meter had said that it is through, and hangs up.
      giveUp(&output)
      if let ended = transfer, !ended.isFollowed, !ended.hasLeft {
        phase = .ended
        transfer = nil
        return output.finish()
      }
    } else if phase == .reporting, transfer?.request == .newest, hasCursorRecord, !hasHeard {
      // Everything asked for has come, and the cursor's record with it. A meter that hangs up behind each answer is not asked more.
      phase = .ended
      transfer = nil
      return output.finish()
    } else {
      breakOff(&output)
    }
    phase = .ended
    transfer = nil
    output.fail(.communication, "The meter went away before it had sent everything. Keep it near and read again.")
  }

  /// The session goes no further. A meter that has said that it is through may have deleted what it sent.
  private mutating func giveUp(_ output: inout Output) {
    guard phase == .lingering, var ended = transfer else { return breakOff(&output) }
    ended.succeed(&output)
    transfer = ended
    keepNumbers(&output)
  }

  private mutating func breakOff(_ output: inout Output) {
    transfer?.breakOff(&output)
    keepNumbers(&output)
  }

  /// What was learned of the meter's numbers, with the records that it was learned from.
  private mutating func keepNumbers(_ output: inout Output) {
    guard let ended = transfer else { return }
    numbers = ended.numbers
    numbers.store(&output)
  }

  private mutating func finish(_ output: inout Output) {
    if phase == .reporting || phase == .lingering { output.cancelTimer(Token.inactivity) }
    phase = .ended
    transfer = nil
    output.finish()
  }

  private mutating func fail(
    _ failure: Failure, subcode: Int32 = 0, _ text: StaticString, _ output: inout Output
  ) {
    phase = .ended
    transfer = nil
    output.fail(failure, subcode: UInt64(UInt32(bitPattern: subcode)), text)
  }
}
