/// Why bytes are no packet, or a packet cannot be sent.
struct MQTTPacketError: Error, Sendable, Hashable {
  enum Code: String, Sendable, Hashable, CaseIterable {
    /// Bits or lengths that MQTT 5 does not have.
    case malformed
    /// A packet that may not be sent in this direction, or at this moment.
    case protocolError = "protocol_error"
    /// Larger than this side takes.
    case tooLarge = "too_large"
  }

  let code: Code
  /// What is wrong, for people; it quotes nothing of the packet.
  let text: String

  init(_ code: Code, _ text: String) { (self.code, self.text) = (code, text) }

  static func malformed(_ text: String) -> MQTTPacketError { MQTTPacketError(.malformed, text) }
}
