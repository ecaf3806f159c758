import CMeterDriver

@testable import DriverTestBench

/// The meter's side of the protocol (Plugins/KeyedMeter/README.md), byte by byte, for a test that plays it.
struct SimulatedKeyedMeter {
  static let key: [UInt8] = [
    0x8f, 0x1d, 0x2c, 0x3b, 0x4a, 0x59, 0x68, 0x77, 0x86, 0x95, 0xa4, 0xb3, 0xc2, 0xd1, 0xe0, 0xf0,
  ]
  static let (control, data, information): (UInt16, UInt16, UInt16) = (16, 20, 24)
  static let (silence, keyQuestion, informationRead): (UInt64, UInt64, UInt64) = (1, 2, 3)
  static let (controlSubscription, dataSubscription, commandWrite): (UInt64, UInt64, UInt64) = (4, 5, 6)

  var key = Self.key
  var id: [UInt8] = [0x4b, 0x54, 0x30, 0x30, 0x30, 0x31, 0x00, 0x01]
  var tagLength = 8
  var lastSequence: UInt16 = 5
  private var counter: UInt32 = 0

  static func uuid(_ number: UInt8) -> mh_uuid {
    mh_uuid(b: (0xf0, 0xd4, 0, number, 0x6d, 0x68, 0x4b, 0x65, 0x89, 0x64, 0x4d, 0x65, 0x74, 0x65, 0x72, 0))
  }

  static let services = TestEvent.vendorServices(
    [(control, 0x28, uuid(2)), (data, 0x10, uuid(3)), (information, 0x02, uuid(4))], service: uuid(1))

  var informationValue: [UInt8] { id + [UInt8(truncatingIfNeeded: tagLength)] + Self.bytes(lastSequence) }

  /// The answer to a challenge.
  func proof(_ challenge: [UInt8]) -> [UInt8] {
    [0x81] + TestCrypto.cmac(key: key, Array("VERIFY".utf8) + challenge + id).prefix(8)
  }

  /// A notification with a record, under the next number of a message.
  mutating func packet(_ record: [UInt8]) -> [UInt8] {
    let head = (0..<4).map { UInt8(truncatingIfNeeded: counter >> (8 * UInt32($0))) }
    counter += 1
    let sealed = TestCrypto.ccm(
      encrypts: true, key: key, nonce: head + id, associated: id, tagLength: tagLength, record)
    return head + (sealed ?? [])
  }

  static func record(
    _ sequence: UInt16, seconds: UInt32 = 837_695_736, tenths: UInt16 = 24, status: UInt8 = 0
  ) -> [UInt8] {
    bytes(sequence) + (0..<4).map { UInt8(truncatingIfNeeded: (seconds &+ UInt32(sequence)) >> (8 * UInt32($0))) }
      + bytes(tenths) + [status]
  }

  static func bytes(_ number: UInt16) -> [UInt8] { [UInt8(truncatingIfNeeded: number), UInt8(number >> 8)] }
}

/// A licence of the test meter, as its maker's tool would write it.
struct TestLicence {
  var heading = "meterhost-licence 1"
  var product: String? = "org.meterhost.keyed-meter"
  var licensee: String? = "Example Clinic"
  var expires: String? = "2030-12-31"
  /// More lines before the MAC.
  var more = ""

  var text: String {
    let lines = [
      heading, product.map { "product: \($0)" }, licensee.map { "licensee: \($0)" }, expires.map { "expires: \($0)" },
    ]
    return lines.compactMap { $0 }.joined(separator: "\n") + "\n" + more
  }

  var bytes: [UInt8] { Self.signed(text) }

  static func signed(_ text: String) -> [UInt8] {
    let key = Array("a public key for the test licence of the keyed test meter".utf8)
    let digits = TestCrypto.hmac(key: key, Array(text.utf8)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
    return Array((text + "mac: " + digits.joined() + "\n").utf8)
  }
}

/// A host with the meter's key and a licence, and one session of the bundle with the simulated meter.
final class KeyedBench {
  let host: TestHost
  let session: TestSession
  var meter: SimulatedKeyedMeter

  static let keyName = "credential/meter-key"
  static let licenceName = "credential/keyed-meter.license"
  static let cursor = "user/cursor"

  init(
    _ meter: SimulatedKeyedMeter = SimulatedKeyedMeter(), purpose: Int32 = Int32(MH_PURPOSE_READ), security: UInt8 = 3,
    key: [UInt8]? = SimulatedKeyedMeter.key, licence: [UInt8]? = TestLicence().bytes, cursor: [UInt8]? = nil
  ) throws {
    self.meter = meter
    host = try TestHost(bundle: "keyed-meter")
    host.state.use(keys: key.map { [Self.keyName: $0] } ?? [:])
    host.state.storage[Self.licenceName] = licence
    host.state.storage[Self.cursor] = cursor
    var opening = TestOpening()
    opening.purpose = UInt32(purpose)
    opening.security = security
    session = try host.open(opening)
    // 2026-07-18.
    session.unixMicroseconds = 1_784_332_800_000_000
  }

  var cursor: [UInt8]? { host.state.storage[Self.cursor].flatMap { $0.isEmpty ? nil : $0 } }

  /// As far as the information is read.
  func readInformation() -> TestUnit {
    session.commit(SimulatedKeyedMeter.services)
    return session.commit(.read(token: SimulatedKeyedMeter.informationRead, meter.informationValue))
  }

  /// From the subscriptions to the challenge's write; gives the unit with it.
  func subscribe() -> TestUnit {
    session.commit(.subscribed(token: SimulatedKeyedMeter.controlSubscription))
    return session.commit(.subscribed(token: SimulatedKeyedMeter.dataSubscription))
  }

  /// As far as the request for readings; gives its unit.
  func request() -> TestUnit {
    _ = readInformation()
    let challenge = subscribe().actions.first { $0.kind == MH_DO_WRITE }?.value ?? []
    session.commit(.wrote(token: SimulatedKeyedMeter.commandWrite))
    return indicate(meter.proof(Array(challenge.dropFirst())))
  }

  func indicate(_ value: [UInt8]) -> TestUnit { session.commit(.indication(SimulatedKeyedMeter.control, value)) }

  func send(_ record: [UInt8]) -> TestUnit {
    session.commit(.notification(SimulatedKeyedMeter.data, meter.packet(record)))
  }

  /// The end of a report of so many readings.
  func endReport(_ count: UInt16) -> TestUnit { indicate([0x82] + SimulatedKeyedMeter.bytes(count)) }
}

extension TestUnit {
  /// The code of the failure that ends the session here.
  var failure: Int32? { actions.first { $0.kind == MH_DO_FAIL }?.code }
  var hasFinished: Bool { actions.contains { $0.kind == MH_DO_FINISH } }
  var written: [UInt8]? { actions.first { $0.kind == MH_DO_WRITE }?.value }
  var failureText: String { actions.first { $0.kind == MH_DO_FAIL }?.text ?? "" }
}
