import BluetoothWire
import TestSupport

@testable import MeterDrivers

/// Rules and advertising data made of the same few words, so that they meet often; and of any bytes.
struct RandomAir {
  private static let vendor = "AF9DF7A1-E595-11E3-96B4-0002A5D5C51B"
  private static let services = ["1808", "1809", "181D", "0001FFFE", "00001808-0000-1000-8000-00805F9B34FA", vendor]
  private static let names = ["", "A", "AB", "ABC", "ABD", "Meter", "Meter+", "É", "\u{FFFD}", "B\u{FFFD}", "Z\u{0}"]
  private static let companies: [UInt16] = [0, 76, 343, 0xFFFF]

  var random: SeededGenerator

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  /// Entries with any rules, also such as no registry may have.
  mutating func peripherals(_ count: Int) -> [Peripheral] {
    (0..<count).map { number in
      let rules = (0..<Int.random(in: 0...4, using: &random)).map { _ in rule() }
      return Peripheral.recognised(UInt32(number) * 7 % 101 + 1, by: rules)
    }
  }

  private mutating func rule() -> MatchRule {
    MatchRule(
      services: some(0...3) { Self.services.randomElement(using: &$0).flatMap { UUIDString($0) } },
      companyID: some(0...1) { Self.companies.randomElement(using: &$0) }.first,
      namePrefix: some(0...1) { Self.names.randomElement(using: &$0) }.first,
      manufacturerPrefix: some(0...1) { ["", "Maker"].randomElement(using: &$0) }.first,
      modelPrefix: Bool.random(using: &random) ? nil : some(0...1) { ["X"].randomElement(using: &$0) }.first)
  }

  private mutating func some<Value>(
    _ counts: ClosedRange<Int>, _ value: (inout SeededGenerator) -> Value?
  ) -> [Value] {
    (0..<Int.random(in: counts, using: &random)).compactMap { _ in value(&random) }
  }

  /// Advertising data, some of them damaged.
  mutating func data() -> [UInt8] {
    guard Int.random(in: 0..<20, using: &random) > 0 else { return random.bytes(0...300) }
    var bytes = AdvertisingData(some(0...5) { Self.structure(&$0) }).encoded
    switch Int.random(in: 0..<8, using: &random) {
    case 0: bytes = Array(bytes.dropLast(Int.random(in: 0...5, using: &random)))
    case 1: bytes += [0] + bytes
    case 2:
      if let place = bytes.indices.randomElement(using: &random) {
        bytes[place] = UInt8.random(in: 0...40, using: &random)
      }
    default: break
    }
    return bytes
  }

  private static func structure(_ random: inout SeededGenerator) -> AdvertisingData.Structure {
    switch Int.random(in: 0..<7, using: &random) {
    case 0:
      var name = Array((names.randomElement(using: &random) ?? "").utf8)
      if Bool.random(using: &random) { name += [0x31, 0x20, 0xFF, 0x00, 0xC3].shuffled(using: &random).prefix(3) }
      return AdvertisingData.Structure(type: Bool.random(using: &random) ? 8 : 9, value: name)
    case 1:
      let company = companies.randomElement(using: &random) ?? 0
      return .manufacturerData(company: company, random.bytes(0...3))
    case 2: return AdvertisingData.Structure(type: UInt8.random(in: 0...10, using: &random), value: random.bytes(0...9))
    default:
      let size = [2, 4, 16].randomElement(using: &random) ?? 2
      var value: [UInt8] = []
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        let uuid = services.randomElement(using: &random).flatMap { BluetoothUUID($0) } ?? 0x1808
        value += size == 16 ? uuid.fullLittleEndianBytes : Array((uuid.littleEndianBytes + [0, 0]).prefix(size))
      }
      let type: UInt8 = size == 2 ? 2 : size == 4 ? 4 : 6
      if Bool.random(using: &random) { value += [0x08] }
      return AdvertisingData.Structure(type: type + UInt8.random(in: 0...1, using: &random), value: value)
    }
  }
}

extension Peripheral {
  /// An entry of which only the rules matter.
  static func recognised(_ id: UInt32, by rules: [MatchRule]) -> Peripheral {
    Peripheral(
      key: PeripheralKey(id: id), isGeneric: false, name: "Meter \(id)", manufacturer: "", model: "", type: .none,
      requiresPairing: false, pairingMethod: nil, pairingInstructions: "", instructions: "", readingInstructions: "",
      imageURL: nil, isDisabled: false, connectionKind: .connect,
      supportedSince: SemanticVersion(0, 1, 0),
      maturity: .alpha, hasStoredHistory: false, passive: .no, announcesBeforeMeasurement: false,
      isApprovalNeeded: false, credentials: [], driverID: nil, matchRules: rules, services: [], quirks: [])
  }
}
