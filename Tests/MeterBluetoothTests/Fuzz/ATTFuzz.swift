import BluetoothWire
import DriverContract
import HostPrimitives
import Synchronization
import VirtualMeter

@testable import MeterBluetooth

/// A whole link with a ``HostileServer``: marks, discovery, Device Information, and every procedure that a driver can ask
/// for. Nothing may trap, hang or go beyond its limits, and no value may be delivered that was not sent.
enum ATTFuzz {
  /// What went wrong; whoever runs this makes a failure of it.
  struct Problem: Error {
    let words: String
  }

  /// What may come of a session, in the order in which it was told.
  private struct Heard {
    var values: [HostileServer.SentValue] = []
    var procedures = 0
    var isLost = false
  }

  private static let limits: ATTClient.Limits = {
    var limits = ATTClient.Limits()
    (limits.waitingValues, limits.strayPDUs, limits.waitingPDUs) = (256, 8, 64)
    return limits
  }()

  static func run(_ input: [UInt8]) async throws {
    let server = HostileServer(try script.get(), input)
    let att = ATTClient(bearer: server, limits: limits)
    await att.start()
    let client = GATTClient(att: att)
    var (heard, words) = (Heard(), nil as String?)
    do throws(GATTError) {
      let marks = try await client.marks(isBonded: true)
      let database = try await client.discover([requirement])
      let information = try await DeviceInformation.read(from: client)
      words = problem(in: database) ?? problem(in: information)
      heard = await drive(client, database, marks)
    } catch {
      await att.close()
      // Nobody has listened so far.
      for await event in att.events { if let value = value(of: event) { heard.values.append(value) } }
      heard.isLost = true
    }
    if let words { throw Problem(words: words) }
    try check(heard, server)
  }

  /// A driver that asks for everything.
  private static func drive(_ client: GATTClient, _ database: GATTDatabase, _ marks: DatabaseMarks) async -> Heard {
    let link = ConnectedLink(
      client: client, database: database, serviceChanged: marks.serviceChanged, clock: .system,
      pair: { 0 }, notify: { _ in })
    let heard = Mutex(Heard())
    let listening = Task {
      await link.listen { input in heard.withLock { Self.take(input, &$0) } }
    }
    await link.run(.exchangeMTU(64, token: 0))
    for characteristic in database.characteristics {
      let handle = characteristic.valueHandle
      await link.run(.subscribe(handle: handle, enable: true, token: 1))
      await link.run(.read(handle: handle, token: 2))
      await link.run(.write(handle: handle, value: [1, 1], token: 3))
      await link.run(.write(handle: handle, value: [UInt8](repeating: 7, count: 150), token: 4))
      await link.confirmIndication()
    }
    await link.close()
    await listening.value
    return heard.withLock { $0 }
  }

  private static func take(_ input: SessionMachine.Input, _ heard: inout Heard) {
    switch input {
    case .fact(.notification(let handle, let value), _):
      heard.values.append(.init(handle: handle, value: value, isIndication: false))
    case .fact(.indication(let handle, let value), _):
      heard.values.append(.init(handle: handle, value: value, isIndication: true))
    case .procedureDone: heard.procedures += 1
    case .linkLost: heard.isLost = true
    default: break
    }
  }

  private static func value(of event: ATTServerEvent) -> HostileServer.SentValue? {
    switch event {
    case .notification(let handle, let value): .init(handle: handle, value: value, isIndication: false)
    case .indication(let handle, let value): .init(handle: handle, value: value, isIndication: true)
    case .procedureEnd, .serviceChanged: nil
    }
  }

  private static func check(_ heard: Heard, _ server: HostileServer) throws {
    if let problem = server.problem { throw Problem(words: problem) }
    if server.requests > mostRequests { throw Problem(words: "\(server.requests) requests") }
    if !heard.isLost { throw Problem(words: "the end of the link was not told") }
    if heard.procedures > mostProcedures { throw Problem(words: "\(heard.procedures) procedures have ended") }
    // What was heard is what was sent, in its order; something may be missing where the link ended.
    var sent = server.values[...]
    for value in heard.values {
      guard let index = sent.firstIndex(of: value) else { throw Problem(words: "heard what was not sent: \(value)") }
      sent = sent[(index + 1)...]
    }
  }

  private static func problem(in database: GATTDatabase) -> String? {
    for service in database.services where service.firstHandle == 0 || service.firstHandle > service.lastHandle {
      return "accepted a service at \(service.firstHandle)...\(service.lastHandle)"
    }
    for characteristic in database.characteristics {
      guard database.services.indices.contains(characteristic.serviceIndex) else {
        return "a characteristic of nothing"
      }
      let service = database.services[characteristic.serviceIndex]
      let handles = [characteristic.valueHandle] + (characteristic.configurationHandle.map { [$0] } ?? [])
      guard handles.allSatisfy({ service.firstHandle < $0 && $0 <= service.lastHandle }) else {
        return "accepted handles \(handles) outside their service"
      }
    }
    return database.characteristics.count > requirement.characteristics.count ? "more than was looked for" : nil
  }

  private static func problem(in information: DeviceInformation) -> String? {
    let texts = [information.manufacturer, information.model, information.serialNumber].compactMap { $0 }
    if texts.contains(where: { $0.isEmpty || $0.count > DeviceInformation.maximumTextLength }) {
      return "a text without an end"
    }
    return information.systemID.map { $0.count == 8 } ?? true ? nil : "a System ID of another length"
  }

  /// Marks and driver's services, each with its discovery; values of 512 bytes in parts of 18; procedures.
  private static let mostRequests = 2 * (GATTDiscovery.maximumRequests + 1) + 5 * 2 * 32 + mostProcedures * 32
  private static let mostProcedures = 1 + 4 * requirement.characteristics.count

  private static let requirement = GATTRequirement(
    service: 0x1808, isRequired: true,
    characteristics: [0x2A18, 0x2A34, 0x2A51, 0x2A52].map {
      .init(uuid: BluetoothUUID(UInt16($0)), isRequired: $0 != 0x2A34)
    })

  private static let script = Result {
    try MeterScript.parse(
      json: #"""
        {"name": "fuzz", "manufacturer": "fuzz", "address": "00:00:00:00:00:01", "mtu": 64, "bonded": true,
         "advertisement": {"services": ["1808"]}, "caching": {"hash": true, "service_changed": true},
         "services": [{"uuid": "1808", "characteristics": [
           {"uuid": "2A18", "properties": ["notify"]}, {"uuid": "2A34", "properties": ["notify"]},
           {"uuid": "2A51", "properties": ["read", "write"], "text": "a value that needs several requests to be read"},
           {"uuid": "2A52", "properties": ["write", "indicate"]}]},
          {"uuid": "180A", "characteristics": [{"uuid": "2A25", "properties": ["read"], "text": "F-1"},
           {"uuid": "2A23", "properties": ["read"], "value": "0102030405060708"}]}],
         "behaviour": {"kind": "glucose"},
         "records": [{"measurement": "030a00e407030e171700000070b011"}, {"measurement": "030b00e407030e171700000071b011"}]}
        """#)
  }
}
