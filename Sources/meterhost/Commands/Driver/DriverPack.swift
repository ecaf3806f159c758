import GatewayAPI
import ArgumentParser
import GatewayTools

extension DriverCommand {
  struct Pack: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "pack", abstract: "Make one file of a bundle's folder, to be signed and installed.",
      discussion: """
        The folder holds a registry fragment (*.json), the library that it names, a LICENSE, and as wanted README.md and assets/. Libraries
        for other machines lie in linux-x86_64/ and linux-aarch64/ beside the library, or are named with --library. The library for
        this machine is started once: a bundle that is not what its fragment says is not packed, nor is one that the registry here would refuse.
        The same files always give the same package.

        EXAMPLES
          meterhost driver pack my-meter
          meterhost driver pack my-meter --library build-aarch64/libmy-meter.so --output my-meter.mhdriver
        """)

    @Argument(help: ArgumentHelp("The folder.", valueName: "folder"), completion: .directory)
    var folder: String
    @Option(
      help: ArgumentHelp("A library that lies elsewhere; may be given again.", valueName: "file"), completion: .file())
    var library: [String] = []
    @Option(help: ArgumentHelp("The package; ID-VERSION.mhdriver by default.", valueName: "file"), completion: .file())
    var output: String?
    @OptionGroup var form: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() async throws {
      let made = try await GatewayPackages(locations: locations.locations).pack(
        folder: folder, libraries: library, output: output)
      let terminal = Terminal()
      guard !form.json else { return terminal.json(made) }
      terminal.out(
        "\(made.file): \(made.id) \(made.version) for \(made.platforms.joined(separator: ", ")), \(made.size) bytes, not signed"
      )
      if made.isStarted == false {
        terminal.error("there is no library for this machine in it, so none was started; an installation will start it")
      }
    }
  }
}
