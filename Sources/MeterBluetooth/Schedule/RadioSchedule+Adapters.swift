/// Adapters: what comes, changes and goes, and who listens.
extension RadioSchedule {
  func adapterIndex(_ id: AdapterID) -> Int? {
    for index in adapters.indices where adapters[index].properties.id == id { return index }
    return nil
  }

  func adapterIndex(serial: UInt64) -> Int? {
    for index in adapters.indices where adapters[index].serial == serial { return index }
    return nil
  }

  mutating func update(_ adapter: Adapter, _ commands: inout [Command]) {
    if let index = adapterIndex(adapter.id) {
      adapters[index].properties = adapter
      if !adapter.isPowered {
        // It listens no more, and has to be told again when it is back.
        adapters[index].hearing.set(false, at: now)
        adapters[index].isAskedToListen = false
      }
    } else {
      adapters.append(ScheduledAdapter(adapter, serial: nextSerial()))
    }
    adjustListening(&commands)
    serveAll(&commands)
  }

  mutating func remove(_ id: AdapterID, _ commands: inout [Command]) {
    guard let index = adapterIndex(id) else { return }
    // Its works are still in the table, and end by themselves.
    adapters.remove(at: index)
    noteTurnEnds()
  }

  /// Every adapter listens while there is a demand, unless it connects and cannot do both.
  mutating func adjustListening(_ commands: inout [Command]) {
    for index in adapters.indices {
      let listens = !demands.isEmpty && adapters[index].mayListen
      guard listens != adapters[index].isAskedToListen, adapters[index].properties.isPowered else { continue }
      adapters[index].isAskedToListen = listens
      commands.append(.listen(adapters[index].properties.id, listens))
    }
  }

  /// Whether the adapter that this is about is there and has heard the meter so lately that the meter may be there,
  /// too.
  func isFresh(_ sighting: ScheduledMeter.Sighting) -> Bool {
    guard now - sighting.time <= policy.longestWindow, let index = adapterIndex(serial: sighting.adapter) else {
      return false
    }
    return isFresh(sighting, on: index)
  }

  func isFresh(_ sighting: ScheduledMeter.Sighting, on index: Int) -> Bool {
    now - sighting.time <= policy.longestWindow && adapters[index].properties.isPowered
      && adapters[index].hearing.time(at: now) - sighting.hearingTime <= policy.window
  }

  /// Whether any adapter has heard the meter so lately that it may be there.
  func isPresent(_ meter: Int) -> Bool {
    for sighting in book.meters[meter].sightings where isFresh(sighting) { return true }
    return false
  }

  /// The adapter on which work with this meter should begin: of those with room the one that hears it best.
  ///
  /// - Parameter asStranger: Whether the room must be one for unknown meters.
  func bestAdapter(for meter: Int, _ medium: Medium, asStranger: Bool = false) -> Int? {
    var best: (adapter: Int, strength: Int)?
    for sighting in book.meters[meter].sightings {
      guard let index = adapterIndex(serial: sighting.adapter), isFresh(sighting, on: index),
        adapters[index].hasRoom(medium, policy), !asStranger || hasRoomForStranger(index, medium)
      else { continue }
      if let found = best, found.strength >= sighting.strength { continue }
      best = (index, sighting.strength)
    }
    return best?.adapter
  }
}
