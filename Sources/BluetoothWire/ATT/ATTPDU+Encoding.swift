import HostPrimitives

extension ATTPDU {
  /// The bytes of the PDU as one packet of the ATT channel.
  public var encoded: [UInt8] {
    var bytes: [UInt8] = [opcode.rawValue]
    switch self {
    case .errorResponse(let request, let handle, let code):
      bytes.append(request.rawValue)
      bytes.append(littleEndian: handle)
      bytes.append(code.rawValue)
    case .exchangeMTURequest(let mtu), .exchangeMTUResponse(let mtu): bytes.append(littleEndian: mtu)
    case .findInformationRequest(let range): bytes.append(range)
    case .findInformationResponse(let information): bytes.append(information)
    case .findByTypeValueRequest(let range, let type, let value):
      bytes.append(range)
      bytes.append(littleEndian: type)
      bytes += value
    case .findByTypeValueResponse(let ranges):
      for range in ranges { bytes.append(range) }
    case .readByTypeRequest(let range, let type), .readByGroupTypeRequest(let range, let type):
      bytes.append(range)
      bytes += type.littleEndianBytes
    case .readByTypeResponse(let attributes): bytes.append(attributes)
    case .readByGroupTypeResponse(let groups): bytes.append(groups)
    case .readRequest(let handle): bytes.append(littleEndian: handle)
    case .readBlobRequest(let handle, let offset):
      bytes.append(littleEndian: handle)
      bytes.append(littleEndian: offset)
    case .readMultipleRequest(let handles):
      for handle in handles { bytes.append(littleEndian: handle) }
    case .readResponse(let value), .readBlobResponse(let value), .readMultipleResponse(let value): bytes += value
    case .writeRequest(let handle, let value), .writeCommand(let handle, let value),
      .handleValueNotification(let handle, let value), .handleValueIndication(let handle, let value):
      bytes.append(littleEndian: handle)
      bytes += value
    case .signedWriteCommand(let handle, let value, let signature):
      bytes.append(littleEndian: handle)
      bytes += value + signature
    case .prepareWriteRequest(let handle, let offset, let value),
      .prepareWriteResponse(let handle, let offset, let value):
      bytes.append(littleEndian: handle)
      bytes.append(littleEndian: offset)
      bytes += value
    case .executeWriteRequest(let commit): bytes.append(commit ? 1 : 0)
    case .writeResponse, .executeWriteResponse, .handleValueConfirmation: break
    }
    return bytes
  }
}

extension [UInt8] {
  fileprivate mutating func append(_ range: ATTHandleRange) {
    append(littleEndian: range.first)
    append(littleEndian: range.last)
  }

  fileprivate mutating func append(_ information: [ATTHandleInformation]) {
    let short = information.allSatisfy { $0.type.uint16 != nil }
    append(short ? 1 : 2)
    for entry in information {
      append(littleEndian: entry.handle)
      self += short ? entry.type.littleEndianBytes : entry.type.fullLittleEndianBytes
    }
  }

  fileprivate mutating func append(_ attributes: [ATTAttributeValue]) {
    let length = Swift.min(attributes.first?.value.count ?? 0, 253)
    append(UInt8(length + 2))
    for attribute in attributes where attribute.value.count == attributes.first?.value.count {
      append(littleEndian: attribute.handle)
      self += attribute.value.prefix(length)
    }
  }

  fileprivate mutating func append(_ groups: [ATTGroup]) {
    let length = Swift.min(groups.first?.value.count ?? 0, 251)
    append(UInt8(length + 4))
    for group in groups where group.value.count == groups.first?.value.count {
      append(group.range)
      self += group.value.prefix(length)
    }
  }
}
