import ArgumentParser
import Foundation
import GatewayAPI

extension HealthCommand {
  /// `meterhost health ingest`: exports that phones post.
  struct Ingest: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "ingest", abstract: "Let phones' automations post what they export.",
      discussion: """
        The running host takes exports at POST /ingest/auto, where it is told to listen: off until then. Each source has a token of its own,
        which belongs to the session's user and goes with the session. It speaks plain HTTP: who reads along in the network can read tokens and
        health data, so put a proxy with TLS in front of it wherever that is not your own.
        """, subcommands: [Show.self, Listen.self, Token.self], defaultSubcommand: Show.self)

    struct Show: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show where the host listens, and what waits to be imported.",
        discussion: "EXAMPLE\n  meterhost health ingest show")

      @OptionGroup var output: OutputOptions
      @OptionGroup var locations: LocationOptions

      func run() async throws {
        IngestView(json: output.json).show(try await locations.perform(HealthIngestShowRequest()))
      }
    }

    struct Listen: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "listen", abstract: "Choose where the running host takes exports, or that it takes none.",
        discussion: """
          An address of this machine or its network and a port; a running host follows at once. IPv6 stands in brackets.

          EXAMPLES
            meterhost health ingest listen 127.0.0.1:8099
            meterhost health ingest listen 192.168.1.20:8099
            meterhost health ingest listen off
          """)

      @Argument(help: ArgumentHelp("ADDRESS:PORT, or off.", valueName: "address"))
      var address: String
      @OptionGroup var output: OutputOptions
      @OptionGroup var locations: LocationOptions

      func run() async throws {
        let request = HealthIngestListenRequest(address == "off" ? nil : address)
        let endpoint = try await locations.perform(request)
        IngestView(json: output.json).show(endpoint)
        guard endpoint.address != nil, !endpoint.isLoopback else { return }
        let terminal = Terminal()
        terminal.error(
          "\(terminal.styled("warning:", .yellow)) this is plain HTTP: who reads along in the network can read tokens and health data; "
            + "put a proxy with TLS in front of it")
      }
    }
  }
}

private struct IngestView {
  let json: Bool

  func show(_ endpoint: HealthIngestDescription) {
    let terminal = Terminal()
    guard !json else { return terminal.json(endpoint) }
    terminal.list([
      ("address", endpoint.address ?? "off"), ("listens", endpoint.url ?? ""),
      ("waiting", endpoint.waiting == 0 ? "" : "\(endpoint.waiting) (\(endpoint.waitingBytes) bytes)"),
    ])
    if let problem = endpoint.problem {
      terminal.error(problem)
    } else if endpoint.address != nil, endpoint.url == nil {
      terminal.error("nobody listens yet; `meterhost run` does, a moment after it was told")
    }
  }
}
