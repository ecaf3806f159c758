import BluetoothWire
import TestSupport
import Testing

@testable import MeterBluetooth

@Suite("The ATT client", .jumpingTime, .timeLimit(.minutes(60)))
struct ATTClientTests {
  private func failure(
    _ bearer: ScriptedBearer, _ limits: ATTClient.Limits = ATTClient.Limits(),
    _ request: ATTPDU = .readRequest(handle: 3)
  ) async -> GATTError? {
    let client = await bearer.client(limits)
    return await #expect(throws: GATTError.self) { try await client.att.request(request) }
  }

  @Test(
    "bytes that are no PDU end the link",
    arguments: [
      [], [0x0B] + [UInt8](repeating: 0, count: 600), [0x01, 0x0A, 0x03], [0x05, 0x01], [0x09, 0x00, 1, 2],
    ]
      as [[UInt8]])
  func malformed(bytes: [UInt8]) async {
    let bearer = ScriptedBearer { _, _ in [bytes] }
    #expect(await failure(bearer)?.code == .malformed)
    #expect(bearer.isClosed)
  }

  @Test("a response that belongs to another request is refused")
  func wrongResponse() async {
    #expect(await failure(ScriptedBearer { _, _ in ATTPDU.writeResponse.reply })?.code == .unexpectedResponse)
    let blames = ScriptedBearer { _, _ in ATTPDU.error(.executeWriteRequest(commit: true), .invalidHandle) }
    #expect(await failure(blames)?.code == .unexpectedResponse)
  }

  @Test(
    "an error response is the error",
    arguments: [0x01, 0x05, 0x0A, 0x0E, 0x80, 0xFD, 0xFF, 0x00] as [UInt8])
  func errors(code: UInt8) async {
    let bearer = ScriptedBearer { pdu, _ in ATTPDU.error(pdu, ATTErrorCode(rawValue: code)) }
    #expect(await failure(bearer)?.code == .attribute(ATTErrorCode(rawValue: code)))
    #expect(!bearer.isClosed, "the link is still good")
  }

  @Test("a meter that does not answer is left after the time of a transaction")
  func silence() async {
    var limits = ATTClient.Limits()
    limits.transaction = .milliseconds(20)
    let bearer = ScriptedBearer { _, _ in [] }
    let client = await bearer.client(limits)
    let error = await #expect(throws: GATTError.self) { try await client.att.request(.readRequest(handle: 3)) }
    #expect(error?.code == .transactionTimeout && bearer.isClosed)
    for await _ in client.att.events { Issue.record("nothing was sent") }
    #expect(await client.att.failure?.code == .transactionTimeout)
    let late = await #expect(throws: GATTError.self) { try await client.att.request(.readRequest(handle: 3)) }
    #expect(late?.code == .transactionTimeout)
  }

  @Test("a second request while one is outstanding is refused, and both callers hear")
  func busy() async {
    let bearer = ScriptedBearer { _, _ in [] }
    let client = await bearer.client()
    let first = Task { try await client.att.request(.readRequest(handle: 3)) }
    while bearer.sent.isEmpty { await Task.yield() }
    let error = await #expect(throws: GATTError.self) { try await client.att.request(.readRequest(handle: 4)) }
    #expect(error?.code == .busy)
    await client.att.close()
    let ended = await #expect(throws: GATTError.self) { try await first.value }
    #expect(ended?.code == .disconnected)
    #expect(await client.att.failure == nil, "the host itself hung up")
  }

  @Test("a link that goes while a request is outstanding ends the request")
  func hangUp() async {
    let bearer = ScriptedBearer { _, _ in [] }
    let client = await bearer.client()
    let request = Task { try await client.att.request(.readRequest(handle: 3)) }
    while bearer.sent.isEmpty { await Task.yield() }
    bearer.hangUp()
    let error = await #expect(throws: GATTError.self) { try await request.value }
    #expect(error?.code == .disconnected)
  }

