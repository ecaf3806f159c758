import Foundation
import MeterCore

/// A call is one object: its member `action` says what is to be done, and the others what that needs.
extension ReceiverCall: Codable {
  private enum CodingKeys: String, CodingKey {
    case action, sink, type, image
    case recordIDs = "record_ids"
    case recordID = "record_id"
  }

  private enum Name: String, CaseIterable { case create, update, upsert, delete, upload }

  /// Reads a call; one that names no receiver is for the session's own.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let name: Name = try container.word(.action)
    let action: Action =
      switch name {
      case .create: .create
      case .update: .update
      case .upsert: .upsert
      case .delete:
        .delete(try container.word(.type), recordIDs: try container.decode([String].self, forKey: .recordIDs))
      case .upload:
        .upload(
          try container.decode(Data.self, forKey: .image),
          recordID: try container.decode(String.self, forKey: .recordID))
      }
    self.init(action, sink: try container.decode(.sink, else: MeterStore.defaultSink))
  }

  /// Writes it.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(sink, forKey: .sink)
    try container.encode(name.rawValue, forKey: .action)
    switch action {
    case .create, .update, .upsert: break
    case .delete(let type, let recordIDs):
      try container.encode(type, forKey: .type)
      try container.encode(recordIDs, forKey: .recordIDs)
    case .upload(let image, let recordID):
      try container.encode(image, forKey: .image)
      try container.encode(recordID, forKey: .recordID)
    }
  }

  private var name: Name {
    switch action {
    case .create: .create
    case .update: .update
    case .upsert: .upsert
    case .delete: .delete
    case .upload: .upload
    }
  }
}
