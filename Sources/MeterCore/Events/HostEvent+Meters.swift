package import Foundation

/// What passive reading tells.
extension HostEvent {
  /// A meter that passive reading deals with.
  public struct MeterMoment: Sendable, Hashable, Codable {
    /// The peripheral's id in the catalogue.
    public let peripheral: UInt32
    /// The meter's stable UUID, in lower case; nil before it is known.
    public let meter: String?

    /// A moment of a meter.
    package init(peripheral: UInt32, meter: UUID?) {
      self.peripheral = peripheral
      self.meter = meter?.uuidString.lowercased()
    }
  }

  /// What passive reading has brought.
  public struct MeterReading: Sendable, Hashable, Codable {
    /// The peripheral's id in the catalogue.
    public let peripheral: UInt32
    /// The meter's stable UUID, in lower case.
    public let meter: String?
    /// The names of the new and changed readings.
    public let records: [LogID]

    /// What a meter has brought.
    package init(peripheral: UInt32, meter: UUID?, records: [LogID]) {
      self.peripheral = peripheral
      self.meter = meter?.uuidString.lowercased()
      self.records = records
    }
  }

  /// Why passive reading has failed with a meter.
  public struct MeterFailure: Sendable, Hashable, Codable {
    /// The peripheral's id in the catalogue.
    public let peripheral: UInt32
    /// The meter's stable UUID, in lower case; nil when it did not come so far.
    public let meter: String?
    /// Why, as a stable word.
    public let reason: String
    /// What happened and what to do.
    public let error: String

    /// Why a meter could not be read.
    package init(peripheral: UInt32, meter: UUID?, reason: String, error: String) {
      self.peripheral = peripheral
      self.meter = meter?.uuidString.lowercased()
      (self.reason, self.error) = (reason, error)
    }
  }

  /// What has become of unknown devices that say that they are meters, and of which nothing was told one by one.
  public struct StrangerCount: Sendable, Hashable, Codable {
    /// How many attempts to read such devices there were.
    public let attempts: Int
    /// What has come of them: how many ended for each reason, by the code of ``MeterFailure/reason``, and how many had nothing new,
    /// `nothing_new`.
    public let outcomes: [String: Int]
    /// Over how many seconds.
    public let seconds: Int

    /// What has become of them.
    package init(outcomes: [String: Int], seconds: Int) {
      self.attempts = outcomes.values.reduce(0, +)
      (self.outcomes, self.seconds) = (outcomes, seconds)
    }
  }
}
