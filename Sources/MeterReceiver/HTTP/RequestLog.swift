import HTTPServing
import HostPrimitives
import Hummingbird
import Logging

/// What the receiver says about requests: method, route and status, never the path with its ids, the query with its token, or anything
/// of a body. What everybody can make it say again and again is summed up.
struct RequestLog: Sendable {
  let logger: Logger
  private let budget: LineBudget
  private let outages: OutageLog

  init(logger: Logger, clock: any HostClock = .system) {
    self.logger = logger
    budget = LineBudget(clock: clock)
    outages = OutageLog(clock: clock)
  }

  func answered(_ request: Request, route: String?, status: Int) {
    let route = route ?? "unknown"
    // Whether the receiver lives is no word about its database, and anybody may ask.
    if status < 400, route != "/healthz" {
      for outage in outages.worked() { tell(outage) }
      return line(request, route, status, leftOut: 0)
    }
    // Of a refused request the method may be anything.
    if let leftOut = budget.take("\(route) \(status)") { line(request, route, status, leftOut: leftOut) }
  }

  private func line(_ request: Request, _ route: String, _ status: Int, leftOut: Int) {
    var metadata: Logger.Metadata = [
      "method": "\(request.method.rawValue.prefix(16))", "route": "\(route)", "status": "\(status)",
    ]
    if leftOut > 0 { metadata["left_out"] = "\(leftOut)" }
    logger.info("request", metadata: metadata)
  }

  /// A fault of the receiver or its database, which has cost one request.
  func failed(_ message: String, code: String) {
    switch outages.failed(code) {
    case nil: break
    case .began: logger.error("\(message)", metadata: ["code": "\(code)"])
    case .goesOn(let times, let duration):
      logger.error(
        "requests go on failing",
        metadata: ["code": "\(code)", "times": "\(times)", "seconds": "\(duration.components.seconds)"])
    }
  }

  private func tell(_ outage: OutageLog.Ended) {
    logger.notice(
      "requests succeed again",
      metadata: [
        "code": "\(outage.kind)", "times": "\(outage.times)", "seconds": "\(outage.lasted.components.seconds)",
      ])
  }
}
