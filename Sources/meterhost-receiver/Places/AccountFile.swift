import Foundation
import HostErrors
import MeterReceiver

/// The accounts and organisations of a receiver, one a line.
enum AccountFile {
  static func read(_ path: String) throws(ProgramError) -> [ReceiverConfiguration.Account] {
    try lines(path, of: ["ORGANISATION", "USER", "TOKEN"]).map {
      .init(organization: $0[0], uid: $0[1], token: $0[2])
    }
  }

  static func organizations(_ path: String) throws(ProgramError) -> [ReceiverConfiguration.Organization] {
    try lines(path, of: ["ORGANISATION", "TOKEN"]).map { .init(id: $0[0], token: $0[1]) }
  }

  private static func lines(_ path: String, of fields: [String]) throws(ProgramError) -> [[String]] {
    guard let data = FileManager.default.contents(atPath: path), let text = String(data: data, encoding: .utf8) else {
      throw ProgramError(.usage, code: "accounts", "the accounts file \(path) cannot be read")
    }
    var lines: [[String]] = []
    for (number, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
      let trimmed = line.trimmingCharacters(in: .whitespacesAndNewlines)
      guard !trimmed.isEmpty, !trimmed.hasPrefix("#") else { continue }
      let parts = trimmed.split(separator: ":", maxSplits: fields.count - 1, omittingEmptySubsequences: false)
      guard parts.count == fields.count, parts.allSatisfy({ !$0.isEmpty }) else {
        throw ProgramError(
          .usage, code: "accounts", "\(path):\(number + 1): not \(fields.joined(separator: ":"))",
          hint: "# begins a comment")
      }
      lines.append(parts.map(String.init))
    }
    return lines
  }
}
