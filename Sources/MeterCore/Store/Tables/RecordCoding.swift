internal import Foundation

/// Records as the database keeps them.
enum RecordCoding {
  static func encode(_ record: Record) throws -> Data {
    if let json = RecordJSON.encode(record) { return Data(json) }
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return try encoder.encode(record)
  }

  /// The record of a row, when it is the one that was committed under the row's name.
  static func intact(_ data: Data, named logID: LogID?) -> Record? {
    guard let record = try? decode(data), record.logID == logID, record.isIntact else { return nil }
    return record
  }

  static func decode(_ data: Data) throws -> Record {
    do {
      return try JSONDecoder().decode(Record.self, from: data)
    } catch {
      throw StoreError(
        .corrupt, "a stored record cannot be read; run `meterhost doctor --repair`.", cause: "\(type(of: error))")
    }
  }
}
