import CMeterDriver

@testable import DriverTestBench

/// A scale that seals what it sends, byte by byte. The bench's meters have the address of all zeros.
struct SealedScale {
  static let key: [UInt8] = [
    0x07, 0x28, 0x97, 0x4d, 0x65, 0x7a, 0x4b, 0x60, 0x96, 0x4c, 0x1b, 0x16, 0x77, 0xf3, 0x5f, 0x7c,
  ]
  static let keyName = "credential/bind-key"
  /// 2026-01-01.
  static let newYear: UInt32 = 1_767_225_600

  var key = Self.key
  var product: UInt16 = 0x3bd5
  var address = [UInt8](repeating: 0, count: 6)
  var sendsAddress = false
  var counter: UInt32 = 0x0a

  /// The object of an S400: tenths of a kilogram and of an ohm; a heart rate as it is sent.
  static func weighing(
    _ weight: UInt32 = 0, heart: UInt32 = 0, impedance: UInt32 = 0, user: UInt8 = 1, time: UInt32 = newYear
  ) -> [UInt8] {
    object(0x6e16, [user] + bytes(weight | heart << 11 | impedance << 18) + bytes(time))
  }

  static func object(_ type: UInt16, _ value: [UInt8]) -> [UInt8] {
    [UInt8(type & 0xff), UInt8(type >> 8), UInt8(value.count)] + value
  }

  static func bytes(_ number: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * UInt32($0))) }
  }

  /// An advertisement with a sealed object, under the next number of a frame.
  mutating func send(_ object: [UInt8]) -> TestEvent {
    let head = [UInt8(product & 0xff), UInt8(product >> 8), UInt8(counter & 0xff)]
    let rest = Array(Self.bytes(counter).dropFirst())
    let nonce = Array(address.reversed()) + head + rest
    let sealed = TestCrypto.ccm(encrypts: true, key: key, nonce: nonce, associated: [0x11], tagLength: 4, object) ?? []
    counter += 1
    let control: UInt8 = sendsAddress ? 0x58 : 0x48
    let body = [control, 0x59] + head + (sendsAddress ? Array(address.reversed()) : [])
    return Self.advertisement(body + sealed.dropLast(4) + rest + sealed.suffix(4))
  }

  /// That the scale is there, and nothing else.
  static let idle = advertisement([0x10, 0x59, 0xd5, 0x3b, 0x06, 0, 0, 0, 0, 0, 0])

  static func advertisement(_ serviceData: [UInt8]) -> TestEvent {
    .advertisement([2, 1, 6, UInt8(serviceData.count + 3), 0x16, 0x95, 0xfe] + serviceData)
  }
}

/// A host with the scale's key.
func sealedHost(key: [UInt8]? = SealedScale.key) throws -> TestHost {
  let host = try TestHost(bundle: "mibeacon")
  host.state.use(keys: key.map { [SealedScale.keyName: $0] } ?? [:])
  return host
}

extension TestUnit {
  var failure: Int32? { actions.first { $0.kind == MH_DO_FAIL }?.code }
  var hasFinished: Bool { actions.contains { $0.kind == MH_DO_FINISH } }
  var numbers: [[Double]] { records.map { $0.values.map(\.value) } }
}
