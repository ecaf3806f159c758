import Foundation
import Synchronization
import TestSupport
import Testing

@testable import GatewayAPI
@testable import GatewayTools

/// The whole way, with a real receiver, real sockets and real workers.
@Suite(.timeLimit(.minutes(60))) struct DemoTests {
  private func run(_ change: (inout String) -> Void) async throws -> DemoReport {
    try await Sandbox.with { sandbox in
      let meters = sandbox.path("meters")
      try FileManager.default.copyItem(atPath: Installation.shared().meters.path, toPath: meters)
      var text = try String(contentsOfFile: meters + "/demo/expected-readings.json", encoding: .utf8)
      change(&text)
      _ = try sandbox.file("meters/demo/expected-readings.json", text)
      return try await Demo(gateway: GatewayFixture.gateway(), meters: meters).run()
    }
  }

  @Test func everyReadingArrivesOnceAndASecondReadBringsNothing() async throws {
    let reads = Mutex<[(round: Int, new: Int)]>([])
    let report = try await Demo(gateway: GatewayFixture.gateway(), meters: Installation.shared().meters.path).run {
      step in
      if case .read(_, let round, let new, _) = step { reads.withLock { $0.append((round, new)) } }
    }
    #expect(report.problems.isEmpty)
    #expect(report.readings.count == 18)
    #expect(report.meterCount == 9)
    #expect(Set(report.readings.map(\.logID)).count == 14)
    #expect(Set(report.readings.map(\.receiverID)).count == 14)
    #expect(report.readings.allSatisfy { $0.revision == 1 })
    let counted = reads.withLock { $0 }
    #expect(counted.filter { $0.round == 1 }.map(\.new).reduce(0, +) == 14)
    #expect(counted.filter { $0.round == 2 }.map(\.new).reduce(0, +) == 0)
    #expect(counted.contains { $0.round == 2 })
  }

  @Test func aPlanThatSaysOtherwiseIsAProblem() async throws {
    let report = try await run { $0 = $0.replacing("118, \"unit\": \"mg/dL\"", with: "119, \"unit\": \"mg/dL\"") }
    #expect(report.problems.map(\.kind) == [.different])
    #expect(report.problems.first?.message.contains("gls-contour-50") == true)
    #expect(report.readings.count == 18)
  }

  @Test func cancellingEndsItAndRemovesTheFolder() async throws {
    let demo = try Demo(gateway: GatewayFixture.gateway(), meters: Installation.shared().meters.path)
    await #expect(throws: CancellationError.self) {
      try await demo.run { step in
        if case .reading(_, 1) = step { demo.cancel() }
      }
    }
    #expect(!FileManager.default.fileExists(atPath: demo.folder.path))
  }

  @Test func cancellingBeforehandReadsNothing() async throws {
    let demo = try Demo(gateway: GatewayFixture.gateway(), meters: Installation.shared().meters.path)
    demo.cancel()
    let steps = Mutex(0)
    await #expect(throws: CancellationError.self) { try await demo.run { _ in steps.withLock { $0 += 1 } } }
    #expect(steps.withLock { $0 } == 0)
  }

  @Test func cancellingTheTaskEndsIt() async throws {
    let demo = try Demo(gateway: GatewayFixture.gateway(), meters: Installation.shared().meters.path)
    let (steps, step) = AsyncStream<Void>.makeStream()
    let task = Task { try await demo.run { _ in step.yield() } }
    _ = await steps.first { true }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func aMeterThatCannotRunEndsItAtOnceWithItsReason() async throws {
    try await Sandbox.with { sandbox in
      // Too long for a socket's path.
      let folder = sandbox.path(String(repeating: "x", count: 100))
      let demo = try Demo(
        gateway: GatewayFixture.gateway(), meters: Installation.shared().meters.path, folder: folder)
      let error = await #expect(throws: (any Error).self) { try await demo.run() }
      #expect("\(String(describing: error))".contains("at most 107"))
    }
  }

  @Test func aFolderThatHoldsSomethingIsRefused() async throws {
    try await Sandbox.with { sandbox in
      _ = try sandbox.file("old", "")
      let error = #expect(throws: GatewayError.self) {
        try Demo(
          gateway: GatewayFixture.gateway(), meters: Installation.shared().meters.path, folder: sandbox.root.path)
      }
      #expect(error?.code == "folder_not_empty")
    }
  }
}
