import HostPrimitives

/// One connection to a broker as a value: packets, requests and time go in, packets and answers come out.
///
/// Nothing of it survives the connection. What was published and not acknowledged is answered as lost, and it is the caller's to publish
/// it again: the name in a reading tells a receiver that it has come twice.
struct MQTTSession: Sendable {
  /// What came of publishing.
  enum Answer: Sendable, Hashable {
    /// The broker's word; `text` is what it says beside, in one line.
    case acknowledged(MQTTReason, text: String)
    /// It is larger than the broker takes.
    case tooLarge
    /// Nobody can say whether the broker has it.
    case lost(MQTTSessionEnd)
  }

  enum Effect: Sendable, Hashable {
    case send([UInt8])
    case connected
    case published(Int, Answer)
    /// The broker's word on each filter; nil when the connection has ended before.
    case subscribed(Int, [MQTTReason]?)
    /// Everything that the broker had sent before it was asked has come; false when the connection has ended before.
    case pinged(Int, Bool)
    case message(MQTTPublish)
    /// The last one: the bytes' way is to be closed.
    case ended(MQTTSessionEnd)
  }

  struct Limits: Sendable, Hashable {
    /// Messages without an acknowledgement at a time, whatever the broker allows.
    var window = 64
    /// For CONNACK.
    var connecting: Duration = .seconds(15)
    /// For PUBACK, SUBACK and PINGRESP.
    var answering: Duration = .seconds(30)
    /// What a packet of the broker may have.
    var packetSize = 256 << 10
  }

  private enum Phase: Sendable {
    case idle
    case connecting(until: HostInstant)
    case connected
    case ended(MQTTSessionEnd)
  }

  private struct Waiting: Sendable {
    let number: Int
    let until: HostInstant
  }

  private var phase = Phase.idle
  private let connect: MQTTConnect
  private let limits: Limits
  private var stream: MQTTPacketStream
  private var keepAlive: Duration?
  private var lastSent = HostInstant.boot
  /// What the broker takes.
  private var window: Int
  private var largest = Int.max
  private var takesRetained = true
  private var nextIdentifier: UInt16 = 1
  private var inFlight: [UInt16: Waiting] = [:]
  private var subscriptions: [UInt16: Waiting] = [:]
  private var queue: [(number: Int, publish: MQTTPublish)] = []
  /// A number of those who have asked, none of the keep-alive's own.
  private var pings: [(number: Int?, until: HostInstant)] = []

  init(_ connect: MQTTConnect, limits: Limits = Limits()) {
    var connect = connect
    connect.properties.set(.receiveMaximum, .twoBytes(UInt16(clamping: limits.window)))
    connect.properties.set(.maximumPacketSize, .fourBytes(UInt32(clamping: limits.packetSize)))
    (self.connect, self.limits) = (connect, limits)
    stream = MQTTPacketStream(limit: limits.packetSize)
    window = limits.window
    keepAlive = connect.keepAlive > 0 ? .seconds(Int64(connect.keepAlive)) : nil
  }

  /// When ``passed(_:)`` is to be called at the latest.
  var deadline: HostInstant? {
    switch phase {
    case .connecting(let until): until
    case .connected:
      ([keepAlive.map { lastSent + $0 }] + (Array(inFlight.values) + Array(subscriptions.values)).map(\.until)
        + pings.map(\.until)).compactMap(\.self).min()
    case .idle, .ended: nil
    }
  }

  // MARK: This side

  mutating func begin(_ now: HostInstant) -> [Effect] {
    guard case .idle = phase else { return [] }
    phase = .connecting(until: now + limits.connecting)
    return send(.connect(connect), now)
  }

  /// Publishes at quality of service 1, when the window has room.
  mutating func publish(_ publish: MQTTPublish, as number: Int, _ now: HostInstant) -> [Effect] {
    if case .ended(let end) = phase { return [.published(number, .lost(end))] }
    queue.append((number, publish))
    return sendQueued(now)
  }

