import BluetoothWire
import Testing

@testable import MeterBluetooth
import TestSupport

@Suite("GATT procedures", .jumpingTime, .timeLimit(.minutes(60)))
struct GATTClientTests {
  /// A meter with one long value.
  private static func holding(_ value: [UInt8], mtu: Int = 23, end: ATTErrorCode? = nil) -> ScriptedBearer {
    ScriptedBearer { request, _ in
      switch request {
      case .readRequest: ATTPDU.readResponse(value: Array(value.prefix(mtu - 1))).reply
      case .readBlobRequest(_, let offset):
        if Int(offset) == value.count, let end {
          ATTPDU.error(request, end)
        } else if Int(offset) > value.count {
          ATTPDU.error(request, .invalidOffset)
        } else {
          ATTPDU.readBlobResponse(value: Array(value.dropFirst(Int(offset)).prefix(mtu - 1))).reply
        }
      case .readByTypeRequest:
        ATTPDU.readByTypeResponse([ATTAttributeValue(handle: 5, value: Array(value.prefix(mtu - 4)))]).reply
      default: []
      }
    }
  }

  @Test(
    "a value is read to its end with as many requests as it takes",
    arguments: [(0, 1), (21, 1), (22, 2), (23, 2), (43, 2), (44, 3), (512, 24)])
  func longReads(length: Int, requests: Int) async throws {
    let value = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
    for end in [nil, .attributeNotLong, .invalidOffset] as [ATTErrorCode?] {
      let bearer = Self.holding(value, end: end)
      #expect(try await bearer.client().read(handle: 3) == value)
      #expect(bearer.sent.count == requests)
    }
  }

  @Test(
    "a value by its type goes on where a Read By Type ends",
    arguments: [(18, 1), (19, 2), (20, 2), (40, 2), (41, 3)])
  func longReadsByType(length: Int, requests: Int) async throws {
    let value = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
    let bearer = Self.holding(value)
    #expect(try await bearer.client().read(type: 0x2A29) == value)
    #expect(bearer.sent.count == requests)
  }

  @Test("an endless value is cut at 512 bytes")
  func endlessValue() async throws {
    let bearer = ScriptedBearer { request, _ in
      if case .readRequest = request {
        ATTPDU.readResponse(value: [UInt8](repeating: 1, count: 22)).reply
      } else {
        ATTPDU.readBlobResponse(value: [UInt8](repeating: 1, count: 22)).reply
      }
    }
    #expect(try await bearer.client().read(handle: 3).count == 512)
    #expect(bearer.sent.count == 24)
  }

  @Test("an error in the middle of a value is an error, not a shorter value")
  func brokenValue() async {
    let bearer = ScriptedBearer { request, _ in
      if case .readRequest = request {
        ATTPDU.readResponse(value: [UInt8](repeating: 1, count: 22)).reply
      } else {
        ATTPDU.error(request, .unlikelyError)
      }
    }
    let client = await bearer.client()
    let error = await #expect(throws: GATTError.self) { try await client.read(handle: 3) }
    #expect(error?.code == .attribute(.unlikelyError))
  }

  @Test("a type that is not there, or that may not be read, is nil; handle 0 is a lie")
  func absentType() async throws {
    let absent = ScriptedBearer { request, _ in ATTPDU.error(request, .attributeNotFound) }
    #expect(try await absent.client().read(type: 0x2A29) == nil)
    let lying = ScriptedBearer { _, _ in
      ATTPDU.readByTypeResponse([ATTAttributeValue(handle: 0, value: [1])]).reply
    }
    let client = await lying.client()
    await #expect(throws: GATTError.self) { try await client.read(type: 0x2A29) }
  }

  @Test(
    "an error that does not say that the value is missing is asked about again: without its serial number a meter is another one",
    arguments: [0x01, 0x03, 0x0E, 0x11, 0x12, 0x80, 0xFD] as [UInt8])
  func unclearError(code: UInt8) async throws {
    let value: [UInt8] = [1, 2, 3]
    let bearer = ScriptedBearer { request, number in
      number == 0
        ? ATTPDU.error(request, ATTErrorCode(rawValue: code))
        : ATTPDU.readByTypeResponse([ATTAttributeValue(handle: 5, value: value)]).reply
    }
    #expect(try await bearer.client().read(type: 0x2A25, isIdentity: true) == value)
    #expect(bearer.sent.count == 2)
    let stubborn = ScriptedBearer { request, _ in ATTPDU.error(request, ATTErrorCode(rawValue: code)) }
    let client = await stubborn.client()
    if [0x11, 0x12].contains(code) {
      // The meter lacks memory, or its database has changed: both pass.
      let error = await #expect(throws: GATTError.self) { try await client.read(type: 0x2A25, isIdentity: true) }
      #expect(error?.code == .attribute(ATTErrorCode(rawValue: code)))
    } else {
      #expect(try await client.read(type: 0x2A25, isIdentity: true) == nil)
    }
    #expect(stubborn.sent.count == 2)
  }

