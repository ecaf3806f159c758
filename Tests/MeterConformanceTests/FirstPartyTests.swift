import CCrypto
import Foundation
import MeterConformance
import TestSupport
import Testing

/// The bundles of this repository keep every rule that the suite knows.
@Suite("The suite over the first-party bundles", .timeLimit(.minutes(60))) struct FirstPartyTests {
  /// What a bundle needs to be read that no script of a meter holds.
  private static let licence: [String: [UInt8]] = {
    let text =
      "meterhost-licence 1\nproduct: org.meterhost.keyed-meter\nlicensee: Example Clinic\nexpires: 2099-12-31\n"
    let key = Array("a public key for the test licence of the keyed test meter".utf8)
    var mac = [UInt8](repeating: 0, count: 32)
    key.withUnsafeBufferPointer { key in
      Array(text.utf8).withUnsafeBufferPointer { text in
        _ = ccrypto_hmac_sha256(
          ccrypto_bytes(p: key.baseAddress, n: key.count), ccrypto_bytes(p: text.baseAddress, n: text.count), &mac)
      }
    }
    let digits = mac.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    // The key of the scale whose frames SDK/meters/xiaomi-s400.json sends.
    let bindKey: [UInt8] = [
      7, 0x28, 0x97, 0x4d, 0x65, 0x7a, 0x4b, 0x60, 0x96, 0x4c, 0x1b, 0x16, 0x77, 0xf3, 0x5f, 0x7c,
    ]
    return ["keyed-meter.license": Array("\(text)mac: \(digits)\n".utf8), "bind-key": bindKey]
  }()

  private static let isNightly = ProcessInfo.processInfo.environment["METERHOST_NIGHTLY"] == "1"
  /// By day the link breaks for one bundle of each language, and for all that speak a protocol of their maker's and keep readings: of the
  /// others DropMatrixTests of the host break it at every PDU, and this takes longer than all other rules.
  private static let broken: Set<String> = [
    "aandd", "beurer-scale", "eufy", "glucose", "huawei-scale", "medisana-scale", "microlife", "omron", "qn-scale",
    "soehnle", "taidoc", "thermometer", "yonker",
  ]

  /// Checks that a bundle is known to have nothing for.
  private static let withoutMemory: Set<String> = ["R12 identity", "R25 dropped", "R25 lost"]

  /// Bundles whose meters keep nothing that could be read again.
  private static let live: Set<String> = [
    "etekcity", "finger-oximeter", "heart-rate", "mi-scale", "mibeacon", "nonin", "okok", "oximeter", "wellue",
    "yunmai",
  ]
  /// Bundles whose virtual meters say values that have not settled yet.
  private static let settling: Set<String> = [
    "beurer-scale", "blood-pressure", "etekcity", "eufy", "finger-oximeter", "mi-scale", "nonin", "okok", "oximeter",
    "qn-scale", "wellue", "yunmai",
  ]

  @Test(arguments: BuildProducts.registeredBundles)
  func conforms(bundle: String) async throws {
    let staged = try StagedDrivers.shared.get()
    let plugins = CompiledBundle.root.appending(path: "Plugins")
    let folder = try FileManager.default.contentsOfDirectory(atPath: plugins.path)
      .first { $0.lowercased() == bundle.replacing("-", with: "") }
    let vectors = folder.map { plugins.appending(path: "\($0)/vectors.json").path }
    let target = ConformanceTarget(
      "org.meterhost.\(bundle)", registry: staged.registry, worker: BuildProducts.worker.path,
      shippedMeters: CompiledBundle.root.appending(path: "SDK/meters").path,
      vectors: vectors.flatMap { FileManager.default.fileExists(atPath: $0) ? $0 : nil }, keys: Self.licence)
    let breaks = Self.isNightly || Self.broken.contains(bundle)
    let rules = Rule.allCases.filter { breaks || $0.description != "R25" }
    let report = try await ConformanceSuite(target, rules: Set(rules)).run()
    // Only what is wrong: a line of a log holds no whole report.
    let wrong = report.results.filter { $0.status != .passed && $0.status != .skipped }
    let told = wrong.map { "\($0.rule) \($0.check): \($0.found ?? "") at \($0.place ?? "no place")" }
    #expect(told == [])
    #expect(report.passed)
    // A check that has nothing to check would pass by itself.
    let skipped = Set(report.results.filter { $0.status == .skipped }.map { "\($0.rule) \($0.check)" })
    #expect(!skipped.contains("R12 read") && !skipped.contains("R8 same-bytes") && !skipped.contains("R10 cancel"))
    #expect(skipped.isDisjoint(with: Self.withoutMemory) || Self.live.contains(bundle), "\(skipped.sorted())")
    #expect(skipped.contains("R26 context") == (bundle != "glucose"))
    #expect(skipped.contains("R12 settling") == !Self.settling.contains(bundle))
  }
}

/// The repository's registry with the bundles that were built beside it.
final class StagedDrivers: Sendable {
  let registry: String
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "mh-first-\(UUID().uuidString.prefix(12))")
    registry = folder.appending(path: "registry.json").path
    let drivers = folder.appending(path: "drivers")
    try FileManager.default.createDirectory(at: drivers, withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      at: CompiledBundle.root.appending(path: "registry.json"), to: URL(filePath: registry))
    for bundle in BuildProducts.allBundles {
      let source = BuildProducts.bundle(bundle)
      try FileManager.default.copyItem(at: source, to: drivers.appending(path: source.lastPathComponent))
    }
    for (path, source) in BuildProducts.assets {
      let place = folder.appending(path: path)
      try FileManager.default.createDirectory(
        at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
      try FileManager.default.copyItem(at: source, to: place)
    }
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// One for all tests.
  static let shared = Result { try StagedDrivers() }
}
