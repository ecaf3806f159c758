import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(60))) struct DecodeCommandTests {
  private static let good =
    #"{"id":"ok","peripheral":4000,"characteristic":"2A1C","hex":"06680100ffe207030a15340002"}"#

  private func decode(_ input: [UInt8], _ arguments: [String] = []) async throws -> Outcome {
    try await Sandbox.with { try await Program.run(["driver", "decode"] + arguments, in: $0, input: input) }
  }

  @Test func everyLineHasOneAnswerWhateverItIs() async throws {
    let lines: [[UInt8]] = [
      Array(Self.good.utf8), Array("hello".utf8), Array(#"{"id":"k"}"#.utf8), [0], [0xFF, 0xFE, 0xFD],
      Array(#"{"id":"x","peripheral":4000,"characteristic":"2A1C","hex":"zz"}"#.utf8),
      Array(#"{"id":"y","peripheral":9,"characteristic":"2A1C","hex":"00"}"#.utf8),
      [UInt8](repeating: UInt8(ascii: "x"), count: 300_000), Array(Self.good.utf8) + [0x0D], Array(Self.good.utf8),
    ]
    // Empty lines in between are skipped, and the last line has no end.
    let done = try await decode(Array(lines.joined(separator: [0x0A, 0x0A, 0x0D, 0x0A])))
    #expect(done.status == 0 && done.err.isEmpty)
    let answers = try done.objects()
    let codes = answers.map { ($0["error"] as? [String: Any])?["code"] as? String }
    #expect(
      codes == [
        nil, "bad_line", "bad_line", "bad_line", "bad_line", "bad_hex", "unknown_peripheral", "bad_line", nil, nil,
      ])
    #expect(answers.map { $0["id"] as? String } == ["ok", "", "k", "", "", "x", "y", "", "ok", "ok"])
    for answer in answers { #expect(Set(answer.keys) == ["id", "records", "error"]) }
  }

  @Test(arguments: ["", "\n", "\r\n\n"])
  func nothingInIsNothingOut(input: String) async throws {
    let done = try await decode(Array(input.utf8))
    #expect(done.status == 0 && done.out.isEmpty && done.err.isEmpty)
  }

  @Test func workerAndProcessAnswerAlike() async throws {
    let input = Array(
      ((Self.good + "\n") + #"{"id":"n","peripheral":4000,"characteristic":"2A1C","hex":"00ffff7f00"}"#).utf8)
    let worker = try await decode(input)
    #expect(worker.out == (try await decode(input, ["--in-process", "--json"])).out)
    #expect(worker.out.contains("\"code\":\"no_value\"") && worker.out.contains("\"value\":36"))
  }

  @Test func aPersonIsAnsweredLineByLine() async throws {
    try await Sandbox.with { sandbox in
      let program = try Program(["driver", "decode"], in: sandbox, input: nil)
      try program.send(Self.good + "\n")
      try await program.line(with: "\"ok\"")
      try program.send(Self.good.replacing("ok", with: "second") + "\n")
      try await program.line(with: "second")
      try program.endInput()
      #expect(await program.outcome().status == 0)
    }
  }

  @Test func anInputThatCannotBeReadIsAnError() async throws {
    try await Sandbox.with { sandbox in
      let folder = try #require(FileHandle(forReadingAtPath: sandbox.root.path))
      let done = await (try Program(["driver", "decode"], in: sandbox, standardInput: folder)).outcome()
      #expect(done.status == 1 && done.err.contains("input cannot be read"))
    }
  }

  @Test func aReaderThatGoesAwayEndsItQuietly() async throws {
    try await Sandbox.with { sandbox in
      let pipe = Pipe()
      try pipe.fileHandleForReading.close()
      let input = Array(String(repeating: Self.good + "\n", count: 5_000).utf8)
      let program = try Program(
        ["driver", "decode"], in: sandbox, input: input, output: pipe.fileHandleForWriting)
      let done = await program.outcome()
      #expect(done.status == 0 && !done.isSignalled && done.err.isEmpty)
    }
  }

  @Test func manyLinesKeepTheirOrder() async throws {
    let lines = (0..<4_000).map { Self.good.replacing("\"ok\"", with: "\"\($0)\"") }
    let done = try await decode(Array(lines.joined(separator: "\n").utf8))
    #expect(try done.objects().map { $0["id"] as? String } == (0..<4_000).map(String.init))
  }
}
