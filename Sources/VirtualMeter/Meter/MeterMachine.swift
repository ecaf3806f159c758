import BluetoothWire
import HostPrimitives

/// A virtual meter without its sockets: packets in, actions out; a pure value.
///
/// Call ``connect()``, then ``receive(_:)`` for each packet, and ``next()`` whenever the link has nothing else to do, until
/// it returns nothing; then again when ``dueMilliseconds`` have passed since the connection began. Memory and faults
/// live on across connections.
public struct MeterMachine: Sendable {
  private let script: MeterScript
  private var server: ATTServer
  private var behaviour: any MeterBehaviour
  private var faults: FaultInjector
  private var security: MeterSecurity
  private var moves: [MeterScript.Caching.Move]
  /// What a client that has subscribed to Service Changed has not heard of yet.
  private var untoldChange: ATTHandleRange?
  private var tellsChange = false
  private var pdus = 0
  private var awaitsConfirmation = false
  private var isConnected = false
  /// What went over the links so far.
  public private(set) var counters = MeterCounters()

  /// A meter as its script describes it.
  public init(script: MeterScript) {
    self.script = script
    server = ATTServer(script: script)
    faults = FaultInjector(script.faults)
    security = MeterSecurity(script: script)
    moves = script.caching?.moves ?? []
    let database = server.database
    let scripted: (any MeterBehaviour)? =
      switch script.behaviour {
      case .database, .advertise: nil
      case .glucose(let options): GlucoseBehaviour(options, records: script.records, database: database)
      case .keyed(let options): KeyedBehaviour(options, records: script.records, database: database)
      case .indicateOnConnect(let options): IndicateBehaviour(options, records: script.records, database: database)
      case .stream(let options): StreamBehaviour(options, database: database)
      case .oneTouch(let options): OneTouchBehaviour(options, script: script, database: database)
      case .scale(let options): ScaleBehaviour(options, records: script.records, database: database)
      case .responder(let options): ResponderBehaviour(options, records: script.records, database: database)
      case .taidoc(let options): TaiDocBehaviour(options, records: script.records, database: database)
      }
    behaviour = scripted ?? DatabaseBehaviour()
    for (handle, value) in behaviour.values { server.setValue(value, of: handle) }
  }

  /// How many records the memory holds.
  public var recordsLeft: Int { behaviour.recordsLeft }

  /// What the meter can say of the clients of its life.
  package var testimony: MeterTestimony { behaviour.testimony }

  /// A client holds the link from now on.
  public mutating func connect() -> [MeterAction] {
    server.reset()
    security.startLink()
    server.isSecure = security.level > 1
    faults.connect()
    behaviour.connect(clockIsUnset: faults.clockIsUnset(), reportLimit: faults.reportLimit())
    awaitsConfirmation = false
    tellsChange = false
    isConnected = true
    pdus = 0
    counters.connections += 1
    if server.heardServiceChanged == nil { untoldChange = nil }
    moveIfDue()
    return [.event(.connected(number: counters.connections))]
  }

  /// The link is gone.
  public mutating func disconnect() { isConnected = false }

  /// Handles one packet of the client.
  public mutating func receive(_ packet: [UInt8]) -> [MeterAction] {
    guard isConnected else { return [] }
    guard !VirtualSecurity.isSecurity(packet) else { return secure(packet) }
    counters.pdusIn += 1
    pdus += 1
    defer { moveIfDue() }
    let (number, fate) = faults.count(.in)
    var actions: [MeterAction] = [.event(.pdu(number: number, direction: .in, bytes: packet))]
    guard fate != .breaksAndLoses else {
      isConnected = false
      return actions + [.disconnect(.fault)]
    }
    let before = recordsLeft
    let outcome = answer(packet)
    if recordsLeft != before { actions.append(.event(.recordsLeft(recordsLeft))) }
    actions += outcome.procedure.map { [.event(.procedureDone($0))] } ?? []
    if fate == .breaks {
      isConnected = false
      return actions + [.disconnect(.fault)]
    }
    if let reply = outcome.reply { actions += emit(reply, .response) }
    if outcome.procedure != nil, isConnected, script.disconnectsAfterProcedure {
      isConnected = false
      actions.append(.disconnect(.procedureDone))
    }
    return actions
  }

  /// The person puts the meter into its pairing mode, or takes it out of it.
  public mutating func setPairingMode(_ isOn: Bool) { security.acceptsPairing = isOn }

  /// The meter forgets every host that it was paired with.
  public mutating func forgetBonds() { security.forgetBonds() }