  @Test("values come in order, before and after a response, and each indication is confirmed once")
  func values() async throws {
    let bearer = ScriptedBearer { pdu, _ in
      guard case .readRequest = pdu else { return [] }
      return [
        ATTPDU.handleValueNotification(handle: 1, value: [1]), .handleValueIndication(handle: 2, value: [2]),
        .readResponse(value: [9]), .handleValueNotification(handle: 1, value: [3]),
      ].map(\.encoded)
    }
    let client = await bearer.client()
    #expect(try await client.att.request(.readRequest(handle: 3)) == .readResponse(value: [9]))
    var events = client.att.events.makeAsyncIterator()
    #expect(await events.next() == .notification(handle: 1, value: [1]))
    #expect(await events.next() == .indication(handle: 2, value: [2]))
    #expect(await events.next() == .notification(handle: 1, value: [3]))
    #expect(bearer.sent == [.readRequest(handle: 3)], "nothing is confirmed by itself")
    await client.att.confirmIndication()
    await client.att.confirmIndication()
    await client.att.close()
    #expect(bearer.sent == [.readRequest(handle: 3), .handleValueConfirmation])
    #expect(await client.att.sentPDUs == 2)
    #expect(await client.att.receivedPDUs == 4)
  }

  @Test("what was to be sent goes before the link does")
  func closeFlushes() async {
    let bearer = ScriptedBearer { _, _ in [] }
    let client = await bearer.client()
    for handle in 1...100 as ClosedRange<UInt16> { await client.att.send(.writeCommand(handle: handle, value: [])) }
    await client.att.close()
    #expect(bearer.sent.count == 100)
    #expect(bearer.isClosed)
    await client.att.close()
  }

  @Test("a meter that takes no PDU holds nobody up: sending returns, closing is bounded, too much is the end")
  func stall() async {
    var limits = ATTClient.Limits()
    (limits.closing, limits.waitingPDUs) = (.milliseconds(20), 8)
    let patient = ScriptedBearer(stalls: true) { _, _ in [] }
    let client = await patient.client(limits)
    for _ in 0..<4 { await client.att.send(.writeCommand(handle: 1, value: [])) }
    await client.att.close()
    #expect(patient.isClosed && patient.sent.isEmpty)
    #expect(await client.att.failure == nil)
    let flooded = ScriptedBearer(stalls: true) { _, _ in [] }
    let second = await flooded.client(limits)
    for _ in 0..<32 { await second.att.send(.writeCommand(handle: 1, value: [])) }
    #expect(await second.att.failure?.code == .flooded && flooded.isClosed)
    // The link is full of the meter's own requests, whose answers it does not take.
    let asking = ScriptedBearer(stalls: true) { _, _ in [] }
    let third = await asking.client(limits)
    for _ in 0..<32 { asking.push(.readRequest(handle: 1)) }
    for await _ in third.att.events {}
    #expect(await third.att.failure?.code == .flooded)
  }

  @Test("a flood of values that nobody reads ends the link, and the end is seen")
  func flood() async {
    var limits = ATTClient.Limits()
    limits.waitingValues = 100
    let bearer = ScriptedBearer { _, _ in [] }
    for number in 0..<200 { bearer.push(.handleValueNotification(handle: 1, value: [UInt8(number)])) }
    let error = await failure(bearer, limits)
    #expect(error?.code == .flooded && bearer.isClosed)
  }

  @Test("the end of a flooded link reaches whoever reads its values")
  func floodEnds() async {
    var limits = ATTClient.Limits()
    limits.waitingValues = 100
    let bearer = ScriptedBearer { _, _ in [] }
    let client = await bearer.client(limits)
    for _ in 0..<200 { bearer.push(.handleValueIndication(handle: 1, value: [])) }
    while await client.att.failure == nil { await Task.yield() }
    var count = 0
    for await _ in client.att.events { count += 1 }
    #expect(count == 100)
    #expect(await client.att.failure?.code == .flooded)
  }

