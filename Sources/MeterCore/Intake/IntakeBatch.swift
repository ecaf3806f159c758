public import DriverContract
package import Foundation

/// What came together and is kept together: the output of one event of a driver, or one display.
public struct IntakeBatch: Sendable {
  /// The records, in the driver's order. Progress and protocol facts are passed over.
  public var records: [DriverRecord]
  /// What the driver keeps with them.
  package var writes: [StorageWrite]
  /// Whether the meter may forget each record as soon as it is confirmed: what is not taken now is held for a person.
  package var meterMayForget: Bool
  /// Pictures that belong to each of its readings.
  public var images: [RecordImage] = []
  /// What is known beside what the driver says; nil for nothing.
  package var circumstances: Circumstances?

  /// What is known of a reading beside what its driver says of it.
  package struct Circumstances: Sendable {
    /// A random value that only this reading has: handed in twice, it is one.
    package var reading: UUID
    /// When it was measured, as a person has said it; nil: it is as old as the batch.
    package var time: RecordTime?
    /// When it was seen, by a clock of this boot; nil: just now.
    package var arrival: BootClock?
    /// Whether a person has changed what was recognised.
    package var isCorrected = false
    /// Words that go with each record.
    package var notes: [RecordNote] = []

    /// Circumstances of a reading.
    package init(reading: UUID, time: RecordTime? = nil, arrival: BootClock? = nil) {
      self.reading = reading
      self.time = time
      self.arrival = arrival
    }
  }

  /// A batch of records.
  package init(_ records: [DriverRecord], writes: [StorageWrite] = [], meterMayForget: Bool = false) {
    self.records = records
    self.writes = writes
    self.meterMayForget = meterMayForget
  }

  /// The output of one event.
  public init(_ unit: DriverUnit) {
    self.init(
      unit.records, writes: unit.writes.map { StorageWrite(key: $0.key, value: $0.value) },
      meterMayForget: unit.meterMayForget)
  }
}

/// What became of one batch.
public struct IntakeReceipt: Sendable, Hashable {
  /// What the store has made of its readings.
  public internal(set) var commit = CommitReceipt()
  /// Good readings that were not this one's to take, each with the reason.
  public internal(set) var left: [LeaveReason] = []
  /// What the meter says of itself.
  package internal(set) var information: [DriverRecord] = []
  /// Contexts that never found their measurement.
  package internal(set) var lostContexts = 0
}

/// What became of several batches.
public struct IntakeAnswer: Sendable, Hashable {
  /// One for each batch that was taken.
  public let receipts: [IntakeReceipt]
  /// Why the next batch was not, and none behind it: its driver reports what cannot be. Nil when all were taken.
  public let refusal: AdmissionRejection?
}
