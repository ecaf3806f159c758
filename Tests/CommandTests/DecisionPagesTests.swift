import Foundation
import TestSupport
import Testing

/// The decisions are read one after another: each has the same parts in the same order, and its number.
struct DecisionPagesTests {
  static let pages = try? FileManager.default.contentsOfDirectory(
    at: CompiledBundle.root.appending(path: "docs/decisions"), includingPropertiesForKeys: nil
  ).filter { $0.pathExtension == "md" }.sorted { $0.path < $1.path }

  @Test func numbersGoUp() throws {
    let numbers = try #require(Self.pages).map { Int($0.lastPathComponent.prefix(4)) ?? 0 }
    #expect(numbers.count > 50)
    #expect(Set(numbers).count == numbers.count, "each number is given once")
  }

  @Test func partsAreTheSame() throws {
    for page in try #require(Self.pages) {
      let lines = try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
      let number = try #require(Int(page.lastPathComponent.prefix(4)))
      #expect(lines.first?.hasPrefix("# \(number). ") == true, "\(page.lastPathComponent)")
      let parts = lines.filter { $0.hasPrefix("## ") }.map { $0.dropFirst(3) }.filter { $0 != "Not chosen" }
      #expect(parts == ["Context", "Decision", "Consequences"], "\(page.lastPathComponent)")
    }
  }
}
