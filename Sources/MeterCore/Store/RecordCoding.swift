internal import Foundation

/// Records as the database keeps them.
enum RecordCoding {
  static func encode(_ record: Record) throws -> Data {
    if let json = RecordJSON.encode(record) { return Data(json) }
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return try encoder.encode(record)
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
