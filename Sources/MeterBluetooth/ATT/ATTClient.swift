public import BluetoothWire
package import HostPrimitives
import Logging
import MeterCore

/// One fact of a link, in the order of the air.
public enum ATTServerEvent: Sendable, Hashable {
  /// A value that nobody confirms.
  case notification(handle: UInt16, value: [UInt8])
  /// A value that waits for ``ATTClient/confirmIndication()``.
  case indication(handle: UInt16, value: [UInt8])
  /// The server's database has changed within these handles; the client has confirmed that it knows.
  case serviceChanged(ATTHandleRange)
  /// The last response of the procedure stood here: see ``ATTClient/beginProcedure()``.
  case procedureEnd
}

/// The client's end of one ATT bearer: one request at a time, notifications and indications as they come.
///
/// Indications are not confirmed here: the confirmation tells the meter that it may forget the reading, so it waits until
/// the reading is on disk (rule R25). Only Service Changed, which carries no reading, is confirmed at once.
///
/// A response wakes the task that asked; a value goes through ``events``. So that both keep the order in which their PDUs
/// arrived, a procedure is put between ``beginProcedure()`` and ``endProcedure()``: values behind a response wait until it
/// is known whether the procedure goes on or ends there.
public actor ATTClient {
  /// Limits against meters that misbehave.
  public struct Limits: Sendable {
    /// Time for an answer (Core Specification, Vol 3 Part F 3.3.3).
    public var transaction: Duration = .seconds(30)
    /// Values that may wait to be read before the link is dropped.
    public var waitingValues = 8192
    /// PDUs that belong to nothing before the link is dropped.
    public var strayPDUs = 32
    /// PDUs that may wait to be sent before the link is dropped.
    public var waitingPDUs = 256
    /// Time for what is still to be sent when the link is closed.
    public var closing: Duration = .seconds(2)

    /// The limits of the specification, and generous ones where it has none.
    public init() {}
  }

  /// What the meter sends by itself and where procedures ended, until the link is gone; ``failure`` says why it went.
  public nonisolated let events: AsyncStream<ATTServerEvent>
  /// PDUs that went to the meter.
  public private(set) var sentPDUs = 0
  /// PDUs that came from the meter.
  public private(set) var receivedPDUs = 0
  /// Largest PDU that both sides take.
  public private(set) var mtu: Int
  /// How often the server has said since the link is up that its database has changed.
  public private(set) var databaseChanges = 0

  private let bearer: any ATTBearer
  private let limits: Limits
  private let clock: any HostClock
  private let sink: AsyncStream<ATTServerEvent>.Continuation
  private var outstanding: (opcode: ATTOpcode, id: Int, waiter: CheckedContinuation<Result<ATTPDU, GATTError>, Never>)?
  private var requestCount = 0
  private static let log = LogArea.bluetooth.logger
  private var procedureRuns = false
  /// Handle of the server's Service Changed characteristic; nil while it is not known.
  private var serviceChanged: UInt16?
  /// Values that arrived behind a response while it is open whether the procedure ends with it; nil: nothing is open.
  private var valuesBehindResponse: [ATTServerEvent]?
  private var unconfirmed = 0
  private var strays = 0
  private var end: GATTError?
  private var endIsOrderly = false
  private var receiving: Task<Void, Never>?
  /// Sent by one task in this order, so that a meter that does not listen holds nobody up.
  private var outgoing: [[UInt8]] = []
  private var isSending = false
  private var closers: [CheckedContinuation<Void, Never>] = []

  /// Longest PDU that any link can carry: a value of 512 bytes and the longest head before it.
  static let maximumPDULength = 517

  /// A client on a bearer that is up; call ``start()`` before anything else.
  ///
  /// - Parameter serviceChanged: As of ``watchServiceChanged(at:)``, when it is known from an earlier link.
  public init(bearer: any ATTBearer, limits: Limits = Limits(), serviceChanged: UInt16? = nil) {
    self.init(bearer: bearer, limits: limits, serviceChanged: serviceChanged, clock: .system)
  }

  /// The same by another clock.
  package init(
    bearer: any ATTBearer, limits: Limits = Limits(), serviceChanged: UInt16? = nil, clock: any HostClock
  ) {
    self.bearer = bearer
    self.clock = clock
    self.limits = limits
    self.serviceChanged = serviceChanged
    mtu = bearer.exchangedMTU ?? ATTPDU.defaultMTU
    if bearer.exchangedMTU != nil { (sentPDUs, receivedPDUs) = (1, 1) }
    (events, sink) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(limits.waitingValues))
  }

  /// Starts to listen to the meter.
  public func start() {
    guard receiving == nil else { return }
    receiving = Task { await self.receiveAll() }
  }

  /// Why the link was dropped; nil while it is up and after an orderly end by either side.
  public var failure: GATTError? { endIsOrderly ? nil : end }

  /// Sends what is still to be sent, drops the link and ends ``events``.
  public func close() async {
    let closed = GATTError(.disconnected, "the link was closed by the host")
    guard end == nil, isSending else { return finish(closed, orderly: true) }
    let timeout = Task { [clock, limits] in
      try await clock.sleep(for: limits.closing)
      self.finish(closed, orderly: true)
    }
    await withCheckedContinuation { closers.append($0) }
    timeout.cancel()
  }

  /// Sends a request and waits for its response.
  ///
  /// - Throws: ``GATTError``: `attribute` with the meter's error code, `transactionTimeout`, `disconnected`, `malformed`,
  ///   `unexpectedResponse`, or `busy` while another request is outstanding.
  public func request(_ pdu: ATTPDU) async throws(GATTError) -> ATTPDU {
    passOnValues()
    if let end { throw end }
    guard outstanding == nil else { throw GATTError(.busy, "a request is outstanding already") }
    requestCount += 1
    let id = requestCount
    // A response that is still to come would be taken for this one's (Core Specification, Vol 3 Part F 3.3.3).
    let timeout = Task { [clock, limits] in
      try await clock.sleep(for: limits.transaction)
      self.timeOut(id)
    }
    defer { timeout.cancel() }
    let result: Result<ATTPDU, GATTError> = await withCheckedContinuation { waiter in
      outstanding = (pdu.opcode, id, waiter)
      send(pdu)
    }
    return try check(result.get(), for: pdu.opcode)
  }

  /// Tells the client which characteristic is Service Changed (Core Specification, Vol 3 Part G 7.1): what it indicates
  /// from now on is confirmed here, counted, and told as ``ATTServerEvent/serviceChanged(_:)``.
  public func watchServiceChanged(at handle: UInt16) { serviceChanged = handle }

  /// Begins a procedure of one or several requests, whose end gets its place in ``events``; one at a time.
  public func beginProcedure() { procedureRuns = true }

  /// The procedure goes on, but not at once: what came behind its last response is told now.
  public func pauseProcedure() { passOnValues() }

  /// Ends the procedure: `procedureEnd` stands in ``events`` behind the values that came before its last response and
  /// before those that came after it. Nothing is reported of a procedure that the end of the link has cut off.
  public func endProcedure() {
    procedureRuns = false
    if valuesBehindResponse != nil || end == nil { emit(.procedureEnd) }
    passOnValues()
    if end != nil { sink.finish() }
  }

  /// Sends a PDU after those that were sent before. A link that cannot carry it ends.
  public func send(_ pdu: ATTPDU) {
    guard end == nil else { return }
    guard outgoing.count < limits.waitingPDUs else {
      return finish(
        GATTError(.flooded, "the meter takes no PDUs; \(outgoing.count) wait, the link was dropped"), orderly: false)
    }
    Self.log.trace("sent", metadata: ["pdu": "\(pdu.opcode)"])
    outgoing.append(pdu.encoded)
    guard !isSending else { return }
    isSending = true
    Task { await self.sendAll() }
  }

  /// Confirms the oldest unconfirmed indication; does nothing when there is none.
  public func confirmIndication() {
    guard unconfirmed > 0 else { return }
    unconfirmed -= 1
    send(.handleValueConfirmation)
  }

  /// Agrees on the largest PDU; the result is at least 23.
  ///
  /// - Throws: ``GATTError``. A meter that does not support the request keeps 23, which is no error.
  public func exchangeMTU(_ wanted: UInt16) async throws(GATTError) -> Int {
    guard bearer.exchangedMTU == nil else { return mtu }
    do throws(GATTError) {
      guard case .exchangeMTUResponse(let server) = try await request(.exchangeMTURequest(clientMTU: wanted)) else {
        throw GATTError(.unexpectedResponse, "the meter answered an MTU request with something else")
      }
      mtu = max(ATTPDU.defaultMTU, min(Int(wanted), Int(server)))
    } catch {
      guard case .attribute(.requestNotSupported) = error.code else { throw error }
    }
    return mtu
  }

  private func sendAll() async {
    while end == nil, !outgoing.isEmpty {
      do throws(GATTError) {
        // Counted first: the answer may be here before this task goes on.
        sentPDUs += 1
        try await bearer.send(outgoing.removeFirst())
      } catch {
        finish(error, orderly: false)
      }
    }
    isSending = false
    if !closers.isEmpty { finish(GATTError(.disconnected, "the link was closed by the host"), orderly: true) }
  }

  private nonisolated func check(_ response: ATTPDU, for opcode: ATTOpcode) throws(GATTError) -> ATTPDU {
    if case .errorResponse(let request, let handle, let code) = response {
      guard request == opcode else {
        throw GATTError(.unexpectedResponse, "the meter reported an error of \(request) while \(opcode) was asked")
      }
      throw GATTError(.attribute(code), "\(opcode) at handle \(handle): \(code.message)")
    }
    // A response's opcode is its request's plus one (Core Specification, Vol 3 Part F 3.4.8).
    guard response.opcode.rawValue == opcode.rawValue + 1 else {
      throw GATTError(.unexpectedResponse, "the meter answered \(opcode) with \(response.opcode)")
    }
    return response
  }

  private func timeOut(_ id: Int) {
    guard outstanding?.id == id else { return }
    finish(GATTError(.transactionTimeout, "the meter did not answer within \(limits.transaction)"), orderly: false)
  }

  private func receiveAll() async {
    while end == nil {
      do {
        guard let bytes = try await bearer.receive() else {
          return finish(GATTError(.disconnected, "the meter closed the link"), orderly: true)
        }
        receivedPDUs += 1
        take(try decode(bytes))
      } catch {
        finish(error, orderly: false)
      }
    }
  }

  private nonisolated func decode(_ bytes: [UInt8]) throws(GATTError) -> ATTPDU {
    guard bytes.count <= Self.maximumPDULength else {
      throw GATTError(.malformed, "the meter sent a PDU of \(bytes.count) bytes")
    }
    do {
      return try ATTPDU(decoding: bytes)
    } catch {
      throw GATTError(.malformed, "the meter sent a malformed PDU: \(error)")
    }
  }

  private func take(_ pdu: ATTPDU) {
    // Its kind only: what is in it may be a reading or a key.
    Self.log.trace("received", metadata: ["pdu": "\(pdu.opcode)"])
    switch pdu {
    case .handleValueNotification(let handle, let value): take(.notification(handle: handle, value: value))
    case .handleValueIndication(let handle, let value) where handle == serviceChanged:
      databaseChanges += 1
      send(.handleValueConfirmation)
      take(.serviceChanged(ATTHandleRange(serviceChanged: value)))
    case .handleValueIndication(let handle, let value):
      unconfirmed += 1
      take(.indication(handle: handle, value: value))
    case .exchangeMTURequest:
      // A meter may ask too; it hears what is agreed already (Core Specification, Vol 3 Part F 3.4.2).
      send(.exchangeMTUResponse(serverMTU: UInt16(clamping: mtu)))
    case _ where pdu.opcode.isRequest:
      send(.errorResponse(request: pdu.opcode, handle: 0, code: .requestNotSupported))
    case _ where pdu.opcode.isCommand: countStray(pdu)
    default:
      guard let waiting = outstanding else { return countStray(pdu) }
      outstanding = nil
      if procedureRuns { valuesBehindResponse = [] }
      waiting.waiter.resume(returning: .success(pdu))
    }
  }

  private func take(_ value: ATTServerEvent) {
    guard let waiting = valuesBehindResponse else { return emit(value) }
    guard waiting.count < limits.waitingValues else { return flooded() }
    valuesBehindResponse?.append(value)
  }

  private func passOnValues() {
    let values = valuesBehindResponse ?? []
    valuesBehindResponse = nil
    for value in values { emit(value) }
  }

  private func emit(_ event: ATTServerEvent) {
    if case .dropped = sink.yield(event) { flooded() }
  }

  private func flooded() {
    finish(GATTError(.flooded, "more than \(limits.waitingValues) values wait; the link was dropped"), orderly: false)
  }

  private func countStray(_ pdu: ATTPDU) {
    strays += 1
    guard strays > limits.strayPDUs else { return }
    finish(
      GATTError(.malformed, "more than \(limits.strayPDUs) PDUs that nobody asked for, \(pdu.opcode) last"),
      orderly: false)
  }

  private func finish(_ error: GATTError, orderly: Bool) {
    guard end == nil else { return }
    end = error
    endIsOrderly = orderly
    outgoing = []
    bearer.close()
    outstanding?.waiter.resume(returning: .failure(error))
    outstanding = nil
    // Else the procedure's end and what came behind it still follow.
    if valuesBehindResponse == nil { sink.finish() }
    receiving?.cancel()
    for closer in closers { closer.resume() }
    closers = []
  }
}
