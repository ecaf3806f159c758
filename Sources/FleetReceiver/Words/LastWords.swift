package import HostPrimitives
package import NATSClient
import StrictJSON

/// The last words of all gateways, of the stream that keeps one of each.
package enum LastWords {
  private static let page = 500
  /// After how long the server forgets the consumer that reads them.
  private static let memory: Duration = .seconds(30)

  /// Reads them through a consumer of its own, some hundred with each question.
  ///
  /// - Throws: ``NATSError``.
  package static func all(
    _ connection: NATSConnection, clock: any HostClock = .system
  ) async throws(NATSError) -> [GatewayWord] {
    let name = "list-\(RandomSecret.make().prefix(16))"
    switch try await connection.ask("CONSUMER.CREATE.\(FleetLayout.states).\(name)", request(name)) {
    case .done: break
    case .absent:
      throw NATSError(
        .jetStream, "the server of NATS has no stream of the gateways' words",
        hint: "`meterhost-receiver fleet provision` makes it")
    case .refused(let words):
      throw NATSError(.jetStream, "JetStream refuses to tell the gateways' words", cause: String(words.prefix(200)))
    }
    var words: [GatewayWord] = []
    while true {
      let outcome = try await MessagePull(count: page, wait: .zero).run(
        connection, stream: FleetLayout.states, consumer: name, clock: clock)
      guard !outcome.messages.isEmpty else { return words }
      for message in outcome.messages {
        guard let delivery = message.reply.flatMap({ JetStreamDelivery(reply: $0) }) else { continue }
        let word = GatewayWord(
          subject: message.subject, nanoseconds: delivery.nanoseconds, payload: message.payload)
        if let word { words.append(word) }
      }
    }
  }

  private static func request(_ name: String) -> [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.member("stream_name", FleetLayout.states)
      json.object("config") { json in
        json.member("name", name)
        json.member("deliver_policy", "all")
        json.member("ack_policy", "none")
        json.member("replay_policy", "instant")
        json.member("mem_storage", flag: true)
        json.member("num_replicas", integer: 1)
        json.member("inactive_threshold", integer: memory.wholeNanoseconds)
      }
    }
    return json.bytes
  }
}
