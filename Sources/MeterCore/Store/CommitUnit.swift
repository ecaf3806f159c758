import HostPrimitives

/// One key of a driver's storage (R23).
package struct StorageWrite: Sendable, Hashable {
  /// `user/...` or `meter/...`.
  package let key: String
  /// The new value; empty deletes the key.
  package let value: [UInt8]
  /// Whose a secret is; a driver's writes are its own.
  let mark: Vault.Mark

  /// A write of a driver.
  package init(key: String, value: [UInt8]) { self.init(key: key, value: value, mark: .driver) }

  init(key: String, value: [UInt8], mark: Vault.Mark) {
    self.key = key
    self.value = value
    self.mark = mark
  }

  /// Whether it says where the next read goes on (R15): a read that takes a part of the meter's memory must not move that. What waits
  /// under `user/pending/` is none of such a read's affair either.
  package var isResumeCursor: Bool { Self.isResumeCursor(key) }

  /// Whether a key says where the next read goes on: everything of the user's but secrets.
  package static func isResumeCursor(_ key: String) -> Bool { StorageName.isResumeCursor(key) }
}

/// A secret of storage, decrypted. Its descriptions never show it.
package struct StoredSecret:
  Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
  package let bytes: [UInt8]
  /// True when the driver wrote it itself; else a person entered it, and the driver uses it by name only.
  package let isDriversOwn: Bool

  /// Never the bytes.
  package var description: String { "<secret>" }
  /// Never the bytes.
  package var debugDescription: String { "<secret>" }
  /// Nothing for reflection to find.
  package var customMirror: Mirror { Mirror(self, children: []) }
}

/// An image and the reading that it belongs to.
package struct CommitImage: Sendable, Hashable {
  /// The reading's name.
  package let logID: LogID
  package let image: RecordImage

  /// An image for a commit.
  package init(logID: LogID, image: RecordImage) {
    self.logID = logID
    self.image = image
  }
}

/// What one event of a driver wants on disk (R25).
package struct CommitUnit: Sendable, Hashable {
  /// The generation that the read captured.
  package let generation: SessionGeneration
  package let meter: MeterIdentity
  /// The driver family that owns the storage.
  package let family: String
  /// The records, in the driver's order.
  package let records: [CommitRecord]
  /// The storage writes, in the driver's order.
  package let writes: [StorageWrite]
  /// Images of these records, or of readings that are known already.
  package let images: [CommitImage]
  /// What is remembered of the one record of an export; nil for what comes from elsewhere.
  package var imported: Imported?

  /// What is remembered of a record of an export, and its further names.
  package struct Imported: Sendable, Hashable {
    package let trace: ImportedTrace
    package let aliases: [LogID]
  }

  /// A unit from its parts.
  package init(
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
  package init(generation: SessionGeneration, records: [CommitRecord], images: [CommitImage] = []) {
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
  package internal(set) var images: [CommitImage] = []
}
