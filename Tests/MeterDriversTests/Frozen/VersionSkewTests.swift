import DriverContract
import Foundation
import TestSupport
import Testing

@testable import MeterDrivers

/// Hosts and bundles of this minor and of a later one on both sides: each pair works, or refuses, as docs/reference/abi.md
/// says. The oldest frozen minor stands for the older side.
@Suite("R3 R4 version skew", .enabled(if: Tool.isThere("python3") && Tool.isThere("clang")))
struct VersionSkewTests {
  /// Whose headers a side was compiled with.
  enum Side: String, CaseIterable, Sendable {
    case old
    case new
    /// Another major.
    case other

    func include() throws -> URL {
      switch self {
      case .old: FrozenContract.served.last?.include ?? FrozenContract.headers
      case .new: try LaterMinor.headers.get().include
      case .other: try LaterMinor.nextMajor.get().include
      }
    }
  }

  /// One pair and what must come of it.
  struct Pair: Sendable, CustomTestStringConvertible {
    let host: Side
    let bundle: Side
    var hostDefines: [String] = []
    var bundleDefines: [String] = []
    var status: Int32 = 0
    let lines: [String]

    var testDescription: String {
      "host \(host.rawValue)\(hostDefines) x bundle \(bundle.rawValue)\(bundleDefines)"
    }
  }

  private static let served = ["capabilities 1", "action ready", "record 62"]

  static let pairs: [Pair] = [
    // The same on both sides.
    Pair(host: .old, bundle: .old, lines: served),
    Pair(
      host: .new, bundle: .new,
      lines: [
        "capabilities 9", "action ready", "log the host is up", "action phy 2", "log the phy is 2", "record 62",
      ]),
    // A newer bundle asks, and does without.
    Pair(
      host: .old, bundle: .new, lines: ["capabilities 1", "action ready", "log the host is older", "record 62"]),
    // One that forgets to ask hears that it is not taken, and can go another way.
    Pair(
      host: .old, bundle: .new, bundleDefines: ["CARELESS"],
      lines: [
        "capabilities 1", "action ready", "refused action 40", "log the host cannot change the phy", "record 62",
      ]),
    // An older bundle hears nothing of what came later.
    Pair(host: .new, bundle: .old, lines: served),
    // A host that sends it all the same hears that it is not known; nothing was put out, and the session goes on.
    Pair(
      host: .new, bundle: .old, hostDefines: ["RUDE"],
      lines: ["capabilities 1", "action ready", "status -2", "record 62"]),
    // Another major: neither reads the other's tables, and the bundle says which two they are.
    Pair(host: .old, bundle: .other, status: 1, lines: ["refused"]),
    Pair(host: .other, bundle: .old, status: 1, lines: ["refused"]),
    Pair(host: .other, bundle: .new, status: 1, lines: ["refused"]),
  ]

  private static let folder = CompiledBundle.root.appending(path: "Tests/Fixtures/VersionSkew")

  private func bundle(_ side: Side, _ defines: [String] = []) throws -> URL {
    try CompiledBundle.compile(
      Self.folder.appending(path: "driver.c"), include: side.include(), isBundle: true, defines: defines)
  }

  @Test(arguments: pairs) func everyPairDoesWhatTheContractSays(pair: Pair) throws {
    let host = try CompiledBundle.compile(
      Self.folder.appending(path: "host.c"), include: pair.host.include(), isBundle: false, defines: pair.hostDefines)
    let done = try ChildProcess.run(host, [bundle(pair.bundle, pair.bundleDefines).path])
    #expect(done.status == pair.status)
    if pair.lines == ["refused"] {
      #expect(done.lines.count == 1 && done.lines[0].hasPrefix("refused: this bundle speaks contract "))
    } else {
      #expect(done.lines == pair.lines)
    }
  }

  private func verified(_ side: Side, _ defines: [String] = []) throws -> VerifiedBundle {
    try BundleVerifier.verify(
      path: bundle(side, defines).path, expectedHash: nil, rules: BundleRules(allowsMissingHash: true))
  }

  /// The host that ships, over the same bundles.
  @Test(
    arguments: DriverHostConfiguration.Isolation.allCases,
    [(.old, [], []), (.new, [], ["the host is older"]), (.new, ["CARELESS"], ["the host cannot change the phy"])]
      as [(Side, [String], [String])])
  func thisHostServesBothMinors(
    isolation: DriverHostConfiguration.Isolation, row: (side: Side, defines: [String], said: [String])
  ) async throws {
    let host = DriverHost(configuration: DriverHostConfiguration(isolation: isolation))
    let bundle = try verified(row.side, row.defines)
    // What a capability of a later minor means is not known here; it is passed over, not refused.
    let described = try #require(try await host.drivers(of: bundle).first)
    #expect(described.capabilities.contains(.connect))
    let entry = try entry(for: row.side)
    #expect(entry.disagreement(with: [described]) == nil)
    let session = try await host.open(bundle, driver: "org.meterhost.skew", opening: DriverOpening())
    let connected = try await session.handle(DriverHostTests.event(.connected(mtu: 23)))
    #expect(connected.actions == [.ready])
    #expect(connected.logs.map(\.message).filter { !$0.contains("rule R") } == row.said)
    // The action that this host does not know is noted.
    #expect(row.defines.isEmpty || connected.logs.contains { $0.message.contains("40") })
    let reading = try await session.handle(DriverHostTests.event(.notification(handle: 3, [62]), 2))
    #expect(reading.records.map { $0.values.map(\.raw) } == [[62]])
    await session.close()
  }

  @Test func anotherMajorIsRefusedBeforeItIsMapped() throws {
    let error = #expect(throws: BundleError.self) { try verified(.other) }
    #expect(error?.code == .wrongContract && error?.rule == "R4")
  }

  /// The registry serves what the bundle's note will be served by.
  private func entry(for side: Side) throws -> DriverEntry {
    let version = ContractVersion.host
    let minor = Int(version.minor) + (side == .new ? 1 : 0)
    let driver = """
      {"id": "org.meterhost.skew", "version": "1.0.0", "vendor": "MeterHost", "license": "MIT", "family": "fam",
       "library": "drivers/skew.so", "abi": {"major": \(version.major), "minor": \(minor)},
       "capabilities": ["connect"]}
      """
    let registry = try RegistryFixture.load(RegistryFixture.text(drivers: driver, peripherals: ""))
    #expect(registry.problems.isEmpty)
    return try #require(registry.driver(id: "org.meterhost.skew"))
  }

  /// What the later minor adds is growth by the rules: the frozen prefix is as it was.
  @Test func theLaterMinorIsOneThatTheRulesAllow() throws {
    let tree = try LaterMinor.headers.get().include.deletingLastPathComponent().deletingLastPathComponent()
    struct File: Decodable { let abi: ContractLayout }
    let later = try JSONDecoder().decode(
      File.self, from: Data(contentsOf: tree.appending(path: "registry.json"))
    ).abi
    var today = try ContractLayout.today()
    today.dictionary = nil
    #expect(later.violations(of: today).isEmpty)
    #expect(later.minor == today.minor + 1 && later.layoutHash != today.layoutHash)
    for (name, value) in ["MH_EV_PHY": 40, "MH_DO_PHY": 40, "MH_FAIL_PHY": 40, "MH_CAP_PHY": 8] as [String: Int64] {
      #expect(later.constants[name] == value && today.constants[name] == nil)
    }
  }
}
