import GatewayAPI

/// A receiver as a line of a list.
struct SinkRow: Sendable {
  let name: String
  let path: String
  let kind: String
  let receiver: String
  /// What it means that a reading is delivered there, and for how long it is kept here then.
  let acknowledgement: String?
  /// `works`, `waits`, `paused` or `refused`, for the style.
  let mark: String
  let state: String
  let lastSuccess: String
  let lastError: String?
  let waiting: Int
  let held: Int
  let dead: Int
  let clock: String?

  init(_ report: SinkReport, times: LocalTimes) {
    let sink = report.sink
    name = sink.name.clipped
    path = "/delivery#sink-\(sink.name.clipped)"
    kind = sink.kind.clipped
    receiver = sink.receiver.clipped
    acknowledgement = sink.acknowledgementText.map { text in
      let hours = sink.keepsContent.map { $0 / 3600 }
      return text.clipped + (hours.map { "; the reading stays here for \($0) hours more" } ?? "")
    }
    waiting = (report.queue["pending"] ?? 0) + (report.queue["in_flight"] ?? 0)
    held = report.queue["held"] ?? 0
    dead = report.queue["dead"] ?? 0
    lastSuccess = times.text(report.lastSuccess, else: "never")
    lastError = report.lastError.map { "\(times.text($0.time)): \($0.text)".clipped(to: 500) }
    clock = report.clockSkew.flatMap { Self.clock($0) }
    (mark, state) = Self.state(report)
  }

  private static func state(_ report: SinkReport) -> (mark: String, words: String) {
    if report.sink.token == "refused" { return ("refused", "refuses the token") }
    if report.sink.paused { return ("paused", "paused by a person") }
    if let wait = report.wait {
      let why = wait.isAsked ? "it has asked for that" : "the last attempts have failed"
      return ("waits", "nothing is sent for \(wait.seconds) s more: \(why)")
    }
    if report.sink.token == "not_yet" { return ("waits", "has not accepted the token yet") }
    return ("works", "takes readings")
  }

  /// A difference of a minute and more is told.
  private static func clock(_ seconds: Int) -> String? {
    guard seconds.magnitude >= 60 else { return nil }
    return "its clock is \(seconds.magnitude) s \(seconds > 0 ? "ahead of" : "behind") the gateway's"
  }
}
