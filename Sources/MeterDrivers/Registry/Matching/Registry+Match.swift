import StrictJSON

extension Registry {
  /// Which catalogue entry a device is (rule R21).
  ///
  /// `choice`, what the user said about this very device, wins whatever the rules say. Otherwise the most specific rule
  /// that holds decides; see ``MatchResult`` for ties. Ask again when Device Information has been read.
  package func match(_ seen: SeenDevice, choice: UInt32? = nil) -> MatchResult {
    if let choice {
      guard let peripheral = peripheral(id: choice), !peripheral.isDisabled, let driver = usableDriver(of: peripheral)
      else { return .none }
      return .chosen(Match(peripheral: peripheral, driver: driver, reason: .userChoice, mayBecome: []))
    }
    return match(seen, at: peripherals.indices)
  }

  /// Which of some Bluetooth entries a device is: what ``match(_:choice:)`` says when no other entry can be it.
  ///
  /// - Parameter ids: The entries; ids that the registry does not know are passed over.
  package func match(_ seen: SeenDevice, among ids: some Sequence<UInt32>) -> MatchResult {
    match(seen, at: Set(ids.compactMap { index(of: PeripheralKey(id: $0)) }).sorted())
  }

  private func match(_ seen: SeenDevice, at places: some Sequence<Int>) -> MatchResult {
    let tried = trial(of: seen, at: places)
    let best = tried.holding.map(\.specificity).max()
    let open = tried.undecided.filter { entry in best.map { entry.specificity > $0 } ?? true }
    let mayBecome = open.map { peripherals[$0.index].key }
    guard let best else { return mayBecome.isEmpty ? .none : .needsDeviceInformation(mayBecome) }
    let top = tried.holding.filter { $0.specificity == best }.compactMap { entry -> Match? in
      let peripheral = peripherals[entry.index]
      return usableDriver(of: peripheral).map {
        Match(peripheral: peripheral, driver: $0, reason: .rule(entry.rule), mayBecome: mayBecome)
      }
    }
    guard let first = top.first else { return .none }
    return top.count == 1 ? .chosen(first) : .ambiguous(top)
  }

  /// The entry of one model that a device is rather than the one that was named for it: its rule says more of the device.
  ///
  /// A generic entry reads every meter of its profile. There is a better one only where another driver reads what the meter
  /// advertises as service data: such a meter has something else under the profile's UUIDs, too.
  package func betterEntry(than named: Peripheral, for seen: SeenDevice) -> Peripheral? {
    let best: [Match] =
      switch match(seen) {
      case .chosen(let match): [match]
      case .ambiguous(let matches): matches
      case .needsDeviceInformation, .none: []
      }
    guard !best.contains(where: { $0.peripheral.key == named.key }) else { return nil }
    return best.first { match in
      guard !match.peripheral.isGeneric else { return false }
      guard named.isGeneric else { return true }
      guard case .rule(let rule) = match.reason, match.driver.id != named.driverID else { return false }
      return !rule.serviceData.isEmpty
    }?.peripheral
  }

  /// Every Bluetooth entry that was tried for a device, with the first condition that failed and its cure.
  package func candidates(for seen: SeenDevice, choice: UInt32? = nil) -> [MatchCandidate] {
    let result = match(seen, choice: choice)
    return peripherals.filter { $0.kind == .bluetooth }.map { candidate($0, seen, result) }
  }

  /// Entries with the very same rule: whatever fits one fits the other, so passive reading can use neither.
  public func ties() -> [[PeripheralKey]] {
    var owners: [MatchRule: [PeripheralKey]] = [:]
    for peripheral in peripherals where isMatchable(peripheral) {
      for rule in Set(peripheral.matchRules.map(\.normalised)) { owners[rule, default: []].append(peripheral.key) }
    }
    return Set(owners.values.filter { $0.count > 1 }.map { $0.sorted() }).sorted { $0[0] < $1[0] }
  }

  /// Whether a device can be recognised as this entry: a Bluetooth one that is not disabled and whose driver may be used.
  public func isMatchable(_ peripheral: Peripheral) -> Bool {
    peripheral.kind == .bluetooth && !peripheral.isDisabled && usableDriver(of: peripheral) != nil
  }

