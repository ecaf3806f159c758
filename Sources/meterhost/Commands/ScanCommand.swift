import ArgumentParser
import Foundation
import MeterDrivers
import MeterDrivers
import GatewayAPI
import ProgramTerminal
import Synchronization

/// `meterhost scan`: the meters in the air.
struct ScanCommand: AsyncParsableCommand, InterruptibleCommand {
  static let configuration = CommandConfiguration(
    commandName: "scan", abstract: "List the meters in the air.",
    discussion: """
      Listens, connects to nobody, and says which entries of the catalogue each meter may be; `meterhost read ID` reads it. It may run beside
      a read. Ctrl-C ends it and shows what was heard until then.

      EXAMPLES
        meterhost scan
        meterhost scan --type glucose_meter --timeout 30
        meterhost scan --all                                devices that the catalogue does not know, too
        meterhost scan --watch --json                       go on, one object for each meter that comes or changes
      """)

  @Option(help: ArgumentHelp("How long to listen.", valueName: "seconds"))
  var timeout = 10.0
  @Flag(help: "Go on until it is interrupted, and show each meter as soon as it is heard.")
  var watch = false
  @Flag(help: "Show devices that the catalogue does not know, too.")
  var all = false
  @Option(help: "Only meters of this type: \(PeripheralTypeArgument.allValueStrings.joined(separator: ", ")).")
  var type: PeripheralTypeArgument?
  @Option(help: ArgumentHelp("Only meters that may be this entry of the catalogue.", valueName: "id"))
  var peripheral: UInt32?
  @OptionGroup var radio: RadioOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var locations: LocationOptions

  func validate() throws {
    guard timeout > 0, timeout <= 86_400 else {
      throw ValidationError("--timeout takes seconds above 0, at most 86400; --watch has no end.")
    }
    guard !all || (type == nil && peripheral == nil) else {
      throw ValidationError("--all shows every device; --type and --peripheral choose some.")
    }
  }

  private var request: ScanRequest {
    var request = ScanRequest()
    request.timeout = watch ? nil : timeout
    request.showsAll = all
    request.type = type?.type.rawValue
    request.peripheral = peripheral
    request.radio = radio.choice
    return request
  }

  func run() async throws {
    let view = ScanView(json: output.json, timeout: request.timeout)
    let patience = Patience()
    let partner = ControlPartner<ScanTelling>(patience: patience) { view.show($0) }
    let (request, locations) = (request, locations)
    try await Interruption.whileRunning(onInterrupt: { patience.end() }) { _ in
      try await locations.converse(request, with: partner)
    }
  }
}

/// Shows what a scan hears: a table at the end, or a line at once for whoever watches.
private final class ScanView: Sendable {
  let terminal = Terminal()
  private let json: Bool
  private let timeout: Double?
  private let state = Mutex(State())

  private struct State {
    var heard: Set<String> = []
    var found: [SightingDescription] = []
  }

  /// Who sets no time watches.
  private var watches: Bool { timeout == nil }

  init(json: Bool, timeout: Double?) {
    self.json = json
    self.timeout = timeout
  }

  func show(_ telling: ScanTelling) {
    switch telling {
    case .listening:
      guard !json else { return }
      let time = timeout.map { "for \(Duration.seconds($0)); Ctrl-C ends it" } ?? "until Ctrl-C"
      terminal.notice("listening \(time)")
    case .heard(let device):
      if json { return terminal.json(device) }
      if watches { return terminal.out(device.line) }
      let count = state.withLock { state in
        state.heard.insert(device.address)
        return state.heard.count
      }
      terminal.progress(count == 1 ? "1 in the air" : "\(count) in the air")
    case .found(let device): if !json, !watches { state.withLock { $0.found.append(device) } }
    case .over(let others):
      guard !json, !watches else { return }
      terminal.endProgress()
      table(state.withLock(\.found), others)
    case .unknown: break
    }
  }

  private func table(_ found: [SightingDescription], _ others: Int) {
    guard !found.isEmpty else { return }
    terminal.table(
      ["ADDRESS", "DBM", "NAME", "PAIRED", "METER"],
      found.map { [$0.address, $0.strength, $0.shortName, $0.paired ? "yes" : "-", $0.meter] })
    if others > 0 {
      terminal.notice("\(others) other \(others == 1 ? "device" : "devices") in the air; --all shows every device")
    }
  }
}

extension SightingDescription {
  /// So many characters of a name fit a table.
  private static let longestShown = 32

  fileprivate var strength: String { rssi.map { "\($0)" } ?? "-" }

  fileprivate var shortName: String {
    guard let name, !name.isEmpty else { return "-" }
    return name.count > Self.longestShown ? name.prefix(Self.longestShown - 1) + "…" : name
  }

  /// Which meter it is, in the order of how likely that is; what is less so stands behind.
  fileprivate var meter: String {
    let names = { (reason: Entry.Reason) in
      self.entries.filter { $0.reason == reason }.map { "\($0.name) (\($0.id))" }
    }
    let best = names(.chosen) + [names(.ambiguous).joined(separator: " or ")].filter { !$0.isEmpty }
    let mayBe = names(.mayBe)
    let parts =
      best + (mayBe.isEmpty ? [] : ["may be \(mayBe.joined(separator: " or "))"])
      + names(.notRead).map { "\($0), which is not read" }
    return parts.isEmpty ? "-" : parts.joined(separator: ", ")
  }

  /// One line for people.
  fileprivate var line: String {
    "\(address)  \(strength) dBm  \(shortName)  \(meter)\(paired ? ", paired" : "")"
  }
}
