import CMeterDriver
import DriverContract
import HostPrimitives

/// One conversation of a driver in this process, unchecked: a worker's part. Not thread-safe.
final class LocalConversation {
  private let driver: String
  private let tables: any ExtensionTables
  private let limits: DriverLimits
  private let call: CallContext
  private let sink = ConversationSink()
  private let tell: EventFunction
  private let end: CloseFunction
  private var talk: OpaquePointer?

  private typealias EventFunction =
    @convention(c) (OpaquePointer?, UnsafePointer<mh_talk_event>?, UnsafeMutablePointer<mh_talk_sink>?) -> Int32
  private typealias CloseFunction = @convention(c) (OpaquePointer?) -> Void

  /// - Throws: `DriverFault` `unknownDriver` when the driver holds no conversations, `refused` when it does not read this source.
  init(
    tables: any ExtensionTables, driver: String, opening: ConversationOpening, limits: DriverLimits
  ) throws(DriverFault) {
    let table = try tables.table(driver, .conversation, empty: mh_conversation())
    guard let open = table.open, let event = table.event, let close = table.close else {
      throw ConversationCheck(driver: driver).fault("its table lacks a function")
    }
    self.driver = driver
    self.tables = tables
    self.limits = limits
    tell = event
    end = close
    call = CallContext(peer: nil, storage: [:], assets: AssetTable(opening.assets))
    var opened: OpaquePointer?
    let status = opening.withTable { table in inTurn { open(table, &opened) } }
    guard status == MH_OK else {
      let words = call.log.take().map(\.message).joined(separator: "; ")
      throw DriverFault(
        .refused, driver: driver, rule: "R18",
        message: "the driver does not read \(opening.source) (\(statusName(status))); choose another driver",
        cause: words.isEmpty ? nil : words.oneLine(atMost: 512))
    }
    guard let opened else { throw ConversationCheck(driver: driver).fault("open said MH_OK and gave no conversation") }
    talk = opened
  }

  deinit { close() }

  /// Hands one event to the driver; rounds after `MH_E_FULL` are gathered (rule R13).
  ///
  /// - Throws: `DriverFault`; the conversation is closed then.
  func rawUnit(_ event: ConversationEvent) throws(DriverFault) -> RawTalkUnit {
    guard talk != nil else {
      throw DriverFault(.closed, driver: driver, message: "the conversation has ended; open a new one")
    }
    do { return try rounds(of: event) } catch {
      close()
      throw error
    }
  }

  /// Ends the conversation; nothing of it is left in the driver. Harmless when it has ended already.
  func close() {
    guard let talk else { return }
    self.talk = nil
    _ = inTurn {
      end(talk)
      return MH_OK
    }
  }

  private func rounds(of event: ConversationEvent) throws(DriverFault) -> RawTalkUnit {
    call.extensionSink = sink
    defer { call.extensionSink = nil }
    sink.startEvent()
    call.startEvent(at: event.monotonicNanoseconds)
    var unit = RawTalkUnit(status: MH_OK)
    var total = 0
    for number in 0..<LocalSession.mostRounds {
      let before = sink.taken
      sink.startRound()
      unit.status = event.withTable(isContinued: number > 0) { table in
        inTurn { tell(talk, table, sink.table) }
      }
      guard let round = sink.round else { throw fault("R13", "it put more into the sink than the sink holds") }
      total += round.output.records.count
      guard total <= Int(limits.recordsPerEvent) else {
        throw fault("R16", "an event gave more than \(limits.recordsPerEvent) records")
      }
      // Parts without a record are kept, too: the host refuses them.
      let isEmpty = round.isEmpty
      if !isEmpty { unit.rounds.append(round) }
      guard unit.status == MH_E_FULL else { return try finished(unit) }
      guard !isEmpty || sink.taken > before else {
        throw fault("R13", "it says MH_E_FULL to an empty sink, which will never hold more")
      }
    }
    throw fault("R13", "it said MH_E_FULL \(LocalSession.mostRounds) times to one event")
  }

  private func finished(_ unit: RawTalkUnit) throws(DriverFault) -> RawTalkUnit {
    if let refused = sink.actions.refused {
      throw fault("R18", "an event gave \(refused) and went on as if that had been taken")
    }
    var unit = unit
    unit.actions = sink.actions.list
    unit.writes = sink.orderedWrites
    unit.logs = call.log.take()
    return unit
  }

  private func inTurn(_ body: () -> Int32) -> Int32 { tables.inTurn { call.inCall(body) } }

  private func fault(_ rule: String, _ what: String) -> DriverFault {
    ConversationCheck(driver: driver).fault(what, rule: rule)
  }
}

extension ConversationOpening {
  /// Lends the opening in the form that the contract wants.
  fileprivate func withTable(_ body: (UnsafePointer<mh_talk_open>) -> Int32) -> Int32 {
    Array(source.utf8).withUnsafeBytes { words in
      let table = mh_talk_open(
        struct_size: UInt32(MemoryLayout<mh_talk_open>.size), utc_offset_s: utcOffsetSeconds, unix_us: unixMicroseconds,
        size: size ?? .max,
        source: mh_str(
          p: words.baseAddress?.assumingMemoryBound(to: CChar.self), n: UInt64(words.count)))
      return withUnsafePointer(to: table, body)
    }
  }
}
