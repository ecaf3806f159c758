import BluetoothWire
import HostPrimitives

extension MeterScript: Decodable {
  /// Decodes a script; ``load(file:)`` gives errors with file and path.
  public init(from decoder: any Decoder) throws {
    let object = try ScriptObject(
      decoder,
      allowed: [
        "name", "manufacturer", "address", "address_kind", "advertisement", "mtu", "bonded", "pairing", "services",
        "caching", "behaviour", "records", "faults", "idle_ms", "disconnect_after_procedure",
      ])
    name = try object.required("name")
    manufacturer = try object.required("manufacturer")
    note = try object.optional("note") ?? ""
    let kind = try object.choice("address_kind", of: AddressKind.self) ?? .public
    let text: String = try object.required("address")
    guard let address = BluetoothAddress(text, kind: kind == .public ? .public : .random) else {
      throw object.invalid("address", "“\(text)” is no Bluetooth address; write AA:BB:CC:DD:EE:FF")
    }
    self.address = address
    advertisement = try object.required("advertisement")
    mtu = try object.int("mtu", in: ATTPDU.defaultMTU...517) ?? ATTPDU.defaultMTU
    bonded = try object.optional("bonded") ?? false
    pairing = try object.optional("pairing")
    services = try object.required("services")
    caching = try object.optional("caching")
    behaviour = try object.optional("behaviour") ?? .database
    records = try object.list("records")
    faults = try object.list("faults")
    idleMilliseconds = try object.int("idle_ms", in: 1...3_600_000)
    disconnectsAfterProcedure = try object.optional("disconnect_after_procedure") ?? false
    try validate(object)
  }

  private enum AddressKind: String, CaseIterable { case `public`, random }

  private func validate(_ object: ScriptObject) throws {
    let attributes = (services + (caching?.moves.flatMap(\.services) ?? [])).reduce(6) { total, service in
      service.characteristics.reduce(total + 1) { $0 + 3 + $1.descriptors.count }
    }
    guard attributes <= 0xFFFF else { throw object.invalid("services", "more than 65,535 attributes") }
    guard caching?.service == nil || !services.contains(where: { $0.uuid == .genericAttribute }) else {
      throw object.invalid("caching", "brings the service 1801 with it; leave it out of the services")
    }
    guard records.count <= 0xFFFF else { throw object.invalid("records", "more than 65,535 records") }
    let needs: [(uuid: BluetoothUUID, property: CharacteristicProperties)]
    switch behaviour {
    case .database: needs = []
    case .glucose:
      needs = [
        (.glucoseMeasurement, .notify), (.recordAccessControlPoint, .indicate), (.recordAccessControlPoint, .write),
      ]
    case .indicateOnConnect(let behaviour): needs = [(behaviour.characteristic, .indicate)]
    case .stream(let behaviour): needs = behaviour.characteristics.map { ($0, [.notify, .indicate]) }
    case .advertise(let behaviour):
      needs = []
      try validate(behaviour, object)
    case .oneTouch:
      needs = [(.oneTouchCommand, .write), (.oneTouchReply, .notify)]
      // A reply's length has one byte.
      guard records.allSatisfy({ $0.measurement.count <= 247 }) else {
        throw object.invalid("records", "a OneTouch record has at most 247 bytes; real ones have 11")
      }
    case .responder(let behaviour): needs = behaviour.needs
    case .scale(let behaviour):
      needs =
        [(.weightMeasurement, .indicate)]
        + (behaviour.slots.isEmpty ? [] : [(.userControlPoint, .write), (.userControlPoint, .indicate)])
    case .taidoc:
      needs = [(.taidocFrames, .notify), (.taidocFrames, .write)]
      for record in records where record.measurement.count != 8 {
        throw object.invalid("records", "a TaiDoc record has eight bytes: four of time, four of value")
      }
    case .keyed:
      needs = [
        (Keyed.control, .write), (Keyed.control, .indicate), (Keyed.data, .notify),
        (Keyed.information, .read),
      ]
      guard records.allSatisfy({ $0.measurement.count == Keyed.recordLength }) else {
        throw object.invalid("records", "a record of the keyed meter has \(Keyed.recordLength) bytes")
      }
    }
    let characteristics = services.flatMap(\.characteristics)
    for need in needs
    where !characteristics.contains(where: { $0.uuid == need.uuid && !$0.properties.isDisjoint(with: need.property) }) {
      let names = CharacteristicProperties.names.filter { need.property.contains($0.property) }.map(\.name)
      throw object.invalid(
        "behaviour",
        "needs a characteristic \(need.uuid) with the property \(names.joined(separator: " or ")) in the services")
    }
    if !behaviour.hasMemory, !records.isEmpty {
      throw object.invalid(
        "records",
        "records need a behaviour of kind glucose, indicate-on-connect, keyed, onetouch, responder, scale or taidoc")
    }
  }

  private func validate(_ behaviour: Advertise, _ object: ScriptObject) throws {
    guard !behaviour.steps.isEmpty else { throw object.invalid("behaviour", "needs at least one step") }
    for step in behaviour.steps where !step.isWhole && advertisement.data.count + step.data.count > 255 {
      throw object.invalid("behaviour", "an advertisement of its steps has more than 255 bytes")
    }
  }
}

extension MeterScript.Behaviour {
  /// Whether the meter has records.
  fileprivate var hasMemory: Bool {
    switch self {
    case .database, .stream, .advertise: false
    case .glucose, .indicateOnConnect, .keyed, .oneTouch, .responder, .scale, .taidoc: true
    }
  }
}

