import CMeterDriver
import DriverContract
import HostPrimitives

/// One import by a driver in this process, unchecked: a worker's part. Not thread-safe.
final class LocalImport {
  private let driver: String
  private let tables: any ExtensionTables
  private let call: CallContext
  private let sink = ImportSink()
  private let tell: EventFunction
  private let end: CloseFunction
  private var talk: OpaquePointer?

  private typealias EventFunction =
    @convention(c) (OpaquePointer?, UnsafePointer<mh_talk_event>?, UnsafeMutablePointer<mh_import_sink>?) -> Int32
  private typealias CloseFunction = @convention(c) (OpaquePointer?) -> Void

  /// - Throws: `DriverFault` `unknownDriver` when the driver reads no exports, `refused` when it does not read this source.
  init(tables: any ExtensionTables, driver: String, opening: ImportOpening) throws(DriverFault) {
    let table = try tables.table(driver, .import, empty: mh_import())
    guard let open = table.open, let event = table.event, let close = table.close else {
      throw ImportCheck(driver: driver).fault("its table lacks a function")
    }
    self.driver = driver
    self.tables = tables
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
    guard let opened else { throw ImportCheck(driver: driver).fault("open said MH_OK and gave no import") }
    talk = opened
  }

  deinit { close() }

  /// Hands one event to the driver; rounds after `MH_E_FULL` are gathered (rule R13).
  ///
  /// - Throws: `DriverFault`; the import is closed then.
  func rawUnit(_ event: ImportEvent) throws(DriverFault) -> RawImportUnit {
    guard talk != nil else {
      throw DriverFault(.closed, driver: driver, message: "the import has ended; open a new one")
    }
    do { return try rounds(of: event.ofConversation) } catch {
      close()
      throw error
    }
  }

  /// Ends the import; nothing of it is left in the driver. Harmless when it has ended already.
  func close() {
    guard let talk else { return }
    self.talk = nil
    _ = inTurn {
      end(talk)
      return MH_OK
    }
  }

  private func rounds(of event: ConversationEvent) throws(DriverFault) -> RawImportUnit {
    call.extensionSink = sink
    defer { call.extensionSink = nil }
    sink.startEvent()
    call.startEvent(at: event.monotonicNanoseconds)
    var unit = RawImportUnit(status: MH_OK)
    var content: [UInt8] = []
    for number in 0..<LocalSession.mostRounds {
      let before = sink.actions.list.count
      sink.startRound()
      unit.status = event.withTable(isContinued: number > 0) { table in
        inTurn { tell(talk, table, sink.table) }
      }
      guard let round = sink.round else { throw fault("R13", "it put more into the sink than the sink holds") }
      if !round.isEmpty {
        unit.rounds.append(round)
        if let excess = ImportCheck.excess(of: unit.rounds.map(\.extent)) { throw fault("R16", excess) }
        sink.copy(round, to: &content)
      }
      guard unit.status == MH_E_FULL else { return try finished(unit, content) }
      guard !round.isEmpty || sink.actions.list.count > before else {
        throw fault("R13", "it says MH_E_FULL to an empty sink, which will never hold more")
      }
    }
    throw fault("R13", "it said MH_E_FULL \(LocalSession.mostRounds) times to one event")
  }

  private func finished(_ unit: RawImportUnit, _ content: [UInt8]) throws(DriverFault) -> RawImportUnit {
    if let refused = sink.actions.refused {
      throw fault("R18", "an event gave \(refused) and went on as if that had been taken")
    }
    var unit = unit
    unit.content = content[...]
    unit.actions = sink.actions.list
    unit.logs = call.log.take()
    return unit
  }

  private func inTurn(_ body: () -> Int32) -> Int32 { tables.inTurn { call.inCall(body) } }

  private func fault(_ rule: String, _ what: String) -> DriverFault {
    ImportCheck(driver: driver).fault(what, rule: rule)
  }
}

extension ImportOpening {
  /// Lends the opening in the form that the contract wants.
  fileprivate func withTable(_ body: (UnsafePointer<mh_import_open>) -> Int32) -> Int32 {
    Array(source.utf8).withUnsafeBytes { name in
      var table = mh_import_open()
      table.struct_size = UInt32(MemoryLayout<mh_import_open>.size)
      table.talk = mh_talk_open(
        struct_size: UInt32(MemoryLayout<mh_talk_open>.size), utc_offset_s: utcOffsetSeconds, unix_us: unixMicroseconds,
        size: size ?? .max,
        source: mh_str(p: name.baseAddress?.assumingMemoryBound(to: CChar.self), n: UInt64(name.count)))
      table.since_us = since ?? .min
      table.until_us = until ?? .max
      let words = wanted.words
      table.wanted = (words[0], words[1], words[2], words[3])
      return withUnsafePointer(to: table, body)
    }
  }
}
