import ArgumentParser
import GatewayAPI
import MeterCore

/// `meterhost fhir`: readings in the form of HL7 FHIR.
struct FHIRCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fhir", abstract: "Show readings as HL7 FHIR has them.", subcommands: [Export.self])

  struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "export", abstract: "Write readings of the queue as FHIR's bundles to a file.",
      discussion: """
        Writes what a FHIR sink would send, and sends nothing: one transaction bundle of FHIR R4 a line (NDJSON), of the readings that wait for
        a receiver or were refused by one. What a receiver has is here no more, and what waits for a person's word (`meterhost queue held`) is
        not written. Readings that have no form in FHIR are named on standard error, each with its reason.

        The file is a new one, and nobody but you may read it. It is health data, and not encrypted. While it is written it is FILE.part.

        A reading's name at a server is made of whose it is. With --patient-identifier it is another one than that of a sink, which names the
        patient by the id that it has found: a server that gets both has the readings twice. Name the patient as the sink does (`sink show`).

        --json prints what was written, as one object; with - the bundles go to standard output, and nothing else does.

        EXAMPLES
          meterhost fhir export --patient Patient/123 readings.ndjson
          meterhost fhir export --patient-identifier 'https://clinic.example/mrn|4711' --from 2026-03-01 --to 2026-04-01 march.ndjson
          meterhost fhir export --patient Patient/123 - | jq -r '.entry[].resource.resourceType'
          meterhost fhir export --patient Patient/123 readings.ndjson --json
        """)

    @Argument(help: ArgumentHelp("The file; there must be no such file. - is standard output.", valueName: "file"))
    var file: String
    @Option(help: ArgumentHelp("Whose readings they are: the patient's id at the server.", valueName: "Patient/id"))
    var patient: String?
    @Option(
      help: ArgumentHelp(
        "The same by an identifier, which the server looks up; readings get other names by it.",
        valueName: "system|value"))
    var patientIdentifier: String?
    @Option(help: ArgumentHelp("Only readings from this moment on.", valueName: "moment"))
    var from: MomentText?
    @Option(help: ArgumentHelp("Only readings before this moment.", valueName: "moment"))
    var to: MomentText?
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func validate() throws {
      guard (patient == nil) != (patientIdentifier == nil) else {
        throw ValidationError("Name the patient by --patient or --patient-identifier.")
      }
      guard !file.isEmpty else { throw ValidationError("Name a file, or - for standard output.") }
    }

    /// Whether nothing is written but to standard output.
    var isShown: Bool { file == "-" }

    func run() async throws {
      let terminal = Terminal()
      var request = FHIRExportRequest(patient: patient, patientIdentifier: patientIdentifier, from: from, to: to)
      var report = Report(file: file)
      // The first part says whether it can be at all: nothing is made for a request that is refused.
      var part = try await locations.perform(request)
      let target = isShown ? nil : try ExportFile(file)
      while true {
        for bundle in part.bundles {
          if let target { try target.append(bundle.bundle) } else { terminal.raw(bundle.bundle) }
        }
        report.add(part)
        guard let next = part.next else { break }
        request.after = next
        part = try await locations.perform(request)
      }
      try target?.finish()
      tell(report, terminal)
    }

    private func tell(_ report: Report, _ terminal: Terminal) {
      if output.json, !isShown { return terminal.json(report) }
      for refused in report.refused { terminal.error("\(refused.logID) is not written: \(refused.message)") }
      if report.held > 0 {
        let isOne = report.held == 1
        terminal.error(
          "\(report.held) \(isOne ? "reading waits" : "readings wait") for a person's word and \(isOne ? "is" : "are") not "
            + "written: `meterhost queue held`")
      }
      if !isShown {
        terminal.out("\(file) has \(report.bundles) \(report.bundles == 1 ? "bundle" : "bundles")")
      }
    }
  }
}

extension FHIRCommand.Export {
  /// What was written, as `--json` shows it.
  struct Report: Encodable {
    let file: String
    private(set) var bundles = 0
    private(set) var held = 0
    private(set) var refused: [FHIRExportRequest.Refused] = []

    init(file: String) { self.file = file }

    mutating func add(_ part: FHIRExportRequest.Answer) {
      bundles += part.bundles.count
      held = part.held
      refused += part.refused
    }
  }
}
