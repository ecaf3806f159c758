import Foundation
import GatewayAPI
import GatewayTools
import MeterDrivers
import ProgramTerminal
import Synchronization

/// Does what the setup has to have done.
struct SetupWork: Sendable {
  let locations: LocationOptions
  let radio: RadioOptions
  let timeout: Double
  let json: Bool
  /// What a meter is answered while it is paired.
  let answers: Answers

  /// Does one thing; what goes wrong is a result, too.
  func perform(_ action: SetupAction) async -> SetupResult {
    do {
      return try await performOrThrow(action)
    } catch {
      return .failed(GatewayError(describing: error) ?? GatewayError(.failed, code: "failed", "\(error)"))
    }
  }

  private func performOrThrow(_ action: SetupAction) async throws -> SetupResult {
    switch action {
    case .look: return .facts(try await facts())
    case .examineRadio: return .radio(await radioProblems())
    case .startSession(let session):
      _ = try await locations.perform(try request(session))
      return .done
    case .scan: return .heard(try await meters())
    case .pair(let peripheral, let address):
      var request = PairRequest(peripheral: peripheral)
      request.allow = [address]
      request.radio = radio.choice
      request.answersQuestions = answers.isStaffed
      let (asked, locations) = (request, locations)
      try await ReadView(json: json).follow(answers) { try await locations.converse(asked, with: $0) }
      return .done
    case .read(let peripheral, let address, let takesHistory):
      var request = ReadRequest(peripheral: peripheral)
      request.allow = [address]
      request.radio = radio.choice
      request.takesHistory = takesHistory
      request.answersQuestions = answers.isStaffed
      let (asked, locations) = (request, locations)
      try await ReadView(json: json).follow(answers) { try await locations.converse(asked, with: $0) }
      return .done
    case .setPassive(let peripherals):
      _ = try await locations.perform(PassiveSetRequest(peripherals))
      return .done
    case .enableService:
      try SystemService.enable()
      return .done
    }
  }

  private func facts() async throws -> SetupFacts {
    var facts = SetupFacts()
    facts.state = locations.places.state
    let session = try await locations.perform(SessionShowRequest())
    facts.session = session.user.map {
      .init(user: $0, organization: session.organization ?? "", receiver: session.receiver ?? "nobody")
    }
    facts.passive = try await locations.perform(PassiveShowRequest()).peripherals.map(\.peripheral)
    facts.radioProblems = await radioProblems()
    facts.service = SystemService.state()
    let environment = ProcessInfo.processInfo.environment
    facts.proposedUser = environment["SUDO_USER"] ?? environment["USER"] ?? "me"
    facts.proposedFolder =
      geteuid() == 0 ? "/var/lib/meterhost-readings" : NSHomeDirectory() + "/meterhost-readings"
    return facts
  }

  /// None where virtual meters are read.
  private func radioProblems() async -> [DoctorFinding] {
    let isVirtual =
      radio.air.path != nil || ConfigurationInForce.isInEnvironment(.radioAir)
      || radio.adapter.isEmpty && ConfigurationInForce.radio.air != nil
    guard !isVirtual else { return [] }
    return await Doctor(locations: locations.locations).examine().filter {
      $0.check == "bluetooth" && $0.status == .failed
    }
  }

  private func request(_ session: SetupSession) throws(GatewayError) -> SessionStartRequest {
    switch session.destination {
    case .folder(let folder):
      return SessionStartRequest(
        user: session.user, organization: session.organization, token: nil, kind: "file",
        setting: ["folder": .text(folder)])
    case .receiver(let url, let token):
      let text: String =
        switch token {
        case .file(let file): try TokenInput.read(file: file)
        case .text(let text): text
        }
      return SessionStartRequest(
        user: session.user, organization: session.organization, token: text, kind: nil,
        setting: ["receiver": .text(url)])
    }
  }

  // MARK: - Meters

  private func meters() async throws -> [SetupMeter] {
    var request = ScanRequest()
    request.timeout = timeout
    request.radio = radio.choice
    let patience = Patience()
    let terminal = Terminal()
    if !json { terminal.notice("listening for \(Int(timeout.rounded(.up))) s; Ctrl-C ends it") }
    let heard = Heard()
    let partner = ControlPartner<ScanTelling>(patience: patience) { telling in
      if case .found(let device) = telling { heard.add(device) }
    }
    let (asked, locations) = (request, locations)
    try await Interruption.whileRunning(onInterrupt: { patience.end() }) { _ in
      try await locations.converse(asked, with: partner)
    }
    let catalogue = try locations.catalogue()
    return heard.all.compactMap { device in
      SetupMeter(
        address: device.address, name: device.name ?? device.address, isPaired: device.paired,
        entries: device.entries.filter { $0.reason != .fits }.compactMap { Self.entry($0, in: catalogue) })
    }
  }

  private final class Heard: Sendable {
    private let devices = Mutex<[SightingDescription]>([])

    var all: [SightingDescription] { devices.withLock { $0 } }

    func add(_ device: SightingDescription) { devices.withLock { $0.append(device) } }
  }

  /// Nil for what no driver reads.
  private static func entry(
    _ entry: SightingDescription.Entry, in catalogue: LocalCatalogue
  ) -> SetupMeter.Entry? {
    guard let known = try? catalogue.peripheral(entry.id, kind: .bluetooth), known.driver != nil else { return nil }
    return SetupMeter.Entry(
      peripheral: known.id, name: known.name, needsPairing: known.requiresPairing,
      pairingInstructions: known.pairingInstructions, readingInstructions: known.readingInstructions,
      canBePassive: known.passive != "no")
  }
}
