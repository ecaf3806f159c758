import ArgumentParser
import Foundation
import MeterCore
import GatewayAPI
import GatewayTools
import ProgramTerminal

/// `meterhost events`: what has happened.
struct EventsCommand: AsyncParsableCommand, InterruptibleCommand {
  static let configuration = CommandConfiguration(
    commandName: "events", abstract: "Show what has happened to readings and sessions, and go on listening.",
    discussion: """
      Events are kept for later listeners: each has a cursor, and --after goes on behind it, also after a restart. An event "missed" says
      how many the log has dropped because the listener was away too long. With --json each event is a line of JSON, for programs.

      EXAMPLES
        meterhost events
        meterhost events --follow
        meterhost events --follow --after 4711 --json
      """)

  @Flag(help: "Go on listening until it is interrupted; without --after from now on.")
  var follow = false
  @Option(help: ArgumentHelp("Only events behind this cursor.", valueName: "cursor"))
  var after: Int64?
  @OptionGroup var output: OutputOptions
  @OptionGroup var locations: LocationOptions

  func validate() throws {
    guard after ?? 0 >= 0 else { throw ValidationError("--after takes the cursor of an earlier event.") }
  }

  func run() async throws {
    let terminal = Terminal()
    let json = output.json
    let patience = Patience()
    let partner = ControlPartner<EventDescription>(patience: patience) { event in
      json ? terminal.json(event) : terminal.out(event.text)
    }
    let (request, locations) = (EventsRequest(after: after, follows: follow), locations)
    try await Interruption.whileRunning(onInterrupt: { patience.end() }) { _ in
      do {
        try await locations.converse(request, with: partner)
      } catch  where patience.isOver {
        // Whoever stops listening wanted no more.
        return
      }
    }
  }
}

extension EventDescription {
  /// One line for people.
  fileprivate var text: String {
    let head = cursor.map { "\($0)  \(time.map(LocalTime.text) ?? "")  " } ?? ""
    return switch happened {
    case nil where unknownName != nil: "\(head)\(name), which this version of the command does not know"
    case nil: "\(missed ?? 0) events are gone from the log"
    case .sessionStarted(let start): "\(head)session of \(start.userID) (\(start.organizationID)) started"
    case .recordSubmitted(let record):
      "\(head)\(record.logID) revision \(record.revision) is delivered to \(record.sink)"
    case .recordSubmissionFailed(let record):
      "\(head)\(record.logID) revision \(record.revision) is refused by \(record.sink): \(record.reason)\(record.error.isEmpty ? "" : ": ")\(record.error)"
        + (self.record.map { "; it is \($0.summary)" } ?? "")
    case .recordImageSubmitted(let image): "\(head)image of \(image.logID) is delivered to \(image.sink)"
    case .recordImageSubmissionFailed(let image):
      "\(head)image of \(image.logID) is refused by \(image.sink): "
        + [image.reason ?? "", image.error].filter { !$0.isEmpty }.joined(separator: ": ")
    case .sinkRefused(let refusal): "\(head)the receiver \(refusal.sink) refuses its token; readings wait for it"
    case .meterReady(let moment): "\(head)a meter of peripheral \(moment.peripheral) is ready: measure now"
    case .meterRead(let reading):
      "\(head)meter \(reading.meter ?? "?") of peripheral \(reading.peripheral) was read, \(reading.records.count) new or changed"
    case .meterFailed(let failure):
      "\(head)a meter of peripheral \(failure.peripheral) could not be read: \(failure.error)"
    case .strangersMet(let count):
      "\(head)\(count.attempts) attempts to read unknown devices in \(count.seconds) s: "
        + count.outcomes.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    case .healthRecordsProcessed(let records):
      "\(head)\(records.count) \(records.typeName) records of a health export are in the queue, new or changed"
    case .commitsLost(let loss):
      "\(head)\(loss.commits.map(String.init) ?? "an unknown number of") commits of the state database are missing"
        + (loss.keptFolder.map { "; it is kept as it was found in \($0)" } ?? "")
    case .driverUpdated(let update):
      "\(head)driver package \(update.package) is version \(update.version) now, after \(update.before)"
        + (update.isAutomatic ? ", by itself" : "")
    case .driverRolledBack(let retreat):
      "\(head)driver package \(retreat.package) \(retreat.before) is not used any more: \(retreat.reason); "
        + (retreat.version.map { "\($0) is in use" } ?? "it is disabled")
    case .sessionEnded(let end):
      "\(head)session of \(end.userID) (\(end.organizationID)) ended\(end.reason?.words ?? ""), \(end.unsynced) undelivered"
        + (end.unsyncedTypes.map { types in
          " (" + types.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ") + ")"
        } ?? "")
        + (end.recoveryFile.map { " in \($0)" } ?? "")
    }
  }
}

extension HostEvent.EndReason {
  /// As it follows "ended".
  fileprivate var words: String {
    switch self {
    case .asked: " as it was asked for"
    case .otherUser: " for another user's"
    case .tokenRefused: " because the receiver refuses the token"
    default: " (\(rawValue))"
    }
  }
}
