public import Foundation
import Synchronization

/// A moment of a headless read that a person wants to notice. It holds no reading.
public struct FeedbackMoment: Sendable, Hashable {
  /// What kind of moment it is.
  public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
    /// The meter was found before it measures: measure now.
    case ready
    /// A meter was read; its new readings are on disk, and there may be none.
    case read
    /// A meter was found and could not be read.
    case failed
  }

  /// What kind of moment it is.
  public var kind: Kind
  /// The catalogue entry's id.
  public var peripheral: UInt32
  /// The catalogue entry's name.
  public var peripheralName: String
  /// The meter's stable UUID, where it is known.
  public var meter: UUID?
  /// How many new readings came; 0 for none.
  public var count: Int?
  /// The code of what went wrong.
  public var error: String?
  /// Whether it is none, and only the feedback is tried out.
  public var isTest = false

  /// A moment from its parts.
  public init(
    _ kind: Kind, peripheral: UInt32, peripheralName: String, meter: UUID? = nil, count: Int? = nil,
    error: String? = nil
  ) {
    self.kind = kind
    self.peripheral = peripheral
    self.peripheralName = peripheralName
    self.meter = meter
    self.count = count
    self.error = error
  }

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
