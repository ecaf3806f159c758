import ArgumentParser
import Foundation
import GatewayTools

extension DriverCommand {
  struct Decode: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "decode", abstract: "Decode captured characteristic values.",
      discussion: """
        Reads lines of JSON from standard input: {"id","peripheral","characteristic","hex","device":{"name","manufacturer"}?}
        and answers each with one line: {"id","records":[...],"error":null|{"code","message"}}. Empty lines are skipped. A line that
        cannot be decoded is answered with its error; the command still exits 0.

        EXAMPLE
          echo '{"id":"1","peripheral":4000,"characteristic":"2A1C","hex":"06680100ffe207030a15340002"}' | meterhost driver decode
        """)

    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() async throws {
      let decoder = try locations.gateway().decoder
      var input = LineReader(descriptor: STDIN_FILENO, maximumLength: DriverDecoder.maximumLineLength)
      let terminal = Terminal()
      while let lines = try input.next() {
        for answer in await decoder.decode(lines: lines) { terminal.json(answer) }
      }
    }
  }
}
