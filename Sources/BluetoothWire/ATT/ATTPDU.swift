/// A range of attribute handles as it stands in a PDU; it may be invalid.
public struct ATTHandleRange: Hashable, Sendable {
  /// The first handle.
  public var first: UInt16
  /// The last handle, included.
  public var last: UInt16

  /// A range of handles.
  public init(first: UInt16, last: UInt16) {
    self.first = first
    self.last = last
  }

  /// All handles, 0x0001 to 0xFFFF.
  public static let all = ATTHandleRange(first: 1, last: 0xFFFF)

  /// Whether the range is one that a server has to accept: not empty, and without the reserved handle 0.
  public var isValid: Bool { first != 0 && first <= last }

  /// Whether the handle lies in the range.
  public func contains(_ handle: UInt16) -> Bool { first <= handle && handle <= last }
}

/// A handle and the type of its attribute, as in a Find Information Response.
public struct ATTHandleInformation: Hashable, Sendable {
  /// The attribute's handle.
  public var handle: UInt16
  /// The attribute's type.
  public var type: BluetoothUUID

  /// An entry of the response, whose entries all have types of one length (Core Vol 3 Part F 3.4.3.2).
  public init(handle: UInt16, type: BluetoothUUID) {
    self.handle = handle
    self.type = type
  }
}

/// A handle and the attribute's value (possibly cut), as in a Read By Type Response.
public struct ATTAttributeValue: Hashable, Sendable {
  /// The attribute's handle.
  public var handle: UInt16
  /// The value as far as the PDU carries it.
  public var value: [UInt8]

  /// An entry of the response, whose entries all have values of one length (Core Vol 3 Part F 3.4.4.2).
  public init(handle: UInt16, value: [UInt8]) {
    self.handle = handle
    self.value = value
  }
}

/// A group of attributes, such as a service, as in a Read By Group Type Response.
public struct ATTGroup: Hashable, Sendable {
  /// The handles of the group.
  public var range: ATTHandleRange
  /// The value of the grouping attribute; of a service its UUID, least significant byte first.
  public var value: [UInt8]

  /// A group with the value of its declaration.
  public init(range: ATTHandleRange, value: [UInt8]) {
    self.range = range
    self.value = value
  }
}

