import CMeterDriver
import MeterDriver

// The session: subscribe, take what the monitor sends, finish when it has no more to say.
extension BloodPressureDriver {
  mutating func handle(_ event: borrowing Event, _ output: inout Output) throws(DriverError) {
    guard phase != .ended else { return }
    switch event {
    case .services(let database): start(database, &output)
    case .encrypted(let level): if phase == .pairing, level >= 2 { finish(&output) }
    case .servicesChanged: forgetServices(&output)
    case .subscribed(let token, let status): subscribed(token, status, &output)
    case .notification(let handle, let value), .indication(let handle, let value):
      try received(handle, value, &output)
    case .timer(let token): if token == Token.silence { fellSilent(&output) }
    case .cancel: finish(&output)
    case .disconnected: disconnected(&output)
    default: break
    }
  }

  // MARK: Setting up

  private mutating func start(_ database: GATTDatabase, _ output: inout Output) {
    guard phase == .idle else { return }
    guard !BloodPressureDriver.hasMemoryMap(database) else {
      fail(
        .unsupportedMeter,
        "This monitor keeps its readings in a memory map of Omron's own, which MeterHost does not read. Read them off its display.",
        &output)
      return
    }
    if purpose == .pair {
      phase = .pairing
      if isEncrypted { finish(&output) } else { output.pair() }
      return
    }
    guard let measurement = database.characteristic(0x2a35, in: 0x1810), measurement.canSubscribe else {
      fail(
        .unsupportedMeter, "The monitor has no Blood Pressure Measurement. Check that the right meter is chosen.",
        &output)
      return
    }
    measurementHandle = measurement.handle
    subscriptionsLeft = 1
    phase = .subscribing
    // The cuff pressure first: a monitor sends its memory as soon as measurements are subscribed to.
    if let intermediate = database.characteristic(0x2a36, in: 0x1810), intermediate.canSubscribe {
      intermediateHandle = intermediate.handle
      subscriptionsLeft = 2
      output.subscribe(intermediateHandle, token: Token.intermediate)
    }
    output.subscribe(measurementHandle, token: Token.measurement)
  }

  /// Whether the monitor is of a family that offers the profile and sends nothing by it: Omron's with a memory map, by their service
  /// and the characteristics for unlocking, writing and reading it (eigger/hass-omron, userx14/omblepy).
  private static func hasMemoryMap(_ database: GATTDatabase) -> Bool {
    let services = [BluetoothUUID(0xecbe_3980_c9a2_11e1, 0xb1bd_0002_a5d5_c51b), BluetoothUUID(id: 0xfe4a)]
    let characteristics = [
      BluetoothUUID(0xb305_b680_aee7_11e1, 0xa730_0002_a5d5_c51b),
      BluetoothUUID(0xdb5b_55e0_aee7_11e1, 0x965e_0002_a5d5_c51b),
      BluetoothUUID(0x4912_3040_aee8_11e1, 0xa74d_0002_a5d5_c51b),
    ]
    for service in services {
      for characteristic in characteristics where database.characteristic(uuid: characteristic, in: service) != nil {
        return true
      }
    }
    return false
  }

  /// Handles may mean something else now: start again at the next list of services.
  private mutating func forgetServices(_ output: inout Output) {
    phase = .idle
    (measurementHandle, intermediateHandle) = (0, 0)
    output.cancelTimer(Token.silence)
  }

  private mutating func subscribed(_ token: UInt64, _ status: Int32, _ output: inout Output) {
    guard phase == .subscribing else { return }
    if status != 0 {
      guard token == Token.intermediate else {
        fail(.communication, subcode: status, "The monitor refused to send readings. Pair it again and retry.", &output)
        return
      }
      output.log(.warning, "the monitor refuses cuff pressures, ATT error", UInt64(truncatingIfNeeded: status))
    }
    subscriptionsLeft -= 1
    guard subscriptionsLeft == 0 else { return }
    phase = .measuring
    output.ready()
    waitOn(&output)
  }

  // MARK: Readings

  private mutating func received(
    _ handle: UInt16, _ value: RawSpan, _ output: inout Output
  ) throws(DriverError) {
    guard phase == .subscribing || phase == .measuring, handle != 0 else { return }
    do throws(DecodeError) {
      if handle == measurementHandle {
        try take(BloodPressureMeasurement(value, quirks), &output)
      } else if handle == intermediateHandle {
        try BloodPressureMeasurement(value, quirks).emitIntermediate(&output.records)
        isMeasuring = true
      } else {
        return
      }
    } catch {
      guard case .noValue = error else {
        output.log(.warning, "a packet was refused: it is shorter than its flags say; bytes", UInt64(value.byteCount))
        throw .protocolViolation
      }
    }
    if phase == .measuring { waitOn(&output) }
  }

  private mutating func take(_ measurement: BloodPressureMeasurement, _ output: inout Output) throws(DecodeError) {
    isMeasuring = false
    do throws(DecodeError) {
      try measurement.emit(quirks, &output.records)
    } catch {
      failedStatus = measurement.status ?? 0
      output.log(.warning, "no reading: the monitor reports a failed measurement, or pressures that cannot be")
      throw error
    }
    received += 1
    output.progress(done: received)
  }

  /// A monitor that sends its memory pauses for less than one that waits for the person.
  private func waitOn(_ output: inout Output) {
    let isDone = received > 0 && !isMeasuring
    output.timer(
      Token.silence,
      after: isDone ? BloodPressureDriver.limitAfterReading : BloodPressureDriver.limitWithoutReading)
  }

  // MARK: Endings

  private mutating func fellSilent(_ output: inout Output) {
    if received > 0 {
      finish(&output)
    } else if !failAfterFailedMeasurement(&output) {
      fail(.noReading, "The monitor sent no reading. Measure while it is near and read again.", &output)
    }
  }

  private mutating func disconnected(_ output: inout Output) {
    if received > 0 {
      finish(&output)
    } else if !failAfterFailedMeasurement(&output) {
      fail(.communication, "The monitor went away before it sent a reading. Read it again.", &output)
    }
  }

  private mutating func failAfterFailedMeasurement(_ output: inout Output) -> Bool {
    guard let failedStatus else { return false }
    fail(
      .noReading, subcode: Int32(failedStatus),
      "The monitor reports a failed measurement. Fasten the cuff, sit still and measure again.", &output)
    return true
  }

  private mutating func finish(_ output: inout Output) {
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
