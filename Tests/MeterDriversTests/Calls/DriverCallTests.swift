import Foundation
import TestSupport
import Testing

@testable import MeterDrivers

/// The registry's entry of the fixture's functions; each is declared as its signature says.
struct CallFixture {
  static let driver = "org.meterhost.functions"
  static let functions: [(name: String, signature: String)] = [
    ("echo", "i32(i32,bytes,u32,i64,f64,text,u64,out_bytes,out_i32,out_u32,out_i64,out_u64,out_f64,out_text)"),
    ("spread", "i32(f64,bytes,f64,text,f64,bytes,f64,f64,f64,f64,f64,f64,i32,out_f64,out_bytes)"),
    ("nothing", "i32()"), ("fill", "i32(u32,out_bytes)"), ("crash", "i32()"), ("leave", "i32()"), ("spin", "i32()"),
    ("block", "i32()"), ("too_long", "i32(out_bytes)"), ("far_too_long", "i32(out_text)"),
    ("no_text", "i32(out_text)"), ("behind", "i32(out_bytes)"), ("wide", "i32(out_i32)"),
    ("infinite", "i32(out_f64)"), ("returns", "i32(i32)"), ("fails", "i32(out_text)"),
    ("fails_without_a_word", "i32(out_text)"), ("tests_itself", "i32(u32,out_text)"),
    ("asks", "i32(out_i32,out_i32,out_i32,out_i32,out_i32)"),
  ]

  /// - Parameter signatures: Other signatures than the bundle has.
  static func entry(_ signatures: [String: String] = [:]) throws -> DriverEntry {
    let list = functions.map {
      #"{"name": "\#($0.name)", "signature": "\#(signatures[$0.name] ?? $0.signature)", "summary": "Does."}"#
    }
    let driver = """
      {"id": "\(driver)", "version": "1.0.0", "vendor": "tests", "license": "MIT", "family": "fam",
       "library": "drivers/functions.so", "abi": {\(RegistryFixture.version)}, "capabilities": ["decode"],
       "functions": [\(list.joined(separator: ","))]}
      """
    let registry = try RegistryFixture.load(RegistryFixture.text(drivers: driver, peripherals: ""))
    return try #require(registry.driver(id: Self.driver))
  }

  static func bundle() throws -> VerifiedBundle {
    try BundleVerifier.verify(
      path: CompiledBundle.make(["functions.c"]).path, expectedHash: nil, rules: BundleRules(allowsMissingHash: true))
  }

  static func call(_ function: String, _ arguments: [FunctionValue] = []) throws -> FunctionCall {
    let entry = try #require(functions.first { $0.name == function })
    return try FunctionCall(function, FunctionSignature(entry.signature), arguments)
  }

  /// - Parameter limit: Long enough for a machine that does many things at once: what is tested is not how fast it is.
  static func host(
    _ isolation: DriverHostConfiguration.Isolation, limit: Duration = .seconds(300)
  ) -> DriverHost {
    DriverHost(
      configuration: DriverHostConfiguration(isolation: isolation, eventLimit: limit, startLimit: .seconds(300)))
  }
}

@Suite struct DriverCallTests {
  static let calls: [(String, [FunctionValue])] = [
    ("echo", [.i32(-5), .bytes([0, 255]), .u32(7), .i64(.min), .f64(0.1), .text("käse"), .u64(.max)]),
    ("nothing", []), ("fill", [.u32(65_536)]), ("fill", [.u32(65_537)]), ("too_long", []), ("far_too_long", []),
    ("no_text", []), ("behind", []), ("wide", []), ("infinite", []), ("returns", [.i32(0)]), ("returns", [.i32(-9)]),
    ("returns", [.i32(5)]), ("fails", []), ("fails_without_a_word", []), ("asks", []),
  ]

  @Test(arguments: 0..<calls.count) func workerAndThisProcessAgree(index: Int) async throws {
    let (function, arguments) = Self.calls[index]
    let call = try CallFixture.call(function, arguments)
    let (entry, bundle) = (try CallFixture.entry(), try CallFixture.bundle())
    var results: [Result<FunctionAnswer, DriverFault>] = []
    for isolation in DriverHostConfiguration.Isolation.allCases {
      do throws(DriverFault) {
        var answer = try await CallFixture.host(isolation).call(bundle, driver: entry, call)
        // A busy machine may warn of a call's time.
        answer.logs.removeAll { $0.message.contains("CPU time") }
        results.append(.success(answer))
      } catch {
        #expect(error.driver == CallFixture.driver && error.message.contains(function) && error.rule == "R19")
        results.append(.failure(error))
      }
    }
    #expect(results.count == 2 && results.first == results.last)
  }

