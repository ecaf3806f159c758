import TestSupport
import Testing

import DriverContract
@testable import DriverRuntime

@Suite struct FunctionCallTests {
  private func call(
    _ function: String, _ signature: String, _ arguments: [FunctionValue] = []
  ) throws -> FunctionCall {
    try FunctionCall(function, FunctionSignature(signature), arguments)
  }

  private static let library = Result { try FixtureLibrary.load(["functions.c"]) }

  private func answer(
    _ function: String, _ signature: String, _ arguments: [FunctionValue] = []
  ) throws -> FunctionAnswer {
    try LocalCall(library: Self.library.get(), driver: "org.meterhost.functions").answer(
      call(function, signature, arguments))
  }

  private func fault(
    _ function: String, _ signature: String, _ arguments: [FunctionValue] = []
  ) throws -> DriverFault {
    let fault = #expect(throws: DriverFault.self) { try answer(function, signature, arguments) }
    return try #require(fault)
  }

  static let echo =
    "i32(i32,bytes,u32,i64,f64,text,u64,out_bytes,out_i32,out_u32,out_i64,out_u64,out_f64,out_text)"

  @Test func everyKindGoesInAndComesOut() throws {
    var random = SeededGenerator(seed: 7)
    for round in 0..<200 {
      let signed = [Int32.min, -1, 0, 1, .max].randomElement(using: &random) ?? 0
      let wide = [Int64.min, -1, 0, 1, .max].randomElement(using: &random) ?? 0
      let number = [-0.0, 1.5, .leastNonzeroMagnitude, .greatestFiniteMagnitude].randomElement(using: &random) ?? 0
      let bytes = round == 0 ? [] : random.bytes(0...300)
      let text = ["", "ä€𝄞", "\u{0}x"].randomElement(using: &random) ?? ""
      let (small, large) = (UInt32.random(in: 0...UInt32.max, using: &random), UInt64(bitPattern: wide))
      let answer = try answer(
        "echo", Self.echo,
        [.i32(signed), .bytes(bytes), .u32(small), .i64(wide), .f64(number), .text(text), .u64(large)])
      #expect(answer.status == 0)
      #expect(
        answer.outputs == [
          .bytes(bytes), .i32(signed), .u32(small), .i64(wide), .u64(large), .f64(number), .text(text),
        ])
    }
  }

  @Test func moreArgumentsThanRegisters() throws {
    let numbers = (1...9).map { FunctionValue.f64(Double($0)) }
    var arguments: [FunctionValue] = [numbers[0], .bytes([1, 2]), numbers[1], .text("ab"), numbers[2], .bytes([3])]
    arguments += numbers[3...] + [.i32(-1000)]
    let answer = try answer(
      "spread", "i32(f64,bytes,f64,text,f64,bytes,f64,f64,f64,f64,f64,f64,i32,out_f64,out_bytes)", arguments)
    #expect(answer.outputs == [.f64(285 - 1000), .bytes([1, 2, 0x61, 0x62, 3])])
  }

  @Test func noParametersAndWholeBuffers() throws {
    #expect(try answer("nothing", "i32()") == FunctionAnswer(status: 0, outputs: []))
    let most = FunctionSignature.mostBytes
    let full = try answer("fill", "i32(u32,out_bytes)", [.u32(UInt32(most))])
    #expect(full.outputs == [.bytes(Array(repeating: 0x78, count: most))])
    let tooMuch = try answer("fill", "i32(u32,out_bytes)", [.u32(UInt32(most + 1))])
    #expect(tooMuch.statusName == "MH_E_FULL" && tooMuch.outputs.isEmpty)
  }

  @Test func failuresExplainThemselves() throws {
    let told = try answer("fails", "i32(out_text)")
    #expect(told.statusName == "MH_E_PROTOCOL" && told.explanation == "vector 3 differs" && told.outputs.isEmpty)
    let silent = try answer("fails_without_a_word", "i32(out_text)")
    #expect(silent.statusName == "MH_E_NO_VALUE" && silent.explanation == nil)
    #expect(try answer("returns", "i32(i32)", [.i32(-6)]).statusName == "MH_E_DENIED")
  }

  @Test(arguments: [1, 2, -10, Int32.min, Int32.max] as [Int32]) func otherStatusesBreakTheRule(status: Int32) throws {
    let fault = try fault("returns", "i32(i32)", [.i32(status)])
    #expect(fault.code == .brokeRule && fault.rule == "R19" && fault.message.contains("function returns"))
  }

  @Test(arguments: [
    ("too_long", "i32(out_bytes)", "65537 bytes long"), ("far_too_long", "i32(out_text)", "bytes long"),
    ("no_text", "i32(out_text)", "not UTF-8"), ("behind", "i32(out_bytes)", "behind the end"),
    ("wide", "i32(out_i32)", "behind the end"), ("infinite", "i32(out_f64)", "finite"),
  ]) func badOutputsBreakTheRule(function: String, signature: String, words: String) throws {
    let fault = try fault(function, signature)
    #expect(fault.code == .brokeRule && fault.rule == "R19" && fault.driver == "org.meterhost.functions")
    #expect(fault.message.contains("function \(function)") && fault.message.contains(words), "\(fault.message)")
  }

  @Test func aSelfTestNamesWhatDiffers() throws {
    #expect(
      try answer("tests_itself", "i32(u32,out_text)", [.u32(0)]).outputs
        == [.text("every vector is decoded as it should be")])
    let differences: [UInt32: String] = [
      1: "status", 2: "number of records", 3: "kind of time", 4: "time", 5: "metric", 6: "unit", 7: "value",
      8: "value", 9: "return value", 12: "number of values",
    ]
    for (wrong, difference) in differences {
      let failed = try answer("tests_itself", "i32(u32,out_text)", [.u32(wrong)])
      #expect(failed.statusName == "MH_E_PROTOCOL")
      #expect(failed.explanation == "vector one: another \(difference) than expected", "\(wrong)")
    }
    // Hex digits that are none, and a buffer that holds no report.
    for (wrong, status) in [10: "MH_E_ARG", 11: "MH_E_ARG", 13: "MH_E_FULL"] as [UInt32: String] {
      #expect(try answer("tests_itself", "i32(u32,out_text)", [.u32(wrong)]).statusName == status)
    }
  }

  @Test func theSignatureIsComparedBeforeTheCall() throws {
    let fault = try fault("nothing", "i32(i32)", [.i32(1)])
    #expect(fault.code == .brokeRule && fault.rule == "R19")
    #expect(fault.message.contains("i32()") && fault.message.contains("i32(i32)"))
    #expect(try self.fault("nobody", "i32()").code == .unknownDriver)
    let stranger = #expect(throws: DriverFault.self) {
      try LocalCall(library: Self.library.get(), driver: "org.meterhost.nobody").answer(call("nothing", "i32()"))
    }
    #expect(stranger?.code == .unknownDriver)
  }

  @Test func theHostLendsItsLogAndNothingElse() throws {
    let answer = try answer("asks", "i32(out_i32,out_i32,out_i32,out_i32,out_i32)")
    #expect(answer.logs == [DriverLogLine(level: .info, message: "asked")])
    // MH_E_DENIED, but for files: there are none.
    #expect(answer.outputs == [.i32(-6), .i32(-6), .i32(-6), .i32(-8), .i32(-6)])
  }

  @Test func callsThatCannotBeAreNone() throws {
    let signature = "i32(i32,out_text,bytes,f64)"
    for (arguments, place) in [
      ([], nil), ([.i32(1), .bytes([]), .f64(0), .i32(2)], nil), ([.u32(1), .bytes([]), .f64(0)], 0),
      ([.i32(1), .text(""), .f64(0)], 1), ([.i32(1), .bytes([]), .f64(.nan)], 2),
      ([.i32(1), .bytes(Array(repeating: 0, count: 65537)), .f64(0)], 1),
    ] as [([FunctionValue], Int?)] {
      let mismatch = #expect(throws: FunctionCall.Mismatch.self) { try call("f", signature, arguments) }
      #expect(mismatch?.argument == place)
    }
  }

  @Test func messagesSurvive() throws {
    let made = try call(
      "f", Self.echo, [.i32(-1), .bytes([1]), .u32(2), .i64(-3), .f64(4.5), .text("t"), .u64(6)])
    let message = HostMessage.call(driver: "d", made)
    guard case .call("d", let back) = try HostMessage(type: message.type, payload: message.payload) else {
      Issue.record("another message")
      return
    }
    #expect(back == made)
    let raw = RawAnswer(
      status: -3, outputs: [.word(9), .buffer(length: 70_000, isIntact: false, bytes: [1])],
      logs: [DriverLogLine(level: .debug, message: "m")])
    let returned = WorkerMessage.returned(raw)
    guard case .returned(raw) = try WorkerMessage(type: returned.type, payload: returned.payload) else {
      Issue.record("another message")
      return
    }
  }

  @Test func anyBytesAreACallOrNone() throws {
    var random = SeededGenerator(seed: 11)
    let good = HostMessage.call(driver: "d", try call("f", "i32(bytes,text)", [.bytes([1, 2]), .text("t")])).payload
    for _ in 0..<5000 {
      var bytes = Bool.random(using: &random) ? good : random.bytes(0...60)
      for _ in 0..<Int.random(in: 0...3, using: &random) where !bytes.isEmpty {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      if case .call(_, let read)? = try? HostMessage(type: 7, payload: bytes) {
        #expect(read.arguments.map(\.kind) == read.signature.inputs)
      }
      _ = try? WorkerMessage(type: 70, payload: bytes)
    }
  }

  @Test func outputsOfAnotherShapeAreNotBelieved() throws {
    let check = AnswerCheck(driver: "d", call: try call("f", "i32(out_i64,out_bytes)"))
    let good: [RawAnswer.Output] = [.word(1), .buffer(length: 1, isIntact: true, bytes: [1])]
    #expect(check.fits(RawAnswer(status: 0, outputs: good, logs: [])))
    for outputs: [RawAnswer.Output] in [
      [], [good[0]], [good[1], good[0]], good + [good[0]], [good[0], .buffer(length: 2, isIntact: true, bytes: [1])],
      [good[0], .buffer(length: 0, isIntact: true, bytes: [1])],
    ] {
      #expect(!check.fits(RawAnswer(status: 0, outputs: outputs, logs: [])))
    }
  }
}
