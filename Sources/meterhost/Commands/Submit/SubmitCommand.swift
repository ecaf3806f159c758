import ArgumentParser
import Foundation
import MeterCore
import GatewayAPI

/// `meterhost submit`: records that no driver has read.
struct SubmitCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "submit", abstract: "Put a record into the queue and deliver it.",
    subcommands: [RecordOf.self, ImageOf.self], defaultSubcommand: RecordOf.self)

  struct RecordOf: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "record", abstract: "Submit records from files, from standard input, or one from the command line.",
      discussion: """
        A file holds one JSON object, an array of them, or one object a line (docs/reference/records.md). All records of a call are on disk
        when it succeeds, or none is. A record with a log_id, or a summary, may be submitted again: it stays one record.

        EXAMPLES
          meterhost submit record --type diabetes --value 'blood_glucose=112 mg/dL' --note 'before breakfast'
          meterhost submit record --type biometrics --value 'systolic=121 mm[Hg]' --value 'diastolic=79 mm[Hg]' --time 2026-03-01T08:00
          meterhost submit record --type weight --value 'body_weight=70.5 kg' --image display.jpg
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
    @Option(
      help: ArgumentHelp("A JPEG or PNG file that belongs to the record. May be repeated.", valueName: "file"),
      completion: .file())
    var image: [String] = []
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
      request.images = try image.map { try ImageFile.read($0) }
      request.delivers = !noUpload
      let terminal = Terminal()
      let records = try await locations.perform(request)
      for record in records { output.json ? terminal.json(record) : terminal.out(record.text) }
      if let failure = SubmittedRecord.failure(of: records) { throw failure }
      if !output.json { for wait in records.last?.waits ?? [] { terminal.error(wait.text) } }
    }

    private func documents() throws -> [SubmitRequest.Document] {
      guard let type else { return try files.map { try RecordFile.read($0) } }
      let written = WrittenRecord(
        type: type.type.rawValue, time: (time ?? .now).timeText,
        values: value.map { .init(metric: $0.metric, value: $0.number, unit: $0.unit) },
        notes: note.map { [.init(text: $0)] } ?? [])
      return [SubmitRequest.Document(name: "command line", text: GatewayJSON.line(written))]
    }
  }
}

extension SubmitCommand {
  struct ImageOf: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "image", abstract: "Submit an image of a reading that is known here.",
      discussion: """
        The image follows its reading: it is sent when the receiver has accepted that, and tried apart from it.

        EXAMPLE
          meterhost submit image 0b0c7d5e-2a53-8f0e-9a77-6a2f5e3f2b10 display.jpg
        """)

    @Argument(help: ArgumentHelp("The reading's log_id, or its beginning.", valueName: "log-id"), completion: .readings)
    var logID: String
    @Argument(help: "A JPEG or PNG file.", completion: .file())
    var file: String
    @Flag(help: "Leave delivery to a later command.")
    var noUpload = false
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() async throws {
      let logID = try await locations.recordID(self.logID)
      let request = ImageRequest(
        logID, content: try ImageFile.read(file), delivers: !noUpload)
      let left = try await locations.perform(request)
      let terminal = Terminal()
      guard !output.json else {
        if left.isEmpty { terminal.json(["log_id": "\(logID)", "state": "delivered"]) }
        return left.forEach { terminal.json($0) }
      }
      if left.isEmpty { terminal.out("the image of \(logID) is delivered") }
      for item in left {
        terminal.out("the image of \(logID) is taken (\(item.state)\(item.reason.map { ": \($0)" } ?? ""))")
      }
    }
  }
}

/// An image's file.
enum ImageFile {
  static func read(_ path: String) throws(GatewayError) -> Data {
    // One byte more than is taken, so that a longer one is refused and not cut.
    Data(try InputFile.read(path, limit: RecordImage.byteLimit + 1, code: "image_file"))
  }
}

/// A file that was named on the command line.
enum InputFile {
  /// - Throws: ``GatewayError`` with the code that the caller gives.
  static func read(_ path: String, limit: Int, code: String) throws(GatewayError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw GatewayError(.usage, code: code, "\(path) cannot be read: \(String(cString: strerror(errno)))")
    }
    defer { close(descriptor) }
    do { return try DescriptorInput.readAll(descriptor, limit: limit) } catch {
      throw GatewayError(.usage, code: code, "\(path) cannot be read: \(error.message)")
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

enum RecordFile {
  /// Reads a file, or standard input.
  static func read(_ path: String) throws(GatewayError) -> SubmitRequest.Document {
    let limit = SubmitRequest.Document.greatestSize + 1
    let bytes =
      path == "-"
      ? try DescriptorInput.readAll(STDIN_FILENO, limit: limit)
      : try InputFile.read(path, limit: limit, code: "record_file")
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
    if let recoveryFile { return "\(logID) is not delivered: its session has ended, and it is kept in \(recoveryFile)" }
    let what =
      switch outcome {
      case .new: "is taken"
      case .revised: "is changed"
      case .duplicate: "was known already"
      case .suspect: "is held: its log_id belongs to a record with other values"
      default: "is \(outcome.rawValue)"
      }
    let states = deliveries.states
    return "\(logID) \(what)" + (states.isEmpty ? "" : " (\(states.joined(separator: ", ")))")
  }
}
