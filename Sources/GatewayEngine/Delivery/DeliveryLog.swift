import Logging
import MeterCore
import CurlHTTP

/// Lines of the log for what the uploaders tell. Accepted and refused records, and sessions, have theirs from the
/// store, in the transaction that makes them true.
struct DeliveryLog: Sendable {
  let logger: Logger
  /// Whether the text of a receiver's answer may be shown: it may quote a health value.
  var showsAnswers: @Sendable () -> Bool = { LogSwitch.shared.showsValues }

  func write(_ event: DeliveryEvent) {
    switch event {
    case .retrying(let logID, let wait, let error, let sink):
      logger.log(
        level: level(error), "an attempt to deliver a record has failed",
        metadata: ["log_id": "\(logID)", "sink": "\(sink)", "error": "\(shown(error))", "again_in": "\(text(wait))"])
    case .imageRetrying(let logID, let image, let wait, let error, let sink):
      // Longer than anything else waits: without a person it will go on like this.
      let isRare = wait > DeliveryPolicy().cap
      logger.log(
        level: isRare ? .warning : level(error),
        isRare
          ? "an image is refused again and again, and is sent ever more rarely"
          : "an attempt to deliver an image has failed",
        metadata: [
          "log_id": "\(logID)", "image": "\(image)", "sink": "\(sink)", "error": "\(shown(error))",
          "again_in": "\(text(wait))",
        ])
    case .sessionValidated: logger.info("the receiver has accepted the token")
    case .sessionUnvalidated(_, let reason):
      logger.warning("the receiver has not validated the token yet", metadata: ["error": "\(shown(reason))"])
    case .sessionEnded: logger.warning("the receiver refuses the token and has ended the session")
    case .clockSkew(let skew, let sink):
      logger.log(
        level: skew.isNotable ? .warning : .info, "the receiver's clock is ahead of this machine's",
        metadata: ["sink": "\(sink)", "seconds": "\(skew.seconds)"])
    case .storeFailed(let error):
      logger.error("the store has failed; deliveries go on later", metadata: ["error": "\(error)"])
    case .missed(let count):
      logger.notice("attempts to deliver came faster than they were logged", metadata: ["missed": "\(count)"])
    case .recordSubmitted, .recordSubmissionFailed, .recordImageSubmitted, .recordImageSubmissionFailed, .sinkRefused:
      break
    }
  }

  /// That something else than the receiver answers does not pass like an outage: somebody has to look.
  private func level(_ error: String) -> Logger.Level {
    [TransportError.Code.foreignAnswer, .foreignUser].contains { error.hasPrefix($0.rawValue) } ? .warning : .info
  }

  private func text(_ wait: Duration) -> String { "\(wait.components.seconds) s" }

  /// Of an answer only its status; what this machine's own library says is shown whole.
  private func shown(_ error: String) -> String {
    guard error.hasPrefix("HTTP "), !showsAnswers() else { return error }
    return String(error.prefix { $0 != " " }) + " " + error.dropFirst(5).prefix { $0 != " " }
  }
}
