import CMeterDriver
import TestSupport
import Testing

@testable import DriverTestBench

/// What a read does with a licence: the same check for every one that is not good, and no word to the meter before it.
@Suite struct KeyedLicenceTests {
  struct Case: CustomStringConvertible, Sendable {
    let description: String
    let bytes: [UInt8]?
    let words: String
  }

  static let refused: [Case] = {
    let good = TestLicence().bytes
    let text = String(decoding: good, as: UTF8.self)
    return [
      Case(description: "none", bytes: nil, words: "no licence"),
      Case(description: "of another product", bytes: TestLicence(product: "org.example.x").bytes, words: "another"),
      Case(
        description: "of a product that begins alike", bytes: TestLicence(product: "org.meterhost.keyed-meter2").bytes,
        words: "another"),
      Case(description: "of no product", bytes: TestLicence(product: nil).bytes, words: "another product"),
      Case(description: "of nobody", bytes: TestLicence(licensee: nil).bytes, words: "damaged"),
      Case(description: "without an end", bytes: TestLicence(expires: nil).bytes, words: "damaged"),
      Case(
        description: "with an end that is no date", bytes: TestLicence(expires: "2030-13-01").bytes, words: "damaged"),
      Case(description: "with a short date", bytes: TestLicence(expires: "2030-1-1").bytes, words: "damaged"),
      Case(description: "expired", bytes: TestLicence(expires: "2026-07-16").bytes, words: "expired"),
      Case(
        description: "of another version", bytes: TestLicence(heading: "meterhost-licence 2").bytes, words: "damaged"),
      Case(description: "without a MAC", bytes: Array(TestLicence().text.utf8), words: "damaged"),
      Case(description: "without its last line feed", bytes: good.dropLast(), words: "damaged"),
      Case(description: "with something behind the MAC", bytes: good + [0x0a], words: "damaged"),
      Case(description: "with a long MAC", bytes: Array(text.dropLast().utf8) + Array("0\n".utf8), words: "damaged"),
      Case(
        description: "with a MAC of no digits",
        bytes: Array(text.dropLast(65).utf8) + Array(repeating: 0x7a, count: 64)
          + [0x0a], words: "damaged"),
      Case(
        description: "with its lines behind the MAC",
        bytes: TestLicence.signed("meterhost-licence 1\n") + Array(TestLicence().text.utf8), words: "damaged"),
      Case(
        description: "longer than any",
        bytes: TestLicence(more: String(repeating: "note: x\n", count: 200)).bytes, words: "damaged"),
      Case(description: "of CRLF lines", bytes: Array(text.replacing("\n", with: "\r\n").utf8), words: "damaged"),
      Case(
        description: "the longest file that a host keeps", bytes: Array(repeating: 0, count: 65536), words: "damaged"),
    ]
  }()

  @Test(arguments: refused)
  func aLicenceThatIsNotGoodEndsTheReadBeforeTheMeterIsAsked(_ licence: Case) throws {
    let unit = try KeyedBench(licence: licence.bytes).session.commit(SimulatedKeyedMeter.services)
    #expect(unit.actions.map(\.kind) == [MH_DO_FAIL] && unit.failure == MH_FAIL_LICENCE, "\(unit.actions)")
    #expect(unit.failureText.contains(licence.words), "\(unit.failureText)")
  }

  @Test func aGoodLicenceOpensTheRead() throws {
    let more = TestLicence(licensee: "Frühling & Söhne", more: "note: more than is needed\n")
    for licence in [TestLicence().bytes, more.bytes, Array(TestLicence.signed(TestLicence().text))] {
      let unit = try KeyedBench(licence: licence).session.commit(SimulatedKeyedMeter.services)
      #expect(unit.actions.map(\.kind) == [MH_DO_TIMER, MH_DO_READ], "\(unit.actions)")
    }
  }

  @Test func anyChangedByteIsSeen() throws {
    let good = TestLicence().bytes
    for index in good.indices {
      for bit in [0x01, 0x20, 0x80] as [UInt8] {
        var changed = good
        changed[index] ^= bit
        // A digit of the MAC has no other spelling: A to F in capitals are refused as well.
        let unit = try KeyedBench(licence: changed).session.commit(SimulatedKeyedMeter.services)
        #expect(unit.failure == MH_FAIL_LICENCE, "byte \(index), bit \(bit)")
      }
    }
  }

  @Test(arguments: [
    // (last day, its last microsecond in UTC)
    ("2026-07-17", 1_784_332_799_999_999), ("2024-02-29", 1_709_251_199_999_999), ("2000-12-31", 978_307_199_999_999),
    ("2027-02-28", 1_803_859_199_999_999), ("1970-01-01", 86_399_999_999), ("9999-12-31", 253_402_300_799_999_999),
  ])
  func aLicenceIsGoodToTheEndOfItsLastDay(_ day: String, _ last: Int64) throws {
    for (moment, isGood) in [(last, true), (last + 1, false)] {
      let bench = try KeyedBench(licence: TestLicence(expires: day).bytes)
      bench.session.unixMicroseconds = moment
      let unit = bench.session.commit(SimulatedKeyedMeter.services)
      #expect((unit.failure == nil) == isGood, "\(day) at \(moment): \(unit.failureText)")
      #expect(isGood || unit.failureText.contains("expired"))
    }
  }

  @Test func pairingNeedsNoLicence() throws {
    let bench = try KeyedBench(purpose: Int32(MH_PURPOSE_PAIR), licence: nil)
    #expect(bench.session.commit(SimulatedKeyedMeter.services).failure == nil)
  }

  @Test func anyBytesAreALicenceThatIsRefused() throws {
    var generator = SeededGenerator(seed: 0x11ce)
    let good = TestLicence().bytes
    for round in 0..<600 {
      var bytes = round % 2 == 0 ? generator.bytes(1...1100) : good
      if round % 2 == 1 {
        switch round % 6 {
        case 1: bytes.removeLast(Int.random(in: 1...bytes.count - 1, using: &generator))
        case 3:
          bytes.insert(contentsOf: generator.bytes(1...40), at: Int.random(in: 0...bytes.count, using: &generator))
        default: bytes.removeSubrange(0..<Int.random(in: 1..<bytes.count, using: &generator))
        }
      }
      let unit = try KeyedBench(licence: bytes).session.commit(SimulatedKeyedMeter.services)
      #expect(unit.failure == MH_FAIL_LICENCE, "round \(round)")
    }
  }
}
