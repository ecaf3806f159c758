import DriverContract
import CMeterDriver

/// Believes nothing of what a function left behind (rule R19). The same check for workers and for this process.
struct AnswerCheck {
  let driver: String
  let call: FunctionCall

  /// Whether the outputs are of the kinds that the signature has; if not, the worker is no worker of ours.
  func fits(_ raw: RawAnswer) -> Bool {
    let outputs = call.signature.outputs
    guard raw.outputs.count == outputs.count else { return false }
    return zip(raw.outputs, outputs).allSatisfy { output, kind in
      switch output {
      case .word: kind != .text && kind != .bytes
      case .buffer(let length, _, let bytes):
        (kind == .text || kind == .bytes)
          && UInt64(bytes.count) == min(length, UInt64(FunctionSignature.mostBytes))
      }
    }
  }

  func check(_ raw: RawAnswer) throws(DriverFault) -> FunctionAnswer {
    for case .buffer(_, false, _) in raw.outputs { throw fault("it wrote behind the end of its buffer") }
    guard (MH_E_NO_VALUE...MH_OK).contains(raw.status) else {
      throw fault("it returned \(statusName(raw.status)), which is neither MH_OK nor an error of the contract")
    }
    guard raw.status == MH_OK else {
      return FunctionAnswer(
        status: raw.status, outputs: [], explanation: explanation(raw), logs: DriverLogLine.bounded(raw.logs))
    }
    var values: [FunctionValue] = []
    for (index, (output, kind)) in zip(raw.outputs, call.signature.outputs).enumerated() {
      values.append(try value(output, kind, "output \(index + 1)"))
    }
    return FunctionAnswer(status: raw.status, outputs: values, logs: DriverLogLine.bounded(raw.logs))
  }

  private func value(
    _ output: RawAnswer.Output, _ kind: FunctionSignature.Kind, _ name: String
  ) throws(DriverFault) -> FunctionValue {
    switch output {
    case .word(let bits): return try number(bits, kind, name)
    case .buffer(let length, _, let bytes):
      guard length <= UInt64(FunctionSignature.mostBytes) else {
        throw fault("\(name) is \(length) bytes long, and its buffer holds \(FunctionSignature.mostBytes)")
      }
      guard kind == .text else { return .bytes(bytes) }
      guard let text = String(validating: bytes, as: UTF8.self) else { throw fault("\(name) is not UTF-8") }
      return .text(text)
    }
  }

  private func number(
    _ bits: UInt64, _ kind: FunctionSignature.Kind, _ name: String
  ) throws(DriverFault) -> FunctionValue {
    switch kind {
    case .i32, .u32:
      // The other half of the slot was zero before the call.
      guard let half = UInt32(exactly: bits) else { throw fault("it wrote behind the end of \(name)") }
      return kind == .u32 ? .u32(half) : .i32(Int32(bitPattern: half))
    case .i64: return .i64(Int64(bitPattern: bits))
    case .u64: return .u64(bits)
    case .f64, .text, .bytes:
      let number = Double(bitPattern: bits)
      guard number.isFinite else { throw fault("\(name) is no finite number") }
      return .f64(number)
    }
  }

  /// A failing function may say why in its first text; one that it has not touched still says how much room there was.
  private func explanation(_ raw: RawAnswer) -> String? {
    for (output, kind) in zip(raw.outputs, call.signature.outputs) where kind == .text {
      guard case .buffer(let length, _, let bytes) = output, (1..<UInt64(FunctionSignature.mostBytes)).contains(length)
      else { return nil }
      return String(validating: bytes, as: UTF8.self)
    }
    return nil
  }

  private func fault(_ what: String) -> DriverFault {
    DriverFault(
      .brokeRule, driver: driver, rule: "R19",
      message: "function \(call.function): \(what); the driver must be repaired by its author")
  }
}
