import Foundation
import TestSupport
import Testing

@testable import MeterDrivers
@testable import StrictJSON

/// Seeded damage to registry.json: never a crash, always an error or a registry whose promises hold.
@Suite("R22 mutations of the registry", .timeLimit(.minutes(60))) struct RegistryMutationTests {
  /// registry.json without struct layouts, which the loader does not decode: mutations hit what matters.
  private static func document() throws -> [UInt8] {
    let text = try String(contentsOfFile: RegistryFixture.repositoryFile, encoding: .utf8)
    let start = try #require(text.range(of: "\"structs\": ["))
    let end = try #require(text.range(of: "\"constants\": {"))
    let close = try #require(text.range(of: "}", range: end.upperBound..<text.endIndex))
    return Array((text[..<start.upperBound] + "], \"constants\": {" + text[close.lowerBound...]).utf8)
  }

  private func attempt(_ bytes: [UInt8]) -> Registry? {
    do throws(RegistryError) {
      let registry = try Registry.load(base: bytes)
      checkPromises(registry)
      return registry
    } catch {
      checkWords(error)
      return nil
    }
  }

  /// Every refusal names the file, a place in it and what to do, in words that a terminal can show.
  private func checkWords(_ error: RegistryError, file: String = "registry.json") {
    #expect(error.file == file && error.path.hasPrefix("$") && error.position != nil)
    #expect(!error.problem.isEmpty && !error.cure.isEmpty && error.rule.hasPrefix("R"))
    #expect(error.message.unicodeScalars.allSatisfy(isFitForPeople) && error.message.utf8.count < 2_000)
  }

  private func checkPromises(_ registry: Registry) {
    for problem in registry.problems { checkWords(problem, file: problem.file) }
    for warning in registry.warnings { #expect(!warning.message.isEmpty && warning.path.hasPrefix("$")) }
    #expect(Set(registry.peripherals.map(\.key)).count == registry.peripherals.count)
    #expect(Set(registry.drivers.map(\.id)).count == registry.drivers.count)
    for driver in registry.drivers {
      #expect(registry.family(id: driver.familyID) != nil)
      #expect(!driver.library.hasPrefix("/") && !driver.library.split(separator: "/").contains(".."))
      #expect(driver.metrics.allSatisfy { $0.code >= 0x8000 })
    }
    for peripheral in registry.peripherals {
      #expect((1...RegistryLimits.name).contains(peripheral.name.utf8.count))
      #expect(peripheral.name.unicodeScalars.allSatisfy(isFitForPeople))
      _ = peripheral.parameters(for: DeviceFacts(name: "CareSens", manufacturer: "i-SENS"))
    }
    _ = registry.match(SeenDevice(services: [UUIDString(uuid16: 0x1808)], name: "meter+1"))
  }

  @Test func flippedBytes() throws {
    let document = try Self.document()
    var generator = SeededGenerator(seed: 1)
    var refused = 0
    for _ in 0..<1_000 {
      var bytes = document
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        let index = Int.random(in: 0..<bytes.count, using: &generator)
        bytes[index] ^= UInt8.random(in: 1...255, using: &generator)
      }
      if attempt(bytes) == nil { refused += 1 }
    }
    #expect(refused > 500)
  }

  /// registry.json is cut at 500 places, a small registry and a fragment at every byte.
  @Test func truncations() throws {
    let document = try Self.document()
    #expect(attempt(document) != nil)
    for step in 0..<500 {
      let length = step * (document.count - 2) / 500
      #expect(attempt(Array(document[..<length])) == nil, "\(length) bytes")
    }
    let small = Array(RegistryFixture.text().utf8)
    #expect(attempt(small) != nil)
    for length in 0..<small.count { #expect(attempt(Array(small[..<length])) == nil, "\(length) bytes") }
    let fragment = Array(Self.fragment.utf8)
    for length in 0..<fragment.count {
      let registry = try Registry.load(base: small, fragments: [("cut.json", Array(fragment[..<length]))])
      #expect(registry.problems.count == 1 && registry.peripherals.count == 1, "\(length) bytes")
      for problem in registry.problems { checkWords(problem, file: "cut.json") }
    }
  }

  static let fragment = """
    {"registry_version": 1, "families": [{"id": "other", "name": "Other"}],
     "drivers": [\(RegistryFixture.driver.replacing("example.one", with: "example.two"))],
     "peripherals": [\(RegistryFixture.peripheral(50).replacing("example.one", with: "example.two"))],
     "overrides": [{"id": 1, "kind": "bluetooth", "name": "Ours"}]}
    """

  /// A damaged fragment is left out with its reason, or taken as a whole; the base is never disturbed.
  @Test(arguments: 1...4 as ClosedRange<UInt64>) func damagedFragments(seed: UInt64) throws {
    let base = Array(RegistryFixture.text().utf8)
    let fragment = Array(Self.fragment.utf8)
    var generator = SeededGenerator(seed: seed)
    var leftOut = 0
    for _ in 0..<1_000 {
      var bytes = fragment
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        let place = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
        case 1: bytes.remove(at: place)
        case 2: bytes.insert(contentsOf: bytes[place...].prefix(Int.random(in: 1...30, using: &generator)), at: place)
        default: bytes.swapAt(place, Int.random(in: 0..<bytes.count, using: &generator))
        }
      }
      let registry = try Registry.load(
        base: base, fragments: [("damaged.json", bytes), ("sound.json", Array("{}".utf8))])
      checkPromises(registry)
      #expect(registry.driver(id: "org.example.one") != nil && registry.peripheral(id: 1) != nil)
      #expect(registry.problems.last?.file == "sound.json", "the file after it is read as well")
      leftOut += registry.problems.contains { $0.file == "damaged.json" } ? 1 : 0
    }
    #expect(leftOut > 500)
  }

  @Test func swappedPieces() throws {
    let document = try Self.document()
    var generator = SeededGenerator(seed: 2)
    let pieces = try JSONDocument(document, rules: .registry).nodes.filter {
      $0.length > 0 && [.string, .number, .key].contains($0.kind)
    }
    for _ in 0..<1_000 {
      let one = try #require(pieces.randomElement(using: &generator))
      let other = try #require(pieces.randomElement(using: &generator))
      var bytes = document
      let replacement = document[Int(other.start)..<Int(other.start + other.length)]
      bytes.replaceSubrange(Int(one.start)..<Int(one.start + one.length), with: replacement)
      _ = attempt(bytes)
    }
  }

  @Test func changedTypes() throws {
    let document = try Self.document()
    var generator = SeededGenerator(seed: 3)
    let parsed = try JSONDocument(document, rules: .registry)
    let values = parsed.nodes.indices.filter { parsed.nodes[$0].kind == .string || parsed.nodes[$0].kind == .number }
    let replacements = ["null", "true", "-1", "1e400", "\"\"", "[]", "{}", "18446744073709551616", "\"\\u0000\""]
    for _ in 0..<1_000 {
      let node = parsed.nodes[try #require(values.randomElement(using: &generator))]
      let quote = node.kind == .string ? 1 : 0
      var bytes = document
      bytes.replaceSubrange(
        (Int(node.start) - quote)..<(Int(node.start + node.length) + quote),
        with: Array(try #require(replacements.randomElement(using: &generator)).utf8))
      _ = attempt(bytes)
    }
  }

  @Test func theOrderOfKeysChangesNothing() throws {
    let sorted = try JSONSerialization.data(
      withJSONObject: JSONSerialization.jsonObject(with: Data(Self.document())), options: [.sortedKeys])
    let one = try #require(attempt(try Self.document()))
    let other = try #require(attempt(Array(sorted)))
    #expect(one.peripherals == other.peripherals && one.drivers == other.drivers && one.families == other.families)
  }
}
