import ArgumentParser
import GatewayAPI
import MeterCore

extension SessionCommand {
  struct Body: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "body",
      abstract: "Say what the user's body is like, so that body composition is computed of weighings.",
      discussion: """
        Nothing is computed before this was said. Of a weighing of the Mi Body Composition Scale with an impedance, fat-free mass and body
        fat follow by a published formula (docs/reference/records.md names it and whom it holds for); they stand beside the reading as
        derived_fat_free_mass and derived_body_fat, and are delivered with it. What was said goes with the session.

        EXAMPLES
          meterhost session body --height 172 --sex female --born 1980-05-17
          meterhost session body --off
        """)

    enum Sex: String, ExpressibleByArgument, CaseIterable {
      case female, male

      var choice: BodyProfile.Sex {
        switch self {
        case .female: .female
        case .male: .male
        }
      }
    }

    @Option(help: ArgumentHelp("The height: 100 to 230.", valueName: "cm"))
    var height: Double?
    @Option(help: "The sex that the formula tells apart.")
    var sex: Sex?
    @Option(help: ArgumentHelp("The day of birth.", valueName: "YYYY-MM-DD"))
    var born: String?
    @Flag(help: "Forget it: nothing is computed from now on.")
    var off = false
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func validate() throws {
      let isWhole = height != nil && sex != nil && born != nil
      let isNothing = height == nil && sex == nil && born == nil
      guard off ? isNothing : isWhole else {
        throw ValidationError("Name --height, --sex and --born, or --off alone.")
      }
      guard off || profile != nil else {
        throw ValidationError("--height takes 100 to 230 centimetres, --born a day such as 1980-05-17.")
      }
    }

    private var profile: BodyProfile? {
      guard let height, let sex, let born else { return nil }
      return BodyProfile(heightCentimetres: height, sex: sex.choice, born: born)
    }

    private var description: BodyDescription? {
      profile.map {
        BodyDescription(heightCentimetres: $0.heightCentimetres, sex: $0.sex.rawValue, born: $0.born)
      }
    }

    func run() async throws {
      let session = try await locations.perform(SessionBodyRequest(off ? nil : description))
      let terminal = Terminal()
      guard !output.json else { return terminal.json(session) }
      terminal.out(session.body.map(SessionText.body) ?? "forgotten: nothing is computed of weighings")
    }
  }
}

extension SessionText {
  /// A body in one line.
  static func body(_ body: BodyDescription) -> String {
    let height = body.heightCentimetres
    let text = Int(exactly: height).map { "\($0)" } ?? "\(height)"
    return "\(text) cm, \(body.sex), born \(body.born)"
  }
}
