import Foundation
import TestSupport
import Testing

import DriverContract
@testable import DriverRuntime

/// Every case of rule R4, for majors that are and majors to come.
@Suite("R4 which contracts are served") struct ContractRuleTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let host: (UInt16, UInt16)
    let theirs: (UInt16, UInt16)
    let hash: UInt64?
    let verdict: ContractRule.Verdict
    var testDescription: String { "\(theirs), \(hash ?? 0) under \(host): \(verdict)" }
  }

  /// The layout hash of M.m is 100 * M + m.
  static let frozen = [(1, 0), (1, 1), (1, 2), (2, 0)].map { major, minor in
    ContractVersion(major: major, minor: minor, layoutHash: 100 * UInt64(major) + UInt64(minor))
  }

  static let cases: [Case] = [
    // A draft is served by itself alone.
    Case(host: (0, 2), theirs: (0, 2), hash: 2, verdict: .accepted(minor: 2)),
    Case(host: (0, 2), theirs: (0, 2), hash: nil, verdict: .accepted(minor: 2)),
    Case(host: (0, 2), theirs: (0, 2), hash: 3, verdict: .otherLayout),
    Case(host: (0, 2), theirs: (0, 1), hash: 1, verdict: .otherDraft),
    Case(host: (0, 2), theirs: (0, 3), hash: 3, verdict: .otherDraft),
    Case(host: (0, 2), theirs: (0, 3), hash: nil, verdict: .otherDraft),
    Case(host: (0, 2), theirs: (1, 0), hash: 100, verdict: .otherMajor),
    // The very same version.
    Case(host: (1, 2), theirs: (1, 2), hash: 102, verdict: .accepted(minor: 2)),
    Case(host: (1, 2), theirs: (1, 2), hash: 103, verdict: .otherLayout),
    Case(host: (1, 2), theirs: (1, 2), hash: nil, verdict: .accepted(minor: 2)),
    // Older minors: with the layout that they were frozen with.
    Case(host: (1, 2), theirs: (1, 0), hash: 100, verdict: .accepted(minor: 0)),
    Case(host: (1, 2), theirs: (1, 1), hash: 101, verdict: .accepted(minor: 1)),
    Case(host: (1, 2), theirs: (1, 1), hash: nil, verdict: .accepted(minor: 1)),
    Case(host: (1, 2), theirs: (1, 1), hash: 100, verdict: .otherLayout),
    Case(host: (1, 9), theirs: (1, 5), hash: 105, verdict: .unknownMinor),
    Case(host: (1, 9), theirs: (1, 5), hash: nil, verdict: .unknownMinor),
    // Newer minors: whatever their layout, as far as the host knows it.
    Case(host: (1, 0), theirs: (1, 1), hash: 101, verdict: .accepted(minor: 0)),
    Case(host: (1, 0), theirs: (1, 7), hash: 4711, verdict: .accepted(minor: 0)),
    Case(host: (1, 0), theirs: (1, 7), hash: nil, verdict: .accepted(minor: 0)),
    // Other majors, older and newer, though their versions were frozen.
    Case(host: (1, 2), theirs: (2, 0), hash: 200, verdict: .otherMajor),
    Case(host: (2, 0), theirs: (1, 2), hash: 102, verdict: .otherMajor),
    Case(host: (2, 0), theirs: (1, 2), hash: nil, verdict: .otherMajor),
    Case(host: (1, 0), theirs: (0, 2), hash: 2, verdict: .otherMajor),
    Case(host: (2, 1), theirs: (2, 0), hash: 200, verdict: .accepted(minor: 0)),
    Case(host: (1, 2), theirs: (.max, .max), hash: .max, verdict: .otherMajor),
  ]

  private func rule(_ host: (UInt16, UInt16)) -> ContractRule {
    ContractRule(
      host: ContractVersion(major: host.0, minor: host.1, layoutHash: 100 * UInt64(host.0) + UInt64(host.1)),
      frozen: Self.frozen)
  }

  @Test(arguments: cases) func verdict(of row: Case) {
    let rule = rule(row.host)
    #expect(rule.verdict(major: row.theirs.0, minor: row.theirs.1, layoutHash: row.hash) == row.verdict)
    guard let hash = row.hash else { return }
    let theirs = ContractVersion(major: row.theirs.0, minor: row.theirs.1, layoutHash: hash)
    let refusal = rule.refusal(of: theirs)
    if case .accepted = row.verdict {
      #expect(refusal == nil)
    } else {
      // Both sides are named, and what to do.
      #expect(refusal?.reason.contains("\(theirs)") == true && refusal?.reason.contains("\(rule.host)") == true)
      #expect(refusal?.cure.isEmpty == false)
    }
  }

  @Test func theHostServesItself() {
    #expect(ContractRule.host.verdict(.host) == .accepted(minor: ContractVersion.host.minor))
    for version in ContractVersion.frozen {
      #expect(ContractRule.host.verdict(version) == .accepted(minor: version.minor))
    }
  }

  /// The loader asks the rule: a driver of 7.x under a host of 7.y.
  @Test func theLoaderFollowsTheRule() throws {
    let file = try CompiledBundle.make(defines: ["OTHER_MAJOR", "OTHER_MINOR"])
    let theirs = ContractVersion(major: 7, minor: 9, layoutHash: ContractVersion.host.layoutHash)
    func load(host minor: UInt16, frozen: [ContractVersion]) throws -> [DriverDescription] {
      let rule = ContractRule(host: ContractVersion(major: 7, minor: minor, layoutHash: 5), frozen: frozen)
      return try DriverLibrary(descriptor: open(file.path, O_RDONLY | O_CLOEXEC), name: "fixture", rule: rule).drivers
    }
    #expect(try load(host: 12, frozen: [theirs]).count > 1, "older and frozen")
    #expect(try load(host: 3, frozen: []).count > 1, "newer")
    let never = try #require(throws: DriverFault.self) { try load(host: 12, frozen: []) }
    #expect(never.rule == "R4" && never.message.contains("7.9 was never released"))
    var changed = theirs
    changed.layoutHash ^= 1
    let other = try #require(throws: DriverFault.self) { try load(host: 12, frozen: [changed]) }
    #expect(other.rule == "R4" && other.message.contains("were changed"))
  }

  @Test func fieldsBehindTheEndOfAStructAreZero() {
    struct Table { var size: UInt32, first: UInt32, second: UInt64 }
    var table = Table(size: 8, first: 3, second: 4)
    let empty = Table(size: 0, first: 0, second: 0)
    let short = grownStruct(&table, empty: empty)
    #expect(short.size == 8 && short.first == 3 && short.second == 0)
    table.size = 100
    let grown = grownStruct(&table, empty: empty)
    #expect(grown.size == 100 && grown.second == 4)
    table.size = 0
    #expect(grownStruct(&table, empty: empty).size == 0)
  }
}