  /// Messages of security are no ATT PDUs: no fault hits them and no counter counts them.
  private mutating func secure(_ packet: [UInt8]) -> [MeterAction] {
    let answer = VirtualSecurity(decoding: packet).flatMap { security.answer($0) }
    server.isSecure = security.level > 1
    return answer.map { [.send($0.encoded, afterMilliseconds: 0)] } ?? []
  }

  /// When the meter will send something without the client doing anything, in milliseconds since the connection began;
  /// nil: never.
  public var dueMilliseconds: Int? { isConnected ? behaviour.dueMilliseconds : nil }

  /// What the meter sends of its own now; nothing if it has nothing, or waits for the client or for its time.
  ///
  /// - Parameter milliseconds: since the connection began.
  public mutating func next(at milliseconds: Int = 0) -> [MeterAction] {
    defer { moveIfDue() }
    if let change = tellChange() { return change }
    behaviour.advance(to: milliseconds)
    while isConnected, let outgoing = behaviour.next(server: server, mayIndicate: !awaitsConfirmation) {
      let actions: [MeterAction]
      switch outgoing {
      case .notification(let handle, let value):
        let pdu = ATTPDU.handleValueNotification(handle: handle + server.shift, value: cut(value))
        let first = emit(pdu, .notification)
        actions = isConnected && faults.duplicatesNotification() ? first + emit(pdu, .notification) : first
      case .indication(let handle, let value):
        awaitsConfirmation = true
        let pdu = ATTPDU.handleValueIndication(handle: handle + server.shift, value: cut(value))
        actions = emit(pdu, .indication)
      }
      // A fault may have swallowed the PDU.
      if !actions.isEmpty { return actions + ending() }
    }
    return ending()
  }

  /// Moves the database when the script says so.
  private mutating func moveIfDue() {
    while let move = moves.first,
      move.connection < counters.connections || move.connection == counters.connections && move.afterPDUs <= pdus
    {
      moves.removeFirst()
      untoldChange = server.move(inserting: move.services)
    }
  }

  /// Indicates that the database has changed, to who wants to know.
  private mutating func tellChange() -> [MeterAction]? {
    guard isConnected, !awaitsConfirmation, let change = untoldChange, let handle = server.heardServiceChanged else {
      return nil
    }
    untoldChange = nil
    (awaitsConfirmation, tellsChange) = (true, true)
    let value = [change.first, change.last].flatMap(\.littleEndianBytes)
    return emit(.handleValueIndication(handle: handle, value: value), .indication)
  }

  /// What follows when the last value that was sent ended a procedure.
  private mutating func ending() -> [MeterAction] {
    guard isConnected, let procedure = behaviour.ended() else { return [] }
    guard script.disconnectsAfterProcedure else { return [.event(.procedureDone(procedure))] }
    isConnected = false
    return [.event(.procedureDone(procedure)), .disconnect(.procedureDone)]
  }

  private mutating func answer(_ packet: [UInt8]) -> (reply: ATTPDU?, procedure: String?) {
    if let request = try? ATTPDU(decoding: packet), let refusal = faults.refusal(of: request, in: server.database) {
      return (refusal, nil)
    }
    let (behaviour, before) = (behaviour, server)
    let outcome = server.receive(packet) {
      behaviour.refusal(handle: before.scriptedHandle($0), value: $1, server: before)
    }
    for write in outcome.writes {
      self.behaviour.wrote(handle: server.scriptedHandle(write.handle), value: write.value, server: server)
    }
    guard outcome.confirmed, awaitsConfirmation else { return (outcome.reply, nil) }
    awaitsConfirmation = false
    guard !tellsChange else {
      tellsChange = false
      return (outcome.reply, nil)
    }
    return (outcome.reply, self.behaviour.confirmed())
  }

  private mutating func emit(_ pdu: ATTPDU, _ traffic: MeterFault.Traffic) -> [MeterAction] {
    let delay = faults.delay(traffic)
    guard let bytes = faults.damaged(pdu.encoded) else { return [] }
    counters.pdusOut += 1
    pdus += 1
    let (number, fate) = faults.count(.out)
    let gone = MeterAction.event(.pdu(number: number, direction: .out, bytes: bytes))
    let sent = fate == .breaksAndLoses ? [gone] : [.send(bytes, afterMilliseconds: delay), gone]
    guard fate != .stays else { return sent }
    isConnected = false
    return sent + [.disconnect(.fault)]
  }

  /// A notification or indication carries at most MTU - 3 bytes (Core Vol 3 Part F 3.4.7.1).
  private func cut(_ value: [UInt8]) -> [UInt8] { Array(value.prefix(server.mtu - 3)) }
}
