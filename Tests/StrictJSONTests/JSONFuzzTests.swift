import Foundation
import StrictJSON
import TestSupport
import Testing

/// Damaged and random texts against a second reader.
@Suite struct JSONFuzzTests {
  private static let seedText = Array(
    #"{"a":[1,-2.5e3,"é\u00e9\ud83d\ude00\n",{"b":null,"c":[true,false,[],{}]}],"d":"x/\"\\","e":0}"#.utf8)
  private static let tokens: [String] = [
    "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u", "\\ud800", "\\udc00", "0", "-", ".", "e", "1e400", "true", "null",
    " ", "\n", "\u{1}", "é", "\"a\":1",
  ]

  private func mutated(_ generator: inout SeededGenerator) throws -> [UInt8] {
    var bytes = Self.seedText
    for _ in 0..<Int.random(in: 1...4, using: &generator) where !bytes.isEmpty {
      let index = Int.random(in: 0..<bytes.count, using: &generator)
      switch Int.random(in: 0..<4, using: &generator) {
      case 0: bytes[index] = UInt8.random(in: 0...255, using: &generator)
      case 1: bytes.removeSubrange(index..<min(bytes.count, index + Int.random(in: 1...8, using: &generator)))
      case 2: bytes.insert(contentsOf: bytes[index..<min(bytes.count, index + 12)], at: index)
      default:
        bytes.insert(contentsOf: Array(try #require(Self.tokens.randomElement(using: &generator)).utf8), at: index)
      }
    }
    return bytes
  }

  /// Walks everything: every path, place and content must be there and consistent.
  private func walk(_ element: JSONElement, size: Int) -> Int {
    #expect((0..<size).contains(element.offset) && element.path.hasPrefix("$"))
    switch element.kind {
    case .array:
      #expect(element.elements.count == element.count)
      return element.elements.reduce(1) { $0 + walk($1, size: size) }
    case .object:
      #expect(element.members.count == element.count)
      return element.members.reduce(1) { $0 + walk($1.key, size: size) + walk($1.value, size: size) }
    case .string, .key: #expect(element.asString != nil)
    case .number: #expect(element.asDouble != nil)
    case .true, .false: #expect(element.asBool != nil)
    case .null: break
    }
    return 1
  }

  /// What this reader accepts, Foundation's accepts too; what it refuses, it refuses with a place.
  @Test(arguments: UInt64(1)...4)
  func damage(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var accepted = 0
    for _ in 0..<2_000 {
      let bytes = try mutated(&generator)
      do throws(JSONSyntaxError) {
        let root = try JSONDocument(bytes, rules: openRules).root
        accepted += 1
        #expect(walk(root, size: bytes.count) > 0)
        if hasFiniteNumbers(root) {
          #expect(throws: Never.self, "\(String(decoding: bytes, as: UTF8.self))") {
            try JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
          }
        }
      } catch {
        #expect((0...bytes.count).contains(error.offset))
        #expect(error.position == TextPosition(offset: error.offset, in: bytes))
        #expect(error.description.unicodeScalars.allSatisfy(isFitForPeople))
      }
    }
    #expect(accepted > 50)
  }

  /// Foundation refuses numbers that are too large.
  private func hasFiniteNumbers(_ element: JSONElement) -> Bool {
    element.asDouble?.isFinite ?? true && element.elements.allSatisfy(hasFiniteNumbers)
      && element.members.allSatisfy { hasFiniteNumbers($0.value) }
  }

  @Test func stringsAreFoundations() throws {
    var generator = SeededGenerator(seed: 9)
    for _ in 0..<500 {
      let scalars = (0..<Int.random(in: 0...20, using: &generator)).compactMap { _ in
        Unicode.Scalar(UInt32.random(in: 0...(Bool.random(using: &generator) ? 0x7f : 0x10_ffff), using: &generator))
      }
      var text = ""
      text.unicodeScalars.append(contentsOf: scalars)
      let written = try JSONEncoder().encode([text])
      let read = try JSONDocument(Array(written), rules: strictRules).root.elements[0].asString
      #expect(read.map { Array($0.utf8) } == Array(text.utf8))
    }
  }

  @Test func randomBytes() throws {
    var generator = SeededGenerator(seed: 10)
    for _ in 0..<2_000 {
      let bytes = generator.bytes(0...40)
      guard let document = try? JSONDocument(bytes, rules: openRules) else { continue }
      #expect(walk(document.root, size: bytes.count) > 0)
    }
  }
}