  /// Whether a device can be recognised as this entry though nothing reads it: it names no driver, and says by which name or
  /// company such a meter is known. No match is ever made with it; a scan names it, so that nobody waits for its readings.
  public func isKnownButNotRead(_ peripheral: Peripheral) -> Bool {
    peripheral.kind == .bluetooth && !peripheral.isDisabled && peripheral.driverID == nil
      && !peripheral.matchRules.isEmpty
  }

  private func usableDriver(of peripheral: Peripheral) -> DriverEntry? {
    peripheral.driverID.flatMap { driver(id: $0) }
  }

  private struct Trial {
    let index: Int
    let rule: MatchRule
    let specificity: Specificity
  }

  private func trial(of seen: SeenDevice, at places: some Sequence<Int>) -> (holding: [Trial], undecided: [Trial]) {
    var holding: [Trial] = []
    var undecided: [Trial] = []
    for index in places where peripherals[index].otherModel(seen) == nil {
      var best: Trial?
      var open: Trial?
      for rule in peripherals[index].matchRules {
        let trial = Trial(index: index, rule: rule, specificity: Specificity(rule))
        switch rule.outcome(for: seen) {
        case .holds: if best.map({ $0.specificity < trial.specificity }) ?? true { best = trial }
        case .undecided: if open.map({ $0.specificity < trial.specificity }) ?? true { open = trial }
        case .fails: break
        }
      }
      guard best != nil || open != nil, isMatchable(peripherals[index]) else { continue }
      if let best { holding.append(best) }
      if let open { undecided.append(open) }
    }
    return (holding, undecided)
  }

  private func candidate(_ peripheral: Peripheral, _ seen: SeenDevice, _ result: MatchResult) -> MatchCandidate {
    let (verdict, explanation, cure) = verdict(peripheral, seen, result)
    return MatchCandidate(
      peripheral: peripheral.key, name: peripheral.name, driverID: peripheral.driverID, verdict: verdict,
      explanation: explanation, cure: cure)
  }

  private func verdict(
    _ peripheral: Peripheral, _ seen: SeenDevice, _ result: MatchResult
  ) -> (MatchCandidate.Verdict, String, String) {
    if case .chosen(let match) = result, match.peripheral.key == peripheral.key {
      return (
        .chosen, match.reason == .userChoice ? "the user chose it" : "its rule is the most specific one that holds", ""
      )
    }
    if peripheral.isDisabled { return (.failed, "the entry is disabled", "enable it, or choose another entry") }
    guard let driverID = peripheral.driverID else {
      return (.failed, "the entry has no driver", "install a bundle for it with a registry fragment")
    }
    guard driver(id: driverID) != nil else {
      let error = refusedDrivers[driverID]
      return (.failed, "the driver \(driverID) was refused: \(error?.problem ?? "unknown")", error?.cure ?? "")
    }
    if case .ambiguous(let matches) = result, matches.contains(where: { $0.peripheral.key == peripheral.key }) {
      let others = matches.map(\.peripheral.key).filter { $0 != peripheral.key }.map(\.description)
      return (
        .outranked, "its rule ties with that of \(others.joined(separator: ", "))", "choose one of them for this device"
      )
    }
    if let model = peripheral.otherModel(seen) {
      return (
        .failed, "the meter says that its model is \"\(shown(model))\", which the entry does not name",
        "read it as the entry of its own model, or as the generic one"
      )
    }
    var failure: (String, String)?
    var waiting: String?
    for rule in peripheral.matchRules {
      switch rule.outcome(for: seen) {
      case .holds:
        return (.outranked, "another entry has a more specific rule", "choose this entry for the device by hand")
      case .undecided(let missing): waiting = waiting ?? missing
      case .fails(let what, let cure): failure = failure ?? (what, cure)
      }
    }
    if let waiting { return (.undecided, waiting, "connect once, so that Device Information is read") }
    return (.failed, failure?.0 ?? "the entry has no match rules", failure?.1 ?? "choose the entry by hand")
  }
}

extension MatchRule {
  /// The rule with its services in one order, so that equal rules compare equal.
  fileprivate var normalised: MatchRule {
    MatchRule(
      services: services.sorted { $0.canonical < $1.canonical },
      serviceData: serviceData.sorted { $0.canonical < $1.canonical }, companyID: companyID, namePrefix: namePrefix,
      manufacturerPrefix: manufacturerPrefix, modelPrefix: modelPrefix)
  }
}
