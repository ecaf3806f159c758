import Foundation
import TestSupport
import Testing

/// The pages of docs/reference that list errors hold the codes of the sources, and no others.
@Suite("The page of errors") struct ErrorPageTests {
  /// The page, and those that it sends its readers to.
  private static let pages = ["errors", "receiver-client", "records"].map { "docs/reference/\($0).md" }

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: CompiledBundle.root.appending(path: path), encoding: .utf8)
  }

  private static func quoted(in text: some StringProtocol) -> Set<String> {
    Set(String(text).matches(of: /`([a-z][a-z0-9_]*)`/).map { String($0.1) })
  }

  private static func onThePages() throws -> Set<String> {
    try pages.reduce(into: []) { try $0.formUnion(quoted(in: text($1))) }
  }

  /// The codes in the first column of each section's tables, by the section's heading.
  private static func tables(_ page: String) throws -> [String: Set<String>] {
    var (heading, result) = ("", [String: Set<String>]())
    for line in try text(page).split(separator: "\n") {
      if line.hasPrefix("## ") { heading = String(line) }
      guard line.hasPrefix("| `"), let cell = line.split(separator: "|").first else { continue }
      result[heading, default: []].formUnion(quoted(in: cell))
    }
    return result
  }

  private static func sources() throws -> [String] {
    let folder = CompiledBundle.root.appending(path: "Sources")
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL }
    return try (files ?? []).filter { $0.pathExtension == "swift" }.map { try String(contentsOf: $0, encoding: .utf8) }
  }

  @Test("a type with a section has its codes there, and no others") func sections() throws {
    let types = Dictionary(grouping: ErrorSample.all, by: \.type).mapValues { Set($0.map(\.code)) }
    var checked: Set<String> = []
    for (heading, codes) in try Self.pages.prefix(2).flatMap(Self.tables) {
      let named = heading.matches(of: /`([A-Za-z]+)`/).map { String($0.1) }.filter { types[$0] != nil }
      guard !named.isEmpty, named != ["GatewayError"] else { continue }
      checked.formUnion(named)
      let known = named.reduce(into: Set<String>()) { $0.formUnion(types[$1] ?? []) }
      #expect(codes == known, "\(heading): \(codes.symmetricDifference(known).sorted())")
    }
    #expect(checked.count == 17, "\(checked.sorted())")
  }

  @Test("every code of an error type, and every code that is written out, is on a page") func codes() throws {
    let pages = try Self.onThePages()
    let types = ErrorSample.all.filter { $0.type != "GatewayError" }.map(\.code)
    let written = try Self.sources().flatMap { $0.matches(of: /code: "([a-z0-9_]+)"/).map { String($0.1) } }
    #expect(Set(types + written).subtracting(pages).isEmpty, "\(Set(types + written).subtracting(pages).sorted())")
  }

  @Test("every code of the page's tables is in the sources") func page() throws {
    let sources = try Self.sources()
    var known = Set(ErrorSample.all.map(\.code))
    for source in sources {
      known.formUnion(source.matches(of: /"([a-z0-9_]+)"/).map { String($0.1) })
      known.formUnion(source.matches(of: /case ([a-z]+)/).map { String($0.1) })
    }
    // What refuses an image has this before its code where a reading's image is submitted.
    known.formUnion(known.map { "image_\($0)" })
    for (heading, codes) in try Self.tables(Self.pages[0]) {
      #expect(codes.subtracting(known).isEmpty, "\(heading): \(codes.subtracting(known).sorted())")
    }
  }
}
