import HostPrimitives

/// Bytes of a conversation as a script writes them: what a question must look like, or what an answer is made of.
///
/// | written | in a question | in an answer |
/// |---|---|---|
/// | `A5` | this byte | this byte |
/// | `A?`, `?5`, `??` | a byte of which only the digits count | not allowed |
/// | `{name}`, `{name:4}` | one byte, four bytes, kept under a name | the bytes that were kept |
/// | `*`, `{name:*}` | any bytes, once | not allowed |
/// | `{sum8}`, `{xor8}`, `{crc16}`, each also with `:n` | the checksum over all bytes before it, or over those from byte n on | the checksum |
/// | `{record}` | not allowed | the bytes of the record |
/// | `{count}`, `{count:2}` | not allowed | how many records the memory holds, in so many bytes, the lowest first |
struct BytePattern: Sendable, Equatable {
  enum Token: Sendable, Equatable {
    case byte(UInt8, mask: UInt8)
    case named(String, count: Int)
    case rest(String?)
    case checksum(Checksum, from: Int)
    case record
    case count(width: Int)
  }

  /// The names that mean something of themselves.
  private static let reserved = Set(["record", "count"] + Checksum.allCases.map(\.rawValue))
  /// An attribute's value has no more bytes (Core Vol 3 Part F 3.2.9).
  private static let longest = 512

  /// As the script writes it.
  let text: String
  let tokens: [Token]

  /// - Throws: ``Problem`` with what is wrong.
  init(_ text: String) throws(Problem) {
    self.text = text
    var tokens: [Token] = []
    var rest = Substring(text)
    while let next = rest.first {
      if next == " " {
        rest.removeFirst()
      } else if next == "*" {
        rest.removeFirst()
        tokens.append(.rest(nil))
      } else if next == "{" {
        guard let end = rest.firstIndex(of: "}") else { throw Problem(words: "a { is not closed in “\(text)”") }
        tokens.append(try Self.braced(rest[rest.index(after: rest.startIndex)..<end]))
        rest = rest[rest.index(after: end)...]
      } else {
        tokens.append(try Self.byte(rest.prefix(2)))
        rest = rest.dropFirst(2)
      }
    }
    guard tokens.count <= Self.longest else { throw Problem(words: "no value has more than \(Self.longest) bytes") }
    self.tokens = tokens
  }

  /// What is wrong with a pattern.
  struct Problem: Error, Hashable {
    let words: String
  }

  /// The names that it keeps, or needs.
  var names: Set<String> {
    Set(
      tokens.compactMap { token in
        switch token {
        case .named(let name, _): name
        case .rest(let name): name
        default: nil
        }
      })
  }

  /// Whether it needs a record.
  var needsRecord: Bool { tokens.contains(.record) }

  private static func byte(_ digits: Substring) throws(Problem) -> Token {
    var (value, mask): (UInt8, UInt8) = (0, 0)
    guard digits.utf8.count == 2 else { throw Problem(words: "“\(digits)” is half a byte; write two digits") }
    for digit in digits.utf8 {
      (value, mask) = (value << 4, mask << 4)
      if digit == UInt8(ascii: "?") { continue }
      guard let number = Hexadecimal.value(of: digit) else {
        throw Problem(words: "“\(digits)” is no byte; write two hexadecimal digits, ? for any")
      }
      (value, mask) = (value | number, mask | 0x0F)
    }
    return .byte(value, mask: mask)
  }

  private static func braced(_ inner: Substring) throws(Problem) -> Token {
    let parts = inner.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let (name, argument) = (parts[0], parts.count > 1 ? parts[1] : nil)
    let isName = name.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F }
    guard !name.isEmpty, isName else {
      throw Problem(words: "{\(inner)} has no name of lower-case letters, digits and _")
    }
    if argument == "*", !reserved.contains(name) { return .rest(name) }
    let number = argument.flatMap { Int($0) }
    guard argument == nil || number.map((0...longest).contains) == true else {
      throw Problem(words: "{\(inner)}: behind the colon stands a number of bytes")
    }
    if let checksum = Checksum(rawValue: name) { return .checksum(checksum, from: number ?? 0) }
    if name == "record" { return .record }
    if name == "count" {
      guard (1...4).contains(number ?? 1) else { throw Problem(words: "a count has 1 to 4 bytes") }
      return .count(width: number ?? 1)
    }
    guard number != 0 else { throw Problem(words: "{\(inner)} keeps nothing") }
    return .named(name, count: number ?? 1)
  }
}

