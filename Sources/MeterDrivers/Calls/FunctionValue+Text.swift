import DriverContract
import HostErrors
import HostPrimitives

extension DriverEntry.Function.Value {
  /// How this argument is written on a command line, with an example.
  package var form: String {
    switch kind {
    case .i32: "a whole number from \(Int32.min) to \(Int32.max) such as -40"
    case .u32: "a whole number from 0 to \(UInt32.max) such as 40"
    case .i64: "a whole number from \(Int64.min) to \(Int64.max) such as -40"
    case .u64: "a whole number from 0 to \(UInt64.max) such as 40"
    case .f64: "a number such as 36.6 or 1e-3"
    case .text: "a text of at most \(FunctionSignature.mostBytes) bytes, in quotes where it holds spaces"
    case .bytes:
      "hex digits such as 0a1bff, or @FILE for the bytes of a file; at most \(FunctionSignature.mostBytes) bytes"
    }
  }

  /// An argument from the word that was typed for it.
  ///
  /// - Parameters:
  ///   - word: As it stands on the command line.
  ///   - file: Reads a file that `@FILE` names.
  /// - Throws: ``ArgumentError``.
  package func argument(
    _ word: String, file: (String) throws -> [UInt8]
  ) throws(ArgumentError) -> FunctionValue {
    let value: FunctionValue? =
      switch kind {
      case .i32: Int32(word).map { .i32($0) }
      case .u32: UInt32(word).map { .u32($0) }
      case .i64: Int64(word).map { .i64($0) }
      case .u64: UInt64(word).map { .u64($0) }
      case .f64: Self.number(word).map { .f64($0) }
      case .text: .text(word)
      case .bytes: .bytes(try bytes(word, file))
      }
    guard let value else { throw ArgumentError(name: name, kind: kind, word: word, form: form) }
    return value
  }

  private func bytes(_ word: String, _ file: (String) throws -> [UInt8]) throws(ArgumentError) -> [UInt8] {
    if word.hasPrefix("@") {
      do { return try file(String(word.dropFirst())) } catch {
        throw ArgumentError(name: name, kind: kind, word: word, form: form, cause: "\(error)")
      }
    }
    // Colons, spaces and hyphens between the digits do not count.
    guard let bytes = [UInt8](hexadecimal: word.utf8.filter { !":- ".utf8.contains($0) }) else {
      throw ArgumentError(name: name, kind: kind, word: word, form: form)
    }
    return bytes
  }

  /// Decimal digits with a point or an exponent; no hex, "nan" or "inf".
  private static func number(_ word: String) -> Double? {
    guard word.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }), let number = Double(word), number.isFinite
    else { return nil }
    return number
  }
}

/// A word of a command line is not what an argument of a function must be.
package struct ArgumentError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The argument's name.
  package let name: String
  /// What it must be.
  package let kind: FunctionSignature.Kind
  /// What was typed.
  package let word: String
  /// How it is written.
  package let form: String
  /// The system's own words about a file.
  package let cause: String?

  init(name: String, kind: FunctionSignature.Kind, word: String, form: String, cause: String? = nil) {
    (self.name, self.kind, self.word, self.form, self.cause) = (name, kind, word, form, cause)
  }

  /// One line for people.
  package var description: String {
    let typed = word.count > 64 ? "\(word.prefix(64))..." : word
    return "\(name) is \(kind.rawValue): write \(form), not \"\(typed)\"\(cause.inBrackets)"
  }
}

extension FunctionValue {
  /// As it is printed: numbers in decimal, bytes as hex digits.
  package var text: String {
    switch self {
    case .i32(let number): "\(number)"
    case .u32(let number): "\(number)"
    case .i64(let number): "\(number)"
    case .u64(let number): "\(number)"
    case .f64(let number): "\(number)"
    case .text(let text): text
    case .bytes(let bytes): bytes.hexadecimal
    }
  }
}
