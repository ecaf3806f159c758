import Foundation
import TestSupport
import Testing

/// What the reference says of the contract is held against the contract.
@Suite("the reference of the contract") struct ContractDocumentTests {
  private func lines(_ path: String) throws -> [String] {
    try String(contentsOf: CompiledBundle.root.appending(path: path), encoding: .utf8)
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// The cells of a table's row; empty for any other line.
  private func cells(_ line: String) -> [String] {
    guard line.hasPrefix("|"), line.hasSuffix("|") else { return [] }
    return line.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false)
      .map { $0.trimmingCharacters(in: .whitespaces) }
  }

  @Test("docs/reference/abi.md has a line for every field and for no other") func everyFieldHasItsReason() throws {
    var listed: [String: [String]] = [:]
    var current = ""
    for line in try lines("docs/reference/abi.md") {
      if line.hasPrefix("#") { current = line.hasPrefix("### ") ? String(line.dropFirst(4)) : "" }
      let cells = cells(line)
      guard !current.isEmpty, cells.count == 2, cells[0].hasPrefix("`"), cells[0].hasSuffix("`") else { continue }
      listed[current, default: []].append(String(cells[0].dropFirst().dropLast()))
      #expect(cells[1].count > 10, "\(current).\(cells[0]) has no reason")
    }
    let layout = try ContractLayout.today()
    #expect(Set(listed.keys) == Set(layout.structs.map(\.name)))
    for structure in layout.structs {
      let fields = structure.fields.map { String($0.name.prefix { $0 != "[" }) }
      #expect(listed[structure.name] == fields, "\(structure.name)")
    }
    let text = try lines("docs/reference/abi.md").joined(separator: "\n")
    for function in layout.functions { #expect(text.contains("| `\(function.name)` |")) }
  }

  @Test("docs/reference/abi-rules.md has a row for every rule, and its tests exist") func everyRuleHasItsTests() throws
  {
    let rows = try lines("docs/reference/abi-rules.md").map(cells).filter { $0.first?.first == "R" }
    #expect(rows.map { $0[0] } == (1...27).map { "R\($0)" })
    let files = try testFiles()
    for row in rows {
      try #require(row.count == 4, "\(row)")
      #expect(!row[1].isEmpty && !row[2].isEmpty, "\(row[0])")
      let named = row[3].split(separator: "`", omittingEmptySubsequences: false).enumerated()
        .filter { $0.offset % 2 == 1 }.map { String($0.element) }
      for file in named {
        #expect(
          files.contains { $0 == file || $0.hasSuffix("/" + file) }, "\(row[0]) names \(file), which does not exist")
      }
      // A rule that something checks names the test that proves it.
      #expect(!named.isEmpty || row[2].contains("not yet"), "\(row[0])")
    }
  }

  /// Tests named after a rule are named in the rule's row: `@Suite("R13 ...")`.
  @Test func suitesNamedAfterARuleStandInItsRow() throws {
    let rows = try lines("docs/reference/abi-rules.md").map(cells).filter { $0.first?.first == "R" && $0.count == 4 }
    var found = 0
    for file in try testFiles() where file.hasSuffix(".swift") {
      let text = try String(contentsOf: CompiledBundle.root.appending(path: file), encoding: .utf8)
      for match in text.matches(of: /@Suite\(\s*"((?:R\d+ )+)/) {
        for rule in match.1.split(separator: " ") {
          let row = try #require(rows.first { $0[0] == rule }, "\(file) names \(rule)")
          let name = file.split(separator: "/").last.map(String.init) ?? file
          #expect(row[3].contains(name), "\(rule) does not name \(name)")
          found += 1
        }
      }
    }
    #expect(found >= 8)
  }

  /// Every file of the tests and scripts, from the package's folder.
  private func testFiles() throws -> [String] {
    let root = CompiledBundle.root.path
    let manager = FileManager.default
    let plugins = try manager.contentsOfDirectory(atPath: root + "/Plugins").map { "Plugins/\($0)/Tests" }
    return (["Tests", "scripts"] + plugins).flatMap { folder in
      (manager.enumerator(atPath: "\(root)/\(folder)")?.allObjects as? [String] ?? []).map { "\(folder)/\($0)" }
    }
  }
}
