package import MeterCore

/// What has become of the records of an export.
package struct HealthSubmissionReport: Sendable, Hashable {
  /// Records by their type that are in the queue, or held, and were not there before.
  package var new: [RecordType: Int] = [:]
  /// Records by their type that have changed.
  package var revised: [RecordType: Int] = [:]
  /// Those of both that wait for a person, or for a receiver that has a form for them, by the reason.
  package var held: [String: Int] = [:]
  /// How many are as they were.
  package var unchanged = 0
  /// How many stay as a newer or more complete export has told them.
  package var kept = 0
  /// How many samples of a piece were not known; nil for a whole export.
  package var newSamples: Int?
  /// What the export should have and has not.
  package var vanished: [ImportedTrace] = []
  /// Measurements that no record can hold, by what was measured.
  package var withoutForm: [String: Int] = [:]
  /// Sums of a damaged export, which are never delivered.
  package var withheldSums = 0
  /// What cannot be a record, by the fault.
  package var refused: [Refusal] = []
  /// The names of what is new or has changed.
  package var names: [LogID] = []

  /// A fault of some records.
  package struct Refusal: Sendable, Hashable {
    /// What is wrong with them.
    package var code: DraftError.Code
    package var count: Int
    /// What is wrong with the first one.
    package var message: String
    /// When that one was, microseconds since 1970-01-01T00:00Z.
    package var firstMicroseconds: Int64
  }

  package init() {}

  /// How many records of each type are new or have changed.
  package var processed: [RecordType: Int] { new.merging(revised, uniquingKeysWith: +) }

  mutating func add(_ receipt: ImportedReceipt, of entry: ImportedEntry) {
    let type = entry.draft.type
    switch receipt {
    case .refused(let fault): refuse(fault, at: entry.draft.time.startMicroseconds)
    case .taken(let commit):
      let taken = commit.new + commit.revised
      if !commit.new.isEmpty { new[type, default: 0] += 1 }
      if !commit.revised.isEmpty { revised[type, default: 0] += 1 }
      if taken.isEmpty { unchanged += 1 }
      names += taken.map(\.record.logID)
      for record in taken {
        if case .held(let reason) = record.disposition { held[reason.rawValue, default: 0] += 1 }
      }
    }
  }

  private mutating func refuse(_ fault: DraftError, at moment: Int64) {
    if let index = refused.firstIndex(where: { $0.code == fault.code }) {
      refused[index].count += 1
    } else {
      refused.append(Refusal(code: fault.code, count: 1, message: fault.fullMessage, firstMicroseconds: moment))
    }
  }
}
