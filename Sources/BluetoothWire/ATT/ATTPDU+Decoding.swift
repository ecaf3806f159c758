extension ATTPDU {
  /// Decodes one packet of the ATT channel.
  ///
  /// - Throws: ``ATTDecodingError`` that names the opcode and what is wrong: no byte at all, an unknown opcode, a
  ///   length that the opcode does not allow (Core Vol 3 Part F 3.4), or a field without a defined meaning.
  public init(decoding bytes: [UInt8]) throws(ATTDecodingError) {
    guard let first = bytes.first else {
      throw ATTDecodingError(.empty, opcode: nil, message: "an ATT PDU has at least one byte, the opcode")
    }
    let body = ATTBody(opcode: ATTOpcode(rawValue: first), bytes: bytes.dropFirst())
    switch body.opcode {
    case .errorResponse:
      try body.expect(4)
      self = .errorResponse(
        request: ATTOpcode(rawValue: body.byte(0)), handle: body.uint16(1), code: ATTErrorCode(rawValue: body.byte(3)))
    case .exchangeMTURequest:
      try body.expect(2)
      self = .exchangeMTURequest(clientMTU: body.uint16(0))
    case .exchangeMTUResponse:
      try body.expect(2)
      self = .exchangeMTUResponse(serverMTU: body.uint16(0))
    case .writeResponse:
      try body.expect(0)
      self = .writeResponse
    case .executeWriteResponse:
      try body.expect(0)
      self = .executeWriteResponse
    case .handleValueConfirmation:
      try body.expect(0)
      self = .handleValueConfirmation
    case .findInformationRequest, .findInformationResponse, .findByTypeValueRequest, .findByTypeValueResponse,
      .readByTypeRequest, .readByTypeResponse, .readByGroupTypeRequest, .readByGroupTypeResponse:
      self = try Self.discovery(body)
    case .readRequest, .readResponse, .readBlobRequest, .readBlobResponse, .readMultipleRequest,
      .readMultipleResponse:
      self = try Self.reading(body)
    case .writeRequest, .writeCommand, .signedWriteCommand, .prepareWriteRequest, .prepareWriteResponse,
      .executeWriteRequest, .handleValueNotification, .handleValueIndication:
      self = try Self.writing(body)
    default:
      throw ATTDecodingError(
        .unknownOpcode, opcode: body.opcode, message: "no PDU of the Attribute Protocol that this host knows")
    }
  }

  private static func discovery(_ body: ATTBody) throws(ATTDecodingError) -> ATTPDU {
    switch body.opcode {
    case .findInformationRequest:
      try body.expect(4)
      return .findInformationRequest(range: body.range(0))
    case .findInformationResponse: return .findInformationResponse(try body.information())
    case .findByTypeValueRequest:
      try body.expect(atLeast: 6)
      return .findByTypeValueRequest(range: body.range(0), type: body.uint16(4), value: body.rest(6))
    case .findByTypeValueResponse:
      return .findByTypeValueResponse(try body.entries(of: 4, from: 0).map { body.range($0) })
    case .readByTypeRequest: return .readByTypeRequest(range: try body.typedRange(), type: try body.type())
    case .readByTypeResponse:
      return .readByTypeResponse(
        try body.declaredEntries(atLeast: 2).map { entry in
          ATTAttributeValue(handle: body.uint16(entry.lowerBound), value: body.slice(entry.dropFirst(2)))
        })
    case .readByGroupTypeRequest: return .readByGroupTypeRequest(range: try body.typedRange(), type: try body.type())
    default:
      return .readByGroupTypeResponse(
        try body.declaredEntries(atLeast: 4).map { entry in
          ATTGroup(range: body.range(entry.lowerBound), value: body.slice(entry.dropFirst(4)))
        })
    }
  }

  private static func reading(_ body: ATTBody) throws(ATTDecodingError) -> ATTPDU {
    switch body.opcode {
    case .readRequest:
      try body.expect(2)
      return .readRequest(handle: body.uint16(0))
    case .readResponse: return .readResponse(value: body.rest(0))
    case .readBlobRequest:
      try body.expect(4)
      return .readBlobRequest(handle: body.uint16(0), offset: body.uint16(2))
    case .readBlobResponse: return .readBlobResponse(value: body.rest(0))
    case .readMultipleRequest:
      try body.expect(atLeast: 4)
      return .readMultipleRequest(handles: try body.entries(of: 2, from: 0).map { body.uint16($0) })
    default: return .readMultipleResponse(values: body.rest(0))
    }
  }

  private static func writing(_ body: ATTBody) throws(ATTDecodingError) -> ATTPDU {
    switch body.opcode {
    case .executeWriteRequest:
      try body.expect(1)
      guard body.byte(0) <= 1 else {
        throw ATTDecodingError(
          .invalidField, opcode: body.opcode, message: "the flags are \(body.byte(0)); only 0 and 1 are defined")
      }
      return .executeWriteRequest(commit: body.byte(0) == 1)
    case .signedWriteCommand:
      try body.expect(atLeast: 14)
      let end = body.bytes.count - 12
      return .signedWriteCommand(handle: body.uint16(0), value: body.slice(2..<end), signature: body.rest(end))
    case .prepareWriteRequest:
      try body.expect(atLeast: 4)
      return .prepareWriteRequest(handle: body.uint16(0), offset: body.uint16(2), value: body.rest(4))
    case .prepareWriteResponse:
      try body.expect(atLeast: 4)
      return .prepareWriteResponse(handle: body.uint16(0), offset: body.uint16(2), value: body.rest(4))
    default:
      try body.expect(atLeast: 2)
      let (handle, value) = (body.uint16(0), body.rest(2))
      switch body.opcode {
      case .writeRequest: return .writeRequest(handle: handle, value: value)
      case .writeCommand: return .writeCommand(handle: handle, value: value)
      case .handleValueNotification: return .handleValueNotification(handle: handle, value: value)
      default: return .handleValueIndication(handle: handle, value: value)
      }
    }
  }
}