  @Test(
    "a subscription is written by the characteristic's properties",
    arguments: [(0x10, true, 1), (0x20, true, 2), (0x30, true, 2), (0x10, false, 0), (0x20, false, 0)]
      as [(UInt8, Bool, UInt8)])
  func subscriptions(properties: UInt8, enable: Bool, bits: UInt8) async throws {
    let bearer = ScriptedBearer { _, _ in ATTPDU.writeResponse.reply }
    let characteristic = GATTDatabase.Characteristic(
      serviceIndex: 0, uuid: 0x2A18, valueHandle: 12, properties: properties, configurationHandle: 13)
    try await bearer.client().subscribe(to: characteristic, enable: enable)
    #expect(bearer.sent == [.writeRequest(handle: 13, value: [bits, 0])])
  }

  @Test("what cannot be subscribed to is refused without a PDU")
  func noSubscription() async {
    let bearer = ScriptedBearer { _, _ in [] }
    let client = await bearer.client()
    for (properties, handle) in [(0x02, 13), (0x10, nil)] as [(UInt8, UInt16?)] {
      let characteristic = GATTDatabase.Characteristic(
        serviceIndex: 0, uuid: 0x2A18, valueHandle: 12, properties: properties, configurationHandle: handle)
      let error = await #expect(throws: GATTError.self) {
        try await client.subscribe(to: characteristic, enable: true)
      }
      #expect(error?.code == .missing)
    }
    #expect(bearer.sent.isEmpty)
  }

  @Test("a long value is queued and then written; one that was queued wrongly is dropped")
  func longWrites() async throws {
    let value = (0..<40).map { UInt8($0) }
    let good = ScriptedBearer { request, _ in
      switch request {
      case .prepareWriteRequest(let handle, let offset, let part):
        ATTPDU.prepareWriteResponse(handle: handle, offset: offset, value: part).reply
      default: ATTPDU.executeWriteResponse.reply
      }
    }
    try await good.client().write(value, to: 7)
    #expect(
      good.sent == [
        .prepareWriteRequest(handle: 7, offset: 0, value: Array(value[..<18])),
        .prepareWriteRequest(handle: 7, offset: 18, value: Array(value[18..<36])),
        .prepareWriteRequest(handle: 7, offset: 36, value: Array(value[36...])),
        .executeWriteRequest(commit: true),
      ])
    let lying = ScriptedBearer { request, _ in
      switch request {
      case .prepareWriteRequest(let handle, let offset, let part):
        ATTPDU.prepareWriteResponse(handle: handle, offset: offset, value: offset == 0 ? part : [0]).reply
      default: ATTPDU.executeWriteResponse.reply
      }
    }
    let client = await lying.client()
    let error = await #expect(throws: GATTError.self) { try await client.write(value, to: 7) }
    #expect(error?.code == .malformed)
    #expect(lying.sent.last == .executeWriteRequest(commit: false))
    let full = ScriptedBearer { request, number in
      switch request {
      case .prepareWriteRequest(let handle, let offset, let part) where number == 0:
        ATTPDU.prepareWriteResponse(handle: handle, offset: offset, value: part).reply
      case .prepareWriteRequest: ATTPDU.error(request, .prepareQueueFull)
      default: ATTPDU.executeWriteResponse.reply
      }
    }
    let fullClient = await full.client()
    let refused = await #expect(throws: GATTError.self) { try await fullClient.write(value, to: 7) }
    #expect(refused?.code == .attribute(.prepareQueueFull))
    #expect(full.sent.last == .executeWriteRequest(commit: false))
  }

  @Test("texts of the Device Information lose padding and what is no text")
  func texts() {
    #expect(DeviceInformation.text(nil) == nil)
    #expect(DeviceInformation.text([]) == nil)
    #expect(DeviceInformation.text(Array("  Roche \u{0}junk".utf8)) == "Roche")
    #expect(DeviceInformation.text(Array("A\u{1B}[31mB".utf8)) == "A[31mB")
    #expect(DeviceInformation.text([0xFF, 0xFE]) == nil)
    #expect(DeviceInformation.text([0x20, 0x20]) == nil)
    #expect(DeviceInformation.text([UInt8](repeating: 0x41, count: 500))?.count == 128)
  }
}
