import HTTPServing
import HostErrors
import HostPrimitives
import Logging
import MeterReceiver
import NATSClient

/// What a receiver says about messages: how many, and what became of them; never a name of a record, an id or a value. What anybody can
/// make it say again and again is summed up.
struct FleetLog: Sendable {
  private let logger: Logger
  private let budget: LineBudget
  private let outages: OutageLog

  init(logger: Logger, clock: any HostClock) {
    self.logger = logger
    budget = LineBudget(clock: clock)
    outages = OutageLog(clock: clock)
  }

  /// A batch is stored.
  func settled(_ batch: [DeliveredMessage], _ verdicts: [FleetVerdict], took time: Duration) {
    for outage in outages.worked() {
      logger.notice(
        "messages are taken again",
        metadata: ["code": "\(outage.kind)", "seconds": "\(outage.lasted.components.seconds)"])
    }
    logger.info("batch", metadata: ["messages": "\(batch.count)", "milliseconds": "\(time.milliseconds)"])
    for (delivered, verdict) in zip(batch, verdicts) {
      switch verdict {
      case .stored: break
      case .refused(let reason, _): tell("a message was refused", delivered, "reason", reason)
      case .unauthorized(let text): tell("a message proves no user", delivered, "reason", text)
      }
      if delivered.isMisdirected {
        tell("a gateway names another's subject for confirmations", delivered, "reason", "subject")
      }
    }
  }

  private func tell(_ words: String, _ delivered: DeliveredMessage, _ name: String, _ text: String) {
    guard let leftOut = budget.take(words) else { return }
    let subject = FleetSubject(delivered.message.subject)
    var metadata: Logger.Metadata = [
      "organization": "\(subject?.organization ?? "")", "gateway": "\(subject?.gateway ?? "")", "\(name)": "\(text)",
    ]
    if leftOut > 0 { metadata["left_out"] = "\(leftOut)" }
    logger.warning("\(words)", metadata: metadata)
  }

  /// The database or the message server has failed.
  func failed(_ error: any Error) {
    guard let error = error as? any HostError else { return }
    switch outages.failed(error.codeText) {
    case nil: break
    case .began: logger.error("\(error.fullMessage)", metadata: ["code": "\(error.codeText)"])
    case .goesOn(let times, let duration):
      logger.error(
        "messages still cannot be taken",
        metadata: ["code": "\(error.codeText)", "times": "\(times)", "seconds": "\(duration.components.seconds)"])
    }
  }

  /// What the connection to the message server says of itself.
  func happened(_ event: NATSEvent) {
    switch event {
    case .connected(let address, let version):
      logger.notice("connected", metadata: ["server": "\(address)", "version": "\(version)"])
    case .disconnected(let error): logger.notice("\(error.fullMessage)", metadata: ["code": "\(error.codeText)"])
    case .failed(_, let error): failed(error)
    case .refused(let words):
      guard let leftOut = budget.take("refused") else { return }
      logger.error("the server of NATS refuses something: \(words)", metadata: ["left_out": "\(leftOut)"])
    case .slowConsumer: break
    }
  }

  /// What a minute has brought.
  func minute(_ now: FleetCounts.Totals, since before: FleetCounts.Totals) {
    guard now != before else { return }
    logger.notice("messages of a minute", metadata: now.metadata(since: before))
  }
}
