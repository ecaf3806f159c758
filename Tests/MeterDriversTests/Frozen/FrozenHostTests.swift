import Foundation
import MeterDrivers
import TestSupport
import Testing

/// Today's bundles run under every frozen host of their major, which has the least room that the contract promises and
/// stops at whatever its version does not have.
@Suite("R4 frozen hosts") struct FrozenHostTests {
  static let cases = FrozenContract.served.flatMap { contract in
    BuildProducts.registeredBundles.map { (contract, $0) }
  }

  private func run(_ contract: FrozenContract, _ bundle: String, _ script: [String]) throws -> [String] {
    let (status, lines) = try contract.run(BuildProducts.bundle(bundle), script)
    #expect(status == 0 && !lines.contains { $0.hasPrefix("broken") }, "\(lines.suffix(5))")
    return lines
  }

  @Test(arguments: cases)
  func decodesEveryVectorAsItSays(contract: FrozenContract, name: String) throws {
    let bundle = try FrozenBundle(name)
    guard bundle.canDecode else { return }
    #expect(bundle.vectors.count > 10)
    // One record at a time, a few, and more than there are.
    for room in [1, 4, 32] {
      let script = bundle.batches.flatMap { $0.vectors.map(bundle.slice) + [$0.decode] }
      let lines = try run(contract, name, ["room \(room)"] + script)
      #expect(lines.first?.hasPrefix("driver \(bundle.id) ") == true)
      let decoded = FrozenBundle.decoded(lines)
      let vectors = bundle.batches.flatMap(\.vectors)
      #expect(decoded.count == vectors.count)
      for (vector, found) in zip(vectors, decoded) { #expect(found == bundle.expected(vector), "\(vector.id)") }
      #expect(lines.filter { $0.hasPrefix("status") }.allSatisfy { $0 == "status 0" })
    }
  }

  /// What comes of a later minor, and what a host does wrong.
  @Test(arguments: cases)
  func refusesWhatItDoesNotKnow(contract: FrozenContract, name: String) throws {
    let bundle = try FrozenBundle(name)
    if bundle.canDecode {
      let vector = try #require(bundle.vectors.first)
      let lines = try run(
        contract, name,
        [
          "slice \(bundle.characteristic(of: vector)) \(vector.hex) flags=0x8000", "decode 1\(bundle.someArguments)",
          "outside \(bundle.characteristic(of: vector))", "decode 1\(bundle.someArguments)",
        ])
      #expect(lines.dropFirst() == ["slice -2", "status 0", "status -1"])
    }
    let lines = try run(
      contract, name,
      [
        "open 99", "open 6", "open 7", "open 1\(bundle.someArguments)", "event 99", "event 99 token=1 hex=00",
        "event 1 mtu=23", "event 17", "close",
      ])
    #expect(lines.filter { $0.hasPrefix("open") } == ["open -2", "open -2", "open -2", "open 0"])
    // An event that it does not know is passed over, or said to be unknown; the session goes on.
    let statuses = lines.filter { $0.hasPrefix("status") }
    #expect(statuses.prefix(2).allSatisfy { ["status -2", "status 0"].contains($0) })
    #expect(statuses.dropFirst(2) == ["status 0", "status 0"])
  }

  @Test(arguments: FrozenContract.served) func aSwiftBundlesSessionRunsToItsEnd(contract: FrozenContract) throws {
    let vector = try #require(try FrozenBundle("glucose").vectors.first { $0.id == "gls-contour-30" })
    let lines = try run(
      contract, "glucose",
      [
        "open 1 peripheral=1000", "event 1 mtu=247", "services 1808 3:10:2A18 5:10:2A34 7:28:2A52",
        "event 6 token=1 handle=3", "event 6 token=2 handle=5", "event 6 token=3 handle=7", "event 10 token=4 handle=7",
        "event 7 handle=3 hex=\(vector.hex)", "event 8 handle=7 hex=06000101",
        // The context that the packet announces does not come.
        "event 11 token=6", "close",
      ])
    #expect(lines.contains("open 0"))
    #expect(lines.filter { $0.hasPrefix("action 1 ") }.count == 3, "three subscriptions: \(lines)")
    #expect(lines.contains { $0.hasPrefix("action 4 ") }, "the request for records: \(lines)")
    #expect(
      lines.contains { $0.hasPrefix("record kind=1 ") } && lines.contains { $0.hasPrefix("action 13 ") }, "\(lines)")
    #expect(!lines.contains { $0.hasPrefix("status -") }, "\(lines)")
  }

  @Test(arguments: FrozenContract.served) func aCBundlesSessionRunsToItsEnd(contract: FrozenContract) throws {
    let lines = try run(
      contract, "thermometer",
      [
        "open 1 peripheral=1 param=5:1", "services 1809 3:20:2A1C 5:10:2A1E", "event 6 token=1 handle=3",
        "event 6 token=2 handle=5", "event 7 handle=5 hex=006c0100ff", "event 8 handle=3 hex=04530d00fe09",
        "event 15 status=19", "close",
      ])
    #expect(lines.contains("open 0"))
    #expect(lines.contains { $0.hasPrefix("record kind=1 flags=0 ") }, "\(lines)")
    #expect(lines.contains { $0.contains("raw=3411 exp=-2") } && lines.contains { $0.hasPrefix("action 13 ") })
    #expect(!lines.contains { $0.hasPrefix("status -") })
  }

