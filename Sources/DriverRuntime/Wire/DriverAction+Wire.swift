import DriverContract

extension DriverAction {
  func encode(to writer: inout WireWriter) {
    switch self {
    case .subscribe(let handle, let token): writer.put(1, handle, token)
    case .unsubscribe(let handle, let token): writer.put(2, handle, token)
    case .read(let handle, let token): writer.put(3, handle, token)
    case .write(let handle, let value, let token):
      writer.put(4, handle, token)
      writer.put(value)
    case .writeNoResponse(let handle, let value):
      writer.put(5, handle, 0)
      writer.put(value)
    case .exchangeMTU(let mtu, let token): writer.put(6, mtu, token)
    case .pair(let pairing, let token): writer.put(7, pairing.rawValue, token)
    case .timer(let token, let nanoseconds):
      writer.put(8, 0, token)
      writer.put(nanoseconds)
    case .cancelTimer(let token): writer.put(9, 0, token)
    case .ready: writer.put(UInt8(10))
    case .progress(let done, let total):
      writer.put(UInt8(11))
      writer.put(done)
      writer.put(total)
    case .askUser(let prompt, let token):
      writer.put(12, 0, token)
      prompt.encode(to: &writer)
    case .finish: writer.put(UInt8(13))
    case .fail(let code, let subcode, let text):
      writer.put(UInt8(14))
      writer.put(code.rawValue)
      writer.put(subcode)
      writer.put(text)
    }
  }

  init(from reader: inout WireReader) throws(WireError) {
    switch try reader.number(UInt8.self) {
    case 1: self = .subscribe(handle: try reader.number(), token: try reader.number())
    case 2: self = .unsubscribe(handle: try reader.number(), token: try reader.number())
    case 3: self = .read(handle: try reader.number(), token: try reader.number())
    case 4:
      let (handle, token) = (try reader.number(UInt16.self), try reader.number(UInt64.self))
      self = .write(handle: handle, try reader.content(), token: token)
    case 5:
      let (handle, _) = (try reader.number(UInt16.self), try reader.number(UInt64.self))
      self = .writeNoResponse(handle: handle, try reader.content())
    case 6: self = .exchangeMTU(try reader.number(), token: try reader.number())
    case 7: self = .pair(DriverPairing(rawValue: try reader.number()), token: try reader.number())
    case 8:
      self = .timer(token: try reader.token(), nanoseconds: try reader.number())
    case 9: self = .cancelTimer(token: try reader.token())
    case 10: self = .ready
    case 11: self = .progress(done: try reader.number(), total: try reader.number())
    case 12:
      let token = try reader.token()
      self = .askUser(try DriverPrompt(from: &reader), token: token)
    case 13: self = .finish
    case 14: self = .fail(try reader.code("failure code"), subcode: try reader.number(), text: try reader.text())
    default: throw WireError(message: "an action is unknown")
    }
  }
}

extension DriverPrompt {
  func encode(to writer: inout WireWriter) {
    writer.put(kind.rawValue)
    writer.put(isSecret)
    writer.put(minimumLength)
    writer.put(maximumLength)
    writer.put(text)
    writer.put(keepAs) { $0.put($1) }
  }

  init(from reader: inout WireReader) throws(WireError) {
    self.init(
      kind: try reader.code("kind of question"), isSecret: try reader.flag(), minimumLength: try reader.number(),
      maximumLength: try reader.number(), text: try reader.text(),
      keepAs: try reader.optional { reader throws(WireError) in try reader.text() })
  }
}

extension WireWriter {
  /// The start of an action: its kind, a handle or what stands in its place, and its token.
  fileprivate mutating func put(_ kind: UInt8, _ handle: UInt16, _ token: UInt64) {
    put(kind)
    put(handle)
    put(token)
  }
}

extension WireReader {
  /// The token of an action that names no handle.
  fileprivate mutating func token() throws(WireError) -> UInt64 {
    guard try number(UInt16.self) == 0 else { throw WireError(message: "an action names a handle that it has not") }
    return try number()
  }
}
