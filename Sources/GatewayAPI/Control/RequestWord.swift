/// A word of a request: one of a list, and anything else is refused with the list.
struct RequestWord<Word: RawRepresentable<String> & CaseIterable>: Codable, CaseIterable {
  let word: Word

  init(_ word: Word) { self.word = word }

  static var allCases: [RequestWord] { Word.allCases.map { RequestWord($0) } }

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let word = Word(rawValue: text) else {
      throw RequestFlaw.unknownWord(text, allowed: Word.allCases.map(\.rawValue), at: container.codingPath)
    }
    self.word = word
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(word.rawValue)
  }
}

extension RequestWord: RawRepresentable {
  init?(rawValue: String) {
    guard let word = Word(rawValue: rawValue) else { return nil }
    self.word = word
  }

  var rawValue: String { word.rawValue }
}

/// What is wrong with a member of a request, in words for whoever has written it; lies beneath the error of decoding.
struct RequestFlaw: Error {
  let words: String

  /// The error for a word that is not in a list.
  static func unknownWord(_ word: String, allowed: [String], at path: [any CodingKey]) -> DecodingError {
    let words = "“\(word.prefix(64))” is not allowed here; use one of \(allowed.joined(separator: ", "))"
    return .dataCorrupted(
      DecodingError.Context(codingPath: path, debugDescription: words, underlyingError: RequestFlaw(words: words)))
  }
}

extension KeyedDecodingContainer {
  /// A member that may be left out.
  func decode<Value: Decodable>(_ key: Key, else standard: Value) throws -> Value {
    try decodeIfPresent(Value.self, forKey: key) ?? standard
  }

  /// A word of a list.
  func word<Word: RawRepresentable<String> & CaseIterable>(_ key: Key) throws -> Word {
    try decode(RequestWord<Word>.self, forKey: key).word
  }

  /// Words of a list; nil where the member is left out.
  func words<Word: RawRepresentable<String> & CaseIterable>(_ key: Key) throws -> [Word]? {
    try decodeIfPresent([RequestWord<Word>].self, forKey: key)?.map(\.word)
  }
}
