import GatewayEngine
import GatewayAPI
import Foundation
import MeterCore

/// The state folder: its database, the session, and who receives its readings.
extension Doctor {
  func examineState() -> DoctorFinding {
    guard FileManager.default.fileExists(atPath: locations.state) else {
      return finding("state", .passed, "\(locations.state) does not exist yet; the first read or session makes it")
    }
    do {
      let store = try MeterStore.look(at: URL(fileURLWithPath: locations.state), sinkKinds: .gateway)
      let damage = try store.damage()
      guard damage.isEmpty else {
        return finding(
          "state", .failed, "the state database is damaged: \(damage.prefix(3).joined(separator: "; "))",
          cure: "run `meterhost doctor --repair`: it keeps everything that can be read, and the damaged file")
      }
      let losses = try store.losses()
      guard losses.isEmpty else {
        return finding(
          "state", .failed, Self.words(losses),
          cure: "\(Self.lossCure); then `meterhost doctor --repair` notes that you know")
      }
      guard !store.isReadOnly else {
        return finding(
          "state", .failed,
          "\(locations.state) is on a file system that is mounted read-only: nothing can be taken from meters or delivered",
          cure: "mount it writable; `meterhost queue list` shows what is there")
      }
      let session = try store.currentSession()
      let queue = try store.tally()
      // Nobody can confirm what was read without a session: it is not to be looked for in the session's queue.
      let others = try session.user.map { _ in
        try store.queueSnapshot(states: [.held], limit: 10_000, isOfDefaultUser: true).count
      }
      let waiting = Self.text(queue, ofDefaultUser: others ?? 0)
      guard session.user != nil else {
        return finding(
          "state", queue.isEmpty ? .passed : .warning, "no session; \(waiting)",
          cure: queue.isEmpty ? nil : "start a session: `meterhost session start --help`")
      }
      guard try GatewaySink.own(in: store) != nil else {
        return finding(
          "state", .warning, "a session without a receiver; \(waiting)",
          cure: "start the session again: `meterhost session start --help`")
      }
      for sink in try store.sinks() { try store.checkToken(sink: sink.name) }
      if let problem = try receiverProblem(store) { return problem }
      if let zone = session.options.unknownZone {
        return finding("state", .warning, SessionDescription.problem(ofZone: zone), cure: SessionDescription.zoneCure)
      }
      let limits = try QueueLimitsDescription(store)
      if limits.isNearlyFull {
        return finding(
          "state", .warning, "the queue is nearly full: \(limits.text); \(waiting)",
          cure:
            "bring the receiver back, discard what nobody needs, or raise the limit: `meterhost queue limits --help`")
      }
      return finding(
        "state", .passed,
        "\(session.isValidated ? "a validated" : "an unvalidated") session; \(waiting); \(limits.text)")
    } catch let error as StoreError {
      return finding("state", error.code == .busy ? .warning : .failed, error.fullMessage)
    } catch let error as GatewayError {
      return finding("state", .failed, error.message, cure: error.hint)
    } catch {
      return finding("state", .failed, "\(error)")
    }
  }

  /// The reason of what a FHIR server has several times (docs/reference/errors.md).
  private static let ambiguous = "ambiguous"

  /// What a person should know of the session's receivers: a clock that differs, a refused token, files that are gone.
  private func receiverProblem(_ store: MeterStore) throws -> DoctorFinding? {
    let sinks = try GatewaySink.all(in: store)
    for sink in sinks {
      do {
        _ = try sink.setting.checked(in: SinkPlace(stateFolder: store.folder))
      } catch {
        let error = GatewayError(describing: error)
        return finding(
          "state", .failed, "nothing can be delivered: \(error?.message ?? sink.name)", cure: error?.hint)
      }
    }
    if let sink = sinks.first(where: \.stored.isPaused) {
      return finding(
        "state", .warning, "deliveries to the receiver \(sink.name) are paused; readings wait for it",
        cure: "let them go on: `meterhost sink resume \(sink.name)`")
    }
    if let sink = sinks.first(where: \.stored.isRefused) {
      return finding(
        "state", .warning, "the receiver \(sink.name) refuses its token; readings wait for it",
        cure: "give it a new one: `meterhost sink add \(sink.name) --help`")
    }
    if let twin = try store.queueSnapshot(states: [.dead]).first(where: { $0.reason == Self.ambiguous }) {
      return finding(
        "state", .warning,
        "the receiver \(twin.sink) has a reading, or the meter that it came from, several times, and refuses it",
        cure:
          "have its operator remove what is double, then `meterhost queue resubmit --all --reason \(Self.ambiguous)`; "
          + "docs/send-to-fhir.md says how it comes about")
    }
    guard let (sink, skew) = try store.clockSkews().first(where: { $0.value.isNotable }) else { return nil }
    return finding(
      "state", .warning,
      "the clock of the receiver \(sink) was \(abs(skew.seconds)) s \(skew.seconds > 0 ? "ahead of" : "behind") this machine's",
      cure: "compare both with a clock that you trust; readings are delivered with the times that they have")
  }

  /// How many readings are in which state: `3 pending, 1 held`.
  private static func text(_ counts: [DeliveryState: Int], ofDefaultUser others: Int) -> String {
    guard !counts.isEmpty else { return "nothing waits for delivery" }
    let words = counts.map { "\($0.value) \($0.key.rawValue)" }.sorted()
    return "readings: " + words.joined(separator: ", ")
      + (others == 0 ? "" : " (\(others) of them read without a session: `meterhost queue list --default-user`)")
  }
}
