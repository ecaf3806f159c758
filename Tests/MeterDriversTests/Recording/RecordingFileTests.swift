import DriverRuntime
import Foundation
import TestSupport
import Testing

@testable import MeterDrivers

@Suite struct RecordingFileTests {
  private static let secret = [UInt8](repeating: 5, count: 16)

  private func head(_ size: Int = 0) throws -> RecordingHead {
    let hash = try #require(BundleHash(bytes: [UInt8](repeating: 3, count: 32)))
    return RecordingHead(
      id: Self.secret, origin: .session, createdMicroseconds: 1, driver: "org.example", driverVersion: "1.0.0",
      bundleName: "lib.so", bundleHash: hash, contract: .host, hostVersion: "0.1.0", peripheral: 1000, meterTag: [1],
      end: .fault, fault: "crashed", events: UInt32(size), isTruncated: false)
  }

  /// A file with a content of so many bytes, and the key that opens it.
  private func sealed(_ size: Int) throws -> (SealedRecording, key: [UInt8], content: [UInt8]) {
    var generator = SeededGenerator(seed: UInt64(size) + 1)
    let content = generator.bytes(size...size)
    var found: [UInt8] = []
    let sealed = try SealedRecording(try head(size), content: content) { key, _ throws(RecordingError) in
      found = key
      return [SealedRecording.WrappedKey(holder: .vault, fingerprint: [], bytes: [1])]
    }
    return (sealed, found, content)
  }

  @Test(arguments: [0, 1, 65_535, 65_536, 65_537, 200_000]) func whatIsSealedOpens(size: Int) throws {
    let (sealed, key, content) = try sealed(size)
    let read = try SealedRecording(file: sealed.bytes)
    #expect(read == sealed || read.head == sealed.head)
    #expect(try read.content(key: key) == content)
    #expect(try SealedRecording.head(of: Array(sealed.bytes.prefix(RecordingHead.longest))) == sealed.head)
    #expect(throws: RecordingError.self) { try read.content(key: [UInt8](repeating: 0, count: 32)) }
  }

