import Foundation
import TestSupport
import Testing

@testable import MeterDrivers

@Suite("R20 what an ELF file says") struct ELFInspectorTests {
  private func content() throws -> [UInt8] { [UInt8](try Data(contentsOf: CompiledBundle.make())) }

  @Test func readsWhatTheLinkerWrote() throws {
    let object = try ELFInspector(try content())
    #expect(object.exports == ["mh_driver_entry"])
    #expect(object.needed == ["libc.so.6"])
    #expect(object.contracts == [.host])
    #expect(!object.wantsExecutableStack && !object.writesCode && object.searchPaths.isEmpty)
  }

  @Test func everyTruncationIsAnErrorOrHarmless() throws {
    let content = try content()
    let whole = try ELFInspector(content)
    for length in 0..<min(content.count, 6000) {
      guard let object = try? ELFInspector(Array(content[..<length])) else { continue }
      #expect(object.exports.isEmpty || object == whole)
    }
    #expect(throws: ELFError.self) { try ELFInspector([]) }
    #expect(throws: ELFError.self) { try ELFInspector(Array(content[..<64])) }
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>) func mutationsNeverTrap(seed: UInt64) throws {
    let content = try content()
    var random = SeededGenerator(seed: seed)
    var readable = 0
    // Heads and the dynamic segment's bytes decide; the code in between is not read.
    let dynamic = content.count - min(content.count, 8192)
    for round in 0..<4000 {
      var bytes = content
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let place =
          round % 2 == 0
          ? Int.random(in: 4..<min(1024, bytes.count), using: &random)
          : Int.random(in: dynamic..<bytes.count, using: &random)
        bytes[place] = [0, 0x7f, 0x80, 0xff, .random(in: 0...255, using: &random)].randomElement(using: &random) ?? 0
      }
      if (try? ELFInspector(bytes)) != nil { readable += 1 }
    }
    #expect(readable > 0 && readable < 4000)
  }

  @Test(arguments: [32, 64 + 8, 64 + 32, 120 + 8, 120 + 16, 120 + 32] as [Int])
  func hugeOffsetsAreErrors(place: Int) throws {
    for pattern: UInt64 in [.max, .max - 55, 1 << 63, 1 << 40] {
      var bytes = try content()
      withUnsafeBytes(of: pattern.littleEndian) { bytes.replaceSubrange(place..<place + 8, with: $0) }
      if let object = try? ELFInspector(bytes) { #expect(object.exports.count <= 1) }
    }
  }
}
