package import GatewayEngine
import GatewayAPI
package import Logging
import MeterCore
import MeterDrivers

/// Installs updates of drivers by itself, where that was switched on, and goes back from those that do not prove themselves.
///
/// It does one step at a time and keeps before each what it is about to do, so that a host that is killed goes on at its next
/// start: what is half installed is not installed (the drop-in folder changes by one rename), and what is installed and was not
/// tried out is tried out then.
package struct AutomaticUpdates: Sendable {
  /// What a look has come to.
  package enum Look: Sendable, Hashable {
    /// A meter is being read: later.
    case later
    /// Nothing was to be done, or all of it was.
    case done
  }

  private let owner: GatewayOwner
  private let fetcher: UpdateFetcher
  private let logger: Logger

  /// Updates of the process that owns the state folder.
  package init(
    owner: GatewayOwner, fetcher: UpdateFetcher = UpdateFetcher(), logger: Logger = LogArea.drivers.logger
  ) {
    (self.owner, self.fetcher, self.logger) = (owner, fetcher, logger)
  }

  /// Tries out what has to prove itself. It is done whether updates are automatic still or not: what was installed by itself
  /// is not left to itself.
  ///
  /// - Parameter now: Microseconds since 1970-01-01T00:00Z.
  package func judge(now: Int64) async throws -> Look {
    for trial in try owner.updates.state().trials.values.sorted(by: { $0.package < $1.package }) {
      guard owner.isQuiet else { return .later }
      let gateway = owner.gateway
      let package = try gateway.packages().first { $0.id == trial.package }
      let fault = try lastFault(of: package, gateway)
      switch trial.step(installed: package.map { "\($0.version)" }, lastFault: fault, now: now) {
      case .wait: continue
      case .forget: try forget(trial)
      case .tryOut: try await tryOut(trial, gateway, fault)
      }
    }
    return .done
  }

  /// Looks at the sources, takes out of use what was revoked, and installs what is available.
  ///
  /// - Parameter now: Microseconds since 1970-01-01T00:00Z.
  package func update(now: Int64) async throws -> Look {
    let updates = GatewayUpdates(locations: owner.gateway.locations, fetcher: fetcher)
    let check = try await owner.updates.check(owner.gateway.locations.registrySources, now: now)
    for source in check.sources {
      if let problem = source.problem {
        logger.warning("updates are not found at \(source.source): \(problem.message)")
      }
    }
    guard owner.isQuiet else { return .later }
    if let warning = try updates.noteRevoked(check) { logger.warning("\(warning)") }
    // Before anything is fetched, which takes its time and may not come to its end.
    try await withdraw(check, updates)
    let packages = try owner.gateway.packages()
    let withdrawn = try owner.updates.state().withdrawn ?? [:]
    for offer in try GatewayUpdates.chosen([], of: check) {
      guard let package = packages.first(where: { $0.id == offer.package }) else { continue }
      // What a person has disabled stays so.
      guard package.isEnabled || withdrawn[package.id] == "\(package.version)" else { continue }
      guard owner.isQuiet else { return .later }
      do { try await install(offer, updates, enables: !package.isEnabled, now: now) } catch let error as PackageError {
        // One package is no reason to keep the others old; a trial that was begun is looked at next time.
        logger.warning("\(offer.package) stays at \(offer.installed): \(error)")
      }
    }
    return .done
  }

  /// Disables what was revoked, and keeps that it was the host who did.
  private func withdraw(_ check: DriverUpdateCheck, _ updates: GatewayUpdates) async throws {
    let disabled = try owner.gateway.packages().filter { !$0.isEnabled }
    let doomed = try updates.revoked(check).map { $0.package }
    // Before it is done: a host that is killed in between knows at its next start.
    try owner.updates.change { state in
      var kept = (state.withdrawn ?? [:]).filter { id, version in
        disabled.contains { $0.id == id && "\($0.version)" == version }
      }
      for package in doomed { kept[package.id] = "\(package.version)" }
      state.withdrawn = kept.isEmpty ? nil : kept
    }
    for (change, reason) in try await updates.disableRevoked(check) {
      try owner.store.log(
        .driverRolledBack(.init(package: change.id, before: change.version, version: nil, reason: reason)))
    }
  }

  private func install(
    _ offer: DriverOfferDescription, _ updates: GatewayUpdates, enables: Bool, now: Int64
  ) async throws {
    let trial = UpdateTrial(
      package: offer.package, version: offer.version ?? "", before: offer.installed, sinceMicroseconds: now)
    let change: PackageChangeDescription
    do {
      change = try await updates.install(offer, enables: enables) {
        try owner.updates.change { $0.trials[offer.package] = trial }
      }
    } catch let error as PackageError where error.code == .changedMeanwhile {
      // What a person has installed meanwhile, this very version perhaps, is no trial of the host's.
      try forget(trial)
      throw error
    }
    for warning in change.warnings { logger.warning("\(change.id): \(warning)") }
    try owner.store.log(
      .driverUpdated(
        .init(package: change.id, version: change.version, before: offer.installed, isAutomatic: true)))
    try await tryOut(trial, owner.gateway, nil)
  }

  private func tryOut(_ trial: UpdateTrial, _ gateway: Gateway, _ fault: Int64?) async throws {
    let proof: UpdateProof
    do { proof = try await UpdateTryout(gateway: gateway, store: owner.store).prove(trial.package) } catch let error
      as PackageError
    {
      guard error.code != .busy else { throw error }
      return try await retreat(trial, gateway, "it cannot be tried out: \(error.message)")
    }
    switch proof.verdict {
    case .stays(let recordings):
      logger.notice("\(trial.package) \(trial.version) was tried out and stays, with \(recordings) recordings")
      try owner.updates.change { state in
        state.trials[trial.package]?.phase = .watched
        if let fault { state.trials[trial.package]?.judgedMicroseconds = fault }
      }
    case .goes(let reason): try await retreat(trial, gateway, reason)
    }
  }

  /// Goes back to the version before, if it may be used; else no version of the package is.
  private func retreat(_ trial: UpdateTrial, _ gateway: Gateway, _ reason: String) async throws {
    guard let bad = SemanticVersion(trial.version) else { return try forget(trial) }
    let installer = try PackageInstaller(sources: gateway.locations.registrySources, host: gateway.drivers)
    var (version, words): (String?, String) = (nil, reason)
    // Trying out takes minutes. What a person has installed meanwhile was not tried, and the version before it is the bad one.
    var change: PackageInstaller.Change?
    do throws(PackageError) {
      change = try await installer.rollBack(trial.package, from: bad)
      version = change.map { "\($0.package.version)" }
    } catch {
      // Another command holds the folder: the next look begins here again.
      guard error.code != .busy else { throw error }
      guard error.code != .notInstalled else { return try forget(trial) }
      words = "\(reason); there is no way back: \(error.message)"
      change = try await installer.disable(trial.package, bad)
    }
    if let change {
      let note = version == nil ? "disabled: \(words)" : "back from \(trial.version): \(reason)"
      try? installer.note(note, of: trial.package, change.package.version)
    }
    try forget(trial)
    guard change != nil else { return }
    try owner.store.log(
      .driverRolledBack(.init(package: trial.package, before: trial.version, version: version, reason: words)))
  }

  private func forget(_ trial: UpdateTrial) throws {
    try owner.updates.change { $0.trials[trial.package] = nil }
  }

  /// When a driver of the version in use last failed, with whatever meter.
  private func lastFault(of package: InstalledPackage?, _ gateway: Gateway) throws -> Int64? {
    guard let package else { return nil }
    let bundles = Set(
      package.drivers.compactMap { gateway.registry.driver(id: $0)?.sha256?.description })
    return try owner.store.offences().filter { bundles.contains($0.bundle) }.map(\.lastMicroseconds).max()
  }
}
