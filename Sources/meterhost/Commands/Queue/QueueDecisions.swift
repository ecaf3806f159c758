import ArgumentParser
import MeterCore
import GatewayAPI

// What a person decides about readings that wait.

extension QueueCommand {
  struct Confirm: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "confirm", abstract: "Deliver readings that wait for a person's word.",
      discussion: """
        Readings wait when they were read with --confirm-first, are implausible, or have a time that is in doubt. Look at one with
        `queue show` before you confirm it.

        A reading that came without a time while this machine did not know the date cannot be confirmed before it has one: from the
        network, or from `queue edit --time`.

        A reading with other values under the log_id of an earlier one (identity_collision, as of a meter that was reset) has a number
        behind that log_id. Confirming, or correcting, it gives it a log_id of its own.

        A meter may change a reading between the look and the word: what it adds is the next revision. With --revision only what was
        looked at is released, and what has changed stays held.

        EXAMPLES
          meterhost queue confirm 0b0c7d5e-2a53-8f0e-9a77-6a2f5e3f2b10
          meterhost queue confirm 0b0c7d5e-2a53-8f0e-9a77-6a2f5e3f2b10 --revision 1
          meterhost queue confirm 0b0c7d5e-2a53-8f0e-9a77-6a2f5e3f2b10#1
        """)

    @Argument(
      help: ArgumentHelp("The readings' log_ids, or the beginning of each.", valueName: "log-id"), completion: .readings
    )
    var logIDs: [String]
    @Option(
      help: ArgumentHelp("Only readings that wait with this revision, as `queue show` has it.", valueName: "number"))
    var revision: Int?
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() async throws {
      let wanted = try await locations.readingNames(logIDs)
      let confirmed = try await locations.perform(QueueDecisionRequest(.confirm, wanted, revision: revision))
      QueueCommand.report(confirmed, state: "pending", "is released", output)
      let changed = revision.map { ", or have another revision than \($0) by now" } ?? ""
      try QueueCommand.require(
        confirmed, wanted, code: "not_confirmable",
        "do not wait for a person's word, or have no time yet" + changed)
    }
  }

  struct Resubmit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "resubmit", abstract: "Send readings again that the receiver has refused for good.",
      discussion: """
        Use it when the fault was the receiver's and is mended. `queue dead` lists them, with what the receiver said. With --all everything
        is sent again that was refused for good, images as well; with --reason only what was refused for that.

        What only a broker has acknowledged stays here for a time after its delivery. When the broker has lost readings, --kept sends all of
        that again, or the readings that are named; `queue list --only delivered` shows what there is.

        EXAMPLES
          meterhost queue resubmit 0b0c7d5e-2a53-8f0e-9a77-6a2f5e3f2b10
          meterhost queue resubmit --all
          meterhost queue resubmit --all --reason http-404 --json
          meterhost queue resubmit --kept
        """)

    @Argument(
      help: ArgumentHelp("The readings' log_ids, or the beginning of each.", valueName: "log-id"), completion: .readings
    )
    var logIDs: [String] = []
    @Flag(help: "All readings and images that were refused for good, in place of log_ids.")
    var all = false
    @Flag(help: "All readings that were delivered and are kept here for a time, in place of log_ids.")
    var kept = false
    @Option(help: ArgumentHelp("With --all: only those with this reason, as `queue dead` has it.", valueName: "reason"))
    var reason: String?
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func validate() throws {
      guard [all, kept, !logIDs.isEmpty].count(where: \.self) == 1 else {
        throw ValidationError("Give log_ids, or --all, or --kept.")
      }
      guard reason == nil || all else { throw ValidationError("--reason goes with --all.") }
      guard reason?.isEmpty != true else { throw ValidationError("--reason takes a reason as `queue dead` has it.") }
    }

    func run() async throws {
      guard !all, !kept else { return try await resubmitAll() }
      let wanted = try await locations.readingNames(logIDs)
      let resubmitted = try await locations.perform(QueueDecisionRequest(.resubmit, wanted))
      QueueCommand.report(resubmitted, state: "pending", "is sent again", output)
      try QueueCommand.require(
        resubmitted, wanted, code: "not_refused", "were not refused by the receiver, and are not kept after a delivery")
    }

    private func resubmitAll() async throws {
      let request = kept ? QueueResubmitRequest.kept : QueueResubmitRequest(reason: reason)
      let resubmitted = try await locations.perform(request)
      let terminal = Terminal()
      guard !output.json else {
        return resubmitted.forEach { terminal.json(["log_id": "\($0)", "name": "\($0)", "state": "pending"]) }
      }
      guard !resubmitted.isEmpty else {
        return terminal.error(
          kept
            ? "nothing that was delivered is kept"
            : "nothing was refused for good" + (reason.map { " for \($0)" } ?? ""))
      }
      terminal.out("\(resubmitted.count) \(resubmitted.count == 1 ? "reading is" : "readings are") sent again")
    }
  }

  struct Discard: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "discard", abstract: "Throw readings away; a meter does not bring them back.",
      discussion: """
        Nobody can undo this, and what the meter adds to such a reading later is thrown away, too; only a sum that has grown since is a
        new value. Readings that are held, refused or excluded are thrown away; those that wait for the receiver only with --pending, and
        what is being sent at the moment never.

        EXAMPLE
          meterhost queue discard 0b0c7d5e-2a53-8f0e-9a77-6a2f5e3f2b10
        """)

    @Argument(
      help: ArgumentHelp("The readings' log_ids, or the beginning of each.", valueName: "log-id"), completion: .readings
    )
    var logIDs: [String]
    @Flag(help: "Also readings that would be delivered.")
    var pending = false
    @OptionGroup var confirmation: ConfirmOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() async throws {
      let wanted = try await locations.readingNames(logIDs)
      let count = wanted.count == 1 ? "this reading" : "these \(wanted.count) readings"
      try await confirmation.confirm("Throw \(count) away?", output) { try await summaries(of: wanted) }
      let request = QueueDecisionRequest(pending ? .discardPending : .discard, wanted)
      let discarded = try await locations.perform(request)
      QueueCommand.report(discarded, state: "discarded", "is thrown away", output)
      try QueueCommand.require(
        discarded, wanted, code: "not_discardable", "are not known, are delivered, or wait for the receiver")
    }

    /// What a person is shown of them: ten at most.
    private func summaries(of wanted: Set<QueueName>) async throws -> [String] {
      var lines: [String] = []
      for name in wanted.sorted(by: { "\($0)" < "\($1)" }).prefix(10) {
        let items = try await locations.perform(QueueShowRequest(name))
        lines.append("\(name)  " + (items.first { $0.name == "\(name)" }?.reading?.summary ?? "not in the queue"))
      }
      return wanted.count > lines.count ? lines + ["and \(wanted.count - lines.count) more"] : lines
    }
  }

  struct Edit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "edit", abstract: "Correct a reading that is held or was refused.",
      discussion: """
        The reading keeps its name and gets the next revision; it goes on waiting until `queue confirm` or `queue resubmit`. The meter's own
        value does not come back when the meter sends it again.

        EXAMPLES
          meterhost queue edit 0b0c7d5e-2a53-8f0e-9a77-6a2f5e3f2b10 --value blood_glucose=112
          meterhost queue edit 0b0c7d5e-2a53-8f0e-9a77-6a2f5e3f2b10 --value 'blood_glucose=6.2 mmol/L' --time 2026-03-01T08:00
        """)

    @Argument(help: ArgumentHelp("The reading's log_id, or its beginning.", valueName: "log-id"), completion: .readings)
    var logID: String
    @Option(
      help: ArgumentHelp(
        "A new value of a metric that the reading has; its unit stays if none is given. May be repeated.",
        valueName: "metric=number"))
    var value: [WrittenValue] = []
    @Option(help: ArgumentHelp("When it was measured, for example 2026-03-01T08:00Z.", valueName: "time"))
    var time: MomentText?
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func validate() throws {
      guard !value.isEmpty || time != nil else { throw ValidationError("--value or --time says what changes.") }
    }

    func run() async throws {
      let request = QueueEditRequest(
        try await locations.readingName(logID), values: value, time: time)
      let item = try await locations.perform(request)
      let terminal = Terminal()
      guard !output.json else { return terminal.json(item) }
      terminal.out("\(item.logID) is corrected, revision \(item.revision)")
      if let reading = item.reading { terminal.out("  now  \(reading.summary)") }
      let next = item.state == "dead" ? "resubmit" : "confirm"
      terminal.error("it waits: `meterhost queue \(next) \(item.logID)` sends it")
    }
  }

  private static func report(
    _ done: [QueueDecisionRequest.Done], state: String, _ text: String, _ output: OutputOptions
  ) {
    let terminal = Terminal()
    for item in done.sorted(by: { $0.reading.description < $1.reading.description }) {
      let isRenamed = item.reading.suspect != nil && item.logID != item.reading.logID
      guard !output.json else {
        terminal.json(["log_id": "\(item.logID)", "name": "\(item.reading)", "state": state])
        continue
      }
      terminal.out("\(item.reading) \(text)" + (isRenamed ? " as \(item.logID)" : ""))
    }
  }

  private static func require(
    _ done: [QueueDecisionRequest.Done], _ wanted: Set<QueueName>, code: String, _ problem: String
  ) throws(GatewayError) {
    guard done.count < wanted.count else { return }
    throw GatewayError(
      .failed, code: code, "\(wanted.count - done.count) of the readings \(problem)",
      hint: "`meterhost queue show LOG_ID` says where each stands")
  }
}
