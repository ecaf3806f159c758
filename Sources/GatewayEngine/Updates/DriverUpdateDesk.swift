package import GatewayAPI
import HostPrimitives
package import MeterCore
package import MeterDrivers
import Synchronization

/// Where updates of drivers are looked for, what was seen there, and what they come to. It installs nothing.
package final class DriverUpdateDesk: Sendable {
  private let store: MeterStore
  private let fetcher: UpdateFetcher
  /// Held while what is kept is read and written.
  private let rows = Mutex(())
  /// What was wrong with each source when it was last looked at.
  private let problems = Mutex<[String: GatewayError.Written]>([:])

  package init(store: MeterStore, fetcher: UpdateFetcher = UpdateFetcher()) {
    (self.store, self.fetcher) = (store, fetcher)
  }

  // MARK: - What is kept

  /// What is kept.
  ///
  /// - Throws: `StoreError`.
  package func state() throws(StoreError) -> DriverUpdateState { try store.driverUpdates() }

  /// Changes what is kept.
  ///
  /// - Throws: `StoreError`, or what the body throws.
  package func change<Value: Sendable>(_ body: (inout DriverUpdateState) throws -> Value) throws -> Value {
    try rows.withLock { _ in
      var state = try store.driverUpdates()
      let value = try body(&state)
      try store.setDriverUpdates(state)
      return value
    }
  }

  // MARK: - Sources

  /// The sources, with what was wrong with each when it was last looked at.
  ///
  /// - Throws: `StoreError`.
  package func sources() throws(StoreError) -> [DriverSourceDescription] {
    let state = try store.driverUpdates()
    let problems = problems.withLock { $0 }
    return state.sources.map { source in
      let memory = state.memories[source.text]
      return DriverSourceDescription(
        source: source.text, takesBeta: source.takesBeta, number: memory?.number, publisher: memory?.publisher,
        problem: problems[source.text])
    }
  }

  /// Adds a source; one that is there takes its new channel.
  ///
  /// - Throws: ``GatewayError`` with code `driver_source` or `driver_source_limit`; `StoreError`.
  func add(_ text: String, takesBeta: Bool) throws {
    let source = try DriverSource(text)
    try change { state in
      if let known = state.sources.firstIndex(where: { $0.text == source.text }) {
        state.sources[known].takesBeta = takesBeta
        return
      }
      guard state.sources.count < DriverUpdateState.mostSources else {
        throw GatewayError(
          .usage, code: "driver_source_limit",
          "\(state.sources.count) sources are there already, which is all there may be",
          hint: "`meterhost driver source list` shows them, `driver source remove` takes one away")
      }
      state.sources.append(.init(text: source.text, takesBeta: takesBeta))
    }
  }

  /// Removes a source.
  ///
  /// - Throws: ``GatewayError`` with code `unknown_driver_source`; `StoreError`.
  func remove(_ text: String) throws {
    let name = (try? DriverSource(text).text) ?? text
    try change { state in
      guard state.sources.contains(where: { $0.text == name }) else {
        throw GatewayError(
          .usage, code: "unknown_driver_source", "updates are not looked for at \(name.oneLine(atMost: 200))",
          hint: "`meterhost driver source list` shows where they are")
      }
      state.sources.removeAll { $0.text == name }
    }
    problems.withLock { $0[name] = nil }
    try store.setKeptIndex(nil, of: name)
  }

  // MARK: - Looking

  /// Looks at all sources.
  ///
  /// - Parameters:
  ///   - sources: The registry's files, with the trust list.
  ///   - now: Microseconds since 1970-01-01T00:00Z.
  /// - Throws: `PackageError`: trust list or drop-in folder cannot be read. `StoreError`. What is wrong with a source stands
  ///   in the answer.
  package func check(_ sources: RegistrySources, now: Int64) async throws -> DriverUpdateCheck {
    let list = try sources.trust.map { path throws(PackageError) in try TrustList(file: path) } ?? TrustList()
    let installed = try PackageInstaller.packages(in: sources)
    let history = try PackageInstaller.history(of: sources)
    let state = try change { $0 }
    var offers: [DriverOfferDescription] = []
    var revoked: [RevokedVersion] = []
    var found: [DriverSourceDescription] = []
    let looks = await lookAtAll(state, list, now: now)
    for (source, (verified, problem)) in zip(state.sources, looks) {
      var description = DriverSourceDescription(source: source.text, takesBeta: source.takesBeta)
      description.problem = problem
      problems.withLock { $0[source.text] = problem }
      let memory = verified.map { IndexMemory($0) } ?? state.memories[source.text]
      (description.number, description.publisher) = (memory?.number, memory?.publisher)
      if let verified {
        description.expires = CivilMoment.utcSeconds(microseconds: verified.index.expiresMicroseconds)
        try remember(IndexMemory(verified), of: source.text)
        let judge = UpdateJudge(gateway: state.name, takesBeta: source.takesBeta, list: list, history: history)
        offers += judge.offers(verified, to: installed).map { DriverOfferDescription($0, source: source.text) }
        let ids = Set(installed.map(\.id))
        revoked += UpdateJudge.revocations(of: verified).filter { ids.contains($0.package) }
      }
      found.append(description)
    }
    return DriverUpdateCheck(
      offers: DriverOfferDescription.best(offers),
      revoked: revoked.map { .init(package: $0.package, version: "\($0.version)", reason: $0.reason) }, sources: found,
      isAutomatic: state.isAutomatic)
  }

  private func remember(_ memory: IndexMemory, of source: String) throws {
    try change { state in
      // A look that took longer than another one must not lower what is known.
      guard state.memories[source].map({ $0.number <= memory.number }) ?? true else { return }
      if state.memories[source] == nil, state.memories.count >= DriverUpdateState.mostMemories {
        let listed = Set(state.sources.map(\.text))
        if let gone = state.memories.keys.sorted().first(where: { !listed.contains($0) }) { state.memories[gone] = nil }
      }
      state.memories[source] = memory
    }
  }

  /// All at once: who asks over the control socket has two minutes.
  private func lookAtAll(_ state: DriverUpdateState, _ list: TrustList, now: Int64) async -> [Look] {
    await withTaskGroup(of: (Int, Look).self) { group in
      for (number, source) in state.sources.enumerated() {
        group.addTask { (number, await self.look(at: source, list, state.memories[source.text], now: now)) }
      }
      var looks = [Look](repeating: (nil, nil), count: state.sources.count)
      for await (number, look) in group { looks[number] = look }
      return looks
    }
  }

  private typealias Look = (verified: VerifiedIndex?, problem: GatewayError.Written?)

  /// How long an index, or its signature, may take.
  private static let patience = Duration.seconds(30)

  /// The index of a source, and what was wrong. One that cannot be fetched is taken as it was last, as long as it counts.
  private func look(
    at source: DriverUpdateState.Source, _ list: TrustList, _ memory: IndexMemory?, now: Int64
  ) async -> Look {
    let kept = (try? store.keptIndex(of: source.text))
    do {
      let place = try DriverSource(source.text)
      return (try await fetch(place, kept, list, memory, now: now), nil)
    } catch {
      let told = GatewayError(describing: error) ?? GatewayError(.failed, code: "index_unreachable", "\(error)")
      let last = kept.flatMap { kept in
        try? VerifiedIndex(
          Array(kept.index.utf8), signatures: Array(kept.signatures.utf8), list: list, memory: memory, now: now)
      }
      return (last, told.written)
    }
  }

  private func fetch(
    _ place: DriverSource, _ kept: KeptIndex?, _ list: TrustList, _ memory: IndexMemory?, now: Int64
  ) async throws -> VerifiedIndex {
    let found = try await fetcher.fetch(
      UpdateIndex.name, of: place, atMost: UpdateIndex.sizeLimit, within: Self.patience, tag: kept?.tag)
    let (index, tag): ([UInt8], String?) =
      switch found {
      case .content(let index, let tag): (index, tag)
      case .unchanged: (Array((kept?.index ?? "").utf8), kept?.tag)
      }
    // An index that stays may be signed anew: what counts is the signature that is there.
    let signed = try await fetcher.fetch(
      UpdateIndex.signatureName, of: place, atMost: IndexSignatures.sizeLimit, within: Self.patience)
    guard case .content(let signatures, _) = signed else {
      throw PackageError(.indexUnreachable, "\(place.address(of: UpdateIndex.signatureName)) is not there")
    }
    let verified = try VerifiedIndex(index, signatures: signatures, list: list, memory: memory, now: now)
    let next = tag.map {
      KeptIndex(
        tag: $0, index: String(decoding: index, as: UTF8.self), signatures: String(decoding: signatures, as: UTF8.self))
    }
    if next != kept { try store.setKeptIndex(next, of: place.text) }
    return verified
  }
}
