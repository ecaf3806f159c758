import DriverContract
import TestSupport
import Testing

@Suite struct FunctionSignatureTests {
  @Test(arguments: [
    "i32()", "i32(bytes)", "i32(bytes,f64,out_bytes)", "i32(i32,u32,i64,u64,f64,text,bytes)",
    "i32(out_i32,out_u32,out_i64,out_u64,out_f64,out_text,out_bytes)",
    "i32(" + Array(repeating: "u32", count: 16).joined(separator: ",") + ")",
  ]) func isReadAndWrittenBack(text: String) throws {
    #expect(try FunctionSignature(text).description == text)
  }

  @Test(arguments: [
    "", "i32", "i32(", "()", "i64()", "f64()", "void()", "i32( )", "i32(i32,)", "i32(,i32)", "i32(i32, i32)",
    "i32(str)",
    "i32(out_)", "i32(out_out_i32)", "i32(OUT_I32)", "i32(i32))", " i32()", "i32() ", "i32(bool)", "i32(i32;i32)",
    "i32(i32)(i32)", "i32(\u{0}i32)",
    "i32(" + Array(repeating: "u32", count: 17).joined(separator: ",") + ")",
    "i32(" + String(repeating: " ", count: 300) + ")",
  ]) func isRefusedWithAReason(text: String) {
    let error = #expect(throws: FunctionSignature.ParseError.self) { try FunctionSignature(text) }
    #expect(error?.description.isEmpty == false)
  }

  @Test func inputsAndOutputsKeepTheirOrder() throws {
    let signature = try FunctionSignature("i32(out_f64,bytes,out_text,i64)")
    #expect(signature.inputs == [.bytes, .i64])
    #expect(signature.outputs == [.f64, .text])
  }

  @Test func everySignatureHasOneSpelling() throws {
    var random = SeededGenerator(seed: 19)
    for _ in 0..<2000 {
      let parameters = (0..<Int.random(in: 0...16, using: &random)).map { _ in
        FunctionSignature.Parameter(
          FunctionSignature.Kind.allCases.randomElement(using: &random) ?? .i32,
          isOutput: Bool.random(using: &random))
      }
      let signature = try #require(FunctionSignature(parameters: parameters))
      #expect(try FunctionSignature(signature.description) == signature)
    }
  }

  @Test func anyTextIsReadOrRefused() {
    var random = SeededGenerator(seed: 23)
    let pieces = FunctionSignature.words + ["i32(", ")", ",", "(", "out_", " ", "\u{0}", "é", "i32"]
    var read = 0
    for _ in 0..<20_000 {
      var text = Bool.random(using: &random) ? "i32(" : ""
      for _ in 0..<Int.random(in: 0...12, using: &random) { text += pieces.randomElement(using: &random) ?? "" }
      if Bool.random(using: &random) { text += ")" }
      guard let signature = try? FunctionSignature(text) else { continue }
      read += 1
      #expect(signature.description == text && signature.parameters.count <= FunctionSignature.mostParameters)
    }
    #expect(read > 100)
  }

  @Test func tooManyParametersAreNoSignature() {
    #expect(FunctionSignature(parameters: Array(repeating: .init(.u32), count: 17)) == nil)
  }
}