  @Test func everyCutIsFound() throws {
    let (sealed, key, _) = try sealed(150_000)
    let file = sealed.bytes
    for length in Array(0..<400) + Array(stride(from: 400, to: file.count, by: 997)) + [file.count - 1] {
      let error = #expect(throws: RecordingError.self) {
        try SealedRecording(file: Array(file.prefix(length))).content(key: key)
      }
      let isBegun = length >= SealedRecording.mark.count
      let allowed: [RecordingError.Code] = isBegun ? [.cutOff, .damaged] : [.notARecording]
      #expect(allowed.contains { $0 == error?.code }, "\(length)")
      #expect(error?.offset != nil)
    }
    // Cut between two chunks: every chunk that is there is whole.
    let chunk = 4 + SealedRecording.chunkSize + 16
    let start = file.count - (2 * chunk + 4 + (150_000 - 2 * SealedRecording.chunkSize) + 16)
    for count in [1, 2] {
      let error = #expect(throws: RecordingError.self) {
        try SealedRecording(file: Array(file.prefix(start + count * chunk))).content(key: key)
      }
      #expect(error?.code == .cutOff)
    }
  }

  @Test func exchangedAndMissingChunksAreFound() throws {
    let (sealed, key, _) = try sealed(4 * 65_536)
    let file = sealed.bytes
    let chunk = 4 + SealedRecording.chunkSize + 16
    let start = file.count - 4 * chunk
    let chunks = (0..<4).map { Array(file[start + $0 * chunk..<start + ($0 + 1) * chunk]) }
    let head = Array(file[..<start])
    for order in [[1, 0, 2, 3], [0, 2, 1, 3], [0, 1, 3], [1, 2, 3], [0, 0, 1, 2, 3], [0, 1, 2, 3, 3]] {
      let changed = head + order.flatMap { chunks[$0] }
      let error = #expect(throws: RecordingError.self) { try SealedRecording(file: changed).content(key: key) }
      #expect(error?.code == .damaged, "\(order)")
    }
    // A chunk of another recording under the same key would need the same head.
    var other = sealed
    other.keys = []
    #expect(other.binding == sealed.binding)
  }

  @Test func everyChangedByteIsFoundOrChangesNothingThatIsRead() throws {
    let (sealed, key, content) = try sealed(3000)
    let file = sealed.bytes
    for index in file.indices {
      var changed = file
      changed[index] ^= 0x41
      guard let read = try? SealedRecording(file: changed) else { continue }
      // Keys are judged by who unwraps them; everything else is bound to the content.
      if let opened = try? read.content(key: key) {
        #expect(opened == content && read.head == sealed.head && read.keys != sealed.keys, "byte \(index)")
      }
    }
  }

  @Test func whatCouldNotBeReadAgainIsNotWritten() throws {
    let content = [UInt8](repeating: 0, count: SealedRecording.largestContent + 1)
    let error = #expect(throws: RecordingError.self) {
      try SealedRecording(head(), content: content) { _, _ throws(RecordingError) in [] }
    }
    #expect(error?.code == .tooLarge)
    let opening = RecordingFrame.opening(RecordingBench.opening).bytes
    let closed = RecordingFrame.step(.closed).bytes
    let steps = [[UInt8]](repeating: closed, count: Recording.mostSteps).flatMap(\.self)
    #expect(try Recording(head: head(), content: opening + steps).steps.count == Recording.mostSteps)
    let many = #expect(throws: RecordingError.self) { try Recording(head: head(), content: opening + steps + closed) }
    #expect(many?.code == .damaged && many?.offset == opening.count + steps.count)
  }

  @Test(arguments: [Int64.min, .min + 1, RecordedTime.range.lowerBound - 1, RecordedTime.range.upperBound + 1, .max])
  func timesThatCannotBeAreRefused(time: Int64) throws {
    let opening = RecordingFrame.opening(RecordingBench.opening).bytes
    let event = DriverEvent(sequence: 1, monotonicNanoseconds: 0, unixMicroseconds: time, fact: .connected(mtu: 23))
    let captured = CapturedStep(unixMicroseconds: time, content: .fact(.connected(mtu: 23)))
    for step in [RecordingStep.event(event), .captured(captured)] {
      let error = #expect(throws: RecordingError.self) {
        try Recording(head: head(), content: opening + RecordingFrame.step(step).bytes)
      }
      #expect(error?.code == .damaged && error?.offset == opening.count)
    }
  }

  @Test func supportKeysWrapForOneRecordingOnly() throws {
    let pair = SupportKey()
    let again = try SupportKey(file: pair.file)
    let publicKey = try SupportKey.Public(file: pair.publicKey.file)
    #expect(publicKey.fingerprint == again.publicKey.fingerprint)
    let wrapped = try publicKey.wrap([1, 2, 3], info: [9])
    #expect(try again.unwrap(wrapped, info: [9]) == [1, 2, 3])
    #expect(throws: RecordingError.self) { try again.unwrap(wrapped, info: [8]) }
    #expect(throws: RecordingError.self) { try SupportKey().unwrap(wrapped, info: [9]) }
    for length in 0..<wrapped.count {
      #expect(throws: RecordingError.self) { try again.unwrap(Array(wrapped.prefix(length)), info: [9]) }
    }
    for file in [[], Array("x y".utf8), pair.publicKey.file, Array("meterhost-support-private-1 AAAA".utf8)] {
      #expect(throws: RecordingError.self) { try SupportKey(file: file) }
    }
    #expect(throws: RecordingError.self) { try SupportKey.Public(file: pair.file) }
  }

  @Test func mutatedContentIsRefusedWithItsPlaceAndNeverCrashes() async throws {
    let recording = try await RecordingBench.record([[1], [9], [6]], isolation: .inProcess)
    let content = recording.content
    #expect(try Recording(head: recording.head, content: content) == recording)
    var generator = SeededGenerator(seed: 77)
    for _ in 0..<3000 {
      var changed = content
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        let place = Int.random(in: changed.indices, using: &generator)
        changed[place] =
          [0, 1, 0x7F, 0xFF, UInt8.random(in: 0...255, using: &generator)][Int.random(in: 0...4, using: &generator)]
      }
      if Bool.random(using: &generator) { changed.removeLast(Int.random(in: 0..<changed.count, using: &generator)) }
      do throws(RecordingError) {
        let read = try Recording(head: recording.head, content: changed)
        // What is read has one form.
        let again = try Recording(head: read.head, content: read.content)
        #expect(again.content == read.content)
      } catch {
        #expect(error.code == .damaged && error.offset != nil)
      }
    }
    let opening = RecordingFrame.opening(recording.opening).bytes.count
    for length in 0..<opening {
      #expect(throws: RecordingError.self) {
        try Recording(head: recording.head, content: Array(content.prefix(length)))
      }
    }
  }
}
