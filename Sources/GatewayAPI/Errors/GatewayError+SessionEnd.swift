package import MeterCore

extension GatewayError {
  /// A session has ended before something was delivered, which is no reason to submit it again.
  package static func sessionEnded(
    _ what: String, in file: String?, _ reason: HostEvent.EndReason?
  ) -> GatewayError {
    let why = reason == .tokenRefused ? "the receiver refuses the token, and" : "meanwhile"
    return GatewayError(
      .failed, code: "session_ended",
      "\(why) the session has ended: \(what) not delivered and kept" + (file.map { " in \($0)" } ?? ""),
      hint: "do not submit it again: start the session with a new token, then "
        + "`meterhost session recover \(file ?? "FILE")`")
  }
}
