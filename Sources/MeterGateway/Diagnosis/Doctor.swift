import DriverRuntime
import Foundation
import HostPrimitives
import MeterBluetooth
import MeterCore
import MeterDrivers

/// One thing that the doctor looked at.
public struct DoctorFinding: Sendable, Codable, Hashable {
  /// What came of it.
  public enum Status: String, Sendable, Codable, Hashable {
    /// All is well.
    case passed
    /// It works, and somebody should know.
    case warning
    /// It does not work.
    case failed
  }

  /// What was looked at; stable.
  public var check: String
  /// What came of it.
  public var status: Status
  /// What was found.
  public var message: String
  /// What to do; nil when there is nothing to do.
  public var cure: String?
}

/// Looks at everything that a gateway needs and says what to do about what is missing.
public struct Doctor: Sendable {
  let locations: GatewayLocations

  /// A doctor for a gateway at these locations.
  public init(locations: GatewayLocations) { self.locations = locations }

  /// Looks at everything; one finding a check, in a fixed order.
  public func examine() async -> [DoctorFinding] {
    var findings = await examineDrivers()
    findings += examinePackages()
    findings += [examineState()] + examineCopies()
    findings += [examineUpload(), examineClock(), await examineBluetooth()]
    findings += examineMachine()
    return findings
  }

  /// Puts a support file together.
  ///
  /// - Parameter state: What the owner of the state folder says of it; nil: nobody can look into it.
  public func report(
    _ findings: [DoctorFinding], state: SupportState?, options: SupportReport.Options
  ) -> SupportReport {
    SupportReport(locations, findings: findings, state: state, options: options)
  }

  /// Repairs the state database where it is damaged, and says what was kept and lost.
  public func repair() -> DoctorFinding {
    let folder = URL(fileURLWithPath: locations.state)
    guard FileManager.default.fileExists(atPath: locations.state) else {
      return finding("repair", .passed, "\(locations.state) does not exist: there is nothing to repair")
    }
    do throws(StoreError) {
      guard try Self.isDamaged(folder) else {
        let losses = try MeterStore(folder: folder).acknowledgeLosses()
        guard !losses.isEmpty else { return finding("repair", .passed, "the state database is whole") }
        return finding(
          "repair", .warning,
          "the state database is whole; \(Self.words(losses)): this is noted, and not told any more",
          cure: Self.lossCure)
      }
      let repair = try MeterStore.repair(folder: folder)
      // Goes on where a crash of the damaged one's owner has stopped, and shows that it opens.
      let losses = try MeterStore(folder: folder).acknowledgeLosses()
      return finding(repair, losses)
    } catch {
      return finding("repair", .failed, error.fullMessage)
    }
  }

  private static func isDamaged(_ folder: URL) throws(StoreError) -> Bool {
    do {
      return try !MeterStore(folder: folder).damage().isEmpty
    } catch {
      guard error.code == .corrupt || error.code == .foreignLog else { throw error }
      return true
    }
  }

  private static let lossCure = "read the meters again: what they still have comes again and nothing twice"

  /// What is missing, and since when it is known.
  private static func words(_ losses: [StoreLoss]) -> String {
    let found = losses.map { loss in
      let time = CivilMoment(microseconds: loss.foundMicroseconds).text(.none) + "Z"
      let kept = loss.keptFolder.map { "; as it was found it is kept in \($0)" } ?? ""
      guard let commits = loss.commits else {
        return "whether commits are missing cannot be said, for what counts them is gone (seen \(time)\(kept))"
      }
      return "\(commits) commits that were acknowledged are missing (seen \(time)\(kept))"
    }
    return found.joined(separator: "; ")
  }

  private func finding(_ repair: StoreRepair, _ losses: [StoreLoss]) -> DoctorFinding {
    let readings = "\(repair.kept["record"] ?? 0) readings of the queue kept"
    var parts = [
      repair.foreignLog.map { "\(Self.words($0)); the state database is new: \(readings)" }
        ?? "the state database was damaged and is new: \(readings)"
    ]
    if !repair.lost.isEmpty {
      parts.append("\(repair.lost.count) lost: \(repair.lost.joined(separator: ", "))")
    }
    if !repair.held.isEmpty {
      parts.append("\(repair.held.count) wait for a person: \(repair.held.joined(separator: ", "))")
    }
    if repair.unreadableRows > 0 { parts.append("\(repair.unreadableRows) rows unreadable") }
    if !repair.unreadablePages.isEmpty {
      parts.append("pages unreadable: \(repair.unreadablePages.map(String.init).joined(separator: ", "))")
    }
    if repair.lostSession { parts.append("the session is lost") }
    if !losses.isEmpty { parts.append(Self.words(losses)) }
    let isWhole =
      repair.foreignLog == nil && losses.isEmpty && repair.lost.isEmpty && repair.held.isEmpty && !repair.lostSession
    let cure = [
      "the damaged files are in \(repair.damaged); keep them until the readings are known to be there",
      "read the meters again: what they still have comes again and nothing twice",
      repair.held.isEmpty ? nil : "look at the held ones with `meterhost queue list`",
      repair.lostSession ? "start the session again" : nil,
    ]
    return finding(
      "repair", isWhole ? .passed : .warning, parts.joined(separator: "; "),
      cure: cure.compactMap(\.self).joined(separator: "; "))
  }

