import BluetoothWire
import DriverContract
import DriverProbe
import Foundation
import HostErrors
import MeterDrivers
import VirtualMeter

/// Finds everything that belongs to a target.
struct SubjectLoader {
  /// A bundle that the host would not even load, or a driver that cannot be told apart.
  struct Refusal: Sendable {
    var driver: String?
    var rule: Rule
    var check: String
    var status: CheckStatus
    var found: String
    var mend: String?
  }

  /// What a target came to.
  struct Loaded: Sendable {
    var subjects: [Subject] = []
    var refusals: [Refusal] = []
  }

  let target: ConformanceTarget

  /// A process that starts late on a busy machine is no fault of a driver.
  private var configuration: DriverHostConfiguration {
    DriverHostConfiguration(workerPath: target.worker, startLimit: .seconds(60))
  }

  func load() throws(ConformanceError) -> Loaded {
    var isFolder: ObjCBool = false
    let isThere = FileManager.default.fileExists(atPath: target.name, isDirectory: &isFolder)
    if isThere { return isFolder.boolValue ? try folder() : try library() }
    let registry = try registry(target.registry, target.fragments, trust: target.trust)
    guard let entry = registry.driver(id: target.name) else {
      if let package = registry.disabledPackage(withDriver: target.name) {
        throw ConformanceError(.unknownTarget, Registry.isDisabled("the driver \(target.name)", package: package))
      }
      throw ConformanceError(
        .unknownTarget,
        "\(target.name) is no folder, no file and no installed driver; `meterhost driver list` shows the drivers")
    }
    let meters = target.meters.isEmpty ? shippedMeters() : target.meters
    return try drivers(
      [entry], of: registry, meters: meters, vectors: given, exports: target.exports,
      isGiven: !target.meters.isEmpty)
  }

  private func folder() throws(ConformanceError) -> Loaded {
    let folder = try BundleFolder(target.name)
    let staged = try StagedBundle(base: target.registry)
    for fragment in folder.fragments { try staged.add(fragment, from: folder) }
    let registry = try registry(staged.registry, staged.fragments)
    var loaded = try drivers(
      registry.drivers, of: registry, meters: target.meters.isEmpty ? folder.meters.map(\.path) : target.meters,
      vectors: target.vectors == nil ? folder.vectors.map(\.path) : given,
      exports: target.exports.isEmpty ? folder.exports.map(\.path) : target.exports, isGiven: true, staged: staged)
    loaded.refusals += registry.problems.map { problem in
      Refusal(
        rule: Rule(problem.rule) ?? .r22, check: "fragment", status: .failed,
        found: "\(problem.place): \(problem.problem)", mend: problem.cure)
    }
    guard !loaded.subjects.isEmpty || !loaded.refusals.isEmpty else {
      throw ConformanceError(.unknownTarget, "\(target.name): its fragments list no driver")
    }
    return loaded
  }

  /// A library alone: its registry entry is made of what its own table says, and its peripherals of the meters.
  private func library() throws(ConformanceError) -> Loaded {
    let bundle: VerifiedBundle
    do throws(BundleError) {
      bundle = try BundleVerifier.verify(
        path: URL(fileURLWithPath: target.name).path, expectedHash: nil, rules: BundleRules(allowsMissingHash: true))
    } catch { return Loaded(refusals: [Refusal(error)]) }
    let found: [DriverDescription]
    do throws(DriverFault) {
      found = try ProbeProcess(bundle, manner: [], configuration: configuration).drivers
    } catch { return Loaded(refusals: [try Self.refusal(of: error)]) }
    let scripts = try target.meters.map { path throws(ConformanceError) in try script(path) }
    let staged = try StagedBundle(base: target.registry)
    let file = URL(fileURLWithPath: target.name)
    try staged.add(
      MadeUpFragment(library: file.lastPathComponent, drivers: found, meters: scripts).object, library: file,
      at: file.lastPathComponent)
    let registry = try registry(staged.registry, staged.fragments)
    if let problem = registry.problems.first {
      return Loaded(refusals: [
        Refusal(
          rule: .r19, check: "names", status: .failed,
          found: "no registry entry can be made of the driver's table: \(problem.problem)",
          mend: problem.cure)
      ])
    }
    var loaded = try drivers(
      registry.drivers, of: registry, meters: target.meters, vectors: given, exports: target.exports, isGiven: true,
      staged: staged)
    for index in loaded.subjects.indices { loaded.subjects[index].hasMadeUpEntry = true }
    return loaded
  }

