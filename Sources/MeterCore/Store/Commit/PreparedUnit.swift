internal import Foundation

/// A unit with all of its rows' contents worked out, so that the thread that writes has the database alone to wait for.
struct PreparedUnit: Sendable {
  let generation: SessionGeneration
  let meter: MeterIdentity
  let family: String
  let records: [PreparedRecord]
  let writes: [StorageWrite]
  let images: [CommitImage]
  let imported: CommitUnit.Imported?

  static func prepare(_ units: [CommitUnit]) throws(StoreError) -> [PreparedUnit] {
    do { return try units.map(PreparedUnit.init) } catch { throw StoreError.mapping(error) }
  }

  private init(_ unit: CommitUnit) throws {
    generation = unit.generation
    meter = unit.meter
    family = unit.family
    records = try unit.records.map { item in
      var record = item.record
      record.revision = 1
      return PreparedRecord(
        row: try RecordRow(record), disposition: item.disposition, isUntimed: item.isUntimed,
        arrival: item.arrival, isRevisable: unit.imported != nil)
    }
    writes = unit.writes
    images = unit.images
    imported = unit.imported
  }
}

/// A record's rows, as they are when it is new, and what is to happen with it.
struct PreparedRecord: Sendable {
  let row: RecordRow
  let disposition: Disposition
  /// Whether its time is not known yet.
  var isUntimed = false
  /// When it came; nil: just now.
  var arrival: BootClock?
  /// Whether other values under its name are its next revision, and no other reading: an export says so itself.
  var isRevisable = false
}

/// What the rows of a record hold.
struct RecordRow: Sendable {
  let record: Record
  let logID: String
  let content: Data
  let contentHash: Data
  let primaryHash: Data

  init(_ record: Record) throws {
    self.record = record
    logID = record.logID.description
    content = try RecordCoding.encode(record)
    contentHash = Data(record.contentHash)
    primaryHash = Data(record.primaryHash)
  }
}
