import DriverContract

extension RawAnswer {
  func encode(to writer: inout WireWriter) {
    writer.put(status)
    writer.put(outputs) {
      switch $1 {
      case .word(let bits):
        $0.put(UInt8(0))
        $0.put(bits)
      case .buffer(let length, let isIntact, let bytes):
        $0.put(isIntact ? UInt8(1) : 2)
        $0.put(length)
        $0.put(bytes)
      }
    }
    DriverLogLine.encode(logs, to: &writer)
  }

  init(from reader: inout WireReader) throws(WireError) {
    self.init(
      status: try reader.number(),
      outputs: try reader.list(least: 9) { reader throws(WireError) in
        switch try reader.number(UInt8.self) {
        case 0: return .word(try reader.number())
        case 1: return .buffer(length: try reader.number(), isIntact: true, bytes: try reader.content())
        case 2: return .buffer(length: try reader.number(), isIntact: false, bytes: try reader.content())
        default: throw WireError(message: "an output of a function is of an unknown kind")
        }
      }, logs: try DriverLogLine.list(from: &reader))
  }
}

extension FunctionCall {
  func encode(to writer: inout WireWriter) {
    writer.put(function)
    writer.put(signature.description)
    for argument in arguments {
      switch argument {
      case .i32(let number): writer.put(number)
      case .u32(let number): writer.put(number)
      case .i64(let number): writer.put(number)
      case .u64(let number): writer.put(number)
      case .f64(let number): writer.put(number)
      case .text(let text): writer.put(text)
      case .bytes(let bytes): writer.put(bytes)
      }
    }
  }

  init(from reader: inout WireReader) throws(WireError) {
    let function = try reader.text()
    let text = try reader.text()
    do {
      let signature = try FunctionSignature(text)
      var arguments: [FunctionValue] = []
      for kind in signature.inputs { arguments.append(try FunctionValue(kind, from: &reader)) }
      try self.init(function, signature, arguments)
    } catch let error as WireError {
      throw error
    } catch {
      throw WireError(message: "a call makes no sense: \(error)")
    }
  }
}

extension FunctionValue {
  fileprivate init(_ kind: FunctionSignature.Kind, from reader: inout WireReader) throws(WireError) {
    switch kind {
    case .i32: self = .i32(try reader.number())
    case .u32: self = .u32(try reader.number())
    case .i64: self = .i64(try reader.number())
    case .u64: self = .u64(try reader.number())
    case .f64: self = .f64(try reader.double())
    case .text: self = .text(try reader.text())
    case .bytes: self = .bytes(try reader.content())
    }
  }
}
