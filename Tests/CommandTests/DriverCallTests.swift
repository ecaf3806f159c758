import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(60))) struct DriverCallTests {
  private static let taidoc = "org.meterhost.taidoc"

  private func run(_ arguments: String...) async throws -> Outcome {
    try await Sandbox.with { try await Program.run(["driver", "call"] + arguments, in: $0) }
  }

  @Test func functionsAreListedAndDescribed() async throws {
    let list = try await run(Self.taidoc)
    #expect(list.status == 0 && list.err.isEmpty && list.out.contains("clock_bytes CIVIL_TIME"))
    let objects = try await run(Self.taidoc, "--json").objects()
    #expect(objects.compactMap { $0["name"] as? String } == ["self_test", "clock_bytes", "clock_time"])
    let one = try await run(Self.taidoc, "clock_bytes", "--describe")
    #expect(one.status == 0 && one.out.contains("takes  civil_time (i64, in us)") && one.out.contains("such as"))
    let object = try #require(try await run(Self.taidoc, "clock_bytes", "--describe", "--json").objects().first)
    #expect(object["signature"] as? String == "i32(i64,out_bytes)")
    let help = try await run(Self.taidoc, "--help")
    #expect(help.status == 0 && help.out.contains("USAGE: meterhost driver call"))
    #expect(help.out.contains("clock_time CLOCK") && help.out.contains("gives  civil_time (i64, in us)"))
  }

  @Test func aCallIsAnsweredInLinesAndInJSON() async throws {
    let text = try await run(Self.taidoc, "clock_bytes", "1709190300000000")
    #expect(text.status == 0 && text.err.isEmpty && text.out == "clock  51335d300507a3c0\n")
    let object = try #require(
      try await run(Self.taidoc, "clock_time", "51235d300507a5b2", "--json").objects().first)
    #expect(object["driver"] as? String == Self.taidoc && object["function"] as? String == "clock_time")
    #expect((object["outputs"] as? [String: Any])?["civil_time"] as? Int == 1_709_190_300_000_000)
    #expect((object["log"] as? [Any])?.isEmpty == true)
    let inProcess = try await run("--in-process", Self.taidoc, "clock_bytes", "1709190300000000")
    #expect(inProcess.out == text.out)
  }

  @Test func bytesComeFromAFile() async throws {
    try await Sandbox.with { sandbox in
      let file = sandbox.path("reply")
      try Data([0x51, 0x23, 0x5d, 0x30, 0x05, 0x07, 0xa5, 0xb2]).write(to: URL(filePath: file))
      let done = try await Program.run(["driver", "call", Self.taidoc, "clock_time", "@\(file)"], in: sandbox)
      #expect(done.status == 0 && done.out.contains("1709190300000000 us"))
    }
  }

  static let failures: [(arguments: [String], status: Int32, code: String)] = [
    ([], 64, "usage"), (["x.y"], 64, "unknown_driver"), ([taidoc, "nothing"], 64, "unknown_function"),
    ([taidoc, "nothing", "--describe"], 64, "unknown_function"), ([taidoc, "clock_bytes"], 64, "bad_argument"),
    ([taidoc, "clock_bytes", "x"], 64, "bad_argument"), ([taidoc, "clock_bytes", "17"], 1, "function_failed"),
    ([taidoc, "clock_bytes", "--", "-17"], 1, "function_failed"),
    ([taidoc, "self_test", "--worker", "/nonexistent"], 69, "driver_unavailable"),
  ]

  @Test(arguments: 0..<failures.count)
  func failuresHaveAStatusACodeAndAMessage(index: Int) async throws {
    let (arguments, status, code) = Self.failures[index]
    try await Sandbox.with { sandbox in
      let done = try await Program.run(["driver", "call", "--json"] + arguments, in: sandbox)
      #expect(done.status == status && done.out.isEmpty)
      let error = try done.jsonError()
      #expect(error["code"] as? String == code && (error["message"] as? String)?.isEmpty == false, "\(error)")
    }
  }
}