  private func fault(_ function: String, limit: Duration = .seconds(300)) async throws -> DriverFault {
    let bundle = try CallFixture.bundle()
    let entry = try CallFixture.entry()
    let call = try CallFixture.call(function)
    let fault = await #expect(throws: DriverFault.self) {
      try await CallFixture.host(.worker, limit: limit).call(bundle, driver: entry, call)
    }
    // The host goes on with the same bundle.
    let after = try await CallFixture.host(.worker).call(bundle, driver: entry, try CallFixture.call("nothing"))
    #expect(after.status == 0)
    let found = try #require(fault)
    #expect(found.driver == CallFixture.driver && found.message.contains("function \(function)"))
    #expect(!found.message.contains("read the meter"))
    return found
  }

  @Test func aCrashIsAFault() async throws {
    let fault = try await fault("crash")
    #expect(fault.code == .crashed && fault.rule == "R24" && fault.message.contains("SIGSEGV"))
  }

  @Test func leavingIsAFault() async throws {
    let fault = try await fault("leave")
    #expect(fault.code == .crashed && fault.message.contains("exit status 7"))
  }

  @Test func anEndlessLoopIsStoppedByItsCPUTime() async throws {
    let fault = try await fault("spin")
    #expect(fault.code == .hung && fault.rule == "R16" && fault.message.contains("CPU"))
  }

  @Test func waitingIsStoppedByTheWallClock() async throws {
    let fault = try await fault("block", limit: .milliseconds(200))
    #expect(fault.code == .hung && fault.rule == "R16" && fault.message.contains("in time"))
  }

  /// A driver of 1.0 was told that nobody calls its functions; it is called as its table says.
  @Test(arguments: FrozenDriverTests.cases)
  func functionsOfFrozenDriversAreCalled(
    contract: FrozenContract, isolation: DriverHostConfiguration.Isolation
  ) async throws {
    let driver = """
      {"id": "org.meterhost.frozen", "version": "1.0.0", "vendor": "MeterHost", "license": "MIT", "family": "fam",
       "library": "drivers/frozen.so", "abi": {\(RegistryFixture.version)},
       "capabilities": ["connect", "advertisement_only", "decode"],
       "functions": [{"name": "twice", "signature": "i32(i64,out_i64)", "summary": "Twice a number."}]}
      """
    let registry = try RegistryFixture.load(RegistryFixture.text(drivers: driver, peripherals: ""))
    let entry = try #require(registry.driver(id: "org.meterhost.frozen"))
    let call = try FunctionCall("twice", FunctionSignature("i32(i64,out_i64)"), [.i64(-21)])
    let answer = try await CallFixture.host(isolation).call(try contract.driver(), driver: entry, call)
    #expect(answer.outputs == [.i64(-42)])
  }

  @Test(arguments: DriverHostConfiguration.Isolation.allCases)
  func anotherSignatureInTheRegistryIsNotCalled(isolation: DriverHostConfiguration.Isolation) async throws {
    // Called so, it would read a pointer that nobody gave.
    let entry = try CallFixture.entry(["nothing": "i32(bytes,out_text)"])
    let call = try FunctionCall("nothing", FunctionSignature("i32(bytes,out_text)"), [.bytes([1])])
    let fault = await #expect(throws: DriverFault.self) {
      try await CallFixture.host(isolation).call(try CallFixture.bundle(), driver: entry, call)
    }
    #expect(fault?.code == .brokeRule && fault?.rule == "R19" && fault?.message.contains("i32()") == true)
  }

  @Test(arguments: DriverHostConfiguration.Isolation.allCases)
  func aCallThatIsNotTheEntrysIsNotMade(isolation: DriverHostConfiguration.Isolation) async throws {
    let call = try FunctionCall("nothing", FunctionSignature("i32(i32)"), [.i32(1)])
    let fault = await #expect(throws: DriverFault.self) {
      try await CallFixture.host(isolation).call(try CallFixture.bundle(), driver: try CallFixture.entry(), call)
    }
    #expect(fault?.code == .brokeRule && fault?.rule == "R19")
  }
}

@Suite struct FunctionArgumentTests {
  private func value(_ kind: FunctionSignature.Kind) -> DriverEntry.Function.Value {
    DriverEntry.Function.Value(name: "given", kind: kind, summary: "", unit: nil)
  }

  private func read(_ kind: FunctionSignature.Kind, _ word: String) throws(ArgumentError) -> FunctionValue {
    try value(kind).argument(word) { $0 == "three" ? [1, 2, 3] : try { throw CocoaError(.fileNoSuchFile) }() }
  }

  @Test func wordsBecomeValues() throws {
    #expect(try read(.i32, "-2147483648") == .i32(.min))
    #expect(try read(.u32, "4294967295") == .u32(.max))
    #expect(try read(.i64, "-1") == .i64(-1))
    #expect(try read(.u64, "18446744073709551615") == .u64(.max))
    #expect(try read(.f64, "-1.5e-3") == .f64(-0.0015))
    #expect(try read(.text, "@three ä") == .text("@three ä"))
    #expect(try read(.text, "") == .text(""))
    #expect(try read(.bytes, "0aFF:01-02 03") == .bytes([10, 255, 1, 2, 3]))
    #expect(try read(.bytes, "") == .bytes([]))
    #expect(try read(.bytes, "@three") == .bytes([1, 2, 3]))
  }

  @Test(
    arguments: [
      (.i32, "2147483648"), (.i32, "1.0"), (.i32, ""), (.i32, "0x10"), (.u32, "-1"), (.u64, "18446744073709551616"),
      (.f64, "nan"), (.f64, "inf"), (.f64, "1e999"), (.f64, "0x1p3"), (.f64, "1,5"), (.f64, ""), (.bytes, "abc"),
      (.bytes, "xx"), (.bytes, "0x0a"), (.bytes, "@missing"), (.bytes, "٣٣"),
    ] as [(FunctionSignature.Kind, String)])
  func errorsNameTheArgumentItsTypeAndAnExample(kind: FunctionSignature.Kind, word: String) {
    let error = #expect(throws: ArgumentError.self) { try read(kind, word) }
    let text = error?.description ?? ""
    #expect(text.hasPrefix("given is \(kind.rawValue): write ") && text.contains("such as"), "\(text)")
  }

  @Test func valuesAreWrittenAsTheyAreRead() throws {
    let values: [FunctionValue] = [
      .i32(-1), .u32(.max), .i64(.min), .u64(.max), .f64(0.1), .text("ä"), .bytes([0, 15, 16, 255]),
    ]
    for value in values { #expect(try read(value.kind, value.text) == value) }
  }
}
