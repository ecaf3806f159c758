import GatewayAPI
import MeterCore

extension ConsoleDesk {
  /// The page of the doctor and the log.
  func log() async throws -> DeskAnswer {
    var problems: [String] = []
    let events = await lately(&problems) { _ in true }
    let log = try await host.perform(LogShowRequest())
    let lines = try? await logLines(at: .few)
    return .page(LogPage(findings: state.findings, log: log, lines: lines?.rows ?? [], events: events, times: times))
  }

  /// The newest log lines.
  func logLines(at place: LogLinesPage.Place) async throws -> LogLinesPage {
    LogLinesPage(try await host.perform(LogTailRequest(limit: place.limit)), at: place, times: times)
  }

  /// All log lines that the host keeps, as a file.
  func logFile() async throws -> DeskAnswer {
    let lines = try await host.perform(LogTailRequest(limit: LogTailRequest.most)).map { line in
      "\(line.time) \(line.level) \(line.area): \(line.text)".clipped(to: 4000) + "\n"
    }
    return .download(
      name: "meterhost-log.txt", mediaType: "text/plain; charset=utf-8", bytes: Array(lines.joined().utf8))
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
