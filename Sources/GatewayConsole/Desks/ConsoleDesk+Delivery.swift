import GatewayAPI
import MeterCore
import Synchronization

extension ConsoleDesk {
  /// The page of deliveries.
  func delivery() async -> DeskAnswer {
    var problems: [String] = []
    let reports = await sinkReports(&problems)
    var request = QueueListRequest(before: .max, limit: DeliveryPage.most)
    request.states = [.dead]
    let refused = await ask(request, &problems)
    let images = await ask(ImageListRequest(after: 0, limit: 500), &problems) ?? []
    let events = await lately(&problems) { event in
      switch event.happened {
      case .recordSubmitted?, .recordSubmissionFailed?, .recordImageSubmitted?, .recordImageSubmissionFailed?,
        .sinkRefused?, .sessionStarted?, .sessionEnded?:
        true
      default: false
      }
    }
    return .page(
      DeliveryPage(
        sinks: reports, refused: refused?.items ?? [], images: images.filter { $0.state == "dead" }, events: events,
        isPaused: refused?.paused ?? false, limits: refused?.limits, problems: problems, times: times))
  }

  /// The newest of the log's events that are wanted.
  func lately(
    _ problems: inout [String], where isWanted: @escaping @Sendable (EventDescription) -> Bool
  ) async -> [EventDescription] {
    let kept = Mutex<[EventDescription]>([])
    let partner = ControlPartner<EventDescription>(patience: Patience()) { event in
      guard isWanted(event) else { return }
      kept.withLock { kept in
        if kept.count >= 50 { kept.removeFirst() }
        kept.append(event)
      }
    }
    do { try await host.converse(EventsRequest(after: nil, follows: false), with: partner) } catch {
      problems.append(GatewayError.told(error).message)
    }
    return kept.withLock(\.self)
  }

  /// Does something with a receiver, or with all that waits.
  func actOnDelivery(_ name: String, _ action: String) async throws -> DeskAnswer {
    let back = PageArea.delivery.path
    guard !name.hasPrefix("sink.") else { return try await act(onSink: String(name.dropFirst(5)), action, back) }
    guard name == "queue.all" else { throw NoSuchPage() }
    switch action {
    case "pause", "resume":
      return await doing(action == "pause" ? "Nothing is sent any more." : "Deliveries go on.", then: back) {
        _ = try await host.perform(QueuePauseRequest(paused: action == "pause"))
      }
    case "flush":
      return await doing(nil, then: back) {
        let left = try await host.perform(QueueFlushRequest())
        say(.done(left == 0 ? "Everything was sent." : "Sent what could be sent; \(left) deliveries are left."))
      }
    case "resend":
      return await doing(nil, then: back) {
        let sent = try await host.perform(QueueResubmitRequest())
        say(.done(sent.count == 1 ? "One reading is sent again." : "\(sent.count) readings are sent again."))
      }
    default: throw NoSuchPage()
    }
  }

  private func act(onSink sink: String, _ action: String, _ back: String) async throws -> DeskAnswer {
    switch action {
    case "pause", "resume":
      return await doing(
        action == "pause" ? "\(sink) gets nothing any more." : "\(sink) gets readings again.", then: back
      ) { _ = try await host.perform(SinkPauseRequest(sink, paused: action == "pause")) }
    case "test":
      return await doing(nil, then: back) {
        let answer = try await host.perform(SinkTestRequest(sink))
        say(Self.notice(sink, answer))
      }
    default: throw NoSuchPage()
    }
  }

  private static func notice(_ sink: String, _ answer: SinkTestRequest.Answer) -> PageNotice {
    switch answer.verdict {
    case "accepted": .done("\(sink) can be reached, and takes the token.")
    case "refused":
      .problem(
        "\(sink) refuses the token.",
        hint: "Get a new one and start the session with it: `meterhost session start --help`")
    case "other_user": .problem("\(sink): \(answer.reason ?? "it says that the token is another user's").")
    default: .problem("\(sink) does not say: \(answer.reason ?? "it gave no answer")")
    }
  }
}
