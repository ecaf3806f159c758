import Foundation
import GatewayAPI
import TestSupport
import Testing

/// What a person and a program get of an error, as a line of `Tests/Fixtures/Errors/table.json`.
private struct ErrorRow: Codable, Equatable, CustomStringConvertible {
  var type: String
  var of: String
  var isFull: Bool
  /// `"\(error)"`.
  var text: String
  var kind: String?
  var exit: Int32?
  var code: String?
  var message: String?
  var hint: String?

  init(_ sample: ErrorSample) {
    (type, of, isFull, text) = (sample.type, sample.code, sample.isFull, "\(sample.error)")
    guard let error = GatewayError(describing: sample.error) else { return }
    (kind, exit) = (error.kind.rawValue, error.kind.exitStatus)
    (code, message, hint) = (error.code, error.message, error.hint)
  }

  var description: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? type
  }
}

@Suite("The table of errors") struct ErrorTableTests {
  private static let file = CompiledBundle.root.appending(path: "Tests/Fixtures/Errors/table.json")

  /// METERHOST_RECORD_ERRORS writes the table anew, for a change that means to change it.
  @Test("kind, exit status, code and texts of every error are those of the table") func table() throws {
    let rows = ErrorSample.all.map(ErrorRow.init)
    if ProcessInfo.processInfo.environment["METERHOST_RECORD_ERRORS"] != nil {
      try Data("[\n\(rows.map(\.description).joined(separator: ",\n"))\n]\n".utf8).write(to: Self.file)
    }
    let known = try JSONDecoder().decode([ErrorRow].self, from: Data(contentsOf: Self.file))
    #expect(rows.count == known.count)
    for (row, known) in zip(rows, known) { #expect(row == known) }
  }
}
