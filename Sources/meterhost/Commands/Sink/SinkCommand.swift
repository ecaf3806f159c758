import ArgumentParser
import Foundation
import GatewayAPI
import GatewayTools
import MeterCore

/// `meterhost sink`: where a session's readings go.
struct SinkCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sink", abstract: "Say where a session's readings go, and see what becomes of them there.",
    discussion: """
      The session's own receiver is one of them, named \(MeterStore.defaultSink). Each gets each reading once that it has a form for, from the time
      when it was added. One that is out of reach holds no other one up. They go with the session.
      """,
    subcommands: [
      Kinds.self, Add.self, List.self, Show.self, Test.self, Pause.self, Resume.self, Remove.self,
    ], defaultSubcommand: List.self)

  struct Kinds: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "kinds", abstract: "List the kinds of receivers, and what a setting of each says.",
      discussion: "EXAMPLE\n  meterhost sink kinds --json")

    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() async throws {
      let kinds = try await locations.perform(SinkKindsRequest())
      let terminal = Terminal()
      guard !output.json else { return kinds.forEach { terminal.json($0) } }
      for kind in kinds {
        terminal.out("\(kind.kind): \(kind.summary) (token: \(kind.token))")
        terminal.table(
          ["SETTING", "VALUE", "WHAT IT SAYS"],
          kind.members.map {
            [$0.name + ($0.required ? " *" : ""), $0.words?.joined(separator: "|") ?? $0.form, $0.help]
          })
      }
    }
  }

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "add", abstract: "Add a receiver, or give one another setting or token.",
      discussion: """
        `meterhost sink kinds` tells what a setting says. A token is never taken from the command line, where other users of the machine would
        see it: it comes from --token-file, or from standard input with --token. A FHIR server says whose readings it would get: the person
        is shown and asked about, or --yes with --birth-date says who it has to be.

        EXAMPLES
          meterhost sink add archive --kind file --set folder=/srv/readings --set format=csv
          meterhost sink add research --kind inform --set receiver=https://research.example --token-file token
          meterhost sink add clinic --kind fhir --address https://fhir.example/r4 --patient Patient/123 --token-file token
        """)

    @Argument(help: "A name: a to z, 0 to 9 and -.")
    var name: String
    @OptionGroup var target: SinkTargetOptions
    @OptionGroup var subject: SubjectOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() async throws {
      let kind = try await target.setting.description(locations)
      let setting = try target.setting.values(of: kind, and: target.members.members)
      let token = try target.token()
      let confirmed = try await subject.confirmed(kind, token: token, setting: setting, output, locations)
      let added = try await locations.perform(
        SinkAddRequest(name, kind: kind.kind, token: token, setting: setting, confirmed: confirmed))
      let terminal = Terminal()
      guard !output.json else {
        if let sink = added.sink { terminal.json(sink) }
        return
      }
      let reason = added.unvalidated.map { "; it is asked again later: \($0)" }
      terminal.out("\(name) gets every reading from now on that it has a form for" + (reason ?? ""))
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List the session's receivers.",
      discussion: "EXAMPLE\n  meterhost sink list --json")

    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() async throws {
      let sinks = try await locations.perform(SinkListRequest())
      let terminal = Terminal()
      guard !output.json else { return sinks.forEach { terminal.json($0) } }
      guard !sinks.isEmpty else { return terminal.error("there is no session, and so no receiver") }
      terminal.table(
        ["NAME", "ROLE", "KIND", "RECEIVER", "TOKEN", "STATE", "DELIVERED MEANS THAT"],
        sinks.map {
          [
            $0.name, $0.role, $0.kind, $0.receiver, $0.token, $0.paused ? "paused" : "in use",
            $0.acknowledgementText ?? "",
          ]
        })
    }
  }

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show", abstract: "Show one receiver with all that is known of it. A token is never shown.",
      discussion: "EXAMPLE\n  meterhost sink show archive --json")

    @OptionGroup var sink: SinkNameOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() async throws {
      let report = try await locations.perform(SinkShowRequest(try await locations.sink(sink.name)))
      let terminal = Terminal()
      guard !output.json else { return terminal.json(report) }
      var lines = [
        ("name", report.sink.name), ("role", report.sink.role), ("kind", report.sink.kind),
        ("state", report.sink.paused ? "paused" : "in use"), ("token", report.sink.token),
      ]
      if let text = report.sink.acknowledgementText { lines.append(("delivered", "means that \(text)")) }
      if let seconds = report.sink.keepsContent {
        lines.append(("keeps", "what is delivered for \(seconds / 3600) h more, unless another receiver stores it"))
      }
      lines += report.setting.sorted { $0.key < $1.key }.map { ($0.key, $0.value.text) }
      let queue = report.queue.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
      lines.append(("queue", queue.isEmpty ? "nothing waits" : queue.joined(separator: ", ")))
      lines.append(("last success", report.lastSuccess.map(LocalTime.text) ?? "none yet"))
      if let error = report.lastError { lines.append(("last error", "\(LocalTime.text(error.time))  \(error.text)")) }
      if let wait = report.wait { lines.append(("waits", wait.text)) }
      if let skew = report.clockSkew { lines.append(("clock", SessionText.skew(skew, of: report.sink.name))) }
      terminal.list(lines)
    }
  }
}
