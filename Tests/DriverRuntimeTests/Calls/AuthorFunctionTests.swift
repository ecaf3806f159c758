import DriverContract
import DriverRuntime
import Foundation
import TestSupport
import Testing

/// Functions that were declared with the Swift author library, called as the host calls them.
@Suite struct AuthorFunctionTests {
  private static let library = Result {
    let products = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    // Stays open: the loader knows a bundle by its descriptor's number.
    let descriptor = open(products.appending(path: "libauthor-probe.so").path, O_RDONLY | O_CLOEXEC)
    return try DriverLibrary(descriptor: descriptor, name: "author-probe")
  }

  private func answer(
    _ function: String, _ signature: String, _ arguments: [FunctionValue] = []
  ) throws -> FunctionAnswer {
    try LocalCall(library: Self.library.get(), driver: "org.meterhost.author-probe").answer(
      FunctionCall(function, FunctionSignature(signature), arguments))
  }

  @Test func everyFormHasItsSignature() throws {
    let functions = try #require(try Self.library.get().drivers.first).functions
    #expect(
      functions.map { "\($0.name) \($0.signature)" } == [
        "report i32(out_text)", "fails i32(out_text)", "encode i32(i64,out_bytes)", "decode i32(bytes,out_i64)",
        "describe i32(bytes,out_text)", "time i32(bytes,out_i64)", "self_test i32(out_text)",
      ])
  }

  @Test func textsNumbersAndBytesComeThrough() throws {
    #expect(try answer("report", "i32(out_text)").outputs == [.text("zero ä -9223372036854775808")])
    #expect(try answer("encode", "i32(i64,out_bytes)", [.i64(3)]).outputs == [.bytes([0x78, 0x78, 0x78])])
    #expect(try answer("encode", "i32(i64,out_bytes)", [.i64(0)]).outputs == [.bytes([])])
    #expect(try answer("decode", "i32(bytes,out_i64)", [.bytes([1, 2])]).outputs == [.i64(-2)])
    #expect(try answer("describe", "i32(bytes,out_text)", [.bytes([])]).outputs == [.text("0")])
  }

  @Test func errorsBecomeStatuses() throws {
    let failed = try answer("fails", "i32(out_text)")
    #expect(failed.statusName == "MH_E_UNSUPPORTED" && failed.explanation == "because")
    #expect(try answer("encode", "i32(i64,out_bytes)", [.i64(-1)]).statusName == "MH_E_ARG")
    #expect(try answer("encode", "i32(i64,out_bytes)", [.i64(65_537)]).statusName == "MH_E_FULL")
    #expect(try answer("decode", "i32(bytes,out_i64)", [.bytes([])]).statusName == "MH_E_NO_VALUE")
    let described = try answer("describe", "i32(bytes,out_text)", [.bytes([1, 2, 3, 4])])
    #expect(described.statusName == "MH_E_PROTOCOL" && described.explanation == "4")
  }

  @Test(
    arguments: [
      ([0xe2, 0x07, 3, 10, 21, 52, 0], 1_520_718_720_000_000), ([0xb2, 0x07, 1, 1, 0, 0, 0, 9, 9], 0),
    ] as [([UInt8], Int64)])
  func dateTimesAreMoments(bytes: [UInt8], civil: Int64) throws {
    #expect(try answer("time", "i32(bytes,out_i64)", [.bytes(bytes)]).outputs == [.i64(civil)])
  }

  @Test func dateTimesThatNameNoMoment() throws {
    let unset: [UInt8] = [0, 0, 0, 0, 0, 0, 0]
    #expect(try answer("time", "i32(bytes,out_i64)", [.bytes(unset)]).statusName == "MH_E_NO_VALUE")
    #expect(try answer("time", "i32(bytes,out_i64)", [.bytes([1, 2, 3])]).statusName == "MH_E_PROTOCOL")
  }

  @Test func aSelfTestNamesTheVectorThatDiffers() throws {
    let answer = try answer("self_test", "i32(out_text)")
    #expect(answer.statusName == "MH_E_PROTOCOL")
    #expect(answer.explanation == "vector impossible: another status than expected")
  }
}
