import MeterCore
import StrictJSON
import Testing

@testable import FHIRBundles

/// The meter and the gateway, as a server is told of them.
@Suite("Devices in FHIR", .timeLimit(.minutes(60)))
struct DeviceTests {
  private func devices(_ record: Record, _ gateway: FHIRGateway = Fixture.gateway) throws -> ReadBundle {
    try ReadBundle(FHIRBundleMaker(subject: .reference("Patient/1"), gateway: gateway).bundle(for: record))
  }

  @Test("a meter is found by its System ID, else its address, else its maker's serial number")
  func identifiers() throws {
    let queries = try [Fixture.meter, Fixture.addressMeter, Fixture.serialMeter].map { source in
      try devices(Fixture.glucose(from: source)).entries[0].text("request.ifNoneExist")
    }
    #expect(queries[0] == "identifier=urn:oid:1.2.840.10004.1.1.1.0.0.1.0.0.1.2680|FE-ED-AB-EE-DE-AD-77-C3")
    #expect(queries[1] == "identifier=http://hl7.org/fhir/sid/eui-48/bluetooth|00-E5-DE-AD-77-C3")
    #expect(try #require(queries[2]).hasPrefix("identifier=urn:ietf:rfc:3986|urn:uuid:"))
  }

  @Test("one serial number of two models is two meters")
  func models() throws {
    let meters = try ["A", "B", "A"].map { model in
      try devices(Fixture.glucose(from: Fixture.source(model: model, device: "42"))).entries[0].text("fullUrl")
    }
    #expect(meters[0] == meters[2] && meters[0] != meters[1])
  }

  @Test("all that is known of a meter is told, what it is found by first")
  func known() throws {
    let record = try Fixture.glucose()
    var meter = try #require(FHIRMeter(record))
    meter.serialNumber = "SN-1"
    meter.address = "00:E5:DE:AD:77:C3"
    meter.firmware = "2.0.1"
    let device = try ReadBundle(Fixture.maker.bundle(for: record, of: meter)).resources("Device")[0]
    let identifiers = try #require(device.at("identifier")?.elements)
    #expect(identifiers.map { $0.codes("type") } == [["SYSID"], ["BTMAC"], []])
    #expect(device.text("serialNumber") == "SN-1")
    #expect(device.codes("version.0.type") == ["531976"] && device.text("version.0.value") == "2.0.1")
  }

  @Test("without firmware the driver's version is told, and without a maker that it is not known")
  func unknown() throws {
    let source = Fixture.source(manufacturer: nil, model: nil, device: "feedabeedead77c3")
    let device = try devices(Fixture.glucose(from: source)).resources("Device")[0]
    #expect(device.codes("version.0.type") == ["531975"] && device.text("version.0.value") == "1.2.0")
    #expect(device.text("manufacturer") == "unknown" && device.text("modelNumber") == "unknown")
  }

  @Test(
    "a meter is of the kind of what it measures",
    arguments: [
      (["blood_glucose mg/dL"], ["528401"]), (["blood_ketone mmol/L"], ["528401"]), (["inr {INR}"], ["528402"]),
      (["systolic mm[Hg]", "diastolic mm[Hg]"], ["528391"]), (["spo2 %"], ["528388"]),
      (["body_temperature Cel"], ["528392"]), (["body_weight kg"], ["528399"]),
      (["body_weight kg", "body_fat %"], ["528404"]), (["heart_rate /min"], ["528525"]), (["pulse /min"], ["528457"]),
      (["blood_glucose mg/dL", "systolic mm[Hg]", "diastolic mm[Hg]"], ["528401", "528391"]),
    ])
  func kinds(metrics: [String], kinds: [String]) throws {
    let values = try metrics.map { metric in
      let parts = metric.split(separator: " ").map(String.init)
      return try Fixture.value(parts[0], "40", parts[1])
    }
    let device = try devices(Fixture.reading(.biometrics, values)).resources("Device")[0]
    #expect((device.at("specialization")?.elements ?? []).flatMap { $0.codes("systemType") } == kinds)
  }

  @Test("what no meter has said goes without devices, and names what it was read off where that is known")
  func others() throws {
    let submission = Fixture.source(peripheral: 0, model: "Gluco", device: "GM-1", driver: "submission")
    let shared = Fixture.source(model: "Gluco", device: "0000000")
    let sources: [(RecordSource, ValueOrigin, String?)] = [
      (Fixture.display, .device, "Acme UA-611"), (Fixture.person, .manual, nil),
      (Fixture.store, .device, "Apple apple watch"), (Fixture.store, .unknown, nil), (Fixture.meter, .manual, nil),
      (submission, .device, "Acme Gluco"), (shared, .device, "Acme Gluco"),
    ]
    for (source, origin, name) in sources {
      let record = try Fixture.glucose(from: source, origin: origin)
      #expect(FHIRMeter(record) == nil)
      let read = try devices(record)
      #expect(read.entries.count == 1 && read.resources("Device").isEmpty)
      let main = read.resources[0]
      #expect(main.text("device.display") == name && main.at("device.reference") == nil)
      #expect(main.profiles.isEmpty && main.categories.isEmpty && main.at("extension") == nil)
    }
  }

  @Test("a gateway is found by its UUID, and says how its clock is kept right where it knows")
  func gateway() throws {
    let known = try devices(Fixture.glucose()).entries[1]
    #expect(
      known.text("request.ifNoneExist")
        == "identifier=urn:ietf:rfc:3986|urn:uuid:0e0f5d1c-3a9b-4f5c-9b73-0c7b6a1d2e3f")
    #expect(known.codes("resource.property.0.valueCode.0") == ["532226"])
    let record = try Fixture.glucose()
    let upper = FHIRGateway(id: "0E0F5D1C-3A9B-4F5C-9B73-0C7B6A1D2E3F")
    let other = try devices(record, upper).entries[1]
    #expect(other.text("request.ifNoneExist") == known.text("request.ifNoneExist"))
    #expect(other.at("resource.property") == nil)
    let named = try devices(record, FHIRGateway(id: "kitchen")).entries[1]
    #expect(try #require(named.text("resource.identifier.0.value")).hasPrefix("urn:uuid:"))
  }
}
