/// A value that goes into an extension function or comes out of it.
public enum FunctionValue: Sendable, Hashable {
  case i32(Int32)
  case u32(UInt32)
  case i64(Int64)
  case u64(UInt64)
  case f64(Double)
  case text(String)
  case bytes([UInt8])

  /// What it is.
  public var kind: FunctionSignature.Kind {
    switch self {
    case .i32: .i32
    case .u32: .u32
    case .i64: .i64
    case .u64: .u64
    case .f64: .f64
    case .text: .text
    case .bytes: .bytes
    }
  }

  /// Bytes of a text or of bytes; nil for numbers.
  package var length: Int? {
    switch self {
    case .text(let text): text.utf8.count
    case .bytes(let bytes): bytes.count
    default: nil
    }
  }
}

/// A call that may be made: the arguments are what the signature asks for (rule R19).
public struct FunctionCall: Sendable, Hashable {
  /// The arguments are not what the signature asks for.
  public struct Mismatch: Error, Sendable, Hashable, CustomStringConvertible {
    /// Which argument, counted from 0; nil when there are too many or too few.
    public let argument: Int?
    /// What is wrong.
    public let description: String
  }

  /// The function's name.
  public let function: String
  /// Its signature in the registry; the bundle's must be the same.
  public let signature: FunctionSignature
  /// One value for each input of the signature.
  public let arguments: [FunctionValue]

  /// A call.
  ///
  /// - Throws: ``Mismatch``.
  public init(_ function: String, _ signature: FunctionSignature, _ arguments: [FunctionValue]) throws(Mismatch) {
    let inputs = signature.inputs
    guard arguments.count == inputs.count else {
      throw Mismatch(
        argument: nil, description: "\(function) takes \(inputs.count) arguments, not \(arguments.count)")
    }
    for (index, (argument, kind)) in zip(arguments, inputs).enumerated() {
      guard argument.kind == kind else {
        throw Mismatch(
          argument: index,
          description: "argument \(index + 1) of \(function) is \(kind.rawValue), not \(argument.kind.rawValue)")
      }
      if let length = argument.length, length > FunctionSignature.mostBytes {
        throw Mismatch(
          argument: index,
          description:
            "argument \(index + 1) of \(function) has \(length) bytes; \(FunctionSignature.mostBytes) are the "
            + "most")
      }
      if case .f64(let number) = argument, !number.isFinite {
        throw Mismatch(argument: index, description: "argument \(index + 1) of \(function) is no finite number")
      }
    }
    self.function = function
    self.signature = signature
    self.arguments = arguments
  }
}

/// What a ``FunctionCall`` has come to: outputs, or the status with which it failed.
public struct FunctionAnswer: Sendable, Hashable {
  /// `MH_OK`, or the `MH_E_*` with which it failed.
  public var status: Int32
  /// One value for each output of the signature; empty when it failed.
  public var outputs: [FunctionValue]
  /// The words with which it explains a failure: what it put into its first text.
  public var explanation: String?
  /// What it logged.
  public var logs: [DriverLogLine]

  /// Makes an answer.
  public init(status: Int32, outputs: [FunctionValue], explanation: String? = nil, logs: [DriverLogLine] = []) {
    self.status = status
    self.outputs = outputs
    self.explanation = explanation
    self.logs = logs
  }

  /// The status by its name in the contract: `MH_E_PROTOCOL`.
  public var statusName: String { DriverContract.statusName(status) }
}
