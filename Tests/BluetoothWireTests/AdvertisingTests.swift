import BluetoothWire
import TestSupport
import Testing

@Suite("Advertisements")
struct AdvertisingTests {
  @Test("structures survive the round trip and are understood")
  func structures() throws {
    let vendor = try #require(BluetoothUUID("AF9DF7A1-E595-11E3-96B4-0002A5D5C51B"))
    let data = AdvertisingData(
      [.flags(6)] + AdvertisingData.Structure.services([0x1808, vendor, 0x180A]) + [
        .completeName("Contour7800H"), .manufacturerData(company: 0x0167, [1, 2]), .serviceData(0x181D, [0x22, 0x33]),
      ])
    let parsed = AdvertisingData(parsing: data.encoded)
    #expect(parsed == data)
    #expect(!parsed.isTruncated)
    #expect(parsed.flags == 6)
    #expect(parsed.serviceUUIDs == [0x1808, 0x180A, vendor])
    #expect(parsed.localName == "Contour7800H")
    #expect(parsed.hasCompleteName)
    #expect(parsed.manufacturerData.first?.company == 0x0167 && parsed.manufacturerData.first?.data == [1, 2])
    #expect(parsed.serviceData.first?.service == 0x181D && parsed.serviceData.first?.data == [0x22, 0x33])
  }

  @Test("a damaged tail hides nothing in front of it")
  func damagedTail() {
    let parsed = AdvertisingData(parsing: [2, 1, 6, 3, 3, 8, 0x18, 30, 9, 0x41])
    #expect(parsed.isTruncated)
    #expect(parsed.serviceUUIDs == [0x1808])
    #expect(parsed.localName == nil)
  }

  @Test("a zero length ends the data; odd lists and hostile names do no harm")
  func oddities() {
    #expect(AdvertisingData(parsing: [2, 1, 6, 0, 3, 3, 8, 0x18]).serviceUUIDs.isEmpty)
    #expect(AdvertisingData(parsing: [4, 3, 8, 0x18, 0x0A]).serviceUUIDs == [0x1808])
    #expect(AdvertisingData(parsing: [1, 3]).serviceUUIDs.isEmpty)
    #expect(AdvertisingData(parsing: [1, 0x16]).serviceData.isEmpty)
    #expect(AdvertisingData(parsing: [2, 0xFF, 1]).manufacturerData.isEmpty)
    #expect(AdvertisingData(parsing: [4, 8, 0x41, 0xFF, 0]).localName == "A\u{FFFD}")
    #expect(AdvertisingData(parsing: [1, 9]).localName == "")
  }

  @Test("any bytes are parsed within bounds", arguments: 0..<4)
  func fuzz(seed: Int) {
    var random = SeededGenerator(seed: 77 + UInt64(seed))
    for _ in 0..<3000 {
      let bytes = random.bytes(0...300)
      let parsed = AdvertisingData(parsing: bytes)
      #expect(parsed.encoded == Array(bytes.prefix(parsed.encoded.count)))
      _ = (parsed.serviceUUIDs, parsed.localName, parsed.manufacturerData, parsed.serviceData, parsed.transmitPower)
    }
    let long = AdvertisingData(parsing: repeatElement(1, count: 5000))
    #expect(long.encoded.count <= AdvertisingData.maximumLength)
  }

