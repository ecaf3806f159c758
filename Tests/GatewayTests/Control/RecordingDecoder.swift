import Foundation

/// Decodes any type out of nothing and notes what it asks for: which members, of which types, and which of them it can do
/// without.
///
/// Every text is the same word, so that a type whose member says what it is shows one of its kinds; ``TypeRecorder`` tries
/// all words. A text that a type refuses is tried with others.
struct RecordingDecoder: Decoder {
  /// What one value has shown.
  final class Node {
    fileprivate(set) var shape: Shape?
    /// Members that were asked about before they were read.
    fileprivate var asked: Set<String> = []
    /// Whether the value is a text.
    fileprivate var isText = false

    func note(_ shape: Shape) { self.shape = self.shape?.joined(shape) ?? shape }
  }

  struct Refusal: Error {}

  /// Texts of the forms that types of this package demand.
  private static let samples = ["0b0c7d5e-2a53-8f0e-9a77-6a2f5e3f2b10", "2026-03-01T08:00:00Z", "own"]
  private static let noWord = "no such word"

  let node: Node
  /// What texts are.
  let word: String
  /// What this value is, if it is a text.
  let text: String
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  init(_ node: Node, word: String, text: String? = nil) {
    self.node = node
    self.word = word
    self.text = text ?? word
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    node.note(.object([:]))
    return KeyedDecodingContainer(RecordedMembers<Key>(decoder: self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Refusal() }

  func singleValueContainer() throws -> any SingleValueDecodingContainer { RecordedValue(decoder: self) }

  /// A value of a type, whose shape is noted at a node.
  func value<Value: Decodable>(_ type: Value.Type, at node: Node) throws -> Value {
    if let (value, shape) = Self.primitive(type, word) {
      node.note(shape)
      return value
    }
    if let collection = type as? any RecordedCollection.Type {
      guard let value = try collection.recorded(by: self, at: node) as? Value else { throw Refusal() }
      return value
    }
    let words = Self.words(of: type)
    var refused: any Error = Refusal()
    for text in [word] + (words ?? []).sorted() + Self.samples {
      let trial = Node()
      do {
        let value = try Value(from: RecordingDecoder(trial, word: word, text: text))
        if trial.isText {
          node.note(.string(words.map { Shape.Words(words: $0, isClosed: !isTaken(Self.noWord, as: type)) }))
        } else {
          // A type without members asks for nothing.
          node.note(trial.shape ?? .object([:]))
        }
        return value
      } catch {
        guard trial.isText else { throw error }
        refused = error
      }
    }
    throw refused
  }

  private func isTaken<Value: Decodable>(_ text: String, as type: Value.Type) -> Bool {
    (try? Value(from: RecordingDecoder(Node(), word: word, text: text))) != nil
  }

  private static func primitive<Value>(_ type: Value.Type, _ word: String) -> (Value, Shape)? {
    if let value = true as? Value { return (value, .boolean) }
    if let value = word as? Value { return (value, .string(nil)) }
    let numbers: [any FloatingPoint] = [Double(1), Float(1)]
    for number in numbers { if let value = number as? Value { return (value, .number) } }
    let integers: [any FixedWidthInteger] = [
      Int(1), Int8(1), Int16(1), Int32(1), Int64(1), UInt(1), UInt8(1), UInt16(1), UInt32(1), UInt64(1),
    ]
    for integer in integers { if let value = integer as? Value { return (value, .integer) } }
    if let value = Data([1, 2, 3]) as? Value { return (value, .string(nil)) }
    if let value = UUID() as? Value { return (value, .string(nil)) }
    return nil
  }

  /// The words of a type that lists its values.
  private static func words(of type: any Decodable.Type) -> Set<String>? {
    func all<Word: CaseIterable>(_ type: Word.Type) -> Set<String> {
      Set(type.allCases.compactMap { ($0 as? any RawRepresentable)?.rawValue as? String })
    }
    guard let type = type as? any CaseIterable.Type else { return nil }
    return all(type)
  }
}

/// Arrays and dictionaries: one element each.
private protocol RecordedCollection {
  static func recorded(by decoder: RecordingDecoder, at node: RecordingDecoder.Node) throws -> Self
}

extension Array: RecordedCollection where Element: Decodable {
  static func recorded(by decoder: RecordingDecoder, at node: RecordingDecoder.Node) throws -> [Element] {
    let inner = RecordingDecoder.Node()
    let element = try decoder.value(Element.self, at: inner)
    if let shape = inner.shape { node.note(.list(shape)) }
    return [element]
  }
}

extension Dictionary: RecordedCollection where Key: Decodable, Value: Decodable {
  static func recorded(by decoder: RecordingDecoder, at node: RecordingDecoder.Node) throws -> [Key: Value] {
    let inner = RecordingDecoder.Node()
    let key = try decoder.value(Key.self, at: RecordingDecoder.Node())
    let value = try decoder.value(Value.self, at: inner)
    if let shape = inner.shape { node.note(.map(shape)) }
    return [key: value]
  }
}

/// Whatever a type asks for is there.
private struct RecordedMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: RecordingDecoder
  var codingPath: [any CodingKey] { [] }
  var allKeys: [Key] { [] }

  func contains(_ key: Key) -> Bool {
    decoder.node.asked.insert(key.stringValue)
    return true
  }

  func decodeNil(forKey key: Key) throws -> Bool { false }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    let isRequired = decoder.node.asked.remove(key.stringValue) == nil
    let inner = RecordingDecoder.Node()
    let value = try decoder.value(type, at: inner)
    if let shape = inner.shape {
      decoder.node.note(.object([key.stringValue: Shape.Member(shape: shape, isRequired: isRequired)]))
    }
    return value
  }

  func nestedContainer<Inner: CodingKey>(
    keyedBy type: Inner.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Inner> {
    throw RecordingDecoder.Refusal()
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    throw RecordingDecoder.Refusal()
  }

  func superDecoder() throws -> any Decoder { throw RecordingDecoder.Refusal() }
  func superDecoder(forKey key: Key) throws -> any Decoder { throw RecordingDecoder.Refusal() }
}

private struct RecordedValue: SingleValueDecodingContainer {
  let decoder: RecordingDecoder
  var codingPath: [any CodingKey] { [] }

  func decodeNil() -> Bool { false }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    if let text = decoder.text as? Value {
      decoder.node.isText = true
      return text
    }
    return try decoder.value(type, at: decoder.node)
  }
}
