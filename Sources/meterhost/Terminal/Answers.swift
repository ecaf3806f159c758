import Foundation
import GatewayAPI
import Synchronization

/// Where the answers to a driver's questions come from: a person at the terminal, or the lines of a file.
final class Answers: Sendable {
  private let lines: Mutex<[String]>
  private let hasFile: Bool
  private let asksPerson: Bool

  /// - Parameters:
  ///   - file: One answer a line, in the order of the questions; an empty line refuses.
  ///   - json: With `--json` nobody is asked; questions without an answer in the file are refused.
  init(file: String?, json: Bool) throws(GatewayError) {
    asksPerson = !json && SecretInput.isThere
    hasFile = file != nil
    guard let file else {
      lines = Mutex([])
      return
    }
    PrivateFile.warn(file, on: Terminal())
    guard let text = try? String(contentsOfFile: file, encoding: .utf8), text.utf8.count <= 64 << 10 else {
      throw GatewayError(.usage, code: "answers", "the file with answers \(file) cannot be read or is too long")
    }
    lines = Mutex(text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(String.init))
  }

  /// Whether somebody answers questions: a person or a file. With `--json` a program hears questions, and has no way to answer
  /// but the file.
  var isStaffed: Bool { hasFile || asksPerson }

  /// The answer to a question; nil refuses it.
  func answer(_ question: QuestionDescription, on terminal: Terminal) async -> String? {
    if hasFile {
      let line = lines.withLock { $0.isEmpty ? "" : $0.removeFirst() }
      return line.isEmpty ? nil : line
    }
    guard asksPerson else { return nil }
    if let problem = question.problem { terminal.error(problem) }
    terminal.error(question.prompt)
    for (index, choice) in (question.choices ?? []).enumerated() { terminal.error("  \(index + 1)  \(choice)") }
    let hint = question.secret ? "it is not shown; " : ""
    terminal.error("(\(hint)an empty line refuses)")
    guard let line = await SecretInput.line(isSecret: question.secret), !line.isEmpty else { return nil }
    return line
  }
}
