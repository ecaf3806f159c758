import Foundation
import MeterConformance
import TestSupport
import Testing

/// A fault of the suite's own, and of what the author has left lying about, accuses no driver.
@Suite(.timeLimit(.minutes(60))) struct SuiteFaultTests {
  @Test func aThoroughRunLeavesNoMappingsBehind() async throws {
    // More calls than a process has room for mappings, were a few left behind by each.
    let report = try await FixtureBundle().test("R24", isThorough: true)
    #expect(report.passed, "\(report.bad)")
    #expect(report.results.first { $0.check == "hostile-values" }?.status == .passed)
  }

  @Test func aDriverThatTakesAllMemoryIsToldSo() async throws {
    let report = try await FixtureBundle(["R16_HOARDS"], source: .asking).test("R24", isThorough: true)
    #expect(report.brokenRules.map(\.description) == ["R16"], "\(report.bad)")
  }

  @Test(arguments: [70, 71, 75, 76] as [Int32])
  func aDriverThatEndsItsProcessIsNotTakenForTheSuite(_ status: Int32) async throws {
    let bundle = try FixtureBundle(["EXITS=\(status)"])
    if status == 70 {
      let report = try await bundle.test("R24")
      #expect(report.brokenRules.map(\.description) == ["R24"], "\(report.bad)")
    } else {
      // With the exit status of a probe that gives up, nothing is said of the driver, and the run is no success.
      await #expect { try await bundle.test("R24") } throws: { ($0 as? ConformanceError)?.code == .system }
    }
  }

  @Test func aBuildOfAnotherFragmentIsNamedAndNothingElse() async throws {
    let bundle = try FixtureBundle()
    defer { bundle.remove() }
    let build = bundle.folder.appending(path: "build")
    try FileManager.default.createDirectory(at: build, withIntermediateDirectories: true)
    try FileManager.default.moveItem(at: bundle.library, to: build.appending(path: "libscale.so"))
    let fragment = bundle.folder.appending(path: "fragment.json")
    let text = try String(contentsOf: fragment, encoding: .utf8)
    let sealed = text.replacing(#""library": "libscale.so""#, with: "\"library\": \"libscale.so\"")
    try sealed.write(to: build.appending(path: "scale.json"), atomically: true, encoding: .utf8)
    let rules = Set(["R19"].compactMap { Rule($0) })
    #expect(try await ConformanceSuite(bundle.target(bundle.folder.path), rules: rules).run().passed)
    try text.replacing("EX-C1", with: "EX-C2").write(to: fragment, atomically: true, encoding: .utf8)
    await #expect { try await ConformanceSuite(bundle.target(bundle.folder.path), rules: rules).run() } throws: {
      let error = $0 as? ConformanceError
      return error?.code == .notBuilt
        && error?.message.contains("build/scale.json is older than fragment.json, or was made of another one; run make")
          == true
    }
  }

  @Test(arguments: ["meter.json", "vectors.json"])
  func aBrokenFileOfTheAuthorsIsNotPassedOver(_ file: String) async throws {
    let bundle = try FixtureBundle { name, text in name == file ? String(text.dropLast(20)) : text }
    await #expect { try await bundle.test("R12") } throws: { error in
      let error = error as? ConformanceError
      return error?.code == .unreadable && error?.message.contains(file) == true
    }
  }
}
