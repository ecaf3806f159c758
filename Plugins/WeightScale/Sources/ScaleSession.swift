import CMeterDriver
import MeterDriver

// The session: an encrypted link where the scale has users, the clock, consent, subscriptions, measurements.
extension WeightScaleDriver {
  mutating func handle(_ event: borrowing Event, _ output: inout Output) throws(DriverError) {
    guard phase != .ended else { return }
    switch event {
    case .services(let database): try start(database, &output)
    case .encrypted(let level): try secured(level, &output)
    case .servicesChanged: forgetServices(&output)
    case .subscribed(let token, let status): try subscribed(token, status, &output)
    case .read(let token, let value, let status): if token == Token.clock { clockWasRead(value, status, &output) }
    case .wrote(let token, let status): wrote(token, status, &output)
    case .notification(let handle, let value), .indication(let handle, let value):
      try received(handle, value, &output)
    case .userInput(let token, let value, let status):
      if token == Token.question { personAnswered(value, status, &output) }
    case .timer(let token): if token == Token.silence { fellSilent(&output) }
    case .cancel: finish(&output)
    case .disconnected: disconnected(&output)
    default: break
    }
  }

  // MARK: Setting up

  private mutating func start(_ database: GATTDatabase, _ output: inout Output) throws(DriverError) {
    guard phase == .idle else { return }
    var stored = try output.stored(Act.key)
    if stored == nil {
      stored = try output.stored(Act.earlierKey)
      isOfEarlierKey = stored != nil
    }
    if purpose != .pair { act = stored.flatMap { Act(stored: $0) } }
    guard !quirks.hasVendorPayload, let weight = database.characteristic(0x2a9d, in: 0x181d), weight.canSubscribe else {
      fail(
        .unsupportedMeter,
        "The scale does not speak the Weight Scale Profile. Check that the right meter is chosen.", &output)
      return
    }
    weightHandle = weight.handle
    let composition = database.characteristic(0x2a9c, in: 0x181b)
    compositionHandle = composition?.canSubscribe == true ? composition?.handle ?? 0 : 0
    let control = database.characteristic(0x2a9f, in: 0x181c)
    controlHandle = control?.canSubscribe == true && control?.canWrite == true ? control?.handle ?? 0 : 0
    let clock = database.characteristic(0x2a2b, in: 0x1805)
    clockHandle = clock?.canWrite == true ? clock?.handle ?? 0 : 0
    clockIsReadable = clock?.canRead == true
    // A scale with users bonds before it enables anything (Weight Scale Profile 1.0, 6.1).
    if !isEncrypted, controlHandle != 0 || purpose == .pair {
      secure(&output)
    } else {
      prepare(&output)
    }
  }

  private mutating func secure(_ output: inout Output) {
    phase = .securing
    output.pair()
  }

  private mutating func secured(_ level: Int32, _ output: inout Output) throws(DriverError) {
    isEncrypted = level >= 2
    if phase == .securing, isEncrypted { prepare(&output) }
  }

  mutating func clockIsSettled(_ output: inout Output) {
    if purpose == .pair, controlHandle == 0 || slot == nil {
      finish(&output)
    } else {
      openControlPoint(&output)
    }
  }

  /// The composition first: a scale sends as soon as the weight's subscription is in place.
  mutating func subscribe(_ output: inout Output) {
    phase = .subscribing
    subscriptionsLeft = compositionHandle == 0 ? 1 : 2
    if compositionHandle != 0 { output.subscribe(compositionHandle, token: Token.composition) }
    output.subscribe(weightHandle, token: Token.weight)
  }

  private mutating func subscribed(_ token: UInt64, _ status: Int32, _ output: inout Output) throws(DriverError) {
    if token == Token.controlPoint, phase == .openingControlPoint {
      if status == 0 { try controlPointOpened(&output) } else { refused(status, &output) }
      return
    }
    guard phase == .subscribing, token == Token.weight || token == Token.composition else { return }
    if status != 0 {
      guard token == Token.composition, !WeightScaleDriver.wantsSecurity(status) || isEncrypted else {
        refused(status, &output)
        return
      }
      output.log(.warning, "the scale refuses its body composition, ATT error", UInt64(truncatingIfNeeded: status))
      compositionHandle = 0
    }
    subscriptionsLeft -= 1
    guard subscriptionsLeft == 0 else { return }
    phase = .measuring
    output.ready()
    waitForMore(&output)
  }

  private static func wantsSecurity(_ status: Int32) -> Bool { status == 0x05 || status == 0x0f }

  /// 0x05 insufficient authentication, 0x0F insufficient encryption, 0x80 user data access not permitted (Weight Scale
  /// Service 1.0, 1.6).
  private mutating func refused(_ status: Int32, _ output: inout Output) {
    if WeightScaleDriver.wantsSecurity(status) {
      if isEncrypted {
        fail(.notPaired, subcode: status, "The scale answers paired gateways only. Pair it and read again.", &output)
      } else {
        secure(&output)
      }
    } else if status == 0x80 {
      fail(
        .owner, subcode: status, "The scale keeps its measurements for its users. Choose your user on it and retry.",
        &output)
    } else {
      fail(.communication, subcode: status, "The scale refused to send readings. Pair it again and retry.", &output)
    }
  }

  private mutating func wrote(_ token: UInt64, _ status: Int32, _ output: inout Output) {
    if token == Token.consent { consentWritten(status, &output) }
    if token == Token.clock { clockWasWritten(status, &output) }
  }

  /// Handles may mean something else now: start again at the next list of services.
  private mutating func forgetServices(_ output: inout Output) {
    phase = .idle
    code = nil
    output.cancelTimer(Token.silence)
  }

  // MARK: Measuring

  private mutating func received(_ handle: UInt16, _ value: RawSpan, _ output: inout Output) throws(DriverError) {
    guard handle != 0 else { return }
    if handle == controlHandle { return try consentAnswered(value, &output) }
    guard phase == .measuring || phase == .subscribing, handle == weightHandle || handle == compositionHandle else {
      return
    }
    do throws(DecodeError) {
      if handle == weightHandle {
        let weight = try WeightMeasurement(value, quirks)
        take(weight, copy(value), &output)
        hasHeard = true
      } else {
        take(try BodyComposition(value, quirks), copy(value), &output)
        hasHeard = true
      }
    } catch .noValue {
      output.log(.info, "no reading: the scale could not measure, or the packet is a placeholder")
    } catch {
      output.log(
        .warning, "a packet was refused: it is not what its characteristic allows; bytes", UInt64(value.byteCount))
      // A vendor's bytes in the place of a composition are no reason to lose the weight.
      guard handle == compositionHandle else { throw .protocolViolation }
    }
    if phase == .measuring { waitForMore(&output) }
  }

  private func waitForMore(_ output: inout Output) {
    let limit: UInt64
    if !hasHeard {
      // A scale that has more of what the last session left begins with it at once.
      limit = act?.isPending == true ? WeightScaleDriver.idleLimit : WeightScaleDriver.noReadingLimit
    } else if compositionHandle != 0, act?.isComplete(quirks) != true {
      limit = WeightScaleDriver.compositionLimit
    } else {
      limit = WeightScaleDriver.idleLimit
    }
    output.timer(Token.silence, after: limit)
  }
}
