import CMeterDriver
import Testing

import DriverContract
@testable import DriverRuntime

/// What an import may still be told, and that it comes to an end; without a worker and without a file.
@Suite("The order of an import") struct ImportOrderTests {
  private let pull = ImportAction.pull(offset: 0, count: 8, token: 1)
  private let bytes = ImportFact.bytes([1], offset: 0, isLast: true, token: 1)

  private func begun(size: UInt64? = 16) throws -> ImportOrder {
    var order = ImportOrder(driver: "d", size: size)
    #expect(try tell(&order, .started, [pull]).actions == [pull] && order.sequence == 1)
    return order
  }

  @discardableResult
  private func tell(
    _ order: inout ImportOrder, _ fact: ImportFact, _ actions: [ImportAction], status: Int32 = MH_OK
  ) throws(DriverFault) -> ImportTurn {
    try order.admit(fact)
    return try order.take(ImportUnit(status: status, actions: actions))
  }

  private func fault(_ body: () throws(DriverFault) -> Void) -> DriverFault? {
    do throws(DriverFault) {
      try body()
      return nil
    } catch { return error }
  }

  @Test("each pull is answered once, and done is the end") func whole() throws {
    var order = try begun()
    let turn = try tell(&order, bytes, [.done])
    #expect(turn.isLast && turn.actions == [.done] && turn.sequence == 2)
    let after = fault { () throws(DriverFault) in try order.admit(bytes) }
    #expect(after?.code == .closed)
  }

  @Test("what nobody has asked for is not told") func refused() throws {
    var order = ImportOrder(driver: "d", size: 16)
    #expect(fault { () throws(DriverFault) in try order.admit(bytes) }?.code == .refused)
    order = try begun()
    #expect(fault { () throws(DriverFault) in try order.admit(.started) }?.code == .refused)
    try tell(&order, bytes, [pull, pull])
    try tell(&order, .nothing(status: MH_E_DENIED, token: 1), [])
    try tell(&order, bytes, [pull])
    try order.admit(bytes)
    #expect(fault { () throws(DriverFault) in try order.admit(bytes) }?.code == .refused)
  }

  @Test("a driver that waits for nothing has broken a rule") func silent() throws {
    var order = try begun()
    let found = fault { () throws(DriverFault) in try tell(&order, bytes, []) }
    #expect(found?.code == .brokeRule && found?.rule == "R18")
  }

  @Test("a driver that pulls on and on is stopped by the size of its source") func endless() throws {
    var order = try begun()
    let large = ImportAction.pull(offset: 0, count: UInt32(MH_TALK_CHUNK_MAX), token: 1)
    var found: DriverFault?
    var events = 0
    while found == nil, events < 1000 {
      found = fault { () throws(DriverFault) in try tell(&order, bytes, [large]) }
      events += 1
    }
    #expect(found?.rule == "R16" && (200...300).contains(events))
    order = try begun()
    found = nil
    events = 0
    while found == nil, events < 100_000 {
      found = fault { () throws(DriverFault) in try tell(&order, bytes, [pull]) }
      events += 1
    }
    #expect(found?.rule == "R16" && (60_000...70_000).contains(events))
    order = try begun(size: .max)
    for _ in 0..<1000 { try tell(&order, bytes, [large]) }
  }

  @Test("where the host gives less than is asked for, what it gave counts") func short() throws {
    let large = ImportAction.pull(offset: 0, count: UInt32(MH_TALK_CHUNK_MAX), token: 1)
    var order = ImportOrder(driver: "d", size: 16, givesLess: true)
    try tell(&order, .started, [large])
    for _ in 0..<1000 { try tell(&order, bytes, [large]) }
    let much = ImportFact.bytes([UInt8](repeating: 0, count: Int(MH_TALK_CHUNK_MAX)), offset: 0, isLast: true, token: 1)
    var found: DriverFault?
    var events = 0
    while found == nil, events < 1000 {
      found = fault { () throws(DriverFault) in try tell(&order, much, [large]) }
      events += 1
    }
    #expect(found?.rule == "R16" && (200...300).contains(events))
  }

  @Test("the end of the source is the last that it is told") func ended() throws {
    var order = try begun()
    #expect(try tell(&order, .ended, []).isLast)
    #expect(fault { () throws(DriverFault) in try order.admit(bytes) }?.code == .closed)
  }

  @Test("a driver that gives up, or has failed, is told nothing more") func givesUp() throws {
    var order = try begun()
    let turn = try tell(&order, bytes, [], status: MH_E_MEMORY)
    guard turn.isLast, case .fail? = turn.actions.first else { throw CancellationError() }
    order = try begun()
    order.fail()
    #expect(fault { () throws(DriverFault) in try order.admit(bytes) }?.code == .closed)
  }
}