  @Test(arguments: FrozenContract.served) func aCPlusPlusBundlesSessionRunsToItsEnd(contract: FrozenContract) throws {
    let (service, characteristic) = ("000015231212efde1523785feabcd123", "000015241212efde1523785feabcd123")
    // Connect, model, clock, one record; its time and value, and the count and the same record once more; switched off.
    let replies = ["22", "245742", "23", "2b01", "25c138003b", "266e", "2b01", "25c138003b", "266e", "50"]
    let lines = try run(
      contract, "taidoc",
      [
        "open 1 param=32768:1", "event 1 mtu=23", "services \(service) 20:18:\(characteristic)",
        "event 6 token=1 handle=20",
      ] + replies.map { "event 7 handle=20 hex=\(Self.frame($0))" } + ["close"])
    #expect(lines.contains("open 0"))
    #expect(lines.filter { $0.hasPrefix("action 4 ") }.count == replies.count, "\(lines)")
    #expect(lines.contains { $0.hasPrefix("record kind=1 ") } && lines.contains { $0.hasPrefix("write user/newest ") })
    #expect(lines.contains { $0.hasPrefix("action 13 ") } && !lines.contains { $0.hasPrefix("status -") }, "\(lines)")
  }

  /// A TaiDoc reply: 51, command, four bytes of data, A5, and the sum of all before it.
  private static func frame(_ content: String) -> String {
    var bytes: [UInt8] = [0x51]
    let digits = Array(content)
    bytes += stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0..<$0 + 2]), radix: 16) }
    bytes += [UInt8](repeating: 0, count: max(0, 6 - bytes.count)) + [0xa5]
    bytes.append(bytes.reduce(0, &+))
    return bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }

  @Test(arguments: FrozenContract.served) func anAdvertisementIsASession(contract: FrozenContract) throws {
    let vector = try #require(try FrozenBundle("mi-scale").vectors.first { $0.id == "mi-v1-stable" })
    let lines = try run(
      contract, "mi-scale", ["open 1", "event 12 status=-60 hex=0d161d18\(vector.hex)", "close"])
    #expect(lines.contains { $0.hasPrefix("value 40 ") } && lines.contains { $0.hasPrefix("action 13 ") }, "\(lines)")
  }

  @Test(arguments: FrozenContract.served) func aBundleThatNeedsALicenceSaysSo(contract: FrozenContract) throws {
    let id = { (number: Int) in "f0d4000\(number)6d684b6589644d6574657200" }
    let lines = try run(
      contract, "keyed-meter", ["open 1", "services \(id(1)) 3:28:\(id(2)) 5:10:\(id(3)) 7:02:\(id(4))", "close"])
    #expect(lines.contains { $0.hasPrefix("action 14 ") && $0.contains("code=9 ") }, "\(lines)")
  }

  /// Everything that the contract offers, from a driver that uses it all to a host that demands it all.
  @Test(arguments: FrozenContract.all) func hostAndDriverOfOneVersionAgree(contract: FrozenContract) throws {
    let packets = FrozenPacket.all.map { "slice 2A18 \(hex($0.bytes))" }
    let service = "slice 181D \(hex(FrozenPacket().bytes)) flags="
    let script =
      packets + ["decode 9", "slice 2A1B -", service + "0", service + "1", service + "3", "decode 9", "outside 2A18"]
      + ["decode 9", "key credential/open 010203", "hidden credential/closed 000102030405060708090a0b0c0d0e0f"]
      + ["asset table.bin 0001020304", "open 6", "open 99", "open 1 peripheral=12", "event 99", "event 1 mtu=23"]
      + ["services 1808 3:10:2A18 5:20:2A19 7:02:2A1A 9:08:2A1B 11:04:2A1C", "event 11 token=3", "event 4"]
      + ["event 7 handle=3 hex=3200", "event 7 handle=3 hex=02", "event 13 token=5 status=-6", "close"]
    for room in [1, 5, 32] {
      let (status, lines) = try contract.run(contract.driverFile(), ["room \(room)"] + script)
      #expect(status == 0, "\(lines.suffix(3))")
      let decoded = FrozenBundle.decoded(lines).compactMap(\.last)
      #expect(decoded == packets.map { _ in "slice 0" } + ["slice 0", "slice -2", "slice 0", "slice -2"])
      #expect(
        lines.filter { $0.hasPrefix("status") || $0.hasPrefix("open") } == [
          "status 0", "status 0", "status -1", "open -2", "open -2", "open 0", "status -2", "status 0", "status 0",
          "status 0", "status 0", "status 0", "status -2", "status 0",
        ])
      #expect(lines.filter { $0.hasPrefix("action") }.count == 10 + 5 + 1 + 1)
      #expect((1...50).allSatisfy { number in lines.count { $0.contains(" class=1 seq=\(number) ") } >= 1 })
      #expect(lines.filter { $0 == "text 304 before breakfast" }.count == 1 + (1...50).reduce(0) { $0 + $1 % 3 })
      // The numbers of the host's services and of its refusals, as today's host gives them (FrozenDriverTests).
      let facts = lines.filter { $0.hasPrefix("value 3") }.compactMap { $0.split(separator: " ")[3].dropFirst(4) }
      #expect(facts.suffix(4) == ["-2", "-2", "-2", "-2"])
    }
  }

  private func hex(_ bytes: [UInt8]) -> String {
    bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }
}
