package import GatewayEngine
import DriverContract
package import MeterDrivers

/// Follows the way of the host from the registry's files to a driver and notes every candidate.
///
/// Nothing is read from a meter. The bundle is verified as for a read and started once in a worker, which reads its tables.
package struct WhyInquiry: Sendable {
  private let locations: GatewayLocations
  private let isolation: DriverHostConfiguration.Isolation
  private let presence: @Sendable (Credential, Peripheral) -> CredentialPresence

  /// An inquiry for a gateway at these locations.
  ///
  /// - Parameter presence: Whether the gateway keeps this credential for the peripheral.
  package init(
    locations: GatewayLocations, isolation: DriverHostConfiguration.Isolation = .worker,
    presence: @escaping @Sendable (Credential, Peripheral) -> CredentialPresence = { _, _ in .missing }
  ) {
    self.locations = locations
    self.isolation = isolation
    self.presence = presence
  }

  /// Answers for the id of a driver, or for the number of a Bluetooth peripheral.
  package func explain(_ target: String) async -> DriverWhy {
    let sources = locations.registrySources
    let registry: Registry
    do throws(RegistryError) {
      registry = try Registry.load(sources)
    } catch {
      return DriverWhy(
        target: target, answer: .unavailable, driver: nil, peripheral: nil,
        summary: "the registry cannot be used, so no driver can", candidates: [Candidate(error, at: error.place)])
    }
    let search = RegistrySearch(sources, registry: registry)
    if let number = UInt32(target) { return await explain(peripheral: number, registry, search) }
    let trail = await follow(driver: target, registry, search)
    return trail.answer(to: target, subject: target, driver: trail.isNamed ? target : nil)
  }

  // MARK: - A driver

  private func follow(driver id: String, _ registry: Registry, _ search: RegistrySearch) async -> WhyTrail {
    var trail = WhyTrail()
    trail.add(search.sightings(ofDriver: id), .entry, of: "the driver \(id)")
    guard let entry = registry.driver(id: id) else {
      trail.refuse(disabledPackage: registry.disabledPackage(withDriver: id), .entry, of: "the driver \(id)")
      return trail
    }
    let path: String
    do throws(RegistryError) {
      path = try registry.libraryPath(of: entry)
    } catch {
      trail.refuse(Candidate(error, .library, at: "\(entry.folder)/\(entry.library)"))
      return trail
    }
    trail.add(.passed(.library, path, "the library that the entry names"))
    let bundle: VerifiedBundle
    do { bundle = try registry.bundle(of: entry) } catch {
      trail.refuse(Candidate(loading: error, at: path))
      return trail
    }
    trail.add(
      .passed(.bundle, path, "sha256 \(bundle.hash); exports, needed libraries, contract and assets are in order"))
    let start = await start(of: bundle, entry, at: path)
    if start.verdict == .passed { trail.add(start) } else { trail.refuse(start) }
    return trail
  }

  private func start(of bundle: VerifiedBundle, _ entry: DriverEntry, at path: String) async -> Candidate {
    let host = DriverHost(
      configuration: DriverHostConfiguration(isolation: isolation, workerPath: locations.worker))
    do throws(DriverFault) {
      if let (reason, cure) = entry.disagreement(with: try await host.drivers(of: bundle)) {
        return .failed(.driver, path, rule: "R19", code: "registry_disagrees", reason, cure: cure)
      }
      return .passed(
        .driver, path, "\(entry.id) \(entry.version): version, capabilities and functions are what the registry says")
    } catch {
      return Candidate(error, at: path)
    }
  }

  // MARK: - A peripheral

  private func explain(peripheral id: UInt32, _ registry: Registry, _ search: RegistrySearch) async -> DriverWhy {
    let key = PeripheralKey(id: id)
    var trail = WhyTrail()
    trail.add(search.sightings(of: key), .peripheral, of: "the peripheral \(key)")
    guard let peripheral = registry.peripheral(id: id) else {
      trail.refuse(disabledPackage: registry.disabledPackage(with: key), .peripheral, of: "the peripheral \(key)")
      return trail.answer(to: "\(id)", subject: "the peripheral \(id)", peripheral: id)
    }
    for fact in facts(of: peripheral) {
      if fact.verdict == .failed { trail.refuse(fact) } else { trail.add(fact) }
    }
    if let driver = peripheral.driverID { trail.append(await follow(driver: driver, registry, search)) }
    for candidate in matching(of: peripheral, in: registry) { trail.add(candidate) }
    return trail.answer(
      to: "\(id)", subject: "\(peripheral.name) (\(id))", driver: peripheral.driverID, peripheral: id)
  }

  /// What a read checks before it touches the radio (rules R21, R22), in its order.
  private func facts(of peripheral: Peripheral) -> [Candidate] {
    let place = "\(peripheral.key)"
    var facts: [Candidate] = []
    if peripheral.isDisabled {
      facts.append(
        .failed(
          .peripheral, place, rule: "R21", code: "disabled", "the entry is disabled and kept for old records only",
          cure: "use the entry that replaces it; an entry marked generic is enabled by a fragment's \"overrides\""))
    }
    let needed = peripheral.connectionKind == .connect ? "connects" : "listens to its advertisements"
    facts.append(
      .passed(.peripheral, place, "connection kind \(peripheral.connectionKind.rawValue): the host \(needed)"))
    if peripheral.driverID == nil {
      facts.append(
        .failed(
          .peripheral, place, rule: "R22", code: "no_driver", "the entry names no driver: \(peripheral.instructions)",
          cure: "install its maker's bundle with a registry fragment that has an entry of this id"))
    }
    if peripheral.isApprovalNeeded {
      facts.append(
        .failed(
          .peripheral, place, rule: "R22", code: "approval_needed", "its maker must approve the integrator first",
          cure: "ask \(peripheral.manufacturer.isEmpty ? "the maker" : peripheral.manufacturer) for approval"))
    }
    return facts + peripheral.credentials.map { fact(of: $0, for: peripheral) }
  }

  private func fact(of credential: Credential, for peripheral: Peripheral) -> Candidate {
    let place = "\(peripheral.key)"
    let words =
      "credential \(credential.name) (\(credential.format.rawValue), one for each \(credential.scope.rawValue))"
    switch presence(credential, peripheral) {
    case .here: return .passed(.peripheral, place, "\(words) is here")
    case .unknown(let reason):
      return .failed(
        .peripheral, place, rule: "R22", code: "credential_unknown", "\(words) cannot be looked up: \(reason)",
        cure: "ask again when nothing else uses the state folder", verdict: .warning)
    case .missing:
      let command = "meterhost key set \(peripheral.id) \(credential.name)"
      return .failed(
        .peripheral, place, rule: "R22",
        code: credential.format == .licenseFile ? "licence_missing" : "key_missing",
        "\(words) is \(credential.isRequired ? "missing" : "not stored, and not required")",
        cure: credential.scope == .meter
          ? "pair the meter with `meterhost pair \(peripheral.id)`, which asks for it, or enter it with `\(command) --meter UUID`"
          : "get it from the meter's maker and enter it with `\(command) --file FILE`",
        verdict: credential.isRequired ? .failed : .warning)
    }
  }

  /// What an advertisement must look like, and who else answers to it (rule R21).
  private func matching(of peripheral: Peripheral, in registry: Registry) -> [Candidate] {
    let place = "\(peripheral.key)"
    var found = peripheral.matchRules.map { Candidate.passed(.match, place, "fits a device that \($0.wanted)") }
    if found.isEmpty {
      found.append(
        .failed(
          .match, place, rule: "R21", code: "no_match_rules",
          "the entry has no match rules: no device is recognised as it",
          cure: "choose it by hand, or give it match rules", verdict: .warning))
    }
    let ambiguity = registry.ambiguity(of: peripheral.key)
    if !ambiguity.always.isEmpty {
      found.append(
        .failed(
          .match, place, rule: "R21", code: "ambiguous",
          "its rule ties with that of \(Self.list(ambiguity.always)): neither is read passively",
          cure: "choose one of them for the device, or make one rule more specific", verdict: .warning))
    }
    if !ambiguity.sometimes.isEmpty {
      found.append(
        .passed(
          .match, place,
          "a device that also fits \(Self.list(ambiguity.sometimes)) is not chosen for: name the peripheral by hand"))
    }
    return found
  }

  private static func list(_ keys: [PeripheralKey]) -> String { keys.map(\.description).joined(separator: ", ") }
}
