internal import Foundation

/// What stands in recovery files of versions 1 and 2, with the names that it has there. Those of version 1 are signed in this form.
enum OldRecoveryForm {
  /// A line of version 2 behind the head; exactly one member is there.
  struct Line: Codable {
    var record: Entry?
    var damaged: Damaged?
    var image: Image?
    var end: RecoveryFile.End?
  }

  struct Entry: Codable {
    let record: Record
    let revision: Int
    let sink: String
    let state: DeliveryState
    let reason: String?
    let lastError: String?

    var current: RecoveryFile.Entry {
      RecoveryFile.Entry(
        record: record, revision: revision, sink: sink, state: state, reason: reason, lastError: lastError)
    }
  }

  struct Damaged: Codable {
    let logID: String
    let revision: Int
    let sink: String
    let state: String
    let content: Data

    var current: RecoveryFile.Damaged {
      RecoveryFile.Damaged(logID: logID, revision: revision, sink: sink, state: state, content: content)
    }
  }

  struct Image: Codable {
    let logID: LogID
    let checksum: String
    let contentType: RecordImage.ContentType
    let file: String
    let sink: String
    let state: ImageState
    let recordID: String?

    var current: RecoveryFile.Image {
      RecoveryFile.Image(
        logID: logID, checksum: checksum, contentType: contentType, file: file, sink: sink, state: state,
        recordID: recordID)
    }
  }
}

extension RecoveryFile.Line {
  /// Reads a line of a file of a version.
  init(_ text: Data, version: Int) throws {
    guard version == RecoveryFile.oldVersion else {
      self = try JSONDecoder().decode(RecoveryFile.Line.self, from: text)
      return
    }
    let old = try JSONDecoder().decode(OldRecoveryForm.Line.self, from: text)
    self.init(
      record: old.record?.current, damaged: old.damaged?.current, image: old.image?.current, end: old.end)
  }
}
