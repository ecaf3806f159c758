import HostPrimitives
import InformSink
import MeterCore
import StrictJSON

// Readings, and what is shown of them.
extension MQTTDesk {
  func deliver(_ records: [Record], with credential: SinkCredential) async -> [SinkReply] {
    var replies = [SinkReply?](repeating: nil, count: records.count)
    var (places, messages): ([Int], [MQTTPublish]) = ([], [])
    let link: MQTTLink
    do { link = try await self.link(credential) } catch { return records.map { _ in error.reply } }
    var hasStayed = false
    for (index, record) in records.enumerated() {
      if let left = kept.left(KeptReadings.Name(record), .seconds(setting.keepSeconds), clock.now) {
        hasStayed = hasStayed || left == .zero
        replies[index] = SinkReply(left > .zero ? .unconfirmed(within: left) : .delivered())
        continue
      }
      do throws(EncodingRefusal) {
        messages.append(try reading(record, of: credential.user))
        places.append(index)
      } catch {
        replies[index] = SinkReply(.refused(reason: error.code.rawValue), text: error.message, isAboutItem: true)
      }
    }
    // The broker that has taken them must be there still: one that has ended may have lost them, and that may not be known here yet.
    if hasStayed, await !link.ping() {
      let end = await link.end ?? MQTTSessionEnd(.silent, "the broker has not answered in time")
      return records.map { _ in end.reply }
    }
    let verdicts = await link.publish(messages).map(ReadingVerdict.init)
    var heard: Set<Int> = []
    let shown = zip(places, verdicts).filter { isShown($0.1) }.map { ($0.0, records[$0.0]) }
    if !shown.isEmpty { heard = await show(shown, over: link) }
    for (index, verdict) in zip(places, verdicts) {
      replies[index] = reply(verdict, isEventHeard: heard.contains(index), records[index])
    }
    return replies.map { $0 ?? SinkReply(.retry()) }
  }

  /// The message with a reading: what a receiver gets over HTTP, and beside it whose it is.
  private func reading(_ record: Record, of user: SessionUser) throws(EncodingRefusal) -> MQTTPublish {
    let json = try InformV2Encoder().encode(record, mark: .revisionAndHash)
    var publish = message(topics.readings, json, isRetained: false)
    publish.properties.set(.payloadFormatIndicator, .byte(1))
    publish.properties.set(.contentType, .text("application/json"))
    publish.properties.set(.messageExpiryInterval, setting.expirySeconds.map { .fourBytes(UInt32(clamping: $0)) })
    if setting.acknowledgedBy == .receiver {
      publish.properties.set(.responseTopic, .text(topics.confirm(owner(user))))
    }
    for (name, value) in [("user_id", user.userID), ("organization_id", user.organizationID)] {
      publish.properties.set(.userProperty, .pair(name, value))
    }
    return publish
  }

  /// Whether a reading is shown: what a receiver has not got yet will be sent, and shown, again.
  private func isShown(_ verdict: ReadingVerdict) -> Bool {
    switch verdict {
    case .taken: true
    case .unheard: setting.acknowledgedBy == .broker
    case .reply: false
    }
  }

  private func reply(_ verdict: ReadingVerdict, isEventHeard: Bool, _ record: Record) -> SinkReply {
    switch verdict {
    case .reply(let reply): return reply
    // Where a receiver is to confirm, nobody else's word counts.
    case .unheard where setting.acknowledgedBy == .receiver || !isEventHeard && setting.unheard == .retry:
      return SinkReply(
        .retry(), text: "nobody_listens: nobody has subscribed to \(topics.readings); the broker keeps no such message")
    case .taken, .unheard: break
    }
    if setting.acknowledgedBy == .receiver, verdict == .taken {
      return SinkReply(.unconfirmed(within: .seconds(setting.confirmSeconds)))
    }
    guard setting.keepSeconds > 0, setting.acknowledgedBy == .broker else { return SinkReply(.delivered()) }
    kept.note(KeptReadings.Name(record), clock.now)
    return SinkReply(.unconfirmed(within: .seconds(setting.keepSeconds)))
  }

  /// Publishes what is shown of readings.
  ///
  /// - Returns: Those of which somebody has got the event.
  private func show(_ records: [(index: Int, record: Record)], over link: MQTTLink) async -> Set<Int> {
    var messages: [MQTTPublish] = []
    var events: [(place: Int, index: Int, name: KeptReadings.Name)] = []
    var heard: Set<Int> = []
    for (index, record) in records {
      guard let meter = MeterOfReading(record.source) else { continue }
      let values = LatestValue.all(of: record)
      messages += await announce(values, of: meter)
      messages += latest(values, of: meter, record)
      let name = KeptReadings.Name(record)
      if told.contains(name) {
        heard.insert(index)
      } else {
        events.append((messages.count, index, name))
        messages.append(message(topics.events(meter.name), ReadingEvent.json(record, values), isRetained: false))
      }
    }
    let answers = await link.publish(messages)
    for (place, index, name) in events {
      guard case .acknowledged(.success, _) = answers[place] else { continue }
      told.insert(name)
      heard.insert(index)
    }
    return heard
  }

  /// The newest values, where somebody may look at them.
  private func latest(_ values: [LatestValue], of meter: MeterOfReading, _ record: Record) -> [MQTTPublish] {
    guard setting.retain || topics.homeAssistant != nil else { return [] }
    if record.flags.contains(.takenBack) {
      return keeper.takeBack(record.logID.description, of: meter.name).map {
        message(topics.latest(meter.name, $0.metric), Self.nothing, isRetained: setting.retain)
      }
    }
    var messages: [MQTTPublish] = []
    for value in values {
      guard let json = keeper.show(value, of: meter.name) else { continue }
      messages.append(message(topics.latest(meter.name, value.metric), json, isRetained: setting.retain))
    }
    guard let first = values.first, !messages.isEmpty, let json = keeper.show(measured: first, of: meter.name) else {
      return messages
    }
    return messages + [message(topics.latest(meter.name, LatestValue.measured), json, isRetained: setting.retain)]
  }

  /// What is shown where nothing is known.
  private static let nothing = Array(#"{"value":null,"unit":null,"time":null,"qualifier":null,"log_id":null}"#.utf8)
}
