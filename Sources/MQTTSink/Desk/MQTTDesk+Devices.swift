import MeterCore

// What Home Assistant knows of the gateway's meters.
extension MQTTDesk {
  func discovery(of name: String, _ meter: AnnouncedMeters.Meter) -> MQTTPublish? {
    let device = DiscoveryMessage.meter(name, meter, setting, topics)
    return topics.discovery(device.device).map { message($0, device.json, isRetained: true) }
  }

  /// Takes a meter's device and everything that is shown of it away.
  func removal(of name: String) -> [MQTTPublish] {
    let metrics = (announced.meters[name]?.metrics.keys.sorted() ?? []) + [LatestValue.measured]
    return [topics.discovery(DiscoveryMessage.device(name, setting))].compactMap(\.self).map {
      message($0, [], isRetained: true)
    } + metrics.map { message(topics.latest(name, $0), [], isRetained: true) }
  }

  /// Announces a meter that has something new to show, or that another gateway has announced since.
  func announce(_ values: [LatestValue], of meter: MeterOfReading) async -> [MQTTPublish] {
    guard topics.homeAssistant != nil else { return [] }
    let isNew = announced.meters[meter.name] == nil
    guard announced.note(values, of: meter, known: lastStatus?.meters ?? []) || foreign.contains(meter.name),
      let entry = announced.meters[meter.name]
    else { return [] }
    foreign.remove(meter.name)
    if isNew, let current { await watchDevices(current, [meter.name]) }
    return [discovery(of: meter.name, entry), message(topics.announced, announced.json, isRetained: true)]
      .compactMap(\.self)
  }

  /// Listens to what other gateways do with the devices of the same meters.
  func watchDevices(_ link: MQTTLink, _ names: [String]) async {
    let filters = names.sorted().compactMap { name in
      topics.discovery(DiscoveryMessage.device(name, setting)).map {
        MQTTSubscribe.Filter(topic: $0, quality: 0, isWithoutOwn: true, isWithoutRetained: true)
      }
    }
    if !filters.isEmpty { _ = await link.subscribe(filters) }
  }

  /// Another gateway has announced a meter of this one, or has forgotten it.
  func heardOfDevice(_ heard: MQTTPublish) async {
    let name = announced.meters.keys.first {
      topics.discovery(DiscoveryMessage.device($0, setting)) == heard.topic
    }
    guard let name, let meter = announced.meters[name] else { return }
    guard heard.payload.isEmpty else {
      // The one that reads the meter next shows it.
      foreign.insert(name)
      return
    }
    // It is still this one's.
    if let current, let message = discovery(of: name, meter) { _ = await current.publish([message]) }
  }

  /// Home Assistant has started: what the broker does not keep is told again.
  func showAgain() async {
    guard !setting.retain, let current else { return }
    _ = await current.publish(
      keeper.payloads.map { message(topics.latest($0.place.meter, $0.place.metric), $0.json, isRetained: false) })
  }

  /// Takes meters away that the gateway has forgotten.
  func remove(_ names: [String], _ link: MQTTLink) async {
    for name in names {
      let places = keeper.forget(name).map { message(topics.latest(name, $0.metric), [], isRetained: true) }
      let messages = removal(of: name) + places
      let answers = await link.publish(messages)
      // One that could not be taken away is tried again with the next look.
      guard !answers.contains(where: { if case .lost = $0 { true } else { false } }) else { return }
      announced.meters[name] = nil
      foreign.remove(name)
    }
  }
}
