import Foundation

/// What a fuzzer has found: the kind of fault, in words, and the input that shows it.
package struct FuzzFinding: Codable, Sendable, Hashable {
  /// What went wrong.
  package enum Kind: String, Codable, Sendable {
    /// A rule of the contract; `rule` names it.
    case brokenRule = "broken_rule"
    /// A read or write outside of what belongs to the driver, or a use after it was freed.
    case memory
    /// C or C++ whose meaning is not defined.
    case undefinedBehaviour = "undefined_behaviour"
    /// Memory that nobody frees.
    case leak
    /// An input that takes seconds.
    case timeout
    /// An input that takes gigabytes.
    case memoryLimit = "memory_limit"
    /// A trap, such as an overflow in Swift, or a signal.
    case crash
  }

  /// What went wrong.
  package let kind: Kind
  /// The contract's rule.
  package let rule: String?
  /// In one line.
  package let message: String
  /// The place in the driver, where the stack tells it: function, file, line.
  package let place: String?
  /// The file with the input.
  package let input: String

  /// Reads what the sanitizers and the bench have said; nil when there is no sign of a fault.
  init?(log: String, input: String) {
    let lines = log.split(separator: "\n")
    let after = { (mark: String) in
      lines.lazy.compactMap { line in line.range(of: mark).map { String(line[$0.upperBound...]) } }.first
    }
    self.input = input
    place = Self.place(lines)
    if let broken = after("broken rule ") {
      (kind, rule) = (.brokenRule, broken.split(separator: ":").first.map(String.init))
      message =
        broken.split(separator: ":", maxSplits: 1).last.map { $0.trimmingCharacters(in: .whitespaces) } ?? broken
      return
    }
    rule = nil
    if let error = after("runtime error: ") {
      (kind, message) = (.undefinedBehaviour, error)
    } else if after("ERROR: LeakSanitizer") != nil {
      (kind, message) = (.leak, "memory that nobody frees")
    } else if let error = after("ERROR: AddressSanitizer: ") {
      (kind, message) = (.memory, error.components(separatedBy: " on address").first ?? error)
    } else if after("ERROR: libFuzzer: timeout") != nil {
      (kind, message) = (.timeout, "one input takes too long")
    } else if after("ERROR: libFuzzer: out-of-memory") != nil {
      (kind, message) = (.memoryLimit, "one input takes too much memory")
    } else if let error = after("ERROR: libFuzzer: ") {
      (kind, message) = (.crash, error)
    } else {
      return nil
    }
  }

  /// The innermost frame that is neither the sanitizers' nor the bench's.
  private static func place(_ lines: [Substring]) -> String? {
    let foreign = [
      "/bench/", "/fuzz/", "libclang", "compiler-rt", "libc.so", "fuzzer::", "__sanitizer", "__asan", "sysdeps/",
      "nptl/", "stdlib/",
    ]
    for line in lines where line.trimmingCharacters(in: .whitespaces).hasPrefix("#") {
      guard let name = line.range(of: " in ") else { continue }
      let frame = String(line[name.upperBound...])
      let isNamed = frame.contains(":") && !foreign.contains(where: frame.contains)
      if isNamed, frame.contains("/") { return frame }
    }
    return nil
  }
}
