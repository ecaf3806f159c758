import CMeterDriver

/// A session as the entry point sees it: without the driver's type.
class AnySession {
  func handle(_ event: UnsafePointer<mh_event>, _ sink: UnsafeMutablePointer<mh_sink>) -> Int32 { MH_E_UNSUPPORTED }
}

/// One session of one driver: lets the driver handle an event once, then hands the output over in as many rounds as the
/// host's arrays need. The driver never sees a full sink, so its state cannot differ after one (rule R13).
final class Session<Driver: MeterDriver>: AnySession {
  var driver: Driver
  var output: Output
  /// What the event returns once its whole output is handed over.
  var status = MH_OK
  var isPending = false
  var nextRecord = 0
  var nextAction = 0

  init(_ driver: Driver, _ host: HostServices) {
    self.driver = driver
    self.output = Output(host: host)
  }

  override func handle(_ event: UnsafePointer<mh_event>, _ sink: UnsafeMutablePointer<mh_sink>) -> Int32 {
    if event.pointee.kind == MH_EV_CONTINUE { return isPending ? drain(sink) : MH_OK }
    // A new fact before the last one's output is taken would mix two units.
    guard !isPending else { return MH_E_ARG }
    guard let fact = Event.make(borrowing: event) else { return MH_E_UNSUPPORTED }
    output.reset()
    output.monotonicNanoseconds = event.pointee.mono_ns
    output.unixMicroseconds = event.pointee.unix_us
    status = MH_OK
    do throws(DriverError) {
      try driver.handle(fact, &output)
    } catch {
      output.reset()
      return error.status
    }
    if output.records.overflowed || output.tooManyActions {
      output.log(.error, "the driver put more into one event than the contract allows")
      return MH_E_ARG
    }
    for write in output.writes {
      let result = output.host.set(write)
      if result != MH_OK { return result }
    }
    nextRecord = 0
    nextAction = 0
    isPending = true
    return drain(sink)
  }

  private func drain(_ sink: UnsafeMutablePointer<mh_sink>) -> Int32 {
    while nextRecord < output.records.recordCount {
      guard output.records.copyRecord(nextRecord, to: sink) else { return MH_E_FULL }
      nextRecord += 1
    }
    while nextAction < output.actions.count {
      let pending = output.actions[nextAction]
      let result = output.bytes.withUnsafeBufferPointer { bytes in
        var action = pending.action
        action.value = mh_bytes(p: bytes.baseAddress.map { $0 + pending.offset }, n: UInt64(pending.length))
        return mh_sink_act(sink, action)
      }
      guard result == MH_OK else {
        if result != MH_E_FULL { isPending = false }
        return result
      }
      nextAction += 1
    }
    isPending = false
    return status
  }
}
