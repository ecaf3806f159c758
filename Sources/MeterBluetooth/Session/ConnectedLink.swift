import BluetoothWire
import DriverContract
import HostPrimitives

/// A session's connection: the driver's wishes become GATT procedures, and the meter's PDUs facts.
///
/// Handles are the driver's only as long as the meter does not move them: a Service Changed that concerns them, or the ATT
/// error Database Out Of Sync, closes the link, and the next one begins with a discovery.
actor ConnectedLink: SessionLink {
  nonisolated let medium = SessionMachine.Medium.connection
  private(set) var lastHeard: HostInstant
  private let clock: any HostClock
  private let client: GATTClient
  private let database: GATTDatabase
  /// Handle of the server's Service Changed characteristic, which is no driver's.
  private let serviceChanged: UInt16?
  private let pair: @Sendable () async throws -> UInt8
  private let notify: @Sendable (SessionNotice) -> Void
  private let began: HostInstant
  private var linkError: GATTError?
  private var pairingError: BluetoothError?
  private var contradictsDatabase = false
  private var cacheIsStale = false
  private var databaseMoved = false
  /// What procedures have come to, until the end of each has its turn among the values.
  private var procedureResults: [SessionMachine.Input?] = []

  init(
    client: GATTClient, database: GATTDatabase, serviceChanged: UInt16? = nil, clock: any HostClock,
    pair: @escaping @Sendable () async throws -> UInt8,
    notify: @escaping @Sendable (SessionNotice) -> Void
  ) {
    self.client = client
    self.clock = clock
    lastHeard = clock.now
    began = clock.now
    self.database = database
    self.serviceChanged = serviceChanged
    self.pair = pair
    self.notify = notify
  }

  var report: LinkReport {
    get async {
      LinkReport(
        error: linkError, pairingError: pairingError, contradictsDatabase: contradictsDatabase,
        cacheIsStale: cacheIsStale, databaseMoved: databaseMoved, began: began, sentPDUs: await client.att.sentPDUs,
        receivedPDUs: await client.att.receivedPDUs)
    }
  }

  func listen(_ post: @escaping @Sendable (SessionMachine.Input) -> Void) async {
    post(.fact(.connected(mtu: UInt16(clamping: await client.att.mtu)), token: 0))
    post(.fact(.services(database.driverServices, database.driverCharacteristics), token: 0))
    for await event in client.att.events {
      switch event {
      case .serviceChanged(let range): await take(change: range)
      // It came before the client knew the handle, and before the database was looked at.
      case .indication(serviceChanged, _): await client.att.confirmIndication()
      case .notification(let handle, let value): post(heard(.notification(handle: handle, value), from: handle))
      case .indication(let handle, let value): post(heard(.indication(handle: handle, value), from: handle))
      case .procedureEnd:
        if let result = procedureResults.removeFirst() { post(result) }
      }
    }
    let failure = await client.att.failure
    if linkError == nil { linkError = failure }
    // Remote User Terminated Connection, or Connection Timeout (Core Specification, Vol 1 Part F 2.17 and 2.8).
    post(.linkLost(reason: failure == nil ? 0x13 : 0x08))
  }

  nonisolated func delivers(_ fact: DriverFact) {}

  func run(_ procedure: SessionMachine.Procedure) async {
    lastHeard = clock.now
    guard !databaseMoved else { return }
    await client.att.beginProcedure()
    procedureResults.append(await result(of: procedure))
    await client.att.endProcedure()
  }

  func write(_ value: [UInt8], to handle: UInt16) async {
    guard !databaseMoved else { return }
    guard let characteristic = database.characteristic(valueHandle: handle) else {
      return notify(.log(.init(level: .warning, message: "a write to handle \(handle), which is not the driver's")))
    }
    // A link that broke reports itself by the end of its events.
    await client.att.send(.writeCommand(handle: characteristic.valueHandle, value: value))
  }

  func confirmIndication() async { await client.att.confirmIndication() }

  func close() async { await client.att.close() }

  private func take(change range: ATTHandleRange) async {
    cacheIsStale = true
    if database.isTouched(by: range) { await abandon() }
  }

  /// What the driver takes its handles for may be something else by now: nothing is sent to them any more.
  private func abandon() async {
    databaseMoved = true
    contradictsDatabase = true
    linkError = GATTError(.databaseChanged, "the meter changed its services while it was read")
    await client.att.close()
  }

  private func heard(_ fact: DriverFact, from handle: UInt16) -> SessionMachine.Input {
    lastHeard = clock.now
    if database.characteristic(valueHandle: handle) == nil { contradictsDatabase = true }
    return .fact(fact, token: 0)
  }
}

extension ConnectedLink {
  /// nil when the link broke meanwhile: that ends the session by itself.
  private func result(of procedure: SessionMachine.Procedure) async -> SessionMachine.Input? {
    switch procedure {
    case .subscribe(let handle, let enable, let token):
      let status = await status { () throws(GATTError) in
        try await client.subscribe(to: try characteristic(handle), enable: enable)
      }
      return status.map { .procedureDone(.subscribed(handle: handle, status: $0), token: token) }
    case .read(let handle, let token):
      var value: [UInt8] = []
      let status = await status { () throws(GATTError) in
        value = try await client.read(handle: try characteristic(handle).valueHandle)
      }
      return status.map { .procedureDone(.read(handle: handle, value, status: $0), token: token) }
    case .write(let handle, let value, let token):
      let status = await status { () throws(GATTError) in
        try await client.write(value, to: try characteristic(handle).valueHandle)
      }
      return status.map { .procedureDone(.wrote(handle: handle, status: $0), token: token) }
    case .exchangeMTU(let wanted, let token):
      let status = await status { () throws(GATTError) in _ = try await client.att.exchangeMTU(wanted) }
      let mtu = UInt16(clamping: await client.att.mtu)
      return status.map { _ in .procedureDone(.mtu(mtu), token: token) }
    case .pair(_, let token):
      do {
        return .procedureDone(.encrypted(level: Int32(try await pair())), token: token)
      } catch {
        pairingError = error as? BluetoothError
        return .pairingFailed
      }
    }
  }

  /// Only what discovery found for this driver may be named; anything else is the ATT error "invalid handle".
  private func characteristic(_ handle: UInt16) throws(GATTError) -> GATTDatabase.Characteristic {
    guard let found = database.characteristic(valueHandle: handle) else {
      throw GATTError(
        .attribute(.invalidHandle), "the driver named handle \(handle), which is not one of its characteristics")
    }
    return found
  }

  /// 0, or the ATT error code that the driver may act on; nil when the link is gone, or must go.
  private func status(_ body: () async throws(GATTError) -> Void) async -> Int32? {
    do {
      try await body()
      return 0
    } catch {
      switch error.code {
      case .attribute(.databaseOutOfSync):
        await abandon()
        return nil
      case .attribute(let code):
        if code.contradictsDatabase { contradictsDatabase = true }
        return Int32(code.rawValue)
      case .missing: return Int32(ATTErrorCode.attributeNotFound.rawValue)
      default:
        if error.code != .disconnected { linkError = error }
        await client.att.close()
        return nil
      }
    }
  }
}

extension ATTErrorCode {
  /// Whether a server answers so when a handle is not what the client takes it for.
  fileprivate var contradictsDatabase: Bool {
    switch self {
    case .invalidHandle, .readNotPermitted, .writeNotPermitted, .requestNotSupported, .attributeNotFound,
      .invalidAttributeValueLength, .valueNotAllowed:
      true
    default: false
    }
  }
}
