import Foundation
import GatewayAPI
import GatewayConsole
import GatewayEngine
import GatewayTools
import HostPrimitives
import MeterCore
import MeterDrivers

/// The host of this process, for its console: requests are performed as those that come over the control socket, by the same owner.
struct RunningHost: ConsoleHost {
  let owner: GatewayOwner

  func perform<R: ControlRequest>(_ request: R) async throws -> R.Answer {
    guard let handled = request as? any HandledRequest else { throw Self.unknown(R.name) }
    return try await answer(handled)
  }

  private func answer<H: HandledRequest, Answer>(_ request: H) async throws -> Answer {
    let answer = try await request.perform(on: owner)
    guard let answer = answer as? Answer else { throw Self.unknown(H.name) }
    return answer
  }

  func converse<C: ControlConversation>(_ conversation: C, with partner: ControlPartner<C.Event>) async throws {
    guard let handled = conversation as? any HandledConversation else { throw Self.unknown(C.name) }
    try await hold(handled, partner)
  }

  private func hold<H: HandledConversation, Event>(_ conversation: H, _ partner: ControlPartner<Event>) async throws {
    guard let partner = partner as? ControlPartner<H.Event> else { throw Self.unknown(H.name) }
    try await conversation.perform(on: owner, with: partner)
  }

  private static func unknown(_ name: String) -> GatewayError {
    GatewayError(.failed, code: "unknown_request", "this host knows no request \(name)")
  }

  func drivers() async throws -> [InstalledDriver] { try owner.gateway.driverList() }

  func peripherals() async throws -> [PeripheralDescription] {
    let kinds: [PeripheralKind] = [.bluetooth, .ocr]
    return kinds.flatMap { owner.gateway.peripherals(CatalogueFilter(kind: $0, includesDisabled: true)) }.map {
      PeripheralDescription($0)
    }
  }

  func picture(_ name: MeterPictureName) async throws -> CataloguePicture? {
    try owner.gateway.picture(of: name.id, kind: name.catalogue == .ocr ? .ocr : .bluetooth)
  }

  func examine() async -> [ConsoleFinding] {
    await Doctor(locations: owner.gateway.locations).examine().map { finding in
      ConsoleFinding(
        check: finding.check, status: ConsoleFinding.Status(rawValue: finding.status.rawValue) ?? .warning,
        message: finding.message, cure: finding.cure)
    }
  }

  func supportFile() async throws -> String {
    let doctor = Doctor(locations: owner.gateway.locations)
    let state = try await perform(SupportStateRequest())
    return GatewayJSON.line(doctor.report(await doctor.examine(), state: state, options: SupportReport.Options()))
      + "\n"
  }

  func update(
    package: String, to version: String, tell: @escaping @Sendable (String) -> Void
  ) async throws -> [String] {
    tell("The sources are looked at once more.")
    let check = try await perform(DriverUpdateCheckRequest())
    let updates = GatewayUpdates(locations: owner.gateway.locations)
    // What was revoked meanwhile is refused from here on.
    let warning = try updates.noteRevoked(check)
    guard let offer = try GatewayUpdates.chosen([package], of: check).first, offer.version == version else {
      throw GatewayError(
        .failed, code: "offer_changed",
        "\(package) \(version) is not what the sources offer now; nothing was installed",
        hint: "look for updates again")
    }
    tell("\(package) \(version) is fetched.")
    let change = try await updates.install(offer) {
      tell("It is what its publisher has signed. It is started once, and installed.")
    }
    _ = try await perform(
      DriverUpdateNoteRequest(package: change.id, version: change.version, before: offer.installed))
    return (warning.map { [$0] } ?? []) + change.warnings
  }

  func rollBack(package: String, from version: String) async throws {
    guard let seen = SemanticVersion(version) else {
      throw PackageError(
        .changedMeanwhile, "\(version.oneLine(atMost: 60)) is no version of \(package)",
        cure: "look at the driver again")
    }
    _ = try await GatewayPackages(locations: owner.gateway.locations).rollBack(package, from: seen)
  }

  func isPassword(_ text: String) async -> Bool? {
    let password = ConsolePassword(stateFolder: owner.store.folder)
    guard password.isSet else { return nil }
    return password.matches(text)
  }

  var hasPassword: Bool { ConsolePassword(stateFolder: owner.store.folder).isSet }
  var version: String { GatewayVersion.host }
  var uploadFolder: String { owner.store.folder.appending(path: "console-uploads").path }
}
