import HostPrimitives

/// Why a server refused a request (Core Vol 3 Part F 3.4.1.1; 0xE0 and up: Core Specification Supplement Part B 1.2).
public struct ATTErrorCode: RawRepresentable, Hashable, Sendable {
  /// The byte of the Error Response.
  public let rawValue: UInt8

  /// A code from its byte; any byte is possible on the air.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The handle is not valid on this server.
  public static let invalidHandle = ATTErrorCode(rawValue: 0x01)
  /// The attribute cannot be read.
  public static let readNotPermitted = ATTErrorCode(rawValue: 0x02)
  /// The attribute cannot be written.
  public static let writeNotPermitted = ATTErrorCode(rawValue: 0x03)
  /// The PDU is malformed.
  public static let invalidPDU = ATTErrorCode(rawValue: 0x04)
  /// The attribute needs authentication (a bond).
  public static let insufficientAuthentication = ATTErrorCode(rawValue: 0x05)
  /// The server does not know the request.
  public static let requestNotSupported = ATTErrorCode(rawValue: 0x06)
  /// The offset is behind the value's end.
  public static let invalidOffset = ATTErrorCode(rawValue: 0x07)
  /// The attribute needs authorisation.
  public static let insufficientAuthorization = ATTErrorCode(rawValue: 0x08)
  /// Too many prepared writes are queued.
  public static let prepareQueueFull = ATTErrorCode(rawValue: 0x09)
  /// No attribute matches in the range.
  public static let attributeNotFound = ATTErrorCode(rawValue: 0x0A)
  /// The attribute cannot be read by Read Blob.
  public static let attributeNotLong = ATTErrorCode(rawValue: 0x0B)
  /// The key of the encrypted link is too short.
  public static let encryptionKeySizeTooShort = ATTErrorCode(rawValue: 0x0C)
  /// The value's length is wrong for the attribute.
  public static let invalidAttributeValueLength = ATTErrorCode(rawValue: 0x0D)
  /// Something improbable went wrong.
  public static let unlikelyError = ATTErrorCode(rawValue: 0x0E)
  /// The attribute needs an encrypted link.
  public static let insufficientEncryption = ATTErrorCode(rawValue: 0x0F)
  /// The type is no grouping attribute.
  public static let unsupportedGroupType = ATTErrorCode(rawValue: 0x10)
  /// The server is out of resources.
  public static let insufficientResources = ATTErrorCode(rawValue: 0x11)
  /// The client's database is out of date.
  public static let databaseOutOfSync = ATTErrorCode(rawValue: 0x12)
  /// What was written has a form that the attribute takes, and a content that it does not.
  public static let valueNotAllowed = ATTErrorCode(rawValue: 0x13)
  /// A write was refused for another reason.
  public static let writeRequestRejected = ATTErrorCode(rawValue: 0xFC)
  /// A CCCD is not configured as the profile demands.
  public static let cccdImproperlyConfigured = ATTErrorCode(rawValue: 0xFD)
  /// What was asked for before is still being done, so that the server cannot begin this.
  public static let procedureAlreadyInProgress = ATTErrorCode(rawValue: 0xFE)
  /// The value is out of range as the profile defines it.
  public static let outOfRange = ATTErrorCode(rawValue: 0xFF)

  /// Whether the code belongs to the profile or the vendor (0x80-0x9F).
  public var isApplicationError: Bool { (0x80...0x9F).contains(rawValue) }

  /// Whether the code is one of the common profile and service errors (0xE0-0xFF).
  public var isCommonProfileError: Bool { rawValue >= 0xE0 }

  /// Whether pairing or encrypting the link may cure it.
  public var asksForSecurity: Bool {
    [.insufficientAuthentication, .insufficientEncryption, .encryptionKeySizeTooShort].contains(self)
  }

  /// A stable name in kebab case, such as `insufficient-encryption`.
  public var name: String { Self.texts[rawValue]?.name ?? kindAndByte(separator: "-") }

  /// What the code says, for people.
  public var message: String { Self.texts[rawValue]?.message ?? kindAndByte(separator: " ") }

  private func kindAndByte(separator: String) -> String {
    let kind = isApplicationError ? "application" : isCommonProfileError ? "profile" : "reserved"
    let byte = rawValue.hexadecimal(digits: 2)
    return [kind, "error", separator == "-" ? byte : "0x\(byte)"].joined(separator: separator)
  }

  private static let texts: [UInt8: (name: String, message: String)] = [
    0x01: ("invalid-handle", "the handle is not valid on this meter"),
    0x02: ("read-not-permitted", "the attribute cannot be read"),
    0x03: ("write-not-permitted", "the attribute cannot be written"),
    0x04: ("invalid-pdu", "the meter found the request malformed"),
    0x05: ("insufficient-authentication", "the attribute needs a bond; pair with the meter"),
    0x06: ("request-not-supported", "the meter does not know the request"),
    0x07: ("invalid-offset", "the offset is behind the value's end"),
    0x08: ("insufficient-authorization", "the attribute needs authorisation on the meter"),
    0x09: ("prepare-queue-full", "too many prepared writes are queued"),
    0x0A: ("attribute-not-found", "no attribute matches in the range"),
    0x0B: ("attribute-not-long", "the attribute cannot be read in parts"),
    0x0C: ("encryption-key-size-too-short", "the link's key is too short; pair again with a longer key"),
    0x0D: ("invalid-attribute-value-length", "the value's length is wrong for the attribute"),
    0x0E: ("unlikely-error", "the meter met an unlikely error"),
    0x0F: ("insufficient-encryption", "the attribute needs an encrypted link; pair with the meter"),
    0x10: ("unsupported-group-type", "the type is no grouping attribute"),
    0x11: ("insufficient-resources", "the meter is out of resources"),
    0x12: ("database-out-of-sync", "the cached database is out of date; discover again"),
    0x13: ("value-not-allowed", "the value is not allowed"),
    0xFC: ("write-request-rejected", "the meter rejected the write"),
    0xFD: ("cccd-improperly-configured", "a subscription that the procedure needs is missing"),
    0xFE: ("procedure-already-in-progress", "the meter is busy with an earlier procedure"),
    0xFF: ("out-of-range", "the value is out of the profile's range"),
  ]
}

extension ATTErrorCode: CustomStringConvertible {
  /// The name and the byte.
  public var description: String { "\(name) (0x\(rawValue.hexadecimal(digits: 2, uppercase: true)))" }
}
