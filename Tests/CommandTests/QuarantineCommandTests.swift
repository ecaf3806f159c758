import Foundation
import TestSupport
import Testing

/// R24 as an operator meets it.
@Suite(.timeLimit(.minutes(60))) struct QuarantineCommandTests {
  private func with(_ body: (_ run: ([String]) async throws -> Outcome) async throws -> Void) async throws {
    try await Sandbox.with { sandbox in
      let environment = try await CrashingDriver.install(in: sandbox)
      let file = try Installation.shared().meters.appending(path: CrashingDriver.meter).path
      let meter = try Program(["meter", "run", file], in: sandbox)
      try await meter.line(with: "advertising")
      try await body { try await Program.run($0 + ["--json"], in: sandbox, environment: environment) }
      meter.interrupt()
      _ = await meter.outcome()
    }
  }

  private func states(_ outcome: Outcome) throws -> [String] {
    try outcome.objects().compactMap { $0["state"] as? String }
  }

  @Test func theSecondCrashSetsTheMeterAsideUntilSomebodyLiftsIt() async throws {
    try await with { run in
      let read = ["read", CrashingDriver.peripheral, "--no-upload"]
      for state in ["noted", "set_aside"] {
        #expect(try await run(read).jsonError()["code"] as? String == "driver_crashed")
        let list = try await run(["driver", "quarantine"])
        #expect(try list.status == 0 && states(list) == [state])
        #expect(try #require(list.objects().first?["recording"] as? String).isEmpty == false)
      }
      let refused = try await run(read)
      let error = try refused.jsonError()
      #expect(refused.status == 1 && error["code"] as? String == "driver_quarantined")
      #expect((error["message"] as? String)?.contains("meterhost driver quarantine") == true)
      #expect(try states(await run(["driver", "quarantine", "show", CrashingDriver.id])) == ["set_aside"])
      #expect(try states(await run(["driver", "quarantine", "lift", CrashingDriver.id])) == ["set_aside"])
      #expect(try await run(["driver", "quarantine"]).out.isEmpty)
      let again = try await run(["driver", "quarantine", "lift", CrashingDriver.id])
      #expect(try again.status == 64 && again.jsonError()["code"] as? String == "not_in_quarantine")
      #expect(try await run(read).jsonError()["code"] as? String == "driver_crashed")
    }
  }

  @Test func aMeterWhoseDisplayCrashesItsDriverIsSetAsideUntilSomebodyLiftsIt() async throws {
    try await Sandbox.with { sandbox in
      // display.h: abort in a frame.
      let environment = ["METERHOST_REGISTRY": try DisplayRegistry(in: sandbox, meters: [221]).file.path]
      func run(_ arguments: [String]) async throws -> Outcome {
        try await Program.run(arguments + ["--json"], in: sandbox, environment: environment)
      }
      let read = ["snap", "read", "--peripheral", "221", "--demo", "120\\n"]
      for state in ["noted", "set_aside"] {
        #expect(try await run(read).jsonError()["code"] as? String == "driver_fault")
        #expect(try states(await run(["driver", "quarantine"])) == [state])
      }
      let refused = try await run(read)
      #expect(try refused.status == 1 && refused.jsonError()["code"] as? String == "driver_quarantined")
      // What submits nothing asks no state folder.
      #expect(try await run(read + ["--no-submit"]).jsonError()["code"] as? String == "driver_fault")
      let lift = ["driver", "quarantine", "lift", DisplayRegistry.display, "--meter", "display 221"]
      #expect(try states(await run(lift)) == ["set_aside"])
      #expect(try await run(read).jsonError()["code"] as? String == "driver_fault")
    }
  }

  @Test func aBundleThatFailsItsSelfTestReadsNoMeter() async throws {
    try await with { run in
      let test = try await run(["driver", "call", CrashingDriver.id, "self_test"])
      #expect(test.status == 1 && test.err.contains("is in quarantine now"), "\(test.err)")
      #expect(try states(await run(["driver", "quarantine"])) == ["quarantined"])
      let read = try await run(["read", CrashingDriver.peripheral, "--no-upload"])
      #expect(try read.jsonError()["code"] as? String == "driver_quarantined")
    }
  }
}
