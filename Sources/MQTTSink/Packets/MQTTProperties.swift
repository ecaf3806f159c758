/// The properties of a packet (MQTT 5, section 2.2.2).
struct MQTTProperties: Sendable, Hashable {
  /// A value in the form that its identifier has.
  enum Value: Sendable, Hashable {
    case byte(UInt8)
    case twoBytes(UInt16)
    case fourBytes(UInt32)
    case integer(Int)
    case text(String)
    case binary([UInt8])
    case pair(String, String)
  }

  struct Property: Sendable, Hashable {
    let identifier: Identifier
    let value: Value
  }

  private(set) var all: [Property] = []

  init() {}

  /// Adds a property; nil adds none.
  mutating func set(_ identifier: Identifier, _ value: Value?) {
    if let value { all.append(Property(identifier: identifier, value: value)) }
  }

  func byte(_ identifier: Identifier) -> UInt8? {
    if case .byte(let value)? = first(identifier) { value } else { nil }
  }

  func twoBytes(_ identifier: Identifier) -> UInt16? {
    if case .twoBytes(let value)? = first(identifier) { value } else { nil }
  }

  func fourBytes(_ identifier: Identifier) -> UInt32? {
    if case .fourBytes(let value)? = first(identifier) { value } else { nil }
  }

  func text(_ identifier: Identifier) -> String? {
    if case .text(let value)? = first(identifier) { value } else { nil }
  }

  private func first(_ identifier: Identifier) -> Value? { all.first { $0.identifier == identifier }?.value }

  // MARK: Bytes

  init(_ reader: inout MQTTReader) throws(MQTTPacketError) {
    var part = try reader.part(try reader.variableInteger())
    while !part.isAtEnd {
      guard let identifier = Identifier(rawValue: try part.variableInteger()) else {
        throw .malformed("it has a property that MQTT 5 does not have")
      }
      guard identifier.mayRepeat || first(identifier) == nil else {
        throw MQTTPacketError(.protocolError, "it has a property twice")
      }
      all.append(Property(identifier: identifier, value: try Self.value(identifier.form, &part)))
    }
  }

  private static func value(
    _ form: Identifier.Form, _ reader: inout MQTTReader
  ) throws(MQTTPacketError) -> Value {
    switch form {
    case .byte: .byte(try reader.byte())
    case .twoBytes: .twoBytes(try reader.twoBytes())
    case .fourBytes: .fourBytes(try reader.fourBytes())
    case .integer: .integer(try reader.variableInteger())
    case .text: .text(try reader.string())
    case .binary: .binary(try reader.binary())
    case .pair: .pair(try reader.string(), try reader.string())
    }
  }

  func write(to writer: inout MQTTWriter) throws(MQTTPacketError) {
    var part = MQTTWriter()
    for property in all {
      try part.variableInteger(property.identifier.rawValue)
      switch property.value {
      case .byte(let value): part.byte(value)
      case .twoBytes(let value): part.twoBytes(value)
      case .fourBytes(let value): part.fourBytes(value)
      case .integer(let value): try part.variableInteger(value)
      case .text(let value): try part.string(value)
      case .binary(let value): try part.binary(value)
      case .pair(let name, let value):
        try part.string(name)
        try part.string(value)
      }
    }
    try writer.variableInteger(part.bytes.count)
    writer.raw(part.bytes)
  }
}

extension MQTTProperties {
  /// The identifiers of section 2.2.2.2.
  enum Identifier: Int, Sendable, Hashable, CaseIterable {
    case payloadFormatIndicator = 0x01
    case messageExpiryInterval = 0x02
    case contentType = 0x03
    case responseTopic = 0x08
    case correlationData = 0x09
    case subscriptionIdentifier = 0x0B
    case sessionExpiryInterval = 0x11
    case assignedClientIdentifier = 0x12
    case serverKeepAlive = 0x13
    case authenticationMethod = 0x15
    case authenticationData = 0x16
    case requestProblemInformation = 0x17
    case willDelayInterval = 0x18
    case requestResponseInformation = 0x19
    case responseInformation = 0x1A
    case serverReference = 0x1C
    case reasonString = 0x1F
    case receiveMaximum = 0x21
    case topicAliasMaximum = 0x22
    case topicAlias = 0x23
    case maximumQoS = 0x24
    case retainAvailable = 0x25
    case userProperty = 0x26
    case maximumPacketSize = 0x27
    case wildcardSubscriptionAvailable = 0x28
    case subscriptionIdentifierAvailable = 0x29
    case sharedSubscriptionAvailable = 0x2A

    enum Form { case byte, twoBytes, fourBytes, integer, text, binary, pair }

    var form: Form {
      switch self {
      case .payloadFormatIndicator, .requestProblemInformation, .requestResponseInformation, .maximumQoS,
        .retainAvailable, .wildcardSubscriptionAvailable, .subscriptionIdentifierAvailable,
        .sharedSubscriptionAvailable:
        .byte
      case .serverKeepAlive, .receiveMaximum, .topicAliasMaximum, .topicAlias: .twoBytes
      case .messageExpiryInterval, .sessionExpiryInterval, .willDelayInterval, .maximumPacketSize: .fourBytes
      case .subscriptionIdentifier: .integer
      case .contentType, .responseTopic, .assignedClientIdentifier, .authenticationMethod, .responseInformation,
        .serverReference, .reasonString:
        .text
      case .correlationData, .authenticationData: .binary
      case .userProperty: .pair
      }
    }

    /// Whether it may stand in a packet more than once.
    var mayRepeat: Bool { self == .userProperty || self == .subscriptionIdentifier }
  }
}
