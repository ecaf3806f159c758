import DriverRuntime
import Foundation
import TestSupport
import Testing

@testable import MeterDrivers
@testable import GatewayAPI
@testable import GatewayTools

/// What is shown of recordings that come from elsewhere: anybody may have made them.
@Suite struct RecordingDescriptionTests {
  private func head(created: Int64 = 1_700_000_000_000_000) throws -> RecordingHead {
    let hash = try #require(BundleHash(bytes: [UInt8](repeating: 3, count: 32)))
    return RecordingHead(
      id: [UInt8](repeating: 5, count: 16), origin: .session, createdMicroseconds: created, driver: "org.example",
      driverVersion: "1.0.0", bundleName: "lib.so", bundleHash: hash, contract: .host, hostVersion: "0.1.0",
      peripheral: 1000, meterTag: [1], end: .orderly, fault: "", events: 2, isTruncated: false)
  }

  private func event(_ time: Int64) -> RecordingStep {
    .event(DriverEvent(sequence: 1, monotonicNanoseconds: 0, unixMicroseconds: time, fact: .connected(mtu: 23)))
  }

  private func described(_ recording: Recording) throws -> RecordingContentDescription {
    let sealed = try SealedRecording(recording.head, content: recording.content) { _, _ throws(RecordingError) in
      [SealedRecording.WrappedKey(holder: .vault, fingerprint: [], bytes: [1])]
    }
    var description = RecordingContentDescription(
      RecordingDescription(name: "a", size: 1, isKept: false, head: recording.head), sealed)
    description.add(recording)
    return description
  }

  @Test(arguments: [Int64.min, -1, 0, .max]) func aDateThatCannotBeIsNotShown(created: Int64) throws {
    let description = RecordingDescription(name: "a", size: 1, isKept: false, head: try head(created: created))
    #expect(description.created == nil && description.driver == "org.example")
    let known = RecordingDescription(name: "a", size: 1, isKept: false, head: try head())
    #expect(known.created == "2023-11-14T22:13:20Z")
  }

  @Test func timesFarApartAreShown() throws {
    for (first, last) in [(Int64.min, Int64.max), (.max, .min), (0, 2_500_000)] {
      let steps = [event(first), event(last)]
      let description = try described(Recording(head: head(), opening: DriverOpening(), steps: steps))
      #expect(description.facts == ["connected": 2] && description.seconds?.isFinite == true)
    }
  }

  @Test func whatIsChangedIsRefusedOrShown() throws {
    let captured = CapturedStep(unixMicroseconds: 7, content: .read(handle: 3, value: [1, 2], status: 0))
    let fault = DriverFault(.crashed, driver: "org.example", message: "the worker died")
    let recording = Recording(
      head: try head(), opening: DriverOpening(),
      steps: [
        event(1), .service(.random(count: 4), ServiceAnswer(status: 0, output: [1, 2, 3, 4])), .unit(DriverUnit()),
        event(2), .unitDigest([UInt8](repeating: 1, count: 32)), .captured(captured), .refusedOutput(fault),
        .closingFault(fault), .full,
      ])
    var generator = SeededGenerator(seed: 21)
    var shown = 0
    for _ in 0..<2000 {
      var content = recording.content
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        let place = Int.random(in: content.indices, using: &generator)
        content[place] = [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &generator) ?? 0
      }
      guard let read = try? Recording(head: recording.head, content: content) else { continue }
      #expect(try described(read).opened)
      shown += 1
    }
    #expect(shown > 0)
  }
}
