import BluetoothWire
import Testing

@testable import MeterBluetooth
import TestSupport

/// A glucose service at 10...20 whose answers a test can change.
struct DiscoveredMeter: Sendable {
  var services: @Sendable (ATTPDU) -> [[UInt8]] = { _ in
    ATTPDU.findByTypeValueResponse([ATTHandleRange(first: 10, last: 20)]).reply
  }
  var characteristics: @Sendable (ATTPDU, ATTHandleRange) -> [[UInt8]] = { request, range in
    let all = [
      declaration(11, 0x10, 12, 0x2A18), declaration(14, 0x10, 15, 0x2A34), declaration(17, 0x02, 18, 0x2A51),
      declaration(19, 0x28, 20, 0x2A52),
    ]
    // Three fit into 23 bytes; two a page make the pages visible.
    let page = all.filter { range.contains($0.handle) }.prefix(2)
    return page.isEmpty ? ATTPDU.error(request, .attributeNotFound) : ATTPDU.readByTypeResponse(Array(page)).reply
  }
  var descriptors: @Sendable (ATTPDU, ATTHandleRange) -> [[UInt8]] = { request, range in
    [13, 16].contains(range.first)
      ? ATTPDU.findInformationResponse([ATTHandleInformation(handle: range.first, type: 0x2902)]).reply
      : ATTPDU.error(request, .attributeNotFound)
  }

  static func declaration(
    _ handle: UInt16, _ properties: UInt8, _ value: UInt16, _ uuid: BluetoothUUID
  ) -> ATTAttributeValue {
    ATTAttributeValue(
      handle: handle,
      value: [properties, UInt8(truncatingIfNeeded: value), UInt8(value >> 8)] + uuid.littleEndianBytes)
  }

  var bearer: ScriptedBearer {
    ScriptedBearer { [self] request, _ in
      switch request {
      case .findByTypeValueRequest: services(request)
      case .readByTypeRequest(let range, _): characteristics(request, range)
      case .findInformationRequest(let range): descriptors(request, range)
      default: ATTPDU.error(request, .requestNotSupported)
      }
    }
  }

  func failure(_ requirements: [GATTRequirement] = [.glucose]) async -> (error: GATTError?, requests: Int) {
    let bearer = bearer
    let client = await bearer.client()
    let error = await #expect(throws: GATTError.self) { try await client.discover(requirements) }
    return (error, bearer.sent.count)
  }
}

@Suite("Discovery", .jumpingTime, .timeLimit(.minutes(60)))
struct GATTDiscoveryTests {
  private let all = ATTHandleRange(first: 1, last: 0xFFFF)

