import CMeterDriver
import MeterDriver

// The session: spot-checks are results and continuous values progress; of a meter that has no spot-checks, the value that
// it has validated or that has settled is the result.
extension OximeterDriver {
  mutating func handle(_ event: borrowing Event, _ output: inout Output) throws(DriverError) {
    guard phase != .ended else { return }
    switch event {
    case .services(let database): start(database, &output)
    case .encrypted(let level): if phase == .pairing, level >= 2 { finish(&output) }
    case .servicesChanged: forgetServices(&output)
    case .read(let token, let value, let status): readFeatures(token, value, status)
    case .subscribed(let token, let status): subscribed(token, status, &output)
    case .notification(let handle, let value), .indication(let handle, let value):
      try received(handle, value, &output)
    case .timer(let token): if token == Token.silence { fellSilent(&output) }
    case .cancel: finish(&output)
    case .disconnected: disconnected(&output)
    default: break
    }
  }

  /// Only continuous values: the driver has to find the result among them.
  private var choosesResult: Bool { spotCheckHandle == 0 }

  // MARK: Setting up

  private mutating func start(_ database: GATTDatabase, _ output: inout Output) {
    guard phase == .idle else { return }
    if purpose == .pair {
      phase = .pairing
      if isEncrypted { finish(&output) } else { output.pair() }
      return
    }
    if let found = database.characteristic(0x2a5e, in: 0x1822), found.canSubscribe { spotCheckHandle = found.handle }
    if let found = database.characteristic(0x2a5f, in: 0x1822), found.canSubscribe { continuousHandle = found.handle }
    guard spotCheckHandle != 0 || continuousHandle != 0 else {
      fail(
        .unsupportedMeter, "The meter has no pulse oximetry measurement. Check that the right meter is chosen.", &output
      )
      return
    }
    phase = .subscribing
    if choosesResult, let features = database.characteristic(0x2a60, in: 0x1822), features.canRead {
      output.read(features.handle, token: Token.features)
    }
    if spotCheckHandle != 0 {
      subscriptionsLeft += 1
      output.subscribe(spotCheckHandle, token: Token.spotCheck)
    }
    if continuousHandle != 0 {
      subscriptionsLeft += 1
      output.subscribe(continuousHandle, token: Token.continuous)
    }
  }

  /// Handles may mean something else now: start again at the next list of services.
  private mutating func forgetServices(_ output: inout Output) {
    phase = .idle
    spotCheckHandle = 0
    continuousHandle = 0
    subscriptionsLeft = 0
    cannotValidate = false
    steady = SteadyValue()
    output.cancelTimer(Token.silence)
  }

  /// PLX Features: bit 0 of the first word announces the second, which has the bits of the measurement status that the
  /// meter can tell (Pulse Oximeter Service 1.0.1, 3.3).
  private mutating func readFeatures(_ token: UInt64, _ value: RawSpan, _ status: Int32) {
    guard token == Token.features, status == 0 else { return }
    var reader = ByteReader(value)
    do throws(DecodeError) {
      guard try reader.uint16() & 1 != 0 else { return }
      cannotValidate = !MeasurementStatus(rawValue: try reader.uint16()).isValidated
    } catch {}
  }

  private mutating func subscribed(_ token: UInt64, _ status: Int32, _ output: inout Output) {
    guard phase == .subscribing else { return }
    if status != 0 {
      guard token == Token.continuous, !choosesResult else {
        fail(
          .communication, subcode: status, "The oximeter refused to send readings. Pair it again and retry.", &output)
        return
      }
      output.log(.warning, "the meter refuses continuous values; going on without, ATT error", UInt64(status.magnitude))
    }
    subscriptionsLeft -= 1
    guard subscriptionsLeft == 0 else { return }
    phase = .measuring
    output.ready()
    // A meter may send its results as soon as the first subscription is in place.
    let limit = hasReading ? OximeterDriver.idleAfterReading : OximeterDriver.noReadingAfter
    output.timer(Token.silence, after: limit)
  }

  // MARK: Measuring

  private mutating func received(_ handle: UInt16, _ value: RawSpan, _ output: inout Output) throws(DriverError) {
    guard phase == .subscribing || phase == .measuring, handle != 0 else { return }
    if handle == spotCheckHandle {
      try takeSpotCheck(value, &output)
    } else if handle == continuousHandle {
      try takeContinuous(value, &output)
    }
  }

  private mutating func takeSpotCheck(_ value: RawSpan, _ output: inout Output) throws(DriverError) {
    let spotCheck: PulseOximetry
    do throws(DecodeError) {
      spotCheck = try PulseOximetry(spotCheck: value)
    } catch {
      throw refuse(value, output)
    }
    if emit(spotCheck, isResult: true, &output) { hasReading = true }
    // Continuous values go on for ever; only results and what follows them keep the session.
    if phase == .measuring, hasReading { output.timer(Token.silence, after: OximeterDriver.idleAfterReading) }
  }

  private mutating func takeContinuous(_ value: RawSpan, _ output: inout Output) throws(DriverError) {
    let measurement: PulseOximetry
    do throws(DecodeError) {
      measurement = try PulseOximetry(continuous: value)
    } catch {
      throw refuse(value, output)
    }
    let isResult = choosesResult && isFinal(measurement, at: output.monotonicNanoseconds)
    let isThere = emit(measurement, isResult: isResult, &output)
    guard isResult, isThere else { return }
    hasReading = true
    finish(&output)
  }

  /// Validated or fully qualified by the meter; or, from a meter that does not tell, steady.
  private mutating func isFinal(_ measurement: PulseOximetry, at nanoseconds: UInt64) -> Bool {
    guard measurement.reading != nil else {
      _ = steady.take(nil, at: nanoseconds)
      return false
    }
    if let status = measurement.measurementStatus, !cannotValidate { return status.isValidated }
    return steady.take(measurement.reading, at: nanoseconds)
  }

  private func emit(_ measurement: PulseOximetry, isResult: Bool, _ output: inout Output) -> Bool {
    do throws(DecodeError) {
      try measurement.emit(noClock: noClock, isResult: isResult, &output.records)
      return true
    } catch {
      if !measurement.isContinuous {
        output.log(.warning, "no reading: missing, not a person's, or taken off the finger")
      }
      return false
    }
  }

  private func refuse(_ value: RawSpan, _ output: borrowing Output) -> DriverError {
    output.log(.warning, "a packet was refused: it is shorter than its flags say; bytes", UInt64(value.byteCount))
    return .protocolViolation
  }

  // MARK: Endings

  private mutating func fellSilent(_ output: inout Output) {
    guard phase == .measuring else { return }
    if hasReading {
      finish(&output)
    } else {
      fail(
        .noReading, "The oximeter sent no reading. Put it on a warm finger, hold still and read again.", &output)
    }
  }

  private mutating func disconnected(_ output: inout Output) {
    phase = .ended
    if hasReading {
      output.finish()
    } else {
      output.fail(
        .communication, "The oximeter went away before it sent a result. Leave the finger in until it has been read.")
    }
  }

  private mutating func finish(_ output: inout Output) {
    if phase == .measuring { output.cancelTimer(Token.silence) }
    phase = .ended
    output.finish()
  }

  private mutating func fail(_ failure: Failure, subcode: Int32 = 0, _ text: StaticString, _ output: inout Output) {
    phase = .ended
    output.fail(failure, subcode: UInt64(UInt32(bitPattern: subcode)), text)
  }
}
