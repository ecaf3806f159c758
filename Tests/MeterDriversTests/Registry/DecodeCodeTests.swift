import Testing

@testable import MeterDrivers

/// By what number `decode` names a vendor's characteristic.
@Suite struct DecodeCodeTests {
  private static let (one, two) = ("A5C00002-6D68-4B65-8964-4D6574657200", "A5C00003-6D68-4B65-8964-4D6574657200")

  private static func text(_ services: String) -> String {
    RegistryFixture.text(
      peripherals: RegistryFixture.peripheral(1).replacing(
        #"[{"uuid": "1808", "required": true, "characteristics": [{"uuid": "2A18", "required": true}]}]"#,
        with: "[\(services)]"))
  }

  private static func service(_ uuid: String, _ more: String = "", _ characteristics: (String, String)...) -> String {
    let list = characteristics.map { #"{"uuid": "\#($0.0)", "required": true\#($0.1)}"# }.joined(separator: ",")
    return #"{"uuid": "\#(uuid)", "required": true, "characteristics": [\#(list)]\#(more)}"#
  }

  private static func codes(_ services: String) throws -> [UInt16?] {
    let peripheral = try #require(try RegistryFixture.load(text(services)).peripheral(id: 1))
    return try [one, two, "2A18", "A5C00009-6D68-4B65-8964-4D6574657200"].map { uuid in
      peripheral.decodeCode(of: try #require(UUIDString(uuid)))
    }
  }

  @Test func whatTheEntryStatesCountsWhereverItStands() throws {
    for list in [
      [(Self.one, #", "decode_code": 32768"#), (Self.two, #", "decode_code": 32770"#)],
      [(Self.two, #", "decode_code": 32770"#), (Self.one, #", "decode_code": 32768"#)],
    ] {
      #expect(try Self.codes(Self.service("FFF0", "", list[0], list[1])) == [0x8000, 0x8002, 0x2A18, nil])
    }
    // One that states a number for some has none for the others.
    let some = Self.service("FFF0", "", (Self.one, ""), (Self.two, #", "decode_code": 32768"#))
    #expect(try Self.codes(some) == [nil, 0x8000, 0x2A18, nil])
  }

  @Test func withoutNumbersThePlaceCounts() throws {
    #expect(
      try Self.codes(Self.service("FFF0", "", (Self.two, ""), ("2A18", ""), (Self.one, "")))
        == [0x8001, 0x8000, 0x2A18, nil])
  }

  @Test func serviceDataHasTheNumberOfTheService() throws {
    let text = Self.text(Self.service(Self.one, #", "decode_code": 40000"#) + "," + Self.service("FFF0"))
    let peripheral = try #require(try RegistryFixture.load(text).peripheral(id: 1))
    func code(_ uuid: String) throws -> UInt16? { peripheral.decodeCode(ofServiceData: try #require(UUIDString(uuid))) }
    #expect(try code(Self.one) == 40000 && code("FFF0") == 0xFFF0 && code(Self.two) == nil)
  }

  static let wrong: [(services: String, says: String)] = [
    (service("FFF0", "", (one, #", "decode_code": 32767"#)), "out of range"),
    (service("FFF0", "", (one, #", "decode_code": 65536"#)), "out of range"),
    (service("FFF0", "", ("2A18", #", "decode_code": 32768"#)), "Bluetooth SIG"),
    (service("FFF0", #", "decode_code": 32768"#, (one, "")), "Bluetooth SIG"),
    (service("FFF0", "", (one, #", "decode_code": 32768"#), (two, #", "decode_code": 32768"#)), "two characteristics"),
    (
      service(one, #", "decode_code": 32768"#) + "," + service(two, #", "decode_code": 32768"#), "two services"
    ),
  ]

  @Test(arguments: wrong.indices)
  func aNumberThatCannotBeIsRefused(_ index: Int) throws {
    let (services, says) = Self.wrong[index]
    let error = try RegistryFixture.refusal(Self.text(services))
    #expect(error.problem.contains(says), "\(error)")
  }
}