  mutating func subscribe(_ filters: [MQTTSubscribe.Filter], as number: Int, _ now: HostInstant) -> [Effect] {
    guard case .connected = phase else { return [.subscribed(number, nil)] }
    let identifier = newIdentifier()
    subscriptions[identifier] = Waiting(number: number, until: now + limits.answering)
    return send(.subscribe(MQTTSubscribe(identifier: identifier, filters: filters)), now)
  }

  mutating func ping(as number: Int, _ now: HostInstant) -> [Effect] {
    guard case .connected = phase else { return [.pinged(number, false)] }
    pings.append((number, now + limits.answering))
    return send(.pingreq, now)
  }

  /// Says good-bye: the broker publishes no will, unless messages have not gone out, which may have said that this is the end.
  mutating func leave(_ now: HostInstant) -> [Effect] {
    let reason: MQTTReason = queue.isEmpty ? .success : .disconnectWithWill
    let farewell: [Effect] =
      if case .connected = phase { send(.disconnect(MQTTDisconnect(reason: reason)), now) } else { [] }
    return farewell + end(MQTTSessionEnd(.left, "the connection was closed here"))
  }

  /// The way of the bytes has ended.
  mutating func broken(_ end: MQTTSessionEnd) -> [Effect] { self.end(end) }

  /// Looks at what time has brought.
  mutating func passed(_ now: HostInstant) -> [Effect] {
    switch phase {
    case .idle, .ended: return []
    case .connecting(let until):
      guard until <= now else { return [] }
      return end(MQTTSessionEnd(.silent, "the broker has not answered the connection in time; check that it is one"))
    case .connected: break
    }
    let waiting = (Array(inFlight.values) + Array(subscriptions.values)).map(\.until) + pings.map(\.until)
    if let first = waiting.min(), first <= now {
      return end(MQTTSessionEnd(.silent, "the broker has not answered in time"))
    }
    guard let keepAlive, lastSent + keepAlive <= now else { return [] }
    pings.append((nil, now + limits.answering))
    return send(.pingreq, now)
  }

  // MARK: The broker

  mutating func received(_ bytes: [UInt8], _ now: HostInstant) -> [Effect] {
    stream.append(bytes)
    var effects: [Effect] = []
    do throws(MQTTPacketError) {
      while isOpen, let packet = try stream.next() { effects += try take(packet, now) }
    } catch {
      let reason: MQTTReason =
        switch error.code {
        case .malformed: .malformedPacket
        case .protocolError: .protocolError
        case .tooLarge: .packetTooLarge
        }
      if case .connected = phase { effects += send(.disconnect(MQTTDisconnect(reason: reason)), now) }
      effects += end(
        MQTTSessionEnd(.unusable, "what came is no packet of MQTT 5 (\(error.text)); check that it is a broker"))
    }
    return effects
  }

  private var isOpen: Bool {
    switch phase {
    case .connecting, .connected: true
    case .idle, .ended: false
    }
  }

  private mutating func take(_ packet: MQTTPacket, _ now: HostInstant) throws(MQTTPacketError) -> [Effect] {
    if case .connecting = phase {
      guard case .connack(let connack) = packet else {
        throw MQTTPacketError(.protocolError, "something else came before its answer to the connection")
      }
      return try take(connack, now)
    }
    switch packet {
    case .publish(let publish): return try take(publish, now)
    case .puback(let puback):
      guard let waiting = inFlight.removeValue(forKey: puback.identifier) else { return [] }
      let answer = Answer.acknowledged(puback.reason, text: Self.words(puback.properties))
      return [.published(waiting.number, answer)] + sendQueued(now)
    case .suback(let suback):
      guard let waiting = subscriptions.removeValue(forKey: suback.identifier) else { return [] }
      return [.subscribed(waiting.number, suback.reasons)]
    case .pingresp:
      guard !pings.isEmpty, let number = pings.removeFirst().number else { return [] }
      return [.pinged(number, true)]
    case .disconnect(let disconnect):
      let words = Self.words(disconnect.properties)
      return end(
        MQTTSessionEnd(
          .disconnected(disconnect.reason),
          "the broker has ended the connection: \(disconnect.reason.text)\(words.isEmpty ? "" : ", \(words)")"))
    case .connect, .connack, .subscribe, .pingreq:
      throw MQTTPacketError(.protocolError, "it is one that a client sends, or comes twice")
    }
  }

