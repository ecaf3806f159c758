import MeterDrivers
import Testing
import VirtualMeter

@testable import MeterBluetooth

@Suite("A disk that fails at every commit", .timeLimit(.minutes(5)))
struct FailingCommitTests {
  @Test(
    "nothing is confirmed that is not on disk, and the next read brings the rest",
    arguments: DroppedLinkTests.profiles)
  func everyCommit(profile: DroppedLinkTests.Profile) async throws {
    var failures = 0
    for change in 1...100 {
      let meter = try profile.make("")
      let bench = try ReadBench(meter, isolation: change % 4 == 0 ? .worker : .inProcess)
      try bench.breakDisk(atChange: change)
      let broken = try await bench.read(profile.peripheral)
      guard broken.end != "completed" else { break }
      failures += 1
      #expect(broken.error?.code == .storeFailure, "change \(change): \(broken.words)")
      #expect(broken.error?.message.contains("injected") == true)
      // What the meter was told to forget is on disk.
      let onDisk = try bench.readings
      #expect(meter.recordsLeft + onDisk.count >= profile.expected.count, "change \(change)")
      #expect(broken.submitted.count == onDisk.count)
      try bench.mendDisk()
      let clean = try await bench.read(profile.peripheral)
      #expect(clean.end == "completed", "change \(change): \(clean.words) \(clean.error?.message ?? "")")
      let readings = try bench.readings
      #expect(Set(readings) == Set(profile.expected) && readings.count == profile.expected.count, "change \(change)")
    }
    #expect(failures >= profile.expected.count)
  }
}
