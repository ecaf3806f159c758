import Foundation
import TestSupport
import Testing

import DriverContract
@testable import DriverRuntime

/// What a fuzzer found, or began with, stays harmless: `scripts/fuzz-worker` looks for more.
@Suite struct ProtocolFuzzTests {
  private static var corpus: [URL] {
    let folder = CompiledBundle.root.appending(path: "Tests/Fuzz/WorkerProtocol/corpus")
    return (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
  }

  @Test func theCorpusIsHarmless() throws {
    let files = Self.corpus
    #expect(files.count >= ProtocolSeeds.all.count)
    for file in files {
      do { try Data(contentsOf: file).withUnsafeBytes { try ProtocolFuzz.run($0.bindMemory(to: UInt8.self)) } } catch {
        Issue.record("\(file.lastPathComponent): \(error)")
      }
    }
  }

  @Test func whatItBeginsWithIsUnderstood() throws {
    for seed in ProtocolSeeds.all {
      var random = SeededGenerator(seed: 3)
      for round in 0..<200 {
        var bytes = seed.bytes
        if round > 0 { bytes[Int.random(in: 1..<bytes.count, using: &random)] = .random(in: 0...255, using: &random) }
        do { try bytes.withUnsafeBufferPointer { try ProtocolFuzz.run($0) } } catch {
          Issue.record("\(seed.name), \(round): \(error)")
        }
      }
    }
  }
}