  private mutating func take(_ connack: MQTTConnack, _ now: HostInstant) throws(MQTTPacketError) -> [Effect] {
    let words = Self.words(connack.properties)
    guard !connack.reason.isFailure else {
      return end(
        MQTTSessionEnd(
          .refused(connack.reason),
          "the broker refuses the connection: \(connack.reason.text)\(words.isEmpty ? "" : ", \(words)")"))
    }
    let properties = connack.properties
    guard properties.byte(.maximumQoS) != 0 else {
      return send(.disconnect(MQTTDisconnect()), now)
        + end(MQTTSessionEnd(.unusable, "the broker acknowledges no messages (quality of service 0 only)"))
    }
    guard properties.twoBytes(.receiveMaximum) != 0, properties.fourBytes(.maximumPacketSize) != 0 else {
      throw MQTTPacketError(.protocolError, "a limit is 0")
    }
    window = min(limits.window, properties.twoBytes(.receiveMaximum).map(Int.init) ?? limits.window)
    largest = properties.fourBytes(.maximumPacketSize).map(Int.init) ?? Int.max
    takesRetained = properties.byte(.retainAvailable) != 0
    if let seconds = properties.twoBytes(.serverKeepAlive) { keepAlive = seconds > 0 ? .seconds(Int64(seconds)) : nil }
    phase = .connected
    return [.connected] + sendQueued(now)
  }

  private mutating func take(_ publish: MQTTPublish, _ now: HostInstant) throws(MQTTPacketError) -> [Effect] {
    // This side allows no aliases.
    guard !publish.topic.isEmpty, publish.properties.twoBytes(.topicAlias) == nil else {
      throw MQTTPacketError(.protocolError, "a message has an alias instead of a topic")
    }
    guard let identifier = publish.identifier else { return [.message(publish)] }
    return send(.puback(MQTTPuback(identifier: identifier)), now) + [.message(publish)]
  }

  /// What the broker says to people.
  private static func words(_ properties: MQTTProperties) -> String {
    (properties.text(.reasonString) ?? "").oneLine(atMost: 200)
  }

  // MARK: Sending

  private mutating func sendQueued(_ now: HostInstant) -> [Effect] {
    guard case .connected = phase else { return [] }
    var effects: [Effect] = []
    var taken = 0
    while taken < queue.count, inFlight.count < window {
      var (number, publish) = queue[taken]
      taken += 1
      publish.identifier = newIdentifier()
      publish.isRetained = publish.isRetained && takesRetained
      guard let identifier = publish.identifier, let bytes = try? MQTTPacket.publish(publish).bytes(),
        bytes.count <= largest
      else {
        effects.append(.published(number, .tooLarge))
        continue
      }
      inFlight[identifier] = Waiting(number: number, until: now + limits.answering)
      lastSent = now
      effects.append(.send(bytes))
    }
    queue.removeFirst(taken)
    return effects
  }

  private mutating func newIdentifier() -> UInt16 {
    while inFlight[nextIdentifier] != nil || subscriptions[nextIdentifier] != nil || nextIdentifier == 0 {
      nextIdentifier &+= 1
    }
    defer { nextIdentifier &+= 1 }
    return nextIdentifier
  }

  private mutating func send(_ packet: MQTTPacket, _ now: HostInstant) -> [Effect] {
    do throws(MQTTPacketError) {
      let bytes = try packet.bytes()
      lastSent = now
      return [.send(bytes)]
    } catch {
      return end(MQTTSessionEnd(.unusable, "a name or password cannot be written in MQTT (\(error.text))"))
    }
  }

  private mutating func end(_ end: MQTTSessionEnd) -> [Effect] {
    if case .ended = phase { return [] }
    phase = .ended(end)
    var effects: [Effect] = (inFlight.values.map(\.number).sorted() + queue.map(\.number)).map {
      .published($0, .lost(end))
    }
    effects += subscriptions.values.map { .subscribed($0.number, nil) }
    effects += pings.compactMap(\.number).map { .pinged($0, false) }
    (inFlight, subscriptions, queue, pings) = ([:], [:], [], [])
    return effects + [.ended(end)]
  }
}
