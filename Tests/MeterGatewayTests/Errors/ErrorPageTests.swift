import Foundation
import TestSupport
import Testing

/// The page of errors and the sources hold the same codes.
@Suite("The page of errors") struct ErrorPageTests {
  /// A code in backticks.
  private static let quoted = /`([a-z][a-z0-9_]*)`/
  private static let page = "docs/reference/errors.md"

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: CompiledBundle.root.appending(path: path), encoding: .utf8)
  }

  /// The codes of the first column of each section's table, by the section's heading.
  private static func tables() throws -> [String: Set<String>] {
    var (heading, result) = ("", [String: Set<String>]())
    // The page of another library's client has a section of its own.
    for line in try (text(page) + text("docs/reference/receiver-client.md")).split(separator: "\n") {
      if line.hasPrefix("## ") { heading = String(line) }
      guard line.hasPrefix("| `") else { continue }
      let cell = line.split(separator: "|").first ?? ""
      result[heading, default: []].formUnion(cell.matches(of: quoted).map { String($0.1) })
    }
    return result
  }

  private static func sources() throws -> [String] {
    let folder = CompiledBundle.root.appending(path: "Sources")
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL }
    return try (files ?? []).filter { $0.pathExtension == "swift" }.map { try String(contentsOf: $0, encoding: .utf8) }
  }

  @Test("a type with a section has exactly its codes there") func sections() throws {
    let types = Dictionary(grouping: ErrorSample.all, by: \.type).mapValues { Set($0.map(\.code)) }
    var checked: Set<String> = []
    for (heading, codes) in try Self.tables() {
      let named = heading.matches(of: /`([A-Za-z]+)`/).map { String($0.1) }.filter { types[$0] != nil }
      guard !named.isEmpty, !named.contains("GatewayError") else { continue }
      checked.formUnion(named)
      let known = named.reduce(into: Set<String>()) { $0.formUnion(types[$1] ?? []) }
      #expect(codes.subtracting(Self.reserved) == known, "\(heading): \(codes.symmetricDifference(known).sorted())")
    }
    #expect(checked.count >= 13, "sections: \(checked.sorted())")
  }

  /// Codes that the page keeps free.
  private static let reserved: Set<String> = []

  @Test("every code of every error type stands on the page") func samples() throws {
    let page = Set(
      try (Self.text(Self.page) + Self.text("docs/reference/receiver-client.md")).matches(of: Self.quoted).map {
        String($0.1)
      })
    for sample in ErrorSample.all where sample.type != "GatewayError" {
      #expect(page.contains(sample.code), "\(sample.type) \(sample.code)")
    }
  }

  @Test("every code that is written out in the sources stands on the page") func literals() throws {
    let page = Set(try Self.text(Self.page).matches(of: Self.quoted).map { String($0.1) })
    for code in try Self.sources().flatMap({ $0.matches(of: /code: "([a-z0-9_]+)"/).map { String($0.1) } }) {
      #expect(page.contains(code), "\(code)")
    }
  }

  @Test("every code of the page's tables is one of the sources'") func page() throws {
    let sources = try Self.sources()
    var known = Set(sources.flatMap { $0.matches(of: /"([a-z0-9_]+)"/).map { String($0.1) } })
    known.formUnion(ErrorSample.all.map(\.code))
    known.formUnion(sources.flatMap { $0.matches(of: /case ([a-z]+)\b/).map { String($0.1) } })
    // The refusals of an image have this before their own code where a reading's image is submitted.
    known.formUnion(known.map { "image_\($0)" })
    for (heading, codes) in try Self.tables() where heading.hasPrefix("## ") {
      #expect(codes.subtracting(known).isEmpty, "\(heading): \(codes.subtracting(known).sorted())")
    }
  }
}
