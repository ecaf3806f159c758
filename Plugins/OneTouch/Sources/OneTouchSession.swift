import MeterDriver

// The session: subscribe, then one command after the other; pairing where the meter wants it; the endings.
extension OneTouchDriver {
  mutating func handle(_ event: borrowing Event, _ output: inout Output) throws(DriverError) {
    guard phase != .ended else { return }
    switch event {
    case .services(let database): start(database, &output)
    case .servicesChanged: forgetServices(&output)
    case .encrypted(let level): try securityChanged(level, &output)
    case .subscribed(_, let status): try subscribed(status, &output)
    case .wrote(_, let status): if status != 0 { refused(status, &output) }
    case .notification(let handle, let value), .indication(let handle, let value):
      if handle == replyHandle { try received(value, &output) }
    case .timer(let token): if token == Token.patience { timeIsUp(&output) }
    case .cancel: finish(&output)
    case .disconnected:
      fail(.communication, "The meter went away before it had sent everything. Keep it near and read again.", &output)
    default: break
    }
  }

  // MARK: Setting up

  private mutating func start(_ database: GATTDatabase, _ output: inout Output) {
    guard phase == .idle else { return }
    if purpose == .pair {
      if isEncrypted { finish(&output) } else { pair(&output) }
      return
    }
    guard let command = database.characteristic(uuid: UUID.command, in: UUID.service),
      command.canWrite || command.canWriteWithoutResponse,
      let reply = database.characteristic(uuid: UUID.reply, in: UUID.service), reply.canSubscribe
    else {
      fail(.unsupportedMeter, "This is no OneTouch meter that MeterHost knows. Check which meter is chosen.", &output)
      return
    }
    commandHandle = command.handle
    writesWithResponse = command.canWrite
    replyHandle = reply.handle
    subscribe(&output)
  }

  private mutating func subscribe(_ output: inout Output) {
    phase = .subscribing
    output.subscribe(replyHandle, token: Token.subscription)
  }

  private mutating func subscribed(_ status: Int32, _ output: inout Output) throws(DriverError) {
    guard phase == .subscribing else { return }
    guard status == 0 else {
      refused(status, &output)
      return
    }
    try loadCursor(output)
    output.ready()
    ask(.readClock, &output)
  }

  private mutating func loadCursor(_ output: borrowing Output) throws(DriverError) {
    reading = Reading()
    // With an interval wanted the host gives no cursor either.
    guard since == nil, let bytes = try output.stored(ReadCursor.key) else { return }
    reading.cursor = ReadCursor(bytes)
    reading.older = try output.stored(RecordWalk.Older.key).flatMap { RecordWalk.Older($0) }
    if reading.cursor == nil {
      output.log(.warning, "the stored cursor is of another version; reading all records")
    }
  }

  /// Handles may mean something else now: start again at the next list of services.
  private mutating func forgetServices(_ output: inout Output) {
    phase = .idle
    exchange = Exchange()
    output.cancelTimer(Token.patience)
  }

  // MARK: Pairing

  private mutating func pair(_ output: inout Output) {
    phase = .pairing
    hasPaired = true
    output.cancelTimer(Token.patience)
    output.pair()
  }

  private mutating func securityChanged(_ level: Int32, _ output: inout Output) throws(DriverError) {
    isEncrypted = level >= 2
    guard phase == .pairing, isEncrypted else { return }
    if purpose == .pair { finish(&output) } else { subscribe(&output) }
  }

  /// The meter refused to be subscribed or written to (Core Specification, Vol 3 Part F 3.4.1.1).
  private mutating func refused(_ status: Int32, _ output: inout Output) {
    switch status {
    case 0x05, 0x08, 0x0c, 0x0f: pairOrFail(subcode: status, &output)
    default:
      fail(
        .communication, subcode: UInt64(UInt32(bitPattern: status)),
        "The meter refused a command. Switch it off and on and read again.", &output)
    }
  }

  /// Pairs once; a link that is encrypted already cannot be helped so.
  mutating func pairOrFail(subcode: Int32, _ output: inout Output) {
    guard phase != .pairing else { return }
    guard !isEncrypted, !hasPaired else {
      fail(
        .notPaired, subcode: UInt64(UInt32(bitPattern: subcode)),
        "The meter answers paired devices only. Remove this pairing on both sides, pair it anew and read again.",
        &output)
      return
    }
    pair(&output)
  }

  // MARK: Commands and replies

  /// Asks the meter; with an acknowledgement of its last reply first.
  mutating func ask(_ command: Command, after acknowledgement: [UInt8] = [], _ output: inout Output) {
    if !acknowledgement.isEmpty { write(acknowledgement, &output) }
    guard let frame = Frame.encode(command.payload, prefix: prefix) else { return }
    phase = .asking(command)
    write(exchange.begin(frame), &output)
    output.timer(Token.patience, after: OneTouchDriver.replyLimit)
  }

  func write(_ value: [UInt8], _ output: inout Output) {
    if writesWithResponse {
      output.write(commandHandle, value, token: Token.write)
    } else {
      output.writeWithoutResponse(commandHandle, value)
    }
  }

  private mutating func received(_ value: RawSpan, _ output: inout Output) throws(DriverError) {
    guard case .asking(let command) = phase else { return }
    switch exchange.receive((0..<value.byteCount).map { value.unsafeLoad(fromByteOffset: $0, as: UInt8.self) }) {
    case .wait: break
    case .send(let bytes):
      write(bytes, &output)
      output.timer(Token.patience, after: OneTouchDriver.replyLimit)
    case .reply(let payload, let acknowledgement):
      answered(command, payload, acknowledgement, &output)
    case .dropped(let reason):
      output.log(.warning, "a value was dropped, reason", reason.code)
      throw .protocolViolation
    }
  }

  private mutating func timeIsUp(_ output: inout Output) {
    switch exchange.expire() {
    case .nothing: break
    case .quieten: output.timer(Token.patience, after: OneTouchDriver.quietTime)
    case .send(let fragment):
      write(fragment, &output)
      output.timer(Token.patience, after: OneTouchDriver.replyLimit)
    case .giveUp:
      fail(.timeout, "The meter stopped answering. Switch it on, keep it near and read again.", &output)
    }
  }

  // MARK: Endings

  mutating func finish(_ output: inout Output) {
    if case .asking = phase { output.cancelTimer(Token.patience) }
    phase = .ended
    output.finish()
  }

  mutating func fail(
    _ failure: Failure, subcode: UInt64 = 0, _ text: StaticString, _ output: inout Output
  ) {
    phase = .ended
    output.fail(failure, subcode: subcode, text)
  }
}

extension Exchange.Reason {
  /// As README.md lists them.
  var code: UInt64 {
    switch self {
    case .unasked: 1
    case .late: 2
    case .unexpectedAcknowledgement: 3
    case .fragment(.empty): 4
    case .fragment(.impossible): 5
    case .fragment(.outOfOrder): 6
    case .frame(.wrongLength): 7
    case .frame(.notDelimited): 8
    case .frame(.wrongChecksum): 9
    }
  }
}
