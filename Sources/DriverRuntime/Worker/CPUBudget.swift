import DriverContract
import CLinux

/// The CPU time that one call into the driver may use; past it, the system ends this process with SIGPROF.
struct CPUBudget {
  /// What the driver was granted.
  let limits: DriverLimits

  init(_ limits: DriverLimits) { self.limits = limits }

  func begin(milliseconds: UInt32? = nil) {
    _ = clinux_cpu_budget(Int64(milliseconds ?? limits.eventCPUMilliseconds) * 1000)
  }
  func end() { _ = clinux_cpu_budget(0) }

  /// Runs driver code, and says how many nanoseconds it used.
  ///
  /// - Parameter milliseconds: What it may use; nil: what an event may.
  func spend<Result>(
    _ milliseconds: UInt32? = nil, _ body: () throws(DriverFault) -> Result
  ) throws(DriverFault) -> (result: Result, used: Int64) {
    begin(milliseconds: milliseconds)
    defer { end() }
    let before = clinux_cpu_time()
    let result = try body()
    return (result, clinux_cpu_time() - before)
  }
}
