import Foundation
import TestSupport
import Testing

@testable import MeterBluetooth

/// What `scripts/fuzz-att` looks for without end, here with inputs that are always the same.
@Suite("Hostile servers", .jumpingTime, .timeLimit(.minutes(60)))
struct HostileServerTests {
  private static let rounds = Nightly.isOn ? 4000 : 150

  @Test("nothing hangs, breaks a limit, or delivers what was not sent", arguments: 0..<32 as Range<UInt64>)
  func random(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    for round in 0..<Self.rounds {
      let input = random.bytes(0...Int.random(in: 1...200, using: &random))
      do { try await ATTFuzz.run(input) } catch { Issue.record("seed \(seed), round \(round), \(input): \(error)") }
    }
  }

  @Test("what the fuzzer found, or began with, stays harmless")
  func corpus() async throws {
    let folder = CompiledBundle.root.appending(path: "Tests/Fuzz/AttributeProtocol/corpus")
    let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    #expect(files.count >= 10)
    for file in files {
      do { try await ATTFuzz.run(Array(try Data(contentsOf: file))) } catch {
        Issue.record("\(file.lastPathComponent): \(error)")
      }
    }
  }

  /// A server that is honest up to some request and then does one thing: each deed in each place.
  @Test("each deed at each request", arguments: 0..<10 as Range<UInt8>)
  func everyPlace(deed: UInt8) async throws {
    let parameters: [[UInt8]] = [
      [], [0], [1, 0xFF], [2, 0x1B, 3], [4, 0x1D, 3, 0, 1], [0xFF], [5, 0x01, 0x08, 0, 0, 0x05],
    ]
    for place in 0..<40 {
      for parameters in parameters {
        let input = [UInt8](repeating: 0, count: place) + [deed] + parameters
        do { try await ATTFuzz.run(input) } catch { Issue.record("\(input): \(error)") }
      }
    }
  }
}
