/// The packets of MQTT 5 that a client of quality of service 0 and 1 sends and gets.
enum MQTTPacket: Sendable, Hashable {
  case connect(MQTTConnect)
  case connack(MQTTConnack)
  case publish(MQTTPublish)
  case puback(MQTTPuback)
  case subscribe(MQTTSubscribe)
  case suback(MQTTSuback)
  case pingreq
  case pingresp
  case disconnect(MQTTDisconnect)
}

/// What a client begins with.
struct MQTTConnect: Sendable, Hashable {
  struct Will: Sendable, Hashable {
    var topic: String
    var payload: [UInt8]
    var isRetained = false
    /// 0 or 1.
    var quality: UInt8 = 1
    var properties = MQTTProperties()
  }

  var clientID: String
  var isCleanStart = true
  /// In seconds; 0 is none.
  var keepAlive: UInt16
  var userName: String?
  var password: [UInt8]?
  var will: Will?
  var properties = MQTTProperties()
}

/// The broker's answer to it.
struct MQTTConnack: Sendable, Hashable {
  var isSessionPresent = false
  var reason: MQTTReason
  var properties = MQTTProperties()
}

/// A message.
struct MQTTPublish: Sendable, Hashable {
  var topic: String
  var payload: [UInt8]
  /// 1 to 65535 for quality of service 1; nil for 0.
  var identifier: UInt16?
  var isRetained = false
  var isDuplicate = false
  var properties = MQTTProperties()
}

/// What became of a message of quality of service 1.
struct MQTTPuback: Sendable, Hashable {
  var identifier: UInt16
  var reason = MQTTReason.success
  var properties = MQTTProperties()
}

/// A wish to get messages.
struct MQTTSubscribe: Sendable, Hashable {
  struct Filter: Sendable, Hashable {
    var topic: String
    /// 0 or 1.
    var quality: UInt8
    /// Whether what this client publishes itself stays away.
    var isWithoutOwn = false
    /// Whether what the broker has kept stays away.
    var isWithoutRetained = false
  }

  var identifier: UInt16
  var filters: [Filter]
}

/// What became of it, for each filter in its order.
struct MQTTSuback: Sendable, Hashable {
  var identifier: UInt16
  var reasons: [MQTTReason]
  var properties = MQTTProperties()
}

/// The end of a connection, and why.
struct MQTTDisconnect: Sendable, Hashable {
  var reason = MQTTReason.success
  var properties = MQTTProperties()
}
