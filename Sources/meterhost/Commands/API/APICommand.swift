import ArgumentParser
import Foundation
import MeterCore
import GatewayAPI

/// `meterhost api`: calls to the session's receiver apart from the queue.
struct APICommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "api", abstract: "Call the receiver apart from the queue.",
    discussion: """
      What a call does is done when it returns: nothing is repeated later. Readings of meters need none of this; they go through the
      queue. Receiver, wire format and token are those of the session.
      """,
    subcommands: [Create.self, Update.self, Upsert.self, Delete.self, Upload.self])

  struct Create: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "create", abstract: "Store new records.",
      discussion: """
        Each record has an outcome of its own: what is refused takes nothing with it. Files are as for `submit`.

        EXAMPLES
          meterhost api create records.json --json
          jq -c '.records[]' export.json | meterhost api create -
        """)

    @OptionGroup var call: RecordCallOptions

    func run() async throws { try await call.perform(.create) }
  }

  struct Update: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "update", abstract: "Replace records by the receiver's ids.",
      discussion: """
        Each record says with "id" which one of the receiver's it replaces.

        EXAMPLE
          meterhost api update changed.json --json
        """)

    @OptionGroup var call: RecordCallOptions

    func run() async throws { try await call.perform(.update) }
  }

  struct Upsert: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "upsert", abstract: "Store records under their names, or replace what is there.",
      discussion: """
        Each record needs a "log_id", by which it is found again. The same content again changes nothing.

        EXAMPLE
          meterhost api upsert day.json --json
        """)

    @OptionGroup var call: RecordCallOptions

    func run() async throws { try await call.perform(.upsert) }
  }

  struct Delete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "delete", abstract: "Delete records by the receiver's ids, with their images.",
      discussion: """
        Nobody can undo this.

        EXAMPLE
          meterhost api delete --type diabetes edfd2cc08314b914579e12fb74d82a9f
        """)

    @Option(help: ArgumentHelp("The records' type.", valueName: "type"))
    var type: RecordTypeArgument
    @Argument(help: ArgumentHelp("The receiver's ids.", valueName: "record-id"))
    var recordIDs: [String]
    @OptionGroup var confirmation: ConfirmOptions
    @OptionGroup var target: CallTargetOptions

    func run() async throws {
      try await confirmation.confirm(
        recordIDs.count == 1
          ? "Delete this record at the receiver?" : "Delete these \(recordIDs.count) records at the receiver?",
        target.output)
      try await target.perform(.delete(type.type, recordIDs: recordIDs), [])
    }
  }

  struct Upload: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "upload", abstract: "Store an image of a record.",
      discussion: """
        JPEG or PNG of at most 8 MiB. The same image again changes nothing.

        EXAMPLE
          meterhost api upload photo.jpg --record edfd2cc08314b914579e12fb74d82a9f
        """)

    @Argument(help: "The image's file.", completion: .file(extensions: ["jpg", "jpeg", "png"]))
    var file: String
    @Option(help: ArgumentHelp("The receiver's id of the record.", valueName: "id"))
    var record: String
    @OptionGroup var target: CallTargetOptions

    func run() async throws {
      let bytes: Data
      do {
        let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: file))
        defer { try? handle.close() }
        bytes = try handle.read(upToCount: RecordImage.byteLimit + 1) ?? Data()
      } catch {
        throw GatewayError(
          .usage, code: "image_file", "\(file) cannot be read: \((error as NSError).localizedDescription)")
      }
      try await target.perform(.upload(bytes, recordID: record), [])
    }
  }
}

/// Records for a call, and where it goes.
struct RecordCallOptions: ParsableArguments {
  @Argument(help: ArgumentHelp("Files with records; - is standard input.", valueName: "file"), completion: .file())
  var files: [String]
  @OptionGroup var target: CallTargetOptions

  func validate() throws {
    guard files.count(where: { $0 == "-" }) <= 1 else { throw ValidationError("standard input can be read once.") }
  }

  func perform(_ action: ReceiverCall.Action) async throws {
    try await target.perform(action, try files.map { try RecordFile.read($0) })
  }
}

/// Which receiver is called, and how the outcomes are shown.
struct CallTargetOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Call this one of the session's receivers (`session sink`), by its name or the beginning of it.",
      valueName: "name"),
    completion: .sinks)
  var sink = MeterStore.defaultSink
  @OptionGroup var output: OutputOptions
  @OptionGroup var locations: LocationOptions

  /// Calls, shows what became of each record, and fails when one of them did.
  func perform(_ action: ReceiverCall.Action, _ documents: [SubmitRequest.Document]) async throws {
    let name = try await sink == MeterStore.defaultSink ? sink : locations.sink(sink)
    let request = ReceiverCallRequest(ReceiverCall(action, sink: name), documents: documents)
    let outcomes = try await locations.perform(request)
    let terminal = Terminal()
    for outcome in outcomes { output.json ? terminal.json(outcome) : show(outcome, on: terminal) }
    if let failure = ReceiverCallOutcome.failure(of: outcomes) { throw failure }
  }

  private func show(_ outcome: ReceiverCallOutcome, on terminal: Terminal) {
    let name = outcome.logID ?? outcome.recordID ?? ""
    if let error = outcome.error { return terminal.error("\(name): \(error.code): \(error.message)") }
    if outcome.isDeleted == true { return terminal.out("\(name) is deleted") }
    let place = outcome.mediaID.map { "image \($0)" } ?? outcome.recordID ?? "no id"
    let revision = outcome.revision.map { ", revision \($0)" } ?? ""
    terminal.out("\(name) is \(outcome.isNew == true ? "stored" : "there") as \(place)\(revision)")
  }
}
