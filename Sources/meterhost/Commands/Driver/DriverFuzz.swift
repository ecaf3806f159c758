import ArgumentParser
import Foundation
import GatewayTools

extension DriverCommand {
  struct Fuzz: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "fuzz", abstract: "Look for bytes, events and files that a driver does not bear.",
      discussion: """
        Builds the driver with libFuzzer, AddressSanitizer and, for C, UndefinedBehaviorSanitizer, and plays sessions and
        decodes values out of random bytes; a driver that reads exports is given files, made of those in exports/ of its folder. Every output is checked by the host's rules. What reaches new code is kept in
        Fuzz/corpus of the folder, what shows a fault in Fuzz/findings. Exits 1 when a fault was found.

        EXAMPLES
          meterhost driver fuzz kitchen-scale --seconds 300 --jobs 4
          meterhost driver fuzz kitchen-scale --input kitchen-scale/Fuzz/findings/crash-0123
          meterhost driver fuzz org.example.kitchen-scale --seconds 30
        """)

    enum Language: String, CaseIterable, ExpressibleByArgument {
      case auto, c, swift

      var choice: FuzzTarget.Language {
        switch self {
        case .auto: .auto
        case .c: .c
        case .swift: .swift
        }
      }
    }

    @Argument(help: ArgumentHelp("A bundle's folder, or a driver's id.", valueName: "folder or id"))
    var target: String
    @Option(help: "How long new inputs are tried.")
    var seconds = 60
    @Option(help: "How many fuzzers run at a time.")
    var jobs = 1
    @Option(help: ArgumentHelp("The folder of kept inputs; without it Fuzz/corpus.", valueName: "folder"))
    var corpus: String?
    @Flag(help: "Leave the corpus as it is.")
    var noKeep = false
    @Option(help: ArgumentHelp("Run this input and nothing else; may be given several times.", valueName: "file"))
    var input: [String] = []
    @Option(help: "What the sources are written in.")
    var language = Language.auto
    @Option(help: ArgumentHelp("For an id: the folder whose Sources are the driver's.", valueName: "folder"))
    var sources: String?
    @Option(
      help: ArgumentHelp(
        "Where the fuzzer is built; without it build/fuzz in the bundle's folder.", valueName: "folder"))
    var build: String?
    @OptionGroup var kit: KitOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func validate() throws {
      guard (1...86_400).contains(seconds) else { throw ValidationError("--seconds is 1 to 86400") }
      guard (1...256).contains(jobs) else { throw ValidationError("--jobs is 1 to 256") }
    }

    func run() throws {
      var settings = FuzzRun.Settings()
      (settings.seconds, settings.jobs, settings.corpus, settings.keeps) = (seconds, jobs, corpus, !noKeep)
      settings.arguments = [target] + repeated
      let target = try fuzzTarget()
      let fuzzing = try FuzzRun(target, settings, kit: kit.kit(hasTemplates: false, bundle: target.home.path))
      let terminal = Terminal()
      guard input.isEmpty else {
        let finding = try fuzzing.reproduce(input)
        if output.json { terminal.json(["finding": finding]) } else { show(finding, on: terminal) }
        if finding != nil { throw ExitCode(1) }
        return
      }
      let report = try fuzzing.run()
      if output.json {
        terminal.json(report)
      } else {
        show(report.finding, on: terminal)
        if let reproducer = report.reproducer { terminal.out("again:   \(reproducer)") }
        terminal.out("\(report.runs) inputs in \(report.seconds) s; \(report.units) kept in \(report.corpus)")
        if report.form == "library" {
          terminal.error("without sources the fuzzer does not see which code runs: a weak search")
        }
      }
      if report.finding != nil { throw ExitCode(1) }
    }

    /// What a run of one input needs to be the same again.
    private var repeated: [String] {
      var words: [String] = []
      if language != .auto { words += ["--language", language.rawValue] }
      let options = [
        ("--sources", sources), ("--build", build), ("--sdk", kit.sdk), ("--registry", locations.registry),
        ("--fragments", locations.fragments), ("--trust", locations.trust),
      ]
      for case (let name, let value?) in options { words += [name, value] }
      return words
    }

    private func fuzzTarget() throws -> FuzzTarget {
      var isFolder: ObjCBool = false
      if FileManager.default.fileExists(atPath: target, isDirectory: &isFolder), isFolder.boolValue {
        return try FuzzTarget(folder: target, language: language.choice, build: build)
      }
      return try FuzzTarget(
        driver: target, in: locations.gateway(), sources: sources, language: language.choice, build: build)
    }

    private func show(_ finding: FuzzFinding?, on terminal: Terminal) {
      guard let finding else { return terminal.out(terminal.styled("nothing found", .green, on: .output)) }
      let rule = finding.rule.map { " [rule \($0)]" } ?? ""
      terminal.out(
        "\(terminal.styled("FOUND", .red, on: .output))    \(finding.kind.rawValue)\(rule): \(finding.message)")
      if let place = finding.place { terminal.out("in:      \(place)") }
      terminal.out("input:   \(finding.input)")
    }
  }
}
