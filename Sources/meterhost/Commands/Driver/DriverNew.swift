import ArgumentParser
import Foundation
import GatewayAPI
import GatewayTools

extension DriverCommand {
  struct New: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "new",
      abstract: "Make the folder of a new bundle: a whole driver that builds, with tests and something to read.",
      discussion: """
        The bundle reads a made-up meter with stored readings, or with --kind import the made-up export of a tracker; change it into
        yours step by step. It has a copy of the SDK in it and builds wherever it is moved. docs/ship-a-meter.md,
        docs/drivers-in-rust.md and docs/read-an-export.md lead through the rest.

        EXAMPLES
          meterhost driver new --language c kitchen-scale
          meterhost driver new --language swift kitchen-scale --id com.acme.kitchen-scale --output drivers/kitchen-scale
          meterhost driver new --language rust kitchen-scale
          meterhost driver new --kind import --language c step-tracker
        """)

    enum Language: String, CaseIterable, ExpressibleByArgument {
      case c, swift, rust

      var choice: NewBundle.Language {
        switch self {
        case .c: .c
        case .swift: .swift
        case .rust: .rust
        }
      }
    }

    enum Kind: String, CaseIterable, ExpressibleByArgument {
      case meter, `import`

      var choice: NewBundle.Kind {
        switch self {
        case .meter: .meter
        case .import: .import
        }
      }
    }

    @Argument(help: "Up to 20 lower-case letters and digits, with hyphens between words.")
    var name: String
    @Option(help: "What the driver is written in.")
    var language: Language
    @Option(help: "What the driver reads: a meter, or the exports of a program that keeps health data (C only).")
    var kind = Kind.meter
    @Option(help: ArgumentHelp("The folder to make; without it ./NAME.", valueName: "folder"))
    var output: String?
    @Option(help: ArgumentHelp("The driver's id; without it org.example.NAME.", valueName: "reverse-DNS name"))
    var id: String?
    @OptionGroup var kit: KitOptions
    @OptionGroup var result: OutputOptions

    func run() throws {
      let made = try NewBundle.make(
        BundleName(name, id: id), language.choice, kind: kind.choice, from: kit.kit(), at: output, program: Self.program
      )
      let terminal = Terminal()
      guard !result.json else { return terminal.json(made) }
      let meter = made.peripheral.map { ", meter \($0)" } ?? ""
      terminal.out("\(made.folder): driver \(made.id)\(meter)")
      terminal.out("")
      terminal.list([
        ("build it:", made.commands.build), ("test it:", made.commands.test),
        (made.kind == .meter ? "read its virtual meter:" : "read its sample:", made.commands.read),
      ])
    }

    /// `meterhost` where the PATH leads to this very program, else its path.
    private static var program: String {
      let own = LocalPlaces.program
      for folder in (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":") {
        let candidate = "\(folder)/meterhost"
        guard access(candidate, X_OK) == 0 else { continue }
        return URL(fileURLWithPath: candidate).resolvingSymlinksInPath().path == own ? "meterhost" : own
      }
      return own
    }
  }
}

/// Where the SDK for driver authors is.
struct KitOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The SDK for driver authors; without it METERHOST_SDK, the bundle's own copy, the installed one.",
      valueName: "folder"))
  var sdk: String?

  /// - Parameters:
  ///   - hasTemplates: Whether a bundle is made of it.
  ///   - bundle: The folder of the bundle that it is for.
  func kit(hasTemplates: Bool = true, bundle: String? = nil) throws(GatewayError) -> AuthoringKit {
    try AuthoringKit(named: sdk, hasTemplates: hasTemplates, bundle: bundle)
  }
}