  private func examineDrivers() async -> [DoctorFinding] {
    let gateway: Gateway
    do {
      gateway = try Gateway(locations: locations)
    } catch {
      return [finding("registry", .failed, error.message, cure: error.hint)]
    }
    let registry = gateway.registry
    var findings = [
      registry.isDevelopment
        ? finding(
          "registry", .warning, "\(locations.registry) is marked development: drivers without a hash are accepted",
          cure: "seal the registry before it is used for readings (scripts/seal-registry)")
        : finding(
          "registry", .passed, "\(registry.peripherals.count) peripherals and \(registry.drivers.count) drivers")
    ]
    findings += registry.problems.map { finding("registry", .failed, $0.message, cure: nil) }
    findings += registry.warnings.map { finding("registry", .warning, $0.description, cure: nil) }
    findings += registry.ties().map { tie in
      let names = tie.map { "\(registry.peripheral(id: $0.id, kind: $0.kind)?.name ?? "") (\($0.id))" }
      return finding(
        "matching", .warning,
        "the rules of \(names.joined(separator: ", ")) tie: passive reading uses none of them [rule R21]",
        cure: "choose one for the device, or make one rule more specific; `meterhost driver why ID` shows the rules")
    }
    for driver in registry.drivers { findings.append(await examine(driver, gateway)) }
    return findings
  }

  /// Verifies a bundle, then starts it in a worker, which loads it and reads its tables: load, entry and isolation at once.
  private func examine(_ driver: DriverEntry, _ gateway: Gateway) async -> DoctorFinding {
    let check = "driver \(driver.id)"
    do {
      let bundle = try gateway.bundles.bundle(for: driver)
      if let (reason, cure) = driver.disagreement(with: try await gateway.drivers.drivers(of: bundle)) {
        return finding(check, .failed, "\(reason) [rule R19]", cure: cure)
      }
      return finding(check, .passed, "version \(driver.version), verified and started in a worker")
    } catch let error as BundleError {
      let refusal = Candidate(error)
      let rule = refusal.rule.map { " [rule \($0)]" } ?? ""
      return finding(check, .failed, "\(refusal.place): \(refusal.reason)\(rule)", cure: refusal.cure)
    } catch let error as RegistryError {
      return finding(check, .failed, "\(error.place): \(error.problem)", cure: error.cure)
    } catch let fault as DriverFault where fault.code == .workerFailed {
      return finding(
        check, .failed, fault.message,
        cure: "install MeterHost again, or name the worker with --worker or METERHOST_WORKER")
    } catch {
      return finding(check, .failed, "\(error)", cure: "install the driver again, or look at its maker's notes")
    }
  }

  private func examineState() -> DoctorFinding {
    guard FileManager.default.fileExists(atPath: locations.state) else {
      return finding("state", .passed, "\(locations.state) does not exist yet; the first read or session makes it")
    }
    do {
      let store = try MeterStore.look(at: URL(fileURLWithPath: locations.state))
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
      guard try ReceiverSetting.current(in: store) != nil else {
        return finding(
          "state", .warning, "a session without a receiver; \(waiting)",
          cure: "start the session again: `meterhost session start --help`")
      }
      try store.checkToken()
      for sink in try GatewaySink.all(in: store) where !sink.isRefused { try store.checkToken(sink: sink.name) }
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

  /// What a person should know of the session's receivers: a clock that differs, a refused token, files that are gone.
  private func receiverProblem(_ store: MeterStore) throws -> DoctorFinding? {
    let sinks = try GatewaySink.all(in: store)
    for setting in [try ReceiverSetting.current(in: store)].compactMap({ $0 }) + sinks.map(\.setting) {
      do {
        _ = try setting.checked()
      } catch {
        return finding("state", .failed, "nothing can be delivered: \(error.message)", cure: error.hint)
      }
    }
    if let sink = sinks.first(where: \.isRefused) {
      return finding(
        "state", .warning, "the receiver \(sink.name) refuses its token; readings wait for it",
        cure: "give it a new one: `meterhost session sink add \(sink.name) --help`")
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

  private func examineUpload() -> DoctorFinding {
    guard let problem = CurlTransport.unavailability() else {
      return finding("upload", .passed, "libcurl is there")
    }
    return finding("upload", .failed, problem.message)
  }

  private func examineClock() -> DoctorFinding {
    HostClockTrust.kernel.isSynchronized
      ? finding("clock", .passed, "a time source disciplines the clock")
      : finding(
        "clock", .warning,
        "no time source disciplines the clock: readings of meters without a clock are held, and a meter that is read for the first time is nobody's",
        cure: "start systemd-timesyncd or another time source, or vouch for the clock with `read --trust-clock`")
  }

  func finding(
    _ check: String, _ status: DoctorFinding.Status, _ message: String, cure: String? = nil
  ) -> DoctorFinding {
    DoctorFinding(check: check, status: status, message: message, cure: cure)
  }
}
