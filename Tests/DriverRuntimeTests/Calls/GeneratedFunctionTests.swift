import DriverContract
import DriverRuntime
import Foundation
import TestSupport
import Testing

/// Any signature reaches C as the compiler passes it: many are generated, compiled, and called with any arguments.
@Suite struct GeneratedFunctionTests {
  /// A function that copies each input to the outputs of its kind, in their order; outputs without one stay zero.
  private struct Generated {
    let name: String
    let signature: FunctionSignature

    /// The C type of a parameter.
    private static func type(_ kind: FunctionSignature.Kind) -> String {
      switch kind {
      case .i32: "int32_t"
      case .u32: "uint32_t"
      case .i64: "int64_t"
      case .u64: "uint64_t"
      case .f64: "double"
      case .text: "mh_str"
      case .bytes: "mh_bytes"
      }
    }

    var source: String {
      var parameters: [String] = []
      var body: [String] = []
      var inputs: [FunctionSignature.Kind: [Int]] = [:]
      for (place, parameter) in signature.parameters.enumerated() where !parameter.isOutput {
        inputs[parameter.kind, default: []].append(place)
      }
      for (place, parameter) in signature.parameters.enumerated() {
        let kind = parameter.kind
        guard parameter.isOutput else {
          parameters.append("\(Self.type(kind)) p\(place)")
          body.append("(void)p\(place);")
          continue
        }
        let from = inputs[kind]?.isEmpty == false ? inputs[kind]?.removeFirst() : nil
        switch kind {
        case .text, .bytes:
          parameters.append("\(kind == .text ? "char" : "uint8_t") *p\(place), uint64_t *n\(place)")
          body.append("(void)p\(place);")
          body.append(
            from.map {
              "for (uint64_t i = 0; i < p\($0).n; i++) p\(place)[i] = p\($0).p[i]; *n\(place) = p\($0).n;"
            } ?? "*n\(place) = 0;")
        default:
          parameters.append("\(Self.type(kind)) *p\(place)")
          body.append("*p\(place) = \(from.map { "p\($0)" } ?? "0");")
        }
      }
      return "static int32_t \(name)(\(parameters.isEmpty ? "void" : parameters.joined(separator: ", "))) {\n  "
        + body.joined(separator: "\n  ") + "\n  return MH_OK;\n}\n"
    }

    /// What the outputs must be.
    func expected(_ arguments: [FunctionValue]) -> [FunctionValue] {
      var left = arguments
      return signature.outputs.map { kind in
        if let place = left.firstIndex(where: { $0.kind == kind }) { return left.remove(at: place) }
        return switch kind {
        case .i32: .i32(0)
        case .u32: .u32(0)
        case .i64: .i64(0)
        case .u64: .u64(0)
        case .f64: .f64(0)
        case .text: .text("")
        case .bytes: .bytes([])
        }
      }
    }
  }

  private static func functions(_ random: inout SeededGenerator) throws -> [Generated] {
    try (0..<256).map { index in
      let parameters = (0..<Int.random(in: 0...16, using: &random)).map { _ in
        FunctionSignature.Parameter(
          FunctionSignature.Kind.allCases.randomElement(using: &random) ?? .i32,
          isOutput: Int.random(in: 0...2, using: &random) == 0)
      }
      return Generated(name: "f\(index)", signature: try #require(FunctionSignature(parameters: parameters)))
    }
  }

  private static func bundle(_ functions: [Generated]) throws -> DriverLibrary {
    let list = functions.map { #"    {"\#($0.name)", "\#($0.signature)", (void (*)(void))\#($0.name)},"# }
    let source = """
      #include <meterhost/driver.h>
      MH_DRIVER_NOTE
      \(functions.map(\.source).joined(separator: "\n"))
      static const mh_extension_function functions[] = {
      \(list.joined(separator: "\n"))
      };
      static const mh_driver driver = {.struct_size = sizeof(mh_driver), .abi_major = MH_ABI_MAJOR,
        .abi_minor = MH_ABI_MINOR, .layout_hash = MH_LAYOUT_HASH, .id = {"g", 1}, .version = {"1.0.0", 5},
        .vendor = {"g", 1}, .functions = functions, .n_functions = \(functions.count)};
      int32_t mh_driver_entry(const mh_host *host, uint32_t index, const mh_driver **out, mh_str *why_not) {
        (void)host, (void)why_not;
        if (index != 0) return MH_END;
        *out = &driver;
        return MH_OK;
      }
      """
    let folder = FileManager.default.temporaryDirectory.appending(path: "generated-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "generated.c")
    try source.write(to: file, atomically: true, encoding: .utf8)
    let library = try CompiledBundle.compile(
      file, include: CompiledBundle.root.appending(path: "SDK/include"), isBundle: true)
    return try DriverLibrary(descriptor: open(library.path, O_RDONLY | O_CLOEXEC), name: "generated")
  }

  private static func value(_ kind: FunctionSignature.Kind, _ random: inout SeededGenerator) -> FunctionValue {
    switch kind {
    case .i32: .i32(Int32.random(in: .min ... .max, using: &random))
    case .u32: .u32(UInt32.random(in: .min ... .max, using: &random))
    case .i64: .i64(Int64.random(in: .min ... .max, using: &random))
    case .u64: .u64(UInt64.random(in: .min ... .max, using: &random))
    case .f64: .f64(Double.random(in: -1e9...1e9, using: &random))
    case .text: .text(String(Int.random(in: 0...1_000_000, using: &random), radix: 36) + "é")
    case .bytes: .bytes(random.bytes(0...40))
    }
  }

  @Test func everySignatureIsCalledAsItsCompilerDoes() throws {
    var random = SeededGenerator(seed: 1974)
    let functions = try Self.functions(&random)
    let call = LocalCall(library: try Self.bundle(functions), driver: "g")
    for function in functions {
      for _ in 0..<8 {
        let arguments = function.signature.inputs.map { Self.value($0, &random) }
        let answer = try call.answer(FunctionCall(function.name, function.signature, arguments))
        #expect(answer.outputs == function.expected(arguments), "\(function.signature)")
      }
    }
  }
}