  /// The vectors that the caller names.
  private var given: [String] { target.vectors.map { [$0] } ?? [] }

  private func drivers(
    _ entries: [DriverEntry], of registry: Registry, meters: [String], vectors: [String], exports: [String],
    isGiven: Bool, staged: StagedBundle? = nil
  ) throws(ConformanceError) -> Loaded {
    var loaded = Loaded()
    var values: [DecodeVector] = []
    for file in vectors { values += try DecodeVector.load(file) }
    let scripts = try meters.map { path throws(ConformanceError) in (name(path), try script(path)) }
    let files = try exports.map { path throws(ConformanceError) in try SubjectExport(path) }
    for entry in entries {
      let bundle: VerifiedBundle
      do { bundle = try registry.bundle(of: entry) } catch let error as BundleError {
        loaded.refusals.append(Refusal(error, driver: entry.id))
        continue
      } catch {
        loaded.refusals.append(
          Refusal(
            driver: entry.id, rule: .r20, check: "verified", status: .failed, found: "\(error)", mend: nil))
        continue
      }
      var own: [SubjectMeter] = []
      var strangers: [String] = []
      for (name, script) in scripts {
        if let peripheral = peripheral(script, of: entry, in: registry) {
          own.append(SubjectMeter(name: name, script: script, peripheral: peripheral))
        } else if isGiven {
          strangers.append(name)
        }
      }
      loaded.subjects.append(
        Subject(
          target: target.name, bundle: bundle, registry: registry, entry: entry, meters: own, strangers: strangers,
          vectors: values, keys: target.keys, exports: entry.extensions.contains(.import) ? files : [],
          configuration: configuration, hasMadeUpEntry: false, staged: staged))
    }
    return loaded
  }

  /// The entry that a meter is read as: what the registry chooses, if it is this driver's.
  private func peripheral(_ script: MeterScript, of entry: DriverEntry, in registry: Registry) -> Peripheral? {
    let chosen: [Peripheral] =
      switch registry.match(SubjectMeter.seen(script)) {
      case .chosen(let match): [match.peripheral]
      case .ambiguous(let matches): matches.map(\.peripheral)
      case .none, .needsDeviceInformation: []
      }
    return chosen.first { $0.driverID == entry.id }
  }

  private func registry(
    _ base: String, _ fragments: String?, trust: String? = nil
  ) throws(ConformanceError) -> Registry {
    do {
      return try Registry.load(RegistrySources(base: base, fragments: fragments, trust: trust))
    } catch {
      throw ConformanceError(.unreadable, error.message + "; name the registry with --registry")
    }
  }

  private func script(_ path: String) throws(ConformanceError) -> MeterScript {
    do { return try MeterScript.load(file: path) } catch {
      throw ConformanceError(.unreadable, error.description)
    }
  }

  private func name(_ path: String) -> String {
    URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
  }

  private func shippedMeters() -> [String] {
    guard let folder = target.shippedMeters else { return [] }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder))?.sorted() ?? []
    return names.filter { $0.hasSuffix(".json") }.map { "\(folder)/\($0)" }
  }

  /// What a bundle that cannot be loaded is told.
  static func refusal(of fault: DriverFault, driver: String? = nil) throws(ConformanceError) -> Refusal {
    guard fault.code != .workerFailed else { throw ConformanceError(.system, "\(fault)") }
    let died = fault.code == .crashed || fault.code == .hung
    return Refusal(
      driver: driver, rule: fault.rule.flatMap { Rule($0) } ?? .r1, check: "loads", status: died ? .crashed : .failed,
      found: fault.message + fault.cause.inBrackets,
      mend: "a bundle's constructors and mh_driver_entry do nothing but hand out constant tables")
  }
}

extension SubjectLoader.Refusal {
  /// What loading would say.
  init(_ error: BundleError, driver: String? = nil) {
    self.init(
      driver: driver, rule: error.rule.flatMap { Rule($0) } ?? .r20, check: "verified", status: .failed,
      found: error.message + error.cause.inBrackets, mend: nil)
  }
}
