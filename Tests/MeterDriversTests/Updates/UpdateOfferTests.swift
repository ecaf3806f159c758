import Foundation
import TestSupport
import Testing

@testable import MeterDrivers

@Suite("What an index comes to", .timeLimit(.minutes(60))) struct UpdateOfferTests {
  private let fixture = IndexFixture()

  /// An installed scale.
  private func installed(_ version: String = "1.0.0") throws -> InstalledPackage {
    let prefix = "packages/org.example.scale/\(version)-0/libexample-scale.so"
    let example = CompiledBundle.root.appending(path: "docs/examples/scale/scale.json")
    let text = try String(contentsOf: example, encoding: .utf8)
      .replacing("\"1.0.0\"", with: "\"\(version)\"")
      .replacing("\"drivers/libexample-scale.so\"", with: "\"\(prefix)\"")
    return try #require(
      InstalledPackage(id: "org.example.scale", fragment: Array(text.utf8), isEnabled: true))
  }

  private func offer(
    _ packages: [UpdateIndex.Package], revoked: [RevokedVersion] = [], drivers: [String] = ["org.example."],
    change: (inout UpdateJudge) -> Void = { _ in }
  ) throws -> UpdateOffer? {
    let list = TrustList(publishers: [fixture.publisher(drivers: drivers)])
    let verified = try fixture.verified(fixture.index(packages: packages, revoked: revoked), list: list)
    var judge = UpdateJudge(
      gateway: "gateway", takesBeta: false, list: list,
      history: .init(newest: ["org.example.scale": SemanticVersion(1, 0, 0)]))
    judge.host = SemanticVersion(1, 0, 0)
    judge.contract = ABIVersion(major: 1, minor: 2)
    change(&judge)
    return try judge.offers(verified, to: [installed()]).first
  }

  @Test("the newest against which nothing speaks is available") func newest() throws {
    let found = try offer([
      IndexFixture.package("1.1.0"), IndexFixture.package("1.2.0"), IndexFixture.package("1.0.0"),
      IndexFixture.package("2.0.0", host: SemanticVersion(9, 0, 0)),
    ])
    #expect(found?.standing == .available && found?.package?.version == SemanticVersion(1, 2, 0))
  }

  @Test("what speaks against it is told") func objections() throws {
    let newer = IndexFixture.package("1.1.0")
    #expect(try offer([IndexFixture.package("1.0.0")])?.standing == .upToDate)
    #expect(try offer([IndexFixture.package(name: "org.example.other")]) == nil)
    #expect(try offer([IndexFixture.package(host: SemanticVersion(1, 0, 1))])?.standing == .hostTooOld)
    #expect(try offer([IndexFixture.package(abi: ABIVersion(major: 1, minor: 3))])?.standing == .contract)
    #expect(try offer([IndexFixture.package(abi: ABIVersion(major: 2, minor: 0))])?.standing == .contract)
    #expect(try offer([newer], drivers: ["org.example.other"])?.standing == .notAllowed)
    let floor = TrustList.Floor(drivers: "org.example.", version: SemanticVersion(1, 1, 1))
    #expect(try offer([newer]) { $0.list.floors = [floor] }?.standing == .belowFloor)
    let wentBack = try offer([newer]) { $0.history.newest["org.example.scale"] = SemanticVersion(1, 1, 0) }
    #expect(wentBack?.standing == .goneBack)
    let revoked = RevokedVersion(package: "org.example.scale", version: SemanticVersion(1, 1, 0), reason: "wrong unit")
    let refused = try offer([newer], revoked: [revoked])
    #expect(refused?.standing == .revoked && refused?.reason?.contains("wrong unit") == true)
    // What was revoked once is, whatever a later index says of it.
    #expect(try offer([newer]) { $0.history.revoked = [revoked] }?.standing == .revoked)
  }

  @Test("a version that is tried is for those who want it") func beta() throws {
    let packages = [IndexFixture.package("1.1.0", channel: .beta)]
    #expect(try offer(packages)?.package == nil)
    #expect(try offer(packages) { $0.takesBeta = true }?.standing == .available)
  }

  @Test("an installed version that was revoked is told of, and only by who may sign for it") func revokedHere() throws {
    let revoked = RevokedVersion(package: "org.example.scale", version: SemanticVersion(1, 0, 0), reason: "it lies")
    #expect(try offer([], revoked: [revoked])?.revocation?.reason == "it lies")
    #expect(try offer([], revoked: [revoked], drivers: ["org.example.other"]) == nil)
  }

  @Test("a gateway whose number is not below the percentage waits") func staged() throws {
    let number = RolloutShare.number(
      gateway: "gateway", package: "org.example.scale", version: SemanticVersion(1, 1, 0))
    #expect(try offer([IndexFixture.package(percentage: number)])?.standing == .staged)
    #expect(try offer([IndexFixture.package(percentage: number + 1)])?.standing == .available)
    #expect(try offer([IndexFixture.package(percentage: 0)])?.standing == .staged)
  }

  @Test("shares are even, and another one for each version") func shares() {
    let version = SemanticVersion(1, 1, 0)
    let numbers = (0..<2_000).map {
      RolloutShare.number(gateway: "g\($0)", package: "org.example.scale", version: version)
    }
    #expect(numbers.allSatisfy { (0..<100).contains($0) })
    #expect((150...250).contains(numbers.count { $0 < 10 }))
    let early = (0..<2_000).filter { numbers[$0] < 10 }
    let next = SemanticVersion(1, 2, 0)
    let again = early.count { RolloutShare.number(gateway: "g\($0)", package: "org.example.scale", version: next) < 10 }
    #expect(again < early.count / 2)
  }
}
