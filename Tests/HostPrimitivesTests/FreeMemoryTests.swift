import CLinux
import Foundation
import Testing

@Suite struct FreeMemoryTests {
  @Test func isGivenBackFromBetweenWhatIsUsed() {
    // Pieces that lie side by side and are too small for pages of their own: every 16th stays.
    let pieces = (0..<16_384).compactMap { _ in malloc(4_000) }
    for piece in pieces { memset(piece, 1, 4_000) }
    for (index, piece) in pieces.enumerated() where index % 16 != 0 { free(piece) }
    #expect(clinux_return_free_memory(UInt64.max) == 0)
    #expect(clinux_return_free_memory(8 << 20) == 1)
    for (index, piece) in pieces.enumerated() where index % 16 == 0 { free(piece) }
  }

  /// Code and constants come back as they were, whoever uses them meanwhile.
  @Test func codeThatIsLetGoOfComesBack() async {
    let sum: @Sendable () -> UInt64 = {
      (0..<1000).map { "\($0)" }.sorted().joined().utf8.reduce(0) { $0 &* 31 &+ UInt64($1) }
    }
    let expected = sum()
    await withDiscardingTaskGroup { group in
      for _ in 0..<4 {
        group.addTask { for _ in 0..<20 { #expect(sum() == expected) } }
      }
      for _ in 0..<20 {
        #expect(clinux_return_program_text() > 1 << 16)
        await Task.yield()
      }
    }
  }
}