  @Test("PDUs that belong to nothing are borne for a while")
  func strays() async throws {
    let bearer = ScriptedBearer { _, _ in ATTPDU.readResponse(value: [7]).reply }
    let client = await bearer.client()
    for _ in 0..<16 { bearer.push(.writeResponse, .writeCommand(handle: 1, value: [])) }
    while await client.att.receivedPDUs < 32 { await Task.yield() }
    #expect(try await client.read(handle: 3) == [7])
    bearer.push(.writeResponse)
    for await _ in client.att.events {}
    #expect(await client.att.failure?.code == .malformed)
  }

  @Test("a meter that asks is answered: with the MTU that is agreed, and that nothing is served here")
  func requestsOfTheMeter() async throws {
    let bearer = ScriptedBearer { pdu, _ in
      if case .exchangeMTURequest = pdu { ATTPDU.exchangeMTUResponse(serverMTU: 100).reply } else { [] }
    }
    let client = await bearer.client()
    bearer.push(.exchangeMTURequest(clientMTU: 185), .readRequest(handle: 1))
    while bearer.sent.count < 2 { await Task.yield() }
    #expect(
      bearer.sent == [
        .exchangeMTUResponse(serverMTU: 23),
        .errorResponse(request: .readRequest, handle: 0, code: .requestNotSupported),
      ])
    #expect(try await client.att.exchangeMTU(185) == 100)
    bearer.push(.exchangeMTURequest(clientMTU: 185))
    while bearer.sent.count < 4 { await Task.yield() }
    #expect(bearer.sent.last == .exchangeMTUResponse(serverMTU: 100))
  }

  @Test("the MTU is what both take, and never less than 23", arguments: [(0, 23), (22, 23), (64, 64), (517, 185)])
  func mtu(server: UInt16, agreed: Int) async throws {
    let bearer = ScriptedBearer { _, _ in ATTPDU.exchangeMTUResponse(serverMTU: server).reply }
    #expect(try await bearer.client().att.exchangeMTU(185) == agreed)
  }

  @Test("a meter that knows no MTU request keeps 23; another error is one")
  func refusedMTU() async throws {
    let refuses = ScriptedBearer { pdu, _ in ATTPDU.error(pdu, .requestNotSupported) }
    #expect(try await refuses.client().att.exchangeMTU(185) == 23)
    let fails = ScriptedBearer { pdu, _ in ATTPDU.error(pdu, .unlikelyError) }
    let client = await fails.client()
    await #expect(throws: GATTError.self) { try await client.att.exchangeMTU(185) }
  }

  @Test("random bytes never do more than end the link", arguments: 0..<200 as Range<UInt64>)
  func randomBytes(seed: UInt64) async {
    var random = SeededGenerator(seed: seed)
    let packets = (0..<20).map { _ in
      [[0x01, 0x03, 0x05, 0x07, 0x09, 0x0B, 0x13, 0x1B, 0x1D, 0x02, 0xFF].randomElement(using: &random) ?? 0]
        + (0..<Int.random(in: 0..<30, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
    }
    var limits = ATTClient.Limits()
    limits.transaction = .milliseconds(20)
    let bearer = ScriptedBearer { _, number in number < packets.count ? [packets[number]] : [] }
    let client = await bearer.client(limits)
    _ = try? await client.discover([.glucose])
    _ = try? await DeviceInformation.read(from: client)
    #expect(bearer.sent.count < 300)
    await client.att.close()
  }
}

extension GATTRequirement {
  static let glucose = GATTRequirement(
    service: 0x1808, isRequired: true,
    characteristics: [
      .init(uuid: 0x2A18, isRequired: true), .init(uuid: 0x2A34, isRequired: false),
      .init(uuid: 0x2A52, isRequired: true),
    ])
}
