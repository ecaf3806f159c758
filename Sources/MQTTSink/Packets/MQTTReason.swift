import HostPrimitives

/// A reason code (MQTT 5, section 2.4). Any byte is one; those that mean something here have names.
struct MQTTReason: RawRepresentable, Sendable, Hashable {
  let rawValue: UInt8

  init(rawValue: UInt8) { self.rawValue = rawValue }

  static let success = MQTTReason(rawValue: 0x00)
  static let disconnectWithWill = MQTTReason(rawValue: 0x04)
  static let noMatchingSubscribers = MQTTReason(rawValue: 0x10)
  static let unspecified = MQTTReason(rawValue: 0x80)
  static let malformedPacket = MQTTReason(rawValue: 0x81)
  static let protocolError = MQTTReason(rawValue: 0x82)
  static let implementationSpecific = MQTTReason(rawValue: 0x83)
  static let unsupportedVersion = MQTTReason(rawValue: 0x84)
  static let clientIdentifierNotValid = MQTTReason(rawValue: 0x85)
  static let badUserNameOrPassword = MQTTReason(rawValue: 0x86)
  static let notAuthorized = MQTTReason(rawValue: 0x87)
  static let serverUnavailable = MQTTReason(rawValue: 0x88)
  static let serverBusy = MQTTReason(rawValue: 0x89)
  static let banned = MQTTReason(rawValue: 0x8A)
  static let sessionTakenOver = MQTTReason(rawValue: 0x8E)
  static let topicNameInvalid = MQTTReason(rawValue: 0x90)
  static let packetTooLarge = MQTTReason(rawValue: 0x95)
  static let quotaExceeded = MQTTReason(rawValue: 0x97)
  static let payloadFormatInvalid = MQTTReason(rawValue: 0x99)

  /// Whether it says that something failed.
  var isFailure: Bool { rawValue >= 0x80 }

  /// For people, such as `not authorized (0x87)`.
  var text: String { "\(words) (0x\(UInt64(rawValue).hexadecimal(digits: 2, uppercase: true)))" }

  private var words: String {
    switch self {
    case .success: "success"
    case .noMatchingSubscribers: "nobody has subscribed to the topic"
    case .unspecified: "unspecified error"
    case .malformedPacket: "malformed packet"
    case .protocolError: "protocol error"
    case .implementationSpecific: "the broker has a reason of its own"
    case .unsupportedVersion: "the broker does not speak MQTT 5"
    case .clientIdentifierNotValid: "client id not valid"
    case .badUserNameOrPassword: "bad user name or password"
    case .notAuthorized: "not authorized"
    case .serverUnavailable: "the broker is unavailable"
    case .serverBusy: "the broker is busy"
    case .banned: "this client is banned"
    case .sessionTakenOver: "another client has connected with the same client id"
    case .topicNameInvalid: "topic name not valid"
    case .packetTooLarge: "packet too large"
    case .quotaExceeded: "quota exceeded"
    case .payloadFormatInvalid: "payload format not valid"
    default: "the broker gives a reason code"
    }
  }
}