// MARK: - Questions

extension BytePattern {
  /// What stands in it that no question can have; nil: nothing.
  var problemAsQuestion: String? {
    if tokens.contains(where: { $0 == .record || $0.isCount }) { return "{record} and {count} are for answers" }
    let rests = tokens.count { if case .rest = $0 { true } else { false } }
    if rests > 1 { return "only one * is possible" }
    return names.count < tokens.count(where: \.isNamed) ? "a name stands twice" : nil
  }

  /// What the names stand for in these bytes; nil: they do not fit.
  func match(_ bytes: [UInt8]) -> [String: [UInt8]]? {
    let fixed = tokens.reduce(0) { $0 + $1.width }
    let hasRest = tokens.contains { if case .rest = $0 { true } else { false } }
    guard hasRest ? bytes.count >= fixed : bytes.count == fixed else { return nil }
    var kept: [String: [UInt8]] = [:]
    var position = 0
    for token in tokens {
      let width = if case .rest = token { bytes.count - fixed } else { token.width }
      let part = Array(bytes[position..<position + width])
      switch token {
      case .byte(let value, let mask): guard part[0] & mask == value else { return nil }
      case .named(let name, _): kept[name] = part
      case .rest(let name): if let name { kept[name] = part }
      case .checksum(let checksum, let start):
        guard start <= position, checksum.bytes(over: bytes[start..<position]) == part else { return nil }
      case .record, .count: return nil
      }
      position += width
    }
    return kept
  }
}

// MARK: - Answers

extension BytePattern {
  /// What stands in it that no answer can have; nil: nothing.
  ///
  /// - Parameter known: The names that the question keeps.
  func problemAsAnswer(known: Set<String>) -> String? {
    for token in tokens {
      switch token {
      case .byte(_, let mask) where mask != 0xFF: return "an answer has no ?"
      case .rest: return "an answer has no *; insert a name that the question keeps"
      case .named(let name, _) where !known.contains(name): return "the question keeps nothing under {\(name)}"
      default: continue
      }
    }
    return nil
  }

  /// The bytes.
  func filled(_ kept: [String: [UInt8]], record: [UInt8], count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    for token in tokens {
      switch token {
      case .byte(let value, _): bytes.append(value)
      case .named(let name, _), .rest(let name?): bytes += kept[name] ?? []
      case .rest(nil): continue
      case .checksum(let checksum, let start): bytes += checksum.bytes(over: bytes[min(start, bytes.count)...])
      case .record: bytes += record
      case .count(let width): bytes += UInt32(clamping: count).littleEndianBytes.prefix(width)
      }
    }
    return Array(bytes.prefix(Self.longest))
  }
}

extension BytePattern.Token {
  /// How many bytes it stands for in a question.
  fileprivate var width: Int {
    switch self {
    case .byte: 1
    case .named(_, let count): count
    case .rest, .record: 0
    case .checksum(let checksum, _): checksum.width
    case .count(let width): width
    }
  }

  fileprivate var isCount: Bool { if case .count = self { true } else { false } }

  fileprivate var isNamed: Bool {
    switch self {
    case .named: true
    case .rest(let name): name != nil
    default: false
    }
  }
}

/// What a meter puts behind its bytes so that broken ones are noticed.
enum Checksum: String, Sendable, CaseIterable {
  /// The sum, modulo 256.
  case sum8
  /// All bytes combined by exclusive or.
  case xor8
  /// CRC-16/CCITT-FALSE, the low byte first.
  case crc16

  var width: Int { self == .crc16 ? 2 : 1 }

  func bytes(over bytes: ArraySlice<UInt8>) -> [UInt8] {
    switch self {
    case .sum8: [bytes.reduce(0, &+)]
    case .xor8: [bytes.reduce(0, ^)]
    case .crc16: Self.crc16(bytes).littleEndianBytes
    }
  }

  static func crc16(_ bytes: ArraySlice<UInt8>) -> UInt16 {
    bytes.reduce(0xffff) { sum, byte in
      (0..<8).reduce(sum ^ UInt16(byte) << 8) { sum, _ in sum & 0x8000 == 0 ? sum << 1 : sum << 1 ^ 0x1021 }
    }
  }
}