  @Test("asks for what the driver uses and stops as soon as it has it")
  func requests() async throws {
    let bearer = DiscoveredMeter().bearer
    let database = try await bearer.client().discover([.glucose])
    #expect(
      bearer.sent == [
        .findByTypeValueRequest(range: all, type: 0x2800, value: [0x08, 0x18]),
        .readByTypeRequest(range: ATTHandleRange(first: 10, last: 20), type: 0x2803),
        .readByTypeRequest(range: ATTHandleRange(first: 16, last: 20), type: 0x2803),
        // 2A18's descriptors lie before the next declaration; 2A52 has no room for one.
        .findInformationRequest(range: ATTHandleRange(first: 13, last: 13)),
        .findInformationRequest(range: ATTHandleRange(first: 16, last: 16)),
      ])
    #expect(database.services == [.init(uuid: 0x1808, firstHandle: 10, lastHandle: 20)])
    #expect(
      database.characteristics == [
        .init(serviceIndex: 0, uuid: 0x2A18, valueHandle: 12, properties: 0x10, configurationHandle: 13),
        .init(serviceIndex: 0, uuid: 0x2A34, valueHandle: 15, properties: 0x10, configurationHandle: 16),
        .init(serviceIndex: 0, uuid: 0x2A52, valueHandle: 20, properties: 0x28, configurationHandle: nil),
      ])
  }

  @Test("a vendor's service is looked for with all of its bytes")
  func vendorService() async throws {
    let uuid = try #require(BluetoothUUID("00000000-0002-11E2-9E96-0800200C9A66"))
    var meter = DiscoveredMeter()
    meter.services = { ATTPDU.error($0, .attributeNotFound) }
    let bearer = meter.bearer
    let client = await bearer.client()
    let optional = GATTRequirement(service: uuid, isRequired: false, characteristics: [])
    #expect(try await client.discover([optional]) == GATTDatabase())
    #expect(
      bearer.sent == [.findByTypeValueRequest(range: all, type: 0x2800, value: uuid.fullLittleEndianBytes)])
    let required = GATTRequirement(service: uuid, isRequired: true, characteristics: [])
    #expect(await meter.failure([required]).error?.code == .missing)
  }

  @Test("a required characteristic that is not there is named; an optional one is done without")
  func missing() async throws {
    var meter = DiscoveredMeter()
    meter.characteristics = { request, range in
      range.first > 12
        ? ATTPDU.error(request, .attributeNotFound)
        : ATTPDU.readByTypeResponse([DiscoveredMeter.declaration(11, 0x10, 12, 0x2A18)]).reply
    }
    let failure = await meter.failure()
    #expect(failure.error?.code == .missing && failure.error?.message.contains("2A52") == true)
    let only = GATTRequirement(
      service: 0x1808, isRequired: true,
      characteristics: [.init(uuid: 0x2A18, isRequired: true), .init(uuid: 0x2A34, isRequired: false)])
    #expect(try await meter.bearer.client().discover([only]).characteristics.map(\.uuid) == [0x2A18])
  }

  @Test(
    "a service with impossible handles is refused",
    arguments: [
      ATTHandleRange(first: 0, last: 5), ATTHandleRange(first: 9, last: 8), ATTHandleRange(first: 0, last: 0),
    ])
  func lyingService(range: ATTHandleRange) async {
    var meter = DiscoveredMeter()
    meter.services = { _ in ATTPDU.findByTypeValueResponse([range]).reply }
    let failure = await meter.failure()
    #expect(failure.error?.code == .malformed && failure.requests == 1)
  }

  @Test(
    "characteristics outside the range, out of order or of impossible length are refused",
    arguments: [
      [DiscoveredMeter.declaration(9, 0x10, 12, 0x2A18)], [DiscoveredMeter.declaration(0, 0x10, 12, 0x2A18)],
      [DiscoveredMeter.declaration(21, 0x10, 22, 0x2A18)], [DiscoveredMeter.declaration(11, 0x10, 11, 0x2A18)],
      [DiscoveredMeter.declaration(12, 0x10, 11, 0x2A18)], [DiscoveredMeter.declaration(11, 0x10, 0, 0x2A18)],
      [DiscoveredMeter.declaration(11, 0x10, 21, 0x2A18)],
      [DiscoveredMeter.declaration(14, 0x10, 15, 0x2A34), DiscoveredMeter.declaration(11, 0x10, 12, 0x2A18)],
      [DiscoveredMeter.declaration(11, 0x10, 12, 0x2A18), DiscoveredMeter.declaration(11, 0x10, 12, 0x2A34)],
      [DiscoveredMeter.declaration(11, 0x10, 15, 0x2A18), DiscoveredMeter.declaration(14, 0x10, 16, 0x2A34)],
      [ATTAttributeValue(handle: 11, value: [0x10, 12, 0])],
      [ATTAttributeValue(handle: 11, value: [0x10, 12, 0, 0x18])],
      [ATTAttributeValue(handle: 11, value: [0x10, 12, 0, 0x18, 0x2A, 0x00])],
    ])
  func lyingCharacteristics(list: [ATTAttributeValue]) async {
    var meter = DiscoveredMeter()
    meter.characteristics = { _, _ in ATTPDU.readByTypeResponse(list).reply }
    let failure = await meter.failure()
    #expect(failure.error?.code == .malformed)
    #expect(failure.requests <= 3)
  }

  @Test(
    "descriptors outside the range or out of order are refused",
    arguments: [
      [(12, 0x2901)], [(14, 0x2902)], [(0, 0x2902)], [(13, 0x2901), (13, 0x2902)],
    ] as [[(UInt16, UInt16)]])
  func lyingDescriptors(list: [(UInt16, UInt16)]) async {
    var meter = DiscoveredMeter()
    meter.descriptors = { _, _ in
      ATTPDU.findInformationResponse(
        list.map { ATTHandleInformation(handle: $0.0, type: BluetoothUUID($0.1)) }
      ).reply
    }
    #expect(await meter.failure().error?.code == .malformed)
  }

  @Test("a database that does not end is left after a bounded number of requests")
  func endless() async {
    var meter = DiscoveredMeter()
    meter.services = { _ in ATTPDU.findByTypeValueResponse([ATTHandleRange(first: 1, last: 0xFFFF)]).reply }
    meter.characteristics = { _, range in
      ATTPDU.readByTypeResponse([DiscoveredMeter.declaration(range.first, 0x02, range.first + 1, 0x2A00)]).reply
    }
    let failure = await meter.failure()
    #expect(failure.error?.code == .malformed)
    #expect(failure.requests == GATTDiscovery.maximumRequests)
    meter.characteristics = { request, range in
      range.first > 3
        ? ATTPDU.error(request, .attributeNotFound)
        : ATTPDU.readByTypeResponse([DiscoveredMeter.declaration(2, 0x10, 3, 0x2A18)]).reply
    }
    meter.descriptors = { _, range in
      ATTPDU.findInformationResponse([ATTHandleInformation(handle: range.first, type: 0x2901)]).reply
    }
    let only = GATTRequirement(
      service: 0x1808, isRequired: true,
      characteristics: [.init(uuid: 0x2A18, isRequired: true), .init(uuid: 0x2A34, isRequired: false)])
    let second = await meter.failure([only])
    #expect(second.error?.code == .malformed && second.requests == GATTDiscovery.maximumRequests)
  }

  @Test("a characteristic at the last handle of all ends the search")
  func lastHandle() async throws {
    var meter = DiscoveredMeter()
    meter.services = { _ in ATTPDU.findByTypeValueResponse([ATTHandleRange(first: 0xFFF0, last: 0xFFFF)]).reply }
    meter.characteristics = { _, _ in
      ATTPDU.readByTypeResponse([DiscoveredMeter.declaration(0xFFFE, 0x10, 0xFFFF, 0x2A18)]).reply
    }
    let failure = await meter.failure()
    #expect(failure.error?.code == .missing && failure.requests == 2)
  }

  @Test("an error that is not the end of a list is an error")
  func errors() async {
    var meter = DiscoveredMeter()
    meter.services = { ATTPDU.error($0, .insufficientAuthentication) }
    #expect(await meter.failure().error?.code == .attribute(.insufficientAuthentication))
    meter = DiscoveredMeter()
    meter.characteristics = { request, _ in ATTPDU.error(request, .unlikelyError) }
    #expect(await meter.failure().error?.code == .attribute(.unlikelyError))
    meter.characteristics = { _, _ in ATTPDU.writeResponse.reply }
    #expect(await meter.failure().error?.code == .unexpectedResponse)
  }
}
