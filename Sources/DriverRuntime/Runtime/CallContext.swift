package import DriverContract
import CLinux
import CMeterDriver
package import HostPrimitives

/// What host services may touch on behalf of one session or decoder, and only while its driver is being called (R7).
///
/// The thread's current context is the sole way in: what a driver passes back as `ctx` is never followed.
package final class CallContext {
  /// The session's handle; nil for `decode`, which is pure and has neither storage nor random numbers (rule R14).
  package let peer: UInt64?
  package var storage: DriverStorage
  package var log = DriverLog()
  package let assets: AssetTable
  /// The sink of the call that is being made.
  package var sink: Sink?
  /// The same of an extension that has a sink of its own kind.
  var extensionSink: AnyObject?

  /// Who answers for keys and random bytes; nil inside `decode` and `close`.
  package var services: (any SessionServices)?
  /// The clock of the log's limit, monotonic nanoseconds: that of the event, so that a replay keeps the same lines (rule R8);
  /// nil takes the system's.
  private(set) var logTime: Int64?
  private var budget = ServiceBudget()

  package init(
    peer: UInt64?, storage: [ExactText: [UInt8]], assets: AssetTable, services: (any SessionServices)? = nil
  ) {
    self.peer = peer
    logTime = peer == nil ? nil : 0
    self.services = services
    self.storage = DriverStorage(storage)
    self.assets = assets
  }

  /// An event begins: what it may ask of the services is counted anew.
  package func startEvent(at monotonicNanoseconds: UInt64) {
    budget = ServiceBudget()
    logTime = Int64(truncatingIfNeeded: monotonicNanoseconds)
  }

  /// Asks the session's services.
  package func ask(_ request: ServiceRequest) -> ServiceAnswer {
    guard let services, budget.admit(request) else { return ServiceAnswer(status: MH_E_DENIED) }
    return services.answer(request)
  }

  /// Random bytes from the host; the system's own where there is no host to ask. nil: denied.
  package func random(_ count: Int) -> [UInt8]? {
    guard services != nil else { return systemRandom(count) }
    let answer = ask(.random(count: UInt32(clamping: count)))
    return answer.status == MH_OK && answer.output.count == count ? answer.output : nil
  }

  /// Runs driver code with this context as the thread's current one.
  package func inCall<Result>(_ body: () -> Result) -> Result {
    let before = clinux_exchange_call(Unmanaged.passUnretained(self).toOpaque())
    defer { _ = clinux_exchange_call(before) }
    return withExtendedLifetime(self, body)
  }

  /// The context that this thread is inside, nil outside a driver call.
  package static var current: CallContext? {
    clinux_current_call().map { Unmanaged<CallContext>.fromOpaque($0).takeUnretainedValue() }
  }
}

/// Random bytes of the system; nil when it has none.
package func systemRandom(_ count: Int) -> [UInt8]? {
  var bytes = [UInt8](repeating: 0, count: count)
  let status = bytes.withUnsafeMutableBytes { clinux_random($0.baseAddress, UInt64($0.count)) }
  return status == 0 ? bytes : nil
}
