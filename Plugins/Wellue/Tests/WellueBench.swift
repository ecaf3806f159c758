import CMeterDriver
@testable import DriverTestBench

func uuid(_ text: String) -> mh_uuid {
  let digits = Array(text.filter { $0 != "-" })
  var uuid = mh_uuid()
  withUnsafeMutableBytes(of: &uuid) { bytes in
    for index in 0..<16 { bytes[index] = UInt8(String(digits[2 * index...2 * index + 1]), radix: 16) ?? 0 }
  }
  return uuid
}

/// One of the two generations of oximeters: where it lives, and how it frames.
struct Generation {
  let service: mh_uuid
  let answers: mh_uuid
  let asks: mh_uuid
  let lead: UInt8

  static let first = Generation(
    service: uuid("14839AC4-7D7E-415C-9A42-167340CF2339"), answers: uuid("0734594A-A8E7-4B1A-A6B1-CD5243059A57"),
    asks: uuid("8B00ACE7-EB0B-49B0-BBE9-9AEE0A26E1A3"), lead: 0x55)
  static let second = Generation(
    service: uuid("E8FB0001-A14B-98F9-831B-4E2941D01248"), answers: uuid("E8FB0003-A14B-98F9-831B-4E2941D01248"),
    asks: uuid("E8FB0002-A14B-98F9-831B-4E2941D01248"), lead: 0xa5)

  static let answersHandle: UInt16 = 6
  static let asksHandle: UInt16 = 9
  static let answersToken: UInt64 = 1
  static let requestToken: UInt64 = 2
  static let patience: UInt64 = 3
  static let tick: UInt64 = 4

  /// - Parameter writing: The properties of the characteristic that is written to.
  func database(writing: UInt16 = 0x04) -> TestEvent {
    .vendorServices(
      [
        (handle: Self.answersHandle, properties: UInt16(0x10), uuid: answers),
        (handle: Self.asksHandle, properties: writing, uuid: asks),
      ], service: service)
  }

  func frame(_ code: UInt8, _ payload: [UInt8], result: UInt8 = 0, count: UInt8 = 0) -> [UInt8] {
    let length = UInt16(payload.count)
    return sealed([lead, code, ~code, result, count, UInt8(length & 0xff), UInt8(length >> 8)] + payload)
  }
}

/// The bytes with their CRC-8 behind them.
func sealed(_ bytes: [UInt8]) -> [UInt8] {
  var crc: UInt8 = 0
  for byte in bytes {
    crc ^= byte
    for _ in 0..<8 { crc = crc & 0x80 != 0 ? crc << 1 ^ 0x07 : crc << 1 }
  }
  return bytes + [crc]
}

/// An answer of the first generation.
func live(_ saturation: UInt8 = 97, _ pulse: UInt16 = 72, movement: UInt8 = 0, contact: UInt8 = 1) -> [UInt8] {
  Generation.first.frame(
    0, [saturation, UInt8(pulse & 0xff), UInt8(pulse >> 8), 0, 0, 0, 0, 80, 0, movement, 36, contact, 0])
}

/// An answer of the second generation, with three bytes of a waveform.
func ringS(_ saturation: UInt8 = 97, _ pulse: UInt8 = 62, contact: UInt8 = 1, state: UInt8 = 2, result: UInt8 = 1)
  -> [UInt8]
{
  let parameters =
    [100, 0, 0, 0, state, contact, saturation, 25, pulse, 0, 0xc7, 0, 0, 80] + [UInt8](repeating: 0, count: 6)
  return Generation.second.frame(0x04, parameters + [0, 0, 0, 0, 3, 0, 1, 2, 3], result: result)
}

extension TestSession {
  func answer(_ bytes: [UInt8], at second: Double) -> TestUnit {
    monotonicNanoseconds = UInt64(second * 1e9)
    return commit(.notification(Generation.answersHandle, bytes))
  }

  func tick(at second: Double) -> TestUnit {
    monotonicNanoseconds = UInt64(second * 1e9)
    return commit(.timer(Generation.tick))
  }
}
