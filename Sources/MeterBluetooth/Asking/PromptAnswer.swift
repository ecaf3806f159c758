import DriverContract
import HostPrimitives
import MeterDrivers

/// Why an answer is not taken, for the person.
struct AnswerProblem: Error, Sendable, Hashable {
  let message: String
}

/// Checks what a person entered before a driver sees it (`MH_ASK_*`).
enum PromptAnswer {
  /// The answer as the driver gets it.
  static func bytes(of text: String, for prompt: DriverPrompt) throws(AnswerProblem) -> [UInt8] {
    let lengths = Int(prompt.minimumLength)...Int(prompt.maximumLength)
    switch prompt.kind {
    case .passkey:
      let digits = text.filter { !$0.isWhitespace }
      guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
        throw AnswerProblem(message: "that is not a number; enter digits only")
      }
      try check(digits.utf8.count, lengths, "digits")
      return Array(digits.utf8)
    case .hexKey:
      let digits = text.filter { !$0.isWhitespace && $0 != ":" && $0 != "-" }
      guard let bytes = [UInt8](hexadecimal: digits.utf8), !bytes.isEmpty else {
        throw AnswerProblem(message: "that is no key; enter pairs of the digits 0 to 9 and a to f")
      }
      try check(digits.utf8.count, lengths, "digits")
      return bytes
    case .qr:
      try check(text.utf8.count, lengths, "bytes")
      return Array(text.utf8)
    case .choice:
      let count = choices(of: prompt).count
      guard let number = Int(text.filter { !$0.isWhitespace }), count > 0, (1...min(count, 255)).contains(number) else {
        throw AnswerProblem(message: "enter a number from 1 to \(count)")
      }
      return [UInt8(number)]
    }
  }

  /// The prompt's lines after the first.
  static func choices(of prompt: DriverPrompt) -> [String] {
    guard prompt.kind == .choice else { return [] }
    return prompt.text.split(separator: "\n").dropFirst().map(String.init)
  }

  private static func check(_ count: Int, _ lengths: ClosedRange<Int>, _ what: String) throws(AnswerProblem) {
    guard !lengths.contains(count) else { return }
    let wanted =
      lengths.count == 1 ? "\(lengths.lowerBound)" : "\(lengths.lowerBound) to \(lengths.upperBound)"
    throw AnswerProblem(message: "that has \(count) \(what); \(wanted) are wanted")
  }
}
