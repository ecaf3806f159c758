public import DriverContract
import CFFI
import CLinux
import CMeterDriver

/// Calls a function of a driver in this process (rule R19). Inside the call the host lends its log and nothing else.
public struct LocalCall {
  private let library: DriverLibrary
  private let driver: String

  /// Calls functions of one driver.
  public init(library: DriverLibrary, driver: String) {
    self.library = library
    self.driver = driver
  }

  /// Makes a call and checks what comes of it.
  ///
  /// - Throws: `DriverFault` `unknownDriver` when the bundle has no such driver or function, `brokeRule` when its signature
  ///   is another one or its outputs are not what the signature promises.
  public func answer(_ call: FunctionCall) throws(DriverFault) -> FunctionAnswer {
    try AnswerCheck(driver: driver, call: call).check(raw(call))
  }

  /// As `answer`, unchecked: a worker's part.
  func raw(_ call: FunctionCall) throws(DriverFault) -> RawAnswer {
    let function = try library.function(driver, call)
    let frame = CallFrame(call)
    let context = CallContext(peer: nil, storage: [:], assets: AssetTable([:]))
    var status: Int32 = 0
    let called = context.inCall {
      frame.parameters.withUnsafeMutableBufferPointer {
        cffi_call(function, $0.baseAddress, UInt32($0.count), &status)
      }
    }
    guard called == 0 else {
      throw DriverFault(
        .refused, driver: driver, rule: "R19",
        message: "function \(call.function): no call can be made with the signature \(call.signature)")
    }
    return RawAnswer(status: status, outputs: frame.outputs(), logs: context.log.take())
  }
}

/// The memory of one call: arguments, and room for outputs with a guard behind each buffer.
private final class CallFrame {
  private enum Slot {
    case number(UnsafeMutablePointer<UInt64>)
    case buffer(UnsafeMutableRawPointer, length: UnsafeMutablePointer<UInt64>)
  }

  var parameters: [cffi_parameter] = []
  private var slots: [Slot] = []
  private var allocated: [UnsafeMutableRawPointer] = []

  /// Bytes behind a buffer that must stay as they are.
  private static let guardSize = 64
  private static let guardByte: UInt8 = 0xa5

  init(_ call: FunctionCall) {
    var arguments = call.arguments[...]
    for parameter in call.signature.parameters {
      if parameter.isOutput {
        addOutput(parameter.kind)
      } else if let argument = arguments.popFirst() {
        add(argument)
      }
    }
  }

  deinit { for memory in allocated { memory.deallocate() } }

  private func add(_ argument: FunctionValue) {
    switch argument {
    case .i32(let number): add(CFFI_INT32, UInt64(UInt32(bitPattern: number)))
    case .u32(let number): add(CFFI_UINT32, UInt64(number))
    case .i64(let number): add(CFFI_INT64, UInt64(bitPattern: number))
    case .u64(let number): add(CFFI_UINT64, number)
    case .f64(let number): add(CFFI_DOUBLE, number.bitPattern)
    case .text(let text): addSlice(Array(text.utf8))
    case .bytes(let bytes): addSlice(bytes)
    }
  }

  private func addOutput(_ kind: FunctionSignature.Kind) {
    switch kind {
    case .text, .bytes:
      let room = FunctionSignature.mostBytes
      let buffer = memory(room + Self.guardSize)
      (buffer + room).initializeMemory(as: UInt8.self, repeating: Self.guardByte, count: Self.guardSize)
      let length = memory(8).bindMemory(to: UInt64.self, capacity: 1)
      length.pointee = UInt64(room)
      add(CFFI_POINTER, UInt64(UInt(bitPattern: buffer)))
      add(CFFI_POINTER, UInt64(UInt(bitPattern: length)))
      slots.append(.buffer(buffer, length: length))
    case .i32, .u32, .i64, .u64, .f64:
      let number = memory(8).bindMemory(to: UInt64.self, capacity: 1)
      add(CFFI_POINTER, UInt64(UInt(bitPattern: number)))
      slots.append(.number(number))
    }
  }

  private func addSlice(_ bytes: [UInt8]) {
    let copy = memory(max(1, bytes.count))
    copy.copyMemory(from: bytes, byteCount: bytes.count)
    add(CFFI_SLICE, UInt64(UInt(bitPattern: copy)), UInt64(bytes.count))
  }

  private func add(_ kind: UInt32, _ first: UInt64, _ second: UInt64 = 0) {
    parameters.append(cffi_parameter(first: first, second: second, kind: kind, reserved: 0))
  }

  /// Zeroed memory that lives as long as the frame.
  private func memory(_ count: Int) -> UnsafeMutableRawPointer {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 16)
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: count)
    allocated.append(memory)
    return memory
  }

  func outputs() -> [RawAnswer.Output] {
    slots.map { slot in
      switch slot {
      case .number(let number): return .word(number.pointee)
      case .buffer(let buffer, let length):
        let room = FunctionSignature.mostBytes
        let fence = UnsafeRawBufferPointer(start: buffer + room, count: Self.guardSize)
        let filled = UnsafeRawBufferPointer(start: buffer, count: Int(min(length.pointee, UInt64(room))))
        return .buffer(
          length: length.pointee, isIntact: fence.allSatisfy { $0 == Self.guardByte }, bytes: Array(filled))
      }
    }
  }
}
