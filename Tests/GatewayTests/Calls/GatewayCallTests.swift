import GatewayEngine
import GatewayTools
import MeterDrivers
import GatewayAPI
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(60))) struct GatewayCallTests {
  static let drivers: [String] = (try? GatewayFixture.gateway().driverList().map(\.id)) ?? []

  /// What decodes pictures and reads exports has nothing that it could compare with; its own tests do.
  static let meters = drivers.filter { driver in
    (try? GatewayFixture.gateway().functions(of: driver).contains { $0.name == "self_test" }) == true
  }

  @Test func allThatDecodeMetersTestThemselves() {
    let others = ["image-codec", "apple-health", "health-connect", "samsung-health", "health-json"]
    #expect(Set(Self.drivers).subtracting(Self.meters) == Set(others.map { "org.meterhost." + $0 }))
  }

  @Test(arguments: meters) func everyBundleTestsItself(driver: String) async throws {
    let report =
      driver.hasSuffix("segment-display")
      ? "every text means what it should" : "every vector is decoded as it should be"
    for isolation in DriverHostConfiguration.Isolation.allCases {
      let answer = try await GatewayFixture.gateway(isolation).call("self_test", of: driver, arguments: [])
      #expect(answer.outputs.map(\.value) == [.text(report)])
    }
  }

  @Test(arguments: drivers) func everyFunctionIsDescribed(driver: String) throws {
    for function in try GatewayFixture.gateway().functions(of: driver) {
      for value in function.arguments + function.outputs {
        #expect(!value.summary.isEmpty && !value.name.hasPrefix("argument_") && !value.name.hasPrefix("output_"))
      }
      #expect(!function.summary.isEmpty && function.usage.hasPrefix(function.name))
    }
  }

  static let answers: [(driver: String, function: String, words: [String], outputs: [String])] = [
    ("taidoc", "clock_bytes", ["1709190300000000"], ["51335d300507a3c0"]),
    ("taidoc", "clock_time", ["51235d300507a5b2"], ["1709190300000000"]),
    ("weight-scale", "clock_bytes", ["1778612034500000"], ["ea07050c123536028002"]),
    ("weight-scale", "clock_time", ["ea07050c123536020002"], ["1778612034000000"]),
    ("onetouch", "clock_bytes", ["1746684799000000"], ["01020d000320010008af2f03712d"]),
    ("onetouch", "clock_time", ["01020c000c060008af2f03fc67"], ["1746684799000000"]),
    ("glucose", "clock_time", ["e2070914051b07"], ["1537421227000000"]),
    ("thermometer", "clock_time", ["e207030a153400"], ["1520718720000000"]),
    ("blood-pressure", "clock_time", ["e407060111331d"], ["1591033889000000"]),
    ("oximeter", "clock_time", ["e8070c1f173b3a"], ["1735689598000000"]),
    ("keyed-meter", "read_info", ["0102030405060708080700"], ["0102030405060708", "8", "7"]),
    (
      "mi-scale", "read_advertisement", ["020106 0d161d18229e43e507040b101301"],
      ["86.55", "kg", "1", "0", "1618157941000000"]
    ),
    (
      "mi-scale", "read_advertisement", ["10161b180326e607020e10293af701f136"],
      ["140.65", "lb", "1", "503", "1644856918000000"]
    ),
  ]

  @Test(arguments: 0..<answers.count) func functionsAnswer(index: Int) async throws {
    let (driver, function, words, outputs) = Self.answers[index]
    let answer = try await GatewayFixture.gateway().call(function, of: "org.meterhost.\(driver)", arguments: words)
    #expect(answer.outputs.map(\.value.text) == outputs)
  }

  static let failures: [(driver: String, function: String, words: [String], code: String, said: String)] = [
    ("org.meterhost.nobody", "self_test", [], "unknown_driver", "org.meterhost.nobody"),
    ("org.meterhost.taidoc", "clock", [], "unknown_function", "clock"),
    ("org.meterhost.taidoc", "clock_bytes", [], "bad_argument", "civil_time (i64)"),
    ("org.meterhost.taidoc", "clock_bytes", ["1", "2"], "bad_argument", "not 2"),
    ("org.meterhost.taidoc", "clock_bytes", ["noon"], "bad_argument", "civil_time is i64"),
    ("org.meterhost.taidoc", "clock_time", ["5"], "bad_argument", "clock is bytes"),
    ("org.meterhost.taidoc", "clock_time", ["@/nonexistent"], "bad_argument", "clock is bytes"),
    ("org.meterhost.taidoc", "clock_time", ["@/dev/zero"], "bad_argument", "65537 bytes"),
    ("org.meterhost.taidoc", "clock_bytes", ["17"], "function_failed", "MH_E_ARG"),
    ("org.meterhost.taidoc", "clock_time", ["51235d300507a5b3"], "function_failed", "MH_E_PROTOCOL"),
    ("org.meterhost.glucose", "clock_time", ["00000000000000"], "function_failed", "MH_E_NO_VALUE"),
    ("org.meterhost.onetouch", "clock_time", ["0102"], "function_failed", "MH_E_PROTOCOL"),
    ("org.meterhost.mi-scale", "read_advertisement", ["020106"], "function_failed", "MH_E_UNSUPPORTED"),
    ("org.meterhost.mi-scale", "read_advertisement", [""], "function_failed", "MH_E_UNSUPPORTED"),
  ]

  @Test(arguments: 0..<failures.count) func failuresHaveACodeAndNameTheirCause(index: Int) async throws {
    let (driver, function, words, code, said) = Self.failures[index]
    let error = await #expect(throws: GatewayError.self) {
      try await GatewayFixture.gateway().call(function, of: driver, arguments: words)
    }
    #expect(error?.code == code && error?.message.contains(said) == true, "\(error?.message ?? "")")
  }

  @Test func anyBytesAreAnAnswerOrAnError() async throws {
    var random = SeededGenerator(seed: 5)
    let gateway = try GatewayFixture.gateway(.inProcess)
    let functions = Self.drivers.flatMap { driver in
      ((try? gateway.functions(of: driver)) ?? []).filter { $0.arguments.map(\.type) == ["bytes"] }.map { (driver, $0) }
    }
    #expect(functions.count > 8)
    for (driver, function) in functions {
      for _ in 0..<200 {
        let word = FunctionValue.bytes(random.bytes(0...40)).text
        do throws(GatewayError) {
          _ = try await gateway.call(function.name, of: driver, arguments: [word])
        } catch {
          #expect(error.code == "function_failed", "\(driver) \(function.name) \(word): \(error.message)")
        }
      }
    }
  }
}
