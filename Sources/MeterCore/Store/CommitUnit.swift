import HostPrimitives

/// Why a record waits for a person (R27).
public enum HoldReason: String, Sendable, Hashable, Codable {
  /// There is no session: nothing of the default user is ever uploaded.
  case noSession = "no_session"
  /// A value is outside its metric's plausible range.
  case implausibleValue = "implausible_value"
  /// The meter says above or below what it can show, and nobody knows where that ends; or a glucose that most meters only show as
  /// such.
  case beyondRange = "beyond_range"
  /// A scale weighed something else than what its owner is known to weigh.
  case unlikeWeight = "unlike_weight"
  /// The meter itself doubts the value.
  case questionableValue = "questionable_value"
  /// The reading lies in the future.
  case clockInFuture = "clock_in_future"
  /// The meter's clock was unset or jumped.
  case clockSuspect = "clock_suspect"
  /// The host's clock is not synchronised and the meter gave no time.
  case hostClockUnsynchronized = "host_clock_unsynchronized"
  /// The reading belongs to another or unknown user of the meter.
  case unknownOwner = "unknown_owner"
  /// The same identity came with other values: a reset meter or a faulty one.
  case identityCollision = "identity_collision"
  /// The meter took the record back.
  case takenBack = "taken_back"
  /// The driver asks for a person's decision.
  case driverAsks = "driver_asks"
  /// The caller of the read wants a person's word first.
  case awaitingConfirmation = "awaiting_confirmation"
  /// The read did not ask for it, and the meter forgets what it has sent: a later read that asks for it delivers it.
  case notAskedFor = "not_asked_for"
  /// Its metric or unit is newer than this host: an update knows it.
  case unknownMetric = "unknown_metric"
  /// No receiver can take it: it knows none of the values, or a metric is there twice.
  case notDeliverable = "not_deliverable"
}

/// Why a record is never delivered.
public enum ExclusionReason: String, Sendable, Hashable, Codable {
  /// Control solution.
  case controlSolution = "control_solution"
}

/// What is to happen with a record.
public enum Disposition: Sendable, Hashable {
  /// Deliver it.
  case pending
  /// Keep it until a person decides.
  case held(HoldReason)
  /// Hand it to the caller, never deliver it.
  case excluded(ExclusionReason)
}

/// A record and what is to happen with it.
public struct CommitRecord: Sendable, Hashable {
  /// The record.
  public let record: Record
  /// What is to happen with it.
  public let disposition: Disposition
  /// Whether its time is not known yet: the meter gave none, and the host did not know the date.
  public let isUntimed: Bool
  /// When it came, by the clock of this boot; nil: just now.
  public let arrival: BootClock?

  /// A record for a commit.
  public init(record: Record, disposition: Disposition, isUntimed: Bool = false, arrival: BootClock? = nil) {
    self.record = record
    self.disposition = disposition
    self.isUntimed = isUntimed || disposition == .held(.hostClockUnsynchronized)
    self.arrival = arrival
  }
}

/// One key of a driver's storage (R23).
public struct StorageWrite: Sendable, Hashable {
  /// `user/...` or `meter/...`.
  public let key: String
  /// The new value; empty deletes the key.
  public let value: [UInt8]
  /// Whose a secret is; a driver's writes are its own.
  let mark: Vault.Mark

  /// A write of a driver.
  public init(key: String, value: [UInt8]) { self.init(key: key, value: value, mark: .driver) }

  init(key: String, value: [UInt8], mark: Vault.Mark) {
    self.key = key
    self.value = value
    self.mark = mark
  }

  /// Whether it says where the next read goes on (R15): a read that takes a part of the meter's memory must not move that. What waits
  /// under `user/pending/` is none of such a read's affair either.
  public var isResumeCursor: Bool { Self.isResumeCursor(key) }

  /// Whether a key says where the next read goes on: everything of the user's but secrets.
  public static func isResumeCursor(_ key: String) -> Bool { StorageName.isResumeCursor(key) }
}

/// A secret of storage, decrypted. Its descriptions never show it.
public struct StoredSecret: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
  /// The bytes.
  public let bytes: [UInt8]
  /// True when the driver wrote it itself; else a person entered it, and the driver uses it by name only.
  public let isDriversOwn: Bool

  /// Never the bytes.
  public var description: String { "<secret>" }
  /// Never the bytes.
  public var debugDescription: String { "<secret>" }
  /// Nothing for reflection to find.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// An image and the reading that it belongs to.
public struct CommitImage: Sendable, Hashable {
  /// The reading's name.
  public let logID: LogID
  /// The image.
  public let image: RecordImage

  /// An image for a commit.
  public init(logID: LogID, image: RecordImage) {
    self.logID = logID
    self.image = image
  }
}

/// What one event of a driver wants on disk (R25).
public struct CommitUnit: Sendable, Hashable {
  /// The generation that the read captured.
  public let generation: SessionGeneration
  /// The meter.
  public let meter: MeterIdentity
  /// The driver family that owns the storage.
  public let family: String
  /// The records, in the driver's order.
  public let records: [CommitRecord]
  /// The storage writes, in the driver's order.
  public let writes: [StorageWrite]
  /// Images of these records, or of readings that are known already.
  public let images: [CommitImage]

  /// A unit from its parts.
  public init(
    generation: SessionGeneration, meter: MeterIdentity, family: String, records: [CommitRecord],
    writes: [StorageWrite] = [], images: [CommitImage] = []
  ) {
    self.generation = generation
    self.meter = meter
    self.family = family
    self.records = records
    self.writes = writes
    self.images = images
  }

  /// A unit of records that no driver has read: entered by a person or taken from a file.
  public init(generation: SessionGeneration, records: [CommitRecord], images: [CommitImage] = []) {
    self.init(generation: generation, meter: .none, family: "", records: records, images: images)
  }
}

/// What became of one unit's records.
public struct CommitReceipt: Sendable, Hashable {
  /// Seen for the first time, with what was decided for each (no session turns pending into held).
  public internal(set) var new: [CommitRecord] = []
  /// Known, with changed content: delivered again under a higher revision.
  public internal(set) var revised: [CommitRecord] = []
  /// Known, with content that was seen before: nothing happens.
  public internal(set) var duplicates: [LogID] = []
  /// The identity of a known reading with other values: held.
  public internal(set) var suspects: [CommitRecord] = []
  /// Images that were not there yet; one that waits or was refused already is left as it is.
  public internal(set) var images: [CommitImage] = []
}