  @Test("the facts are those of the structures, of any bytes and of the same value again and again", arguments: 0..<4)
  func facts(seed: Int) {
    var random = SeededGenerator(seed: 990 + UInt64(seed))
    var facts = AdvertisingFacts()
    for round in 0..<600 {
      // Structures of every interesting type, among them damaged ones; every tenth time any bytes.
      let types: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 0x16, 0xFF]
      let parts = (0..<2).map { _ in
        round % 10 == 0
          ? random.bytes(0...600)
          : (0..<Int.random(in: 0...5, using: &random)).flatMap { _ -> [UInt8] in
            let value = random.bytes(0...20).map { $0 % 3 == 0 ? 0 : $0 }
            let length = UInt8.random(in: 0...9, using: &random) == 0 ? 0 : UInt8(value.count + 1)
            return [length, types.randomElement(using: &random) ?? 1] + value
          }
      }
      facts.read(parts[0], scanResponse: parts[1])
      let data = AdvertisingData(parts.flatMap { AdvertisingData(parsing: $0).structures })
      #expect(facts.services == Set(data.serviceUUIDs).sorted(), "\(parts)")
      #expect(facts.companies == Set(data.manufacturerData.map(\.company)).sorted(), "\(parts)")
      #expect(facts.hasName == (data.localName != nil) && facts.name == Array((data.localName ?? "").utf8), "\(parts)")
      for service in facts.services { #expect(facts.hasService(service)) }
      for company in [0, 1, 76, 0xFFFF] as [UInt16] {
        #expect(facts.hasCompany(company) == facts.companies.contains(company))
      }
      #expect(!facts.hasService(0x1234) || facts.services.contains(0x1234))
    }
  }

  @Test("reports survive the round trip; every truncation and extension is refused")
  func reports() throws {
    let address = try #require(BluetoothAddress("AA:BB:CC:DD:EE:FF", kind: .random))
    let report = AdvertisingReport(eventType: .connectable, address: address, rssi: -60, data: [2, 1, 6])
    let bytes = report.encoded
    #expect(bytes == [0, 1, 0xFF, 0xEE, 0xDD, 0xCC, 0xBB, 0xAA, 3, 2, 1, 6, 196])
    #expect(AdvertisingReport(decoding: bytes) == report)
    for length in 0..<bytes.count { #expect(AdvertisingReport(decoding: Array(bytes.prefix(length))) == nil) }
    #expect(AdvertisingReport(decoding: bytes + [0]) == nil)
    #expect(AdvertisingReport(decoding: [9] + bytes.dropFirst()) == nil)
  }

  @Test("the air's paths")
  func air() throws {
    let address = try #require(BluetoothAddress("AA:BB:CC:DD:EE:FF"))
    let air = try VirtualAir(environment: ["METERHOST_AIR": "", "XDG_RUNTIME_DIR": "/run/user/7", "HOME": "/h"])
    #expect(air.folder == "/run/user/7/meterhost/air")
    #expect(try air.advertisingPath(of: address) == "/run/user/7/meterhost/air/AABBCCDDEEFF.adv")
    #expect(try air.attPath(of: address) == "/run/user/7/meterhost/air/AABBCCDDEEFF.att")
    #expect(try VirtualAir(environment: ["METERHOST_AIR": "/a", "HOME": "/h"]).folder == "/a")
    #expect(try VirtualAir(environment: ["HOME": "/h"]).folder == "/h/.local/state/meterhost/air")
    #expect(VirtualAir.address(ofAdvertisingSocket: "AABBCCDDEEFF.adv") == address)
    for name in ["AABBCCDDEEFF.att", "aabbccddeeff.adv", "AABBCCDDEEF.adv", ".adv", "AA:BB:CC:DD:EE:FF.adv"] {
      #expect(VirtualAir.address(ofAdvertisingSocket: name) == nil)
    }
  }

  @Test("a missing, relative or too long folder is a typed error")
  func airErrors() throws {
    let address = try #require(BluetoothAddress("AA:BB:CC:DD:EE:FF"))
    #expect(throws: VirtualAirError.self) { try VirtualAir(environment: [:]) }
    let relative = #expect(throws: VirtualAirError.self) { try VirtualAir(environment: ["METERHOST_AIR": "air"]) }
    #expect(relative?.code == .relativeFolder)
    let long = VirtualAir(folder: "/" + String(repeating: "x", count: 89))
    #expect(try long.attPath(of: address).utf8.count == 107)
    let longer = VirtualAir(folder: "/" + String(repeating: "x", count: 90))
    let error = #expect(throws: VirtualAirError.self) { try longer.attPath(of: address) }
    #expect(error?.code == .pathTooLong)
  }
}
