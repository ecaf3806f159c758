import CMeterDriver
import MeterDriver

/// A driver for the tests of the author library: each event makes it use one service, and what it got becomes texts,
/// values and actions that the test sees.
struct AuthorProbe: MeterDriver {
  static var identity: DriverIdentity {
    DriverIdentity(id: "org.meterhost.author-probe", version: "0.1.0", vendor: "MeterHost", capabilities: .connect)
  }

  // 00001524-1212-efde-1523-785feabcd123
  static var vendorUUID: BluetoothUUID { BluetoothUUID(0x0000_1524_1212_efde, 0x1523_785f_eabc_d123) }

  /// One function of each form; what it says goes through the library.
  static func declare(_ functions: inout FunctionList) {
    functions.addReport("report") { output throws(FunctionError) in
      output.append("zero \u{00e4} ")
      output.append(decimal: .min)
    }
    functions.addReport("fails") { output throws(FunctionError) in
      output.append("because")
      throw .unsupported
    }
    functions.addEncoder("encode") { number, output throws(FunctionError) in
      guard number >= 0 else { throw .invalidArgument }
      for _ in 0..<number { output.append(0x78) }
    }
    functions.addDecoder("decode") { bytes throws(FunctionError) in
      guard bytes.byteCount > 0 else { throw .noValue }
      return -Int64(bytes.byteCount)
    }
    functions.addDescription("describe") { bytes, output throws(FunctionError) in
      output.append(decimal: Int64(bytes.byteCount))
      if bytes.byteCount > 3 { throw .protocolViolation }
    }
    functions.addDateTimeDecoder("time")
    // This driver decodes nothing: the vector cannot be met.
    functions.addSelfTest([
      TestVector(
        "impossible", 0x2a18, "00",
        .value(Metric(MH_METRIC_NOTE), Unit(MH_UNIT_NONE), Decimal(mantissa: 1, exponent: 0)))
    ])
  }

  let slot: UInt8?

  init(opening: borrowing Opening) throws(DriverError) { slot = opening.userSlot }

  mutating func handle(_ event: borrowing Event, _ output: inout Output) throws(DriverError) {
    switch event {
    case .services(let database):
      let vendor = database.characteristic(uuid: AuthorProbe.vendorUUID, in: AuthorProbe.vendorUUID)
      output.ask(
        .passkey, "Type it.", lengths: 1...6, isSecret: true, keepAs: vendor == nil ? nil : "credential/key",
        token: UInt64(vendor?.handle ?? 0))
    case .notification(let handle, let value): try use(handle, value, &output)
    case .advertisement(let data, _):
      for bytes in [copy(Advertisement(data).serviceData(0x181d)), copy(Advertisement(data).manufacturerData(0x0157))] {
        output.writeWithoutResponse(1, bytes)
      }
    default: break
    }
  }

  private func use(_ service: UInt16, _ value: RawSpan, _ output: inout Output) throws(DriverError) {
    switch service {
    case 1: texts(value, &output.records)
    case 2: output.writeWithoutResponse(1, try output.random(4))
    case 3: output.writeWithoutResponse(1, copy(try output.asset("table")))
    case 4:
      guard try output.asset("other") == nil else { throw .invalidArgument }
      output.finish()
    default:
      let crypto = try output.crypto()
      do throws(CryptoError) { try encipher(crypto, value, &output) } catch {
        output.fail(.keyMissing, subcode: error == .noKey ? 1 : 2, "No key.")
      }
    }
  }

  private func encipher(
    _ crypto: Crypto, _ value: RawSpan, _ output: inout Output
  ) throws(CryptoError) {
    let bytes = copy(value)
    output.writeWithoutResponse(1, try crypto.encrypt(bytes, .aesCCM(tagLength: 4), key: "credential/key", nonce: [9]))
    output.writeWithoutResponse(2, try crypto.mac(.aesCMAC, bytes, key: "credential/key"))
    _ = try crypto.decrypt(bytes, .aesECB, key: "credential/other")
  }

  /// Two records around texts: identities and texts share the arena.
  private func texts(_ value: RawSpan, _ output: inout RecordOutput) {
    output.addText(Metric(MH_METRIC_NOTE), "nobody's")
    for number in UInt8(1)...2 {
      output.begin()
      output.add(
        Metric(MH_METRIC_BLOOD_GLUCOSE), Unit(MH_UNIT_MMOL_PER_L), Decimal(mantissa: 56, exponent: -1), isRounded: true)
      output.identify(number)
      output.identify(UInt16(0xbbaa))
      output.end(
        .measurement, .stored, time: .civilWithOffset(10, seconds: 3600), flags: .tombstone, until: 20, group: 7)
      output.addText(Metric(MH_METRIC_SERIAL_NUMBER), value)
      output.addText(Metric(MH_METRIC_MODEL), "M1")
    }
  }

  private func copy(_ span: RawSpan?) -> [UInt8] {
    guard let span else { return [0xff] }
    var bytes: [UInt8] = []
    for index in 0..<span.byteCount { bytes.append(span.unsafeLoad(fromUncheckedByteOffset: index, as: UInt8.self)) }
    return bytes
  }

  static func decode(
    _ value: borrowing CharacteristicValue, opening: borrowing Opening, _ output: inout RecordOutput
  ) throws(DecodeError) {
    throw .unsupported
  }
}

/// The hook that the library calls once.
@c(mh_swift_bundle)
public func registerDrivers() {
  Bundle.register(AuthorProbe.self)
}
