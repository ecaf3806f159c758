import ArgumentParser
import Foundation
import GatewayAPI
import GatewayTools
import MeterDrivers

extension DriverCommand {
  struct Update: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "update", abstract: "Install newer versions of installed packages.",
      discussion: """
        Without files it looks at the sources (`driver source`). A package that is named is taken whatever its share of gateways so far;
        without a name all that nothing speaks against. What its publisher has revoked is disabled. Of files and folders it takes those
        that are newer than what is installed, those of --id where given.

        With --auto on the running host does it by itself, between reads, and goes back from a version that fails its self-test or a
        recorded session of a meter of yours.

        EXAMPLES
          meterhost driver update --check
          meterhost driver update org.example.scale
          meterhost driver update --auto on
          meterhost driver update --download /var/tmp/drivers && sudo meterhost driver update /var/tmp/drivers
          meterhost driver update /var/cache/drivers --id org.example.scale
        """)

    enum Switch: String, ExpressibleByArgument, CaseIterable { case on, off }

    @Argument(
      help: ArgumentHelp("Installed packages, or files and folders with packages.", valueName: "package"),
      completion: .file())
    var packages: [String] = []
    @Flag(help: "Only show what there is, and what speaks against it.")
    var check = false
    @Option(
      help: ArgumentHelp(
        "Only fetch into this folder what would be installed, for a user who may install it.", valueName: "folder"),
      completion: .directory)
    var download: String?
    @Option(help: "Whether the running host installs updates by itself.")
    var auto: Switch?
    @Option(
      help: ArgumentHelp("Of files and folders only this package or driver; may be given again.", valueName: "id"))
    var id: [String] = []
    @OptionGroup var options: InstallOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    /// A path, and no name of a package: it has a slash, ends as a package does, or is there.
    private static func isPath(_ text: String) -> Bool {
      text.contains("/") || text.hasSuffix(".\(GatewayPackages.fileExtension)")
        || FileManager.default.fileExists(atPath: text)
    }

    private var files: [String] { packages.filter(Self.isPath) }
    private var names: [String] { packages.filter { !Self.isPath($0) } }

    func validate() throws {
      guard files.isEmpty || names.isEmpty else {
        throw ValidationError("Name installed packages, or files and folders, and not both.")
      }
      guard !check || auto == nil && files.isEmpty else {
        throw ValidationError("--check shows what the sources have: give it neither files nor --auto.")
      }
      guard download == nil || auto == nil && files.isEmpty && !check else {
        throw ValidationError("--download fetches from the sources: give it neither files nor --check or --auto.")
      }
      guard auto == nil || packages.isEmpty && id.isEmpty else {
        throw ValidationError("--auto is a setting: give it no packages.")
      }
    }

    func run() async throws {
      if let auto { return try await setAutomatic(auto == .on) }
      guard files.isEmpty else {
        let isJSON = output.json
        try await GatewayPackages(locations: locations.locations).update(files, ids: id, options: options.options) {
          DriverCommand.tell($0, asJSON: isJSON)
        }
        return
      }
      let found = try await locations.perform(DriverUpdateCheckRequest())
      guard !found.sources.isEmpty else {
        throw GatewayError(
          .usage, code: "no_driver_source", "there is no source to look for updates in",
          hint: "`meterhost driver source add https://...` names one; files and folders are named here")
      }
      if let download { return try await fetch(found, to: download) }
      if check { UpdateView(json: output.json).show(found) } else { try await install(found) }
      if let problem = found.sources.compactMap(\.problem).first { throw GatewayError(problem) }
    }

    private func setAutomatic(_ isOn: Bool) async throws {
      let now = try await locations.perform(DriverUpdateAutoRequest(automatic: isOn))
      let terminal = Terminal()
      guard !output.json else { return terminal.json(["automatic": now]) }
      terminal.out(now ? "the running host installs updates by itself" : "updates are installed by a person only")
    }

    private func fetch(_ found: DriverUpdateCheck, to folder: String) async throws {
      let updates = GatewayUpdates(locations: locations.locations)
      let terminal = Terminal()
      for offer in try GatewayUpdates.chosen(names + id, of: found) {
        let file = try await updates.download(offer, to: folder)
        if output.json { terminal.json(["file": file]) } else { terminal.out(file) }
      }
      if let problem = found.sources.compactMap(\.problem).first { throw GatewayError(problem) }
    }

    private func install(_ found: DriverUpdateCheck) async throws {
      let updates = GatewayUpdates(locations: locations.locations)
      let terminal = Terminal()
      if let warning = try updates.noteRevoked(found) {
        terminal.error("\(terminal.styled("warning:", .yellow)) \(warning)")
      }
      let chosen = try GatewayUpdates.chosen(names + id, of: found)
      for offer in chosen {
        let change = try await updates.install(offer)
        DriverCommand.tell(change, asJSON: output.json)
        let note = DriverUpdateNoteRequest(package: change.id, version: change.version, before: offer.installed)
        _ = try await locations.perform(note)
      }
      for (change, _) in try await updates.disableRevoked(found) { DriverCommand.tell(change, asJSON: output.json) }
      guard chosen.isEmpty, !output.json else { return }
      UpdateView(json: false).show(found)
    }
  }
}

/// What there is at the sources.
private struct UpdateView {
  let json: Bool

  func show(_ found: DriverUpdateCheck) {
    let terminal = Terminal()
    guard !json else { return terminal.json(found) }
    guard !found.offers.isEmpty else { return terminal.error("the sources speak of no installed package") }
    for offer in found.offers {
      let words =
        switch offer.standing {
        case "up_to_date": "\(offer.installed) is the newest"
        case "available": "\(offer.installed) -> \(offer.version ?? "")"
        default: "stays at \(offer.installed): \(offer.reason ?? offer.standing)"
        }
      terminal.out("\(offer.package): \(words)")
      if let revoked = offer.revoked {
        terminal.error(
          "\(offer.package) \(offer.installed) was revoked by its publisher and is not to be used: \(revoked)")
      }
      guard offer.standing != "up_to_date", let changelog = offer.changelog, !changelog.isEmpty else { continue }
      for line in changelog.split(separator: "\n") { terminal.out("  \(line)") }
    }
    if found.isAutomatic { terminal.out("The running host installs by itself what nothing speaks against.") }
  }
}
