import DriverContract

extension ServiceRequest {
  func encode(to writer: inout WireWriter) {
    switch self {
    case .value(let name):
      writer.put(UInt8(1))
      writer.put(name)
    case .put(let name, let value):
      writer.put(UInt8(2))
      writer.put(name)
      writer.put(value)
    case .cipher(let algorithm, let direction, let tagLength, let key, let nonce, let associated, let input):
      writer.put(UInt8(3))
      writer.put(algorithm)
      writer.put(direction)
      writer.put(tagLength)
      writer.put(key)
      for bytes in [nonce, associated, input] { writer.put(bytes) }
    case .mac(let algorithm, let key, let input):
      writer.put(UInt8(4))
      writer.put(algorithm)
      writer.put(key)
      writer.put(input)
    case .sha256(let input):
      writer.put(UInt8(5))
      writer.put(input)
    case .derive(let length, let key, let salt, let info, let into):
      writer.put(UInt8(6))
      writer.put(length)
      writer.put(key)
      writer.put(salt)
      writer.put(info)
      writer.put(into)
    case .makeKeyPair(let into):
      writer.put(UInt8(7))
      writer.put(into)
    case .agree(let privateKey, let publicKey, let into):
      writer.put(UInt8(8))
      writer.put(privateKey)
      writer.put(publicKey)
      writer.put(into)
    case .random(let count):
      writer.put(UInt8(9))
      writer.put(count)
    }
  }

  init(from reader: inout WireReader) throws(WireError) {
    switch try reader.number(UInt8.self) {
    case 1: self = .value(name: try reader.text())
    case 2: self = .put(name: try reader.text(), value: try reader.content())
    case 3:
      self = .cipher(
        algorithm: try reader.number(), direction: try reader.number(), tagLength: try reader.number(),
        key: try reader.text(), nonce: try reader.content(), associated: try reader.content(),
        input: try reader.content())
    case 4: self = .mac(algorithm: try reader.number(), key: try reader.text(), input: try reader.content())
    case 5: self = .sha256(try reader.content())
    case 6:
      self = .derive(
        length: try reader.number(), key: try reader.text(), salt: try reader.content(), info: try reader.content(),
        into: try reader.text())
    case 7: self = .makeKeyPair(into: try reader.text())
    case 8: self = .agree(privateKey: try reader.text(), publicKey: try reader.content(), into: try reader.text())
    case 9: self = .random(count: try reader.number())
    default: throw WireError(message: "a request to the services is unknown")
    }
  }
}

extension ServiceAnswer {
  func encode(to writer: inout WireWriter) {
    writer.put(status)
    writer.put(output)
  }

  init(from reader: inout WireReader) throws(WireError) {
    self.init(status: try reader.number(), output: try reader.content())
  }
}
