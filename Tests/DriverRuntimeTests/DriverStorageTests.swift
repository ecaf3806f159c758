import CMeterDriver
import Foundation
import HostPrimitives
import Testing

import DriverContract
@testable import DriverRuntime

/// Drivers, the worker and the database tell keys apart by their bytes.
@Suite("Keys of drivers that look the same")
struct DriverStorageTests {
  private static let composed = "user/jos\u{E9}"
  private static let decomposed = "user/jose\u{301}"

  @Test("are two keys, each with a value of its own, before the commit and behind it")
  func two() {
    var storage = DriverStorage([ExactText(Self.composed): [1]])
    #expect(storage.set(Self.decomposed, [2]) == MH_OK)
    for _ in 0..<2 {
      #expect(storage.value(Self.composed) == [1] && storage.value(Self.decomposed) == [2])
      for write in storage.takeWrites() { #expect(write.key.isExactly(Self.decomposed) && write.value == [2]) }
    }
    #expect(storage.set(Self.composed, []) == MH_OK)
    #expect(storage.value(Self.composed) == nil && storage.value(Self.decomposed) == [2])
  }

  @Test("both come to the worker")
  func wire() throws {
    var opening = DriverOpening()
    opening.keys = [ExactText(Self.composed): [1], ExactText(Self.decomposed): [2]]
    let message = HostMessage.open(driver: "d", opening)
    guard case .open("d", let back) = try HostMessage(type: message.type, payload: message.payload) else {
      Issue.record("another message")
      return
    }
    #expect(back.keys == opening.keys && back.keys.count == 2)
  }

  /// The frame of an opening with these keys, in this order.
  private func frame(_ keys: [String]) throws -> [UInt8] {
    var opening = DriverOpening(advertisement: Array("before".utf8), assets: [:])
    opening.keys = [ExactText("user/a"): [7], ExactText("user/b"): [7]]
    let whole = RecordingFrame.opening(opening).bytes
    let table = { (keys: [String]) -> [UInt8] in
      var writer = WireWriter()
      writer.put(keys) {
        $0.put($1)
        $0.put([7] as [UInt8])
      }
      return writer.bytes
    }
    let range = try #require(Data(whole).firstRange(of: Data(table(["user/a", "user/b"]))))
    var payload = Array(whole[RecordingFrame.headSize..<range.lowerBound])
    payload += table(keys) + whole[range.upperBound...]
    var writer = WireWriter()
    writer.put(UInt8(1))
    writer.put(payload)
    return writer.bytes
  }

  @Test("go by their bytes", arguments: [[Self.decomposed, "user/josf"], ["user/jos", Self.composed]])
  func order(keys: [String]) throws {
    var reader = WireReader(try frame(keys))
    guard case .opening(let opening) = try RecordingFrame(from: &reader) else {
      Issue.record("another frame")
      return
    }
    #expect(Set(opening.keys.keys) == Set(keys.map(ExactText.init)))
  }

  @Test(
    "are refused when one comes twice, or in another order", arguments: [["user/b", "user/a"], ["user/a", "user/a"]])
  func twice(keys: [String]) throws {
    var reader = WireReader(try frame(keys))
    #expect(throws: WireError.self) { try RecordingFrame(from: &reader) }
  }

  @Test("begin with what their bytes begin with: a mark behind the last letter makes no other place of it")
  func place() {
    #expect(DriverStorage.isSecret("user/secret/\u{301}key") && DriverStorage.isSecret("meter/secret/\u{301}"))
    #expect(DriverStorage.isKey("user/\u{301}key") && DriverStorage.isReadable("credential/\u{301}"))
    #expect(!DriverStorage.isSecret("user/secret") && !DriverStorage.isKey("user/"))
  }
}
