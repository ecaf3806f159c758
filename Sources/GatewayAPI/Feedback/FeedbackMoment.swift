public import Foundation

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

  /// What has happened; a hook hears its raw value as `METERHOST_EVENT`.
  public var kind: Kind
  /// The catalogue entry's id; 0 in a test.
  public var peripheral: UInt32
  /// The catalogue entry's name.
  public var peripheralName: String
  /// The meter's stable UUID; nil where it is not known.
  public var meter: UUID?
  /// How many new readings came; 0 for none.
  public var count: Int?
  /// The code of what went wrong, of ``Kind/failed``; else nil.
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
}