/// A protocol data unit of the Attribute Protocol (Core Vol 3 Part F 3.4).
///
/// A PDU is what one packet of the ATT channel carries. ``init(decoding:)`` accepts exactly the lengths that the
/// specification allows; what handles and values *mean* is for the client or the server to judge.
public enum ATTPDU: Hashable, Sendable {
  /// ATT_ERROR_RSP: the request with this opcode failed at this handle.
  case errorResponse(request: ATTOpcode, handle: UInt16, code: ATTErrorCode)
  /// ATT_EXCHANGE_MTU_REQ: the largest PDU that the client takes, in bytes.
  case exchangeMTURequest(clientMTU: UInt16)
  /// ATT_EXCHANGE_MTU_RSP: the largest PDU that the server takes, in bytes.
  case exchangeMTUResponse(serverMTU: UInt16)
  /// ATT_FIND_INFORMATION_REQ: which types have the attributes of the range?
  case findInformationRequest(range: ATTHandleRange)
  /// ATT_FIND_INFORMATION_RSP. Encoded with 16-bit types if all have that form.
  case findInformationResponse([ATTHandleInformation])
  /// ATT_FIND_BY_TYPE_VALUE_REQ: where are attributes of this 16-bit type with this value?
  case findByTypeValueRequest(range: ATTHandleRange, type: UInt16, value: [UInt8])
  /// ATT_FIND_BY_TYPE_VALUE_RSP: each range is the found handle and the end of its group.
  case findByTypeValueResponse([ATTHandleRange])
  /// ATT_READ_BY_TYPE_REQ: the values of the attributes of this type.
  case readByTypeRequest(range: ATTHandleRange, type: BluetoothUUID)
  /// ATT_READ_BY_TYPE_RSP. All values have one length; encoding leaves out those that differ from the first.
  case readByTypeResponse([ATTAttributeValue])
  /// ATT_READ_REQ.
  case readRequest(handle: UInt16)
  /// ATT_READ_RSP.
  case readResponse(value: [UInt8])
  /// ATT_READ_BLOB_REQ: the value from this offset on.
  case readBlobRequest(handle: UInt16, offset: UInt16)
  /// ATT_READ_BLOB_RSP.
  case readBlobResponse(value: [UInt8])
  /// ATT_READ_MULTIPLE_REQ: at least two handles.
  case readMultipleRequest(handles: [UInt16])
  /// ATT_READ_MULTIPLE_RSP: the values one after the other.
  case readMultipleResponse(values: [UInt8])
  /// ATT_READ_BY_GROUP_TYPE_REQ: the groups of this type, such as the primary services.
  case readByGroupTypeRequest(range: ATTHandleRange, type: BluetoothUUID)
  /// ATT_READ_BY_GROUP_TYPE_RSP. All values have one length; encoding leaves out those that differ from the first.
  case readByGroupTypeResponse([ATTGroup])
  /// ATT_WRITE_REQ.
  case writeRequest(handle: UInt16, value: [UInt8])
  /// ATT_WRITE_RSP.
  case writeResponse
  /// ATT_WRITE_CMD: a write that is not answered.
  case writeCommand(handle: UInt16, value: [UInt8])
  /// ATT_SIGNED_WRITE_CMD: a write with a signature of 12 bytes that is not answered.
  case signedWriteCommand(handle: UInt16, value: [UInt8], signature: [UInt8])
  /// ATT_PREPARE_WRITE_REQ: queue a part of a value.
  case prepareWriteRequest(handle: UInt16, offset: UInt16, value: [UInt8])
  /// ATT_PREPARE_WRITE_RSP: what was queued.
  case prepareWriteResponse(handle: UInt16, offset: UInt16, value: [UInt8])
  /// ATT_EXECUTE_WRITE_REQ: write the queue, or drop it.
  case executeWriteRequest(commit: Bool)
  /// ATT_EXECUTE_WRITE_RSP.
  case executeWriteResponse
  /// ATT_HANDLE_VALUE_NTF: a value from the server that is not confirmed.
  case handleValueNotification(handle: UInt16, value: [UInt8])
  /// ATT_HANDLE_VALUE_IND: a value from the server that the client confirms.
  case handleValueIndication(handle: UInt16, value: [UInt8])
  /// ATT_HANDLE_VALUE_CFM: the client has the indication.
  case handleValueConfirmation
}

extension ATTPDU {
  /// The smallest and default size of a PDU on LE, in bytes (Core Vol 3 Part G 5.2.1).
  public static let defaultMTU = 23
  /// The largest value of an attribute, in bytes (Core Vol 3 Part F 3.2.9).
  public static let maximumValueLength = 512

  /// The first byte of the PDU as it is sent (Core Vol 3 Part F 3.3.1).
  public var opcode: ATTOpcode {
    switch self {
    case .errorResponse: .errorResponse
    case .exchangeMTURequest: .exchangeMTURequest
    case .exchangeMTUResponse: .exchangeMTUResponse
    case .findInformationRequest: .findInformationRequest
    case .findInformationResponse: .findInformationResponse
    case .findByTypeValueRequest: .findByTypeValueRequest
    case .findByTypeValueResponse: .findByTypeValueResponse
    case .readByTypeRequest: .readByTypeRequest
    case .readByTypeResponse: .readByTypeResponse
    case .readRequest: .readRequest
    case .readResponse: .readResponse
    case .readBlobRequest: .readBlobRequest
    case .readBlobResponse: .readBlobResponse
    case .readMultipleRequest: .readMultipleRequest
    case .readMultipleResponse: .readMultipleResponse
    case .readByGroupTypeRequest: .readByGroupTypeRequest
    case .readByGroupTypeResponse: .readByGroupTypeResponse
    case .writeRequest: .writeRequest
    case .writeResponse: .writeResponse
    case .writeCommand: .writeCommand
    case .signedWriteCommand: .signedWriteCommand
    case .prepareWriteRequest: .prepareWriteRequest
    case .prepareWriteResponse: .prepareWriteResponse
    case .executeWriteRequest: .executeWriteRequest
    case .executeWriteResponse: .executeWriteResponse
    case .handleValueNotification: .handleValueNotification
    case .handleValueIndication: .handleValueIndication
    case .handleValueConfirmation: .handleValueConfirmation
    }
  }
}
