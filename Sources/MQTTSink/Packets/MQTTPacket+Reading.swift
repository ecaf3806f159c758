extension MQTTPacket {
  /// The packet that a first byte and what stands behind the length make.
  ///
  /// - Throws: ``MQTTPacketError``, also for packets of quality of service 2 and of authentication, which are never asked for.
  init(head: UInt8, body: ArraySlice<UInt8>) throws(MQTTPacketError) {
    var reader = MQTTReader(body)
    switch (head >> 4, head & 0x0F) {
    case (1, 0): self = .connect(try MQTTConnect(&reader))
    case (2, 0): self = .connack(try MQTTConnack(&reader))
    case (3, let flags): self = .publish(try MQTTPublish(flags, &reader))
    case (4, 0): self = .puback(try MQTTPuback(&reader))
    case (8, 2): self = .subscribe(try MQTTSubscribe(&reader))
    case (9, 0): self = .suback(try MQTTSuback(&reader))
    case (12, 0): self = .pingreq
    case (13, 0): self = .pingresp
    case (14, 0): self = .disconnect(try MQTTDisconnect(&reader))
    case (5...7, _), (10, _), (11, _), (15, _):
      throw MQTTPacketError(.protocolError, "it is of a kind that was never asked for")
    default: throw .malformed("its first byte is that of no packet")
    }
    guard reader.isAtEnd else { throw .malformed("it is longer than what it holds") }
  }

  /// The reason and the properties that may be left out at a packet's end.
  fileprivate static func reason(
    _ reader: inout MQTTReader
  ) throws(MQTTPacketError) -> (MQTTReason, MQTTProperties) {
    guard !reader.isAtEnd else { return (.success, MQTTProperties()) }
    let reason = MQTTReason(rawValue: try reader.byte())
    return (reason, reader.isAtEnd ? MQTTProperties() : try MQTTProperties(&reader))
  }
}

extension MQTTReader {
  /// A packet's identifier, which is not 0.
  fileprivate mutating func identifier() throws(MQTTPacketError) -> UInt16 {
    let identifier = try twoBytes()
    guard identifier > 0 else { throw .malformed("its identifier is 0") }
    return identifier
  }
}

extension MQTTConnect {
  fileprivate init(_ reader: inout MQTTReader) throws(MQTTPacketError) {
    guard try reader.string() == "MQTT", try reader.byte() == 5 else { throw .malformed("it is not of MQTT 5") }
    let flags = try reader.byte()
    guard flags & 0x01 == 0, flags & 0x18 <= 0x08, flags & 0x04 != 0 || flags & 0x38 == 0 else {
      throw .malformed("its flags contradict each other")
    }
    isCleanStart = flags & 0x02 != 0
    keepAlive = try reader.twoBytes()
    properties = try MQTTProperties(&reader)
    clientID = try reader.string()
    if flags & 0x04 != 0 {
      let properties = try MQTTProperties(&reader)
      will = Will(
        topic: try reader.string(), payload: try reader.binary(), isRetained: flags & 0x20 != 0,
        quality: flags >> 3 & 0x03, properties: properties)
    }
    userName = flags & 0x80 != 0 ? try reader.string() : nil
    password = flags & 0x40 != 0 ? try reader.binary() : nil
  }
}

extension MQTTConnack {
  fileprivate init(_ reader: inout MQTTReader) throws(MQTTPacketError) {
    let flags = try reader.byte()
    guard flags <= 1 else { throw .malformed("its flags are none") }
    isSessionPresent = flags == 1
    reason = MQTTReason(rawValue: try reader.byte())
    properties = try MQTTProperties(&reader)
  }
}

extension MQTTPublish {
  fileprivate init(_ flags: UInt8, _ reader: inout MQTTReader) throws(MQTTPacketError) {
    let quality = flags >> 1 & 0x03
    guard quality <= 1 else {
      throw MQTTPacketError(.protocolError, "it is of a quality of service that was not asked for")
    }
    isDuplicate = flags & 0x08 != 0
    isRetained = flags & 0x01 != 0
    guard quality > 0 || !isDuplicate else { throw .malformed("it is a duplicate of what has none") }
    topic = try reader.string()
    guard !topic.utf8.contains(where: { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "#") }) else {
      throw .malformed("its topic has + or #")
    }
    identifier = quality > 0 ? try reader.identifier() : nil
    properties = try MQTTProperties(&reader)
    payload = reader.rest()
  }
}

extension MQTTPuback {
  fileprivate init(_ reader: inout MQTTReader) throws(MQTTPacketError) {
    identifier = try reader.identifier()
    (reason, properties) = try MQTTPacket.reason(&reader)
  }
}

extension MQTTSubscribe {
  fileprivate init(_ reader: inout MQTTReader) throws(MQTTPacketError) {
    identifier = try reader.identifier()
    _ = try MQTTProperties(&reader)
    filters = []
    repeat {
      let topic = try reader.string()
      let options = try reader.byte()
      guard options & 0xC0 == 0, options & 0x03 <= 1, options & 0x18 == 0, !topic.isEmpty else {
        throw .malformed("a subscription has options that are not known")
      }
      filters.append(
        Filter(
          topic: topic, quality: options & 0x03, isWithoutOwn: options & 0x04 != 0,
          isWithoutRetained: options & 0x20 != 0))
    } while !reader.isAtEnd
  }
}

extension MQTTSuback {
  fileprivate init(_ reader: inout MQTTReader) throws(MQTTPacketError) {
    identifier = try reader.identifier()
    properties = try MQTTProperties(&reader)
    reasons = reader.rest().map(MQTTReason.init(rawValue:))
    guard !reasons.isEmpty else { throw .malformed("it answers nothing") }
  }
}

extension MQTTDisconnect {
  fileprivate init(_ reader: inout MQTTReader) throws(MQTTPacketError) {
    (reason, properties) = try MQTTPacket.reason(&reader)
  }
}
