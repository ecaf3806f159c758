extension MQTTPacket {
  /// The packet as it travels.
  ///
  /// - Throws: ``MQTTPacketError`` with code `tooLarge` or `malformed` for a text that has no form.
  func bytes() throws(MQTTPacketError) -> [UInt8] {
    var body = MQTTWriter()
    let head = try write(&body)
    var packet = MQTTWriter()
    packet.byte(head)
    try packet.variableInteger(body.bytes.count)
    packet.raw(body.bytes)
    return packet.bytes
  }

  /// Writes what stands behind the length; the first byte.
  private func write(_ body: inout MQTTWriter) throws(MQTTPacketError) -> UInt8 {
    switch self {
    case .connect(let connect):
      try connect.write(&body)
      return 0x10
    case .connack(let connack):
      body.byte(connack.isSessionPresent ? 1 : 0)
      body.byte(connack.reason.rawValue)
      try connack.properties.write(to: &body)
      return 0x20
    case .publish(let publish): return try publish.write(&body)
    case .puback(let puback):
      body.twoBytes(puback.identifier)
      try Self.writeReason(puback.reason, puback.properties, &body)
      return 0x40
    case .subscribe(let subscribe):
      try subscribe.write(&body)
      return 0x82
    case .suback(let suback):
      body.twoBytes(suback.identifier)
      try suback.properties.write(to: &body)
      for reason in suback.reasons { body.byte(reason.rawValue) }
      return 0x90
    case .pingreq: return 0xC0
    case .pingresp: return 0xD0
    case .disconnect(let disconnect):
      try Self.writeReason(disconnect.reason, disconnect.properties, &body)
      return 0xE0
    }
  }

  /// Success without properties is left out.
  private static func writeReason(
    _ reason: MQTTReason, _ properties: MQTTProperties, _ body: inout MQTTWriter
  ) throws(MQTTPacketError) {
    guard reason != .success || !properties.all.isEmpty else { return }
    body.byte(reason.rawValue)
    if !properties.all.isEmpty { try properties.write(to: &body) }
  }
}

extension MQTTConnect {
  fileprivate func write(_ body: inout MQTTWriter) throws(MQTTPacketError) {
    try body.string("MQTT")
    body.byte(5)
    var flags: UInt8 = isCleanStart ? 0x02 : 0
    if let will { flags |= 0x04 | will.quality << 3 | (will.isRetained ? 0x20 : 0) }
    if userName != nil { flags |= 0x80 }
    if password != nil { flags |= 0x40 }
    body.byte(flags)
    body.twoBytes(keepAlive)
    try properties.write(to: &body)
    try body.string(clientID)
    if let will {
      try will.properties.write(to: &body)
      try body.string(will.topic)
      try body.binary(will.payload)
    }
    if let userName { try body.string(userName) }
    if let password { try body.binary(password) }
  }
}

extension MQTTPublish {
  fileprivate func write(_ body: inout MQTTWriter) throws(MQTTPacketError) -> UInt8 {
    guard !topic.isEmpty, !topic.utf8.contains(where: { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "#") }) else {
      throw .malformed("a message has no topic, or one with + or #")
    }
    try body.string(topic)
    if let identifier { body.twoBytes(identifier) }
    try properties.write(to: &body)
    body.raw(payload)
    return 0x30 | (isDuplicate && identifier != nil ? 0x08 : 0) | (identifier == nil ? 0 : 0x02)
      | (isRetained ? 0x01 : 0)
  }
}

extension MQTTSubscribe {
  fileprivate func write(_ body: inout MQTTWriter) throws(MQTTPacketError) {
    body.twoBytes(identifier)
    try MQTTProperties().write(to: &body)
    for filter in filters {
      try body.string(filter.topic)
      body.byte(filter.quality | (filter.isWithoutOwn ? 0x04 : 0) | (filter.isWithoutRetained ? 0x20 : 0))
    }
  }
}
