import Glibc
import Testing

@testable import GatewayEngine

@Suite("What the kernel says of a process") struct ProcessFiguresTests {
  private static let stat =
    "77 (a b) c) S 1 77 77 0 -1 4194560 100 0 0 0 250 150 0 0 20 0 8 0 5000 1048576 256 18446744073709551615 1 1 0"

  @Test("its name may hold anything") func fields() {
    let figures = ProcessFigures(
      stat: Self.stat, kernel: "cpu 1 2\nbtime 1700000000\nprocesses 5\n",
      limits: "Limit  Soft  Hard  Units\nMax open files            1024                 65536                files\n",
      ticks: 100, page: 4096)
    #expect(figures.cpuSeconds == 4 && figures.virtualBytes == 1_048_576 && figures.residentBytes == 1_048_576)
    #expect(figures.startSeconds == 1_700_000_050 && figures.mostDescriptors == 1024)
  }

  @Test("what is not there is not known", arguments: ["", "77", "77 (a", "77 (a) S x y z"]) func missing(stat: String) {
    let figures = ProcessFigures(stat: stat, kernel: "", limits: "Max open files", ticks: 100, page: 4096)
    #expect(figures == ProcessFigures())
  }

  @Test("an unlimited number of descriptors is no number") func unlimited() {
    let figures = ProcessFigures(
      stat: Self.stat, kernel: "", limits: "Max open files unlimited unlimited files\n", ticks: 100, page: 1)
    #expect(figures.mostDescriptors == nil && figures.startSeconds == nil)
  }

  @Test("of this process all is known") func now() {
    let before = ProcessFigures.now
    let descriptor = open("/dev/null", O_RDONLY)
    defer { close(descriptor) }
    let figures = ProcessFigures.now
    #expect(figures.cpuSeconds != nil && figures.residentBytes ?? 0 > 1_000_000 && figures.virtualBytes != nil)
    #expect(figures.startSeconds ?? 0 > 1_600_000_000 && figures.mostDescriptors != nil)
    #expect(before.openDescriptors ?? 0 > 2 && figures.openDescriptors ?? 0 > 2)
  }
}