extension MeterScript.Pairing: Decodable {
  /// Decodes the object under `pairing`.
  public init(from decoder: any Decoder) throws {
    let object = try ScriptObject(decoder, allowed: ["passkey", "accepts"])
    // Six digits (Core Specification, Vol 3 Part H 2.3.5.3); leading zeros count.
    let digits: String? = try object.optional("passkey")
    if let digits {
      guard digits.utf8.count == 6, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt32(digits)
      else { throw object.invalid("passkey", "must be six decimal digits, as text") }
      passkey = number
    }
    accepts = try object.optional("accepts") ?? true
  }
}

extension MeterScript.Advertisement: Decodable {
  private struct ManufacturerData: Decodable {
    let company: BluetoothUUID
    let data: [UInt8]

    init(from decoder: any Decoder) throws {
      let object = try ScriptObject(decoder, allowed: ["company", "data"])
      company = try object.required("company")
      data = try object.hex("data") ?? []
      guard company.uint16 != nil else { throw object.invalid("company", "must be four hexadecimal digits") }
    }
  }

  /// Decodes the object under `advertisement`.
  public init(from decoder: any Decoder) throws {
    let object = try ScriptObject(
      decoder, allowed: ["interval_ms", "services", "local_name", "manufacturer_data", "raw", "rssi", "connectable"])
    intervalMilliseconds = try object.int("interval_ms", in: 1...10_240) ?? 100
    isConnectable = try object.optional("connectable") ?? true
    rssi = Int8(try object.int("rssi", in: -127...20) ?? -60)
    if let raw = try object.hex("raw") {
      for key in ["services", "local_name", "manufacturer_data"] where object.has(key) {
        throw object.invalid(key, "raw holds the whole advertisement; leave one of them out")
      }
      data = raw
    } else {
      // 0x06: general discoverable, no classic Bluetooth (Core Specification Supplement Part A 1.3).
      var structures = [AdvertisingData.Structure.flags(0x06)]
      structures += AdvertisingData.Structure.services(try object.list("services"))
      if let name: String = try object.optional("local_name") { structures.append(.completeName(name)) }
      if let manufacturer: ManufacturerData = try object.optional("manufacturer_data") {
        structures.append(.manufacturerData(company: manufacturer.company.uint16 ?? 0, manufacturer.data))
      }
      data = AdvertisingData(structures).encoded
    }
    guard data.count <= 255 else {
      throw object.invalid("raw", "the advertisement has \(data.count) bytes; at most 255 are possible")
    }
  }
}

extension MeterScript.Service: Decodable {
  /// Decodes an object under `services`.
  public init(from decoder: any Decoder) throws {
    let object = try ScriptObject(decoder, allowed: ["uuid", "characteristics"])
    uuid = try object.required("uuid")
    characteristics = try object.required("characteristics")
  }
}

extension MeterScript.Characteristic: Decodable {
  /// Decodes an object under `characteristics`.
  public init(from decoder: any Decoder) throws {
    let object = try ScriptObject(
      decoder, allowed: ["uuid", "properties", "value", "text", "requires", "descriptors"])
    uuid = try object.required("uuid")
    properties = []
    for name in try object.required("properties", as: [String].self) {
      guard let property = CharacteristicProperties.names.first(where: { $0.name == name })?.property else {
        let allowed = CharacteristicProperties.names.map(\.name).joined(separator: ", ")
        throw object.invalid("properties", "“\(name)” is no property; allowed are \(allowed)")
      }
      properties.insert(property)
    }
    value = try object.value()
    requires = try object.choice("requires") ?? .none
    descriptors = try object.list("descriptors")
  }
}

extension MeterScript.Descriptor: Decodable {
  /// Decodes an object under `descriptors`.
  public init(from decoder: any Decoder) throws {
    let object = try ScriptObject(decoder, allowed: ["uuid", "value", "text"])
    uuid = try object.required("uuid")
    guard uuid != .clientCharacteristicConfiguration else {
      throw object.invalid("uuid", "the CCCD comes by itself with the properties notify and indicate")
    }
    value = try object.value()
  }
}

extension MeterScript.Record: Decodable {
  /// Decodes an object under `records`.
  public init(from decoder: any Decoder) throws {
    let object = try ScriptObject(
      decoder, allowed: ["measurement", "context", "intermediate", "sequence", "composition", "user", "reading"])
    measurement = try object.required("measurement", as: HexBytes.self).bytes
    context = try object.hex("context")
    intermediate = try object.list("intermediate", of: HexBytes.self).map(\.bytes)
    composition = try object.list("composition", of: HexBytes.self).map(\.bytes)
    user = try object.int("user", in: 0...254).map { UInt8($0) }
    isReading = try object.optional("reading") ?? true
    // Flags, then the sequence number (Glucose Service 1.0.1, 3.1.1); other profiles do not filter.
    let stored = measurement.count >= 3 ? UInt16(littleEndianBytes: measurement[1...2]) : 0
    sequence = UInt16(try object.int("sequence", in: 0...0xFFFF) ?? Int(stored))
  }
}

extension ScriptObject {
  /// The bytes under `value` or the UTF-8 bytes of `text`.
  fileprivate func value() throws -> [UInt8] {
    let text: String? = try optional("text")
    let bytes = try hex("value")
    guard text == nil || bytes == nil else { throw invalid("text", "give either a value or a text") }
    let value = bytes ?? text.map { Array($0.utf8) } ?? []
    guard value.count <= ATTPDU.maximumValueLength else {
      throw invalid(
        text == nil ? "value" : "text",
        "has \(value.count) bytes; an attribute has at most \(ATTPDU.maximumValueLength)")
    }
    return value
  }
}
