public import Foundation
public import MeterCore

/// A call to a receiver apart from the queue, with the token of the session.
public struct ReceiverCall: Sendable {
  /// What is to be done.
  public enum Action: Sendable {
    /// Store new records.
    case create
    /// Replace records by the receiver's ids, which stand in their documents.
    case update
    /// Store records under their names, or replace what is there.
    case upsert
    /// Delete records of one type by the receiver's own ids.
    case delete(RecordType, recordIDs: [String])
    /// Store an image of a record.
    case upload(Data, recordID: String)
  }

  /// What is to be done, with what that needs beside documents.
  public var action: Action
  /// The name of that receiver of the session which is called.
  public var sink: String

  /// A call.
  public init(_ action: Action, sink: String) {
    self.action = action
    self.sink = sink
  }
}
