import GatewayAPI
import Foundation

extension FeedbackMoment {
  /// What a test of the feedback tells.
  static func test(_ kind: Kind) -> FeedbackMoment {
    var moment = FeedbackMoment(
      kind, peripheral: 0, peripheralName: "Test of the feedback", count: kind == .read ? 1 : nil,
      error: kind == .failed ? "no_reading" : nil)
    moment.isTest = true
    return moment
  }

  /// What programs hear of it.
  var variables: [String: String] {
    var variables = ["METERHOST_EVENT": kind.rawValue, "METERHOST_PERIPHERAL": String(peripheral)]
    if let meter { variables["METERHOST_METER"] = meter.uuidString.lowercased() }
    if let count { variables["METERHOST_COUNT"] = String(count) }
    if let error { variables["METERHOST_ERROR"] = error }
    if isTest { variables["METERHOST_TEST"] = "1" }
    return variables
  }

  /// The first line of a notification.
  var title: String {
    switch kind {
    case .ready: "Measure now"
    case .read: "Meter read"
    case .failed: "Meter not read"
    }
  }

  /// The text below it.
  var text: String {
    switch kind {
    case .ready: peripheralName
    case .read: "\(peripheralName): \(count.map(Self.words) ?? "read")"
    case .failed: "\(peripheralName): \(error ?? "failed")"
    }
  }

  private static func words(_ count: Int) -> String {
    switch count {
    case 0: "nothing new"
    case 1: "1 new reading"
    default: "\(count) new readings"
    }
  }
}
