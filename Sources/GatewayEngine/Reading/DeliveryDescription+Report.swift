package import GatewayAPI
package import MeterCore

extension DeliveryDescription {
  /// Describes a report.
  ///
  /// - Parameter end: The session's end meanwhile; nil when it goes on.
  package init(_ report: DrainReport, end: HostEvent.SessionEnd? = nil) {
    self.init(
      delivered: report.delivered, dead: report.dead, waiting: report.waiting,
      sessionEnded: report.sessionEnded || end?.reason == .tokenRefused)
    guard sessionEnded else { return }
    recoveryFile = end?.recoveryFile
    hint =
      "start the session again with a new token"
      + (recoveryFile.map { ", then `meterhost session recover \($0)`" } ?? "")
  }
}
