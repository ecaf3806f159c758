import HostPrimitives
import MeterCore
import StrictJSON

// What goes on beside deliveries.
extension MQTTDesk {
  func serve(_ surroundings: SinkSurroundings) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.stayConnected(surroundings) }
      group.addTask { await self.tellStatuses(surroundings) }
    }
    // The task is cancelled by now, and the good-bye still has to go out.
    await Task { await self.leave() }.value
  }

  /// Connects again whenever the connection has ended, ever more rarely while that fails.
  private func stayConnected(_ surroundings: SinkSurroundings) async {
    var failures = 0
    while !Task.isCancelled {
      var pause: Duration = .seconds(30)
      if let credential = await surroundings.credential() {
        do throws(MQTTSessionEnd) {
          let link = try await link(credential)
          failures = 0
          await link.waitForEnd()
          pause = .seconds(1)
        } catch {
          failures = min(failures + 1, 8)
          pause = .seconds(min(300, 1 << failures))
          // A password that is refused stays so until somebody changes it, and brokers shut out who goes on trying.
          if case .refused = error.cause { pause = .seconds(300) }
        }
      }
      guard await clock.elapsed(pause) else { return }
    }
  }

  /// Tells how deliveries stand, at most every ten seconds.
  private func tellStatuses(_ surroundings: SinkSurroundings) async {
    for await _ in surroundings.changes {
      if let status = await surroundings.status() { await tell(status) }
      guard await clock.elapsed(.seconds(10)) else { return }
    }
  }

  private func tell(_ status: SinkStatus) async {
    let isNew = lastStatus != status
    lastStatus = status
    guard let current, await current.end == nil else { return }
    let (forgotten, isChanged) = announced.compare(with: status.meters)
    await remove(forgotten, current)
    var messages: [MQTTPublish] = []
    if isNew { messages.append(message(topics.state, stateJSON(status), isRetained: true)) }
    if topics.homeAssistant != nil, isChanged || !forgotten.isEmpty {
      messages.append(message(topics.announced, announced.json, isRetained: true))
    }
    _ = await current.publish(messages)
  }

  func stateJSON(_ status: SinkStatus) -> [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.member("pending", integer: Int64(status.pending))
      json.member("held", integer: Int64(status.held))
      json.member("dead", integer: Int64(status.dead))
      json.member("version", HostVersion.current)
    }
    return json.bytes
  }
}
