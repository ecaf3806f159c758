/// Why bytes are no ATT PDU.
public struct ATTDecodingError: Error, Hashable, Sendable {
  /// The kinds of malformed PDUs.
  public enum Code: String, Hashable, Sendable {
    /// The packet has no byte at all.
    case empty
    /// The opcode is none that this codec knows.
    case unknownOpcode = "unknown_opcode"
    /// The packet is shorter or longer than the opcode allows.
    case wrongLength = "wrong_length"
    /// The list's declared length does not fit the list.
    case wrongListLength = "wrong_list_length"
    /// A field has a value that the specification does not define.
    case invalidField = "invalid_field"
  }

  /// What is wrong, for programs.
  public let code: Code
  /// The opcode, unless the packet was empty.
  public let opcode: ATTOpcode?
  /// What is wrong, for people.
  public let message: String

  /// An error about a PDU.
  public init(_ code: Code, opcode: ATTOpcode?, message: String) {
    self.code = code
    self.opcode = opcode
    self.message = message
  }
}

extension ATTDecodingError: CustomStringConvertible {
  /// The opcode's name and what is wrong.
  public var description: String { "\(opcode.map { "\($0): " } ?? "")\(message)" }
}
