import ArgumentParser
import Foundation
import MeterCore
import MeterGateway

/// `meterhost submit`: records that no driver has read.
struct SubmitCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "submit", abstract: "Put a record into the queue and deliver it.",
    subcommands: [RecordOf.self], defaultSubcommand: RecordOf.self)

  struct RecordOf: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "record", abstract: "Submit records from files, from standard input, or one from the command line.",
      discussion: """
        A file holds one JSON object, an array of them, or one object a line (docs/reference/records.md). All records of a call are on disk
        when it succeeds, or none is. A record with a log_id, or a summary, may be submitted again: it stays one record.

        EXAMPLES
          meterhost submit record --type diabetes --value 'blood_glucose=112 mg/dL' --note 'before breakfast'
          meterhost submit record --type biometrics --value 'systolic=121 mm[Hg]' --value 'diastolic=79 mm[Hg]' --time 2026-03-01T08:00
          meterhost submit record steps.json --json
          jq -c '.records[]' export.json | meterhost submit record -
        """)

    @Argument(help: ArgumentHelp("Files with records; - is standard input.", valueName: "file"), completion: .file())
    var files: [String] = []
    @Option(help: ArgumentHelp("The type of the record on the command line.", valueName: "type"))
    var type: RecordTypeArgument?
    @Option(help: ArgumentHelp("A value of it, with its unit. May be repeated.", valueName: "metric=number"))
    var value: [WrittenValue] = []
    @Option(help: ArgumentHelp("When it was; now without it.", valueName: "time"))
    var time: MomentText?
    @Option(help: "A note.")
    var note: String?
    @Flag(help: "Hold values that a person can hardly have for confirmation, instead of refusing them.")
    var holdImplausible = false
    @Flag(help: "Hold the records until a person confirms them.")
    var confirmFirst = false
    @Flag(help: "Leave delivery to a later command.")
    var noUpload = false
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func validate() throws {
      guard files.isEmpty == (type != nil) else {
        throw ValidationError("name files with records, or one record by --type and --value.")
      }
      guard type != nil || (value.isEmpty && time == nil && note == nil) else {
        throw ValidationError("--value, --time and --note belong to --type.")
      }
      guard files.count(where: { $0 == "-" }) <= 1 else { throw ValidationError("standard input can be read once.") }
    }

    func run() async throws {
      var request = SubmitRequest(try documents())
      request.holdsImplausible = holdImplausible
      request.confirmsFirst = confirmFirst
      request.delivers = !noUpload
      let terminal = Terminal()
      for record in try await locations.perform(request) {
        output.json ? terminal.json(record) : terminal.out(record.text)
      }
    }

    private func documents() throws -> [SubmitRequest.Document] {
      guard let type else { return try files.map { try RecordFile.read($0) } }
      let written = WrittenRecord(
        type: type.type.rawValue, time: (time ?? .now).text,
        values: value.map { .init(metric: $0.metric, value: $0.number, unit: $0.unit) },
        notes: note.map { [.init(text: $0)] } ?? [])
      return [SubmitRequest.Document(name: "command line", text: GatewayJSON.line(written))]
    }
  }
}

/// A record of the command line as a document.
private struct WrittenRecord: Encodable {
  struct Value: Encodable {
    var metric: String
    var value: String
    var unit: String?
  }

  struct Note: Encodable {
    var text: String
  }

  var type: String
  var time: String
  var values: [Value]
  var notes: [Note]
}

/// A file with records.
enum RecordFile {
  /// Reads a file, or standard input.
  static func read(_ path: String) throws(GatewayError) -> SubmitRequest.Document {
    let limit = RecordDocument.greatestSize + 1
    let bytes: [UInt8]
    if path == "-" {
      bytes = try DescriptorInput.readAll(STDIN_FILENO, limit: limit)
    } else {
      let descriptor = open(path, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else {
        throw GatewayError(
          .usage, code: "record_file", "\(path) cannot be read: \(String(cString: strerror(errno)))")
      }
      defer { close(descriptor) }
      bytes = try DescriptorInput.readAll(descriptor, limit: limit)
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw GatewayError(.usage, code: "record_document", "\(path) is no UTF-8 text")
    }
    return SubmitRequest.Document(name: path == "-" ? "standard input" : path, text: text)
  }
}

/// A record's type as people type it.
struct RecordTypeArgument: ExpressibleByArgument {
  let type: RecordType

  init?(argument: String) {
    guard let type = RecordType(rawValue: argument) else { return nil }
    self.type = type
  }

  static var allValueStrings: [String] { RecordType.allCases.map(\.rawValue) }
}

extension SubmittedRecord {
  /// One line for people.
  fileprivate var text: String {
    let what =
      switch outcome {
      case .new: "is taken"
      case .revised: "is changed"
      case .duplicate: "was known already"
      case .suspect: "is held: its log_id belongs to a record with other values"
      }
    let states = deliveries.map { item in item.reason.map { "\(item.state): \($0)" } ?? item.state }
    return "\(logID) \(what)" + (states.isEmpty ? "" : " (\(states.joined(separator: ", ")))")
  }
}
