import GatewayAPI
import MeterCore

extension ConsoleDesk {
  /// The page of the doctor and the log.
  func log() async throws -> DeskAnswer {
    var problems: [String] = []
    let events = await lately(&problems) { _ in true }
    let log = try await host.perform(LogShowRequest())
    return .page(LogPage(findings: state.findings, log: log, events: events, times: times))
  }

  /// Sets how much of an area is logged.
  func actOnLog(_ area: String, _ action: String, _ fields: FormFields) async throws -> DeskAnswer {
    guard action == "level", let area = LogArea(rawValue: area) else { throw NoSuchPage() }
    guard let volume = fields["level"].flatMap({ LogVolume(rawValue: $0) }) else { throw BadForm() }
    return await doing("\(area.rawValue) is logged from \(volume.rawValue) on.", then: PageArea.log.path) {
      _ = try await host.perform(LogSetRequest(volumes: [area: volume]))
    }
  }

  /// The support file: versions, findings and counts; no reading, user, receiver, token or meter.
  func supportFile() async throws -> DeskAnswer {
    .download(
      name: "meterhost-support.json", mediaType: "application/json", bytes: Array(try await host.supportFile().utf8))
  }
}
