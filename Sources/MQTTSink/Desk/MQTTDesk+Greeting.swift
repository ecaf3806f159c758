import HostPrimitives
import MeterCore

// What follows CONNACK: what the broker still holds of this gateway, and what everybody is told first.
extension MQTTDesk {
  func greet(_ link: MQTTLink, _ credential: SinkCredential) async throws(MQTTSessionEnd) {
    try await subscribe(link, credential.user)
    note(await link.takeBacklog())
    let owner = owner(credential.user)
    // What stands there of another person must not be taken for this one's.
    if announced.owner != owner { await clear(link) }
    announced.owner = owner
    // What was forgotten while nothing was connected.
    if let lastStatus { await remove(announced.compare(with: lastStatus.meters).forgotten, link) }
    var messages = [message(topics.status, Array("online".utf8), isRetained: true)]
    if let lastStatus { messages.append(message(topics.state, stateJSON(lastStatus), isRetained: true)) }
    if topics.homeAssistant != nil {
      let gateway = DiscoveryMessage.gateway(setting, topics)
      if let topic = topics.discovery(gateway.device) {
        messages.append(message(topic, gateway.json, isRetained: true))
      }
      messages += announced.meters.sorted { $0.key < $1.key }.compactMap { discovery(of: $0.key, $0.value) }
    }
    // It says whose what stands there is.
    if isShownRetained { messages.append(message(topics.announced, announced.json, isRetained: true)) }
    let answers = await link.publish(messages)
    if case .lost(let end)? = answers.first { throw end }
    if topics.homeAssistant != nil { await watchDevices(link, Array(announced.meters.keys)) }
  }

  /// Whether something of a person may stand on the broker.
  private var isShownRetained: Bool { topics.homeAssistant != nil || setting.retain }

  private func subscribe(_ link: MQTTLink, _ user: SessionUser) async throws(MQTTSessionEnd) {
    var filters: [MQTTSubscribe.Filter] = []
    let confirm = topics.confirm(owner(user))
    if setting.acknowledgedBy == .receiver {
      filters.append(MQTTSubscribe.Filter(topic: confirm, quality: 1, isWithoutRetained: true))
    }
    // At quality of service 0 what the broker has kept comes before its answer to a ping.
    if setting.retain { filters.append(MQTTSubscribe.Filter(topic: topics.allLatest, quality: 0, isWithoutOwn: true)) }
    if isShownRetained {
      filters.append(MQTTSubscribe.Filter(topic: topics.announced, quality: 0, isWithoutOwn: true))
    }
    if let birth = topics.birth {
      filters.append(MQTTSubscribe.Filter(topic: birth, quality: 0, isWithoutRetained: true))
    }
    guard !filters.isEmpty else { return }
    let answers = await link.subscribe(filters)
    if let answers, setting.acknowledgedBy == .receiver, let first = answers.first, first.isFailure {
      throw MQTTSessionEnd(
        .refused(first), "the broker lets nobody subscribe to \(confirm) with this user: \(first.text)")
    }
    guard answers != nil, await link.ping() else {
      throw await link.end ?? MQTTSessionEnd(.silent, "the broker has not answered in time")
    }
  }

  /// What the broker has kept of an earlier connection.
  private func note(_ messages: [MQTTPublish]) {
    for message in messages where !message.payload.isEmpty {
      if message.topic == topics.announced {
        if announced.meters.isEmpty, let found = AnnouncedMeters(json: message.payload) { announced = found }
      } else if let (meter, metric) = topics.latestParts(message.topic), TopicName(meter, limit: 64).text == meter,
        TopicName(metric, limit: 64).text == metric
      {
        keeper.note(
          message.payload, at: LatestKeeper.Place(meter: meter, metric: metric), now: clock.unixMicroseconds)
      }
    }
  }

  /// Takes everything away that shows somebody's readings.
  private func clear(_ link: MQTTLink) async {
    let messages =
      keeper.places.map { message(topics.latest($0.meter, $0.metric), [], isRetained: true) }
      + announced.meters.keys.flatMap { removal(of: $0) }
    keeper = LatestKeeper()
    announced = AnnouncedMeters()
    // A shared meter's reading has one name for both: that the one's was told says nothing of the other's.
    told = RecentNames(limit: Self.mostTold)
    _ = await link.publish(messages)
  }
}
