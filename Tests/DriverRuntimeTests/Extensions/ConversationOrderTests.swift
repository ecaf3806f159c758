import CMeterDriver
import Testing

import DriverContract
@testable import DriverRuntime

/// The commit rule of conversations, without a worker and without a disk.
@Suite("The order of a conversation") struct ConversationOrderTests {
  private let write = DriverStorageWrite(key: "user/cursor", value: [1])

  private func begun() throws -> ConversationOrder {
    var order = ConversationOrder(driver: "d")
    let first = try order.admit(.started)
    #expect(first.isTold && first.released.isEmpty && order.sequence == 1)
    return order
  }

  private func tell(
    _ order: inout ConversationOrder, _ fact: ConversationFact, _ unit: ConversationUnit = ConversationUnit()
  ) throws(DriverFault) -> ConversationTurn {
    let admitted = try order.admit(fact)
    guard admitted.isTold else {
      return ConversationTurn(sequence: order.sequence, actions: admitted.released, isLast: true)
    }
    return order.take(unit, released: admitted.released)
  }

  @Test("an acknowledgement waits for its unit, a pull does not") func held() throws {
    var order = try begun()
    let acknowledge = ConversationAction.acknowledge(offset: 8, token: 1)
    let pull = ConversationAction.pull(offset: 8, count: 8, token: 2)
    let turn = try tell(
      &order, .timer(token: 0), ConversationUnit(actions: [acknowledge, pull], writes: [write]))
    #expect(turn.actions == [pull] && turn.hasContent && turn.sequence == 2)
    #expect(try tell(&order, .committed(through: 2)).actions == [acknowledge])
  }

  @Test("an acknowledgement waits for every unit before it") func earlier() throws {
    var order = try begun()
    _ = try tell(&order, .timer(token: 0), ConversationUnit(writes: [write]))
    let acknowledge = ConversationAction.acknowledge(offset: 8, token: 1)
    #expect(try tell(&order, .timer(token: 1), ConversationUnit(actions: [acknowledge])).actions.isEmpty)
    _ = try tell(&order, .timer(token: 2), ConversationUnit(writes: [write]))
    #expect(try tell(&order, .committed(through: 2)).actions == [acknowledge])
    #expect(try tell(&order, .committed(through: 4)).actions.isEmpty)
  }

  @Test("an acknowledgement behind nothing that is uncommitted is free at once") func nothing() throws {
    var order = try begun()
    let acknowledge = ConversationAction.acknowledge(offset: 8, token: 1)
    #expect(try tell(&order, .timer(token: 0), ConversationUnit(actions: [acknowledge])).actions == [acknowledge])
  }

  @Test("what waits keeps its order") func order() throws {
    var order = try begun()
    let actions: [ConversationAction] = [
      .acknowledge(offset: 1, token: 1), .readKey("user/a", token: 2), .acknowledge(offset: 2, token: 3), .done,
    ]
    let turn = try tell(&order, .timer(token: 0), ConversationUnit(actions: actions, writes: [write]))
    #expect(turn.actions.isEmpty && turn.isLast)
    // The driver is told nothing more, and its last actions are still set free.
    let last = try tell(&order, .committed(through: 2))
    #expect(last.actions == actions && last.isLast)
    let after = #expect(throws: DriverFault.self) { try order.admit(.timer(token: 0)) }
    #expect(after?.code == .closed)
  }

  @Test("a driver that has failed has nothing carried out") func failed() throws {
    var order = try begun()
    _ = try tell(
      &order, .timer(token: 0), ConversationUnit(actions: [.acknowledge(offset: 8, token: 1)], writes: [write]))
    order.fail()
    #expect(throws: DriverFault.self) { try order.admit(.committed(through: 2)) }
  }

  @Test("a driver that gives up has nothing taken of its unit") func givesUp() throws {
    var order = try begun()
    let unit = ConversationUnit(
      status: MH_E_MEMORY, actions: [.acknowledge(offset: 8, token: 1)], writes: [write])
    let turn = try tell(&order, .timer(token: 0), unit)
    #expect(!turn.hasContent && turn.isLast && turn.actions.count == 1)
    guard case .fail(0, let words)? = turn.actions.first else { throw CancellationError() }
    #expect(words.contains("MH_E_MEMORY"))
  }

  static let impossible: [(before: [ConversationFact], fact: ConversationFact)] = [
    ([], .timer(token: 0)), ([], .committed(through: 0)), ([.started], .started), ([.started], .committed(through: 1)),
    ([.started], .committed(through: 9)), ([.started, .ended], .timer(token: 0)), ([.started, .ended], .ended),
  ]

  @Test("a fact that cannot be is refused, and changes nothing", arguments: impossible.indices)
  func refused(index: Int) throws {
    var order = ConversationOrder(driver: "d")
    for fact in Self.impossible[index].before { _ = try tell(&order, fact) }
    let sequence = order.sequence
    let fault = #expect(throws: DriverFault.self) { try order.admit(Self.impossible[index].fact) }
    #expect(fault?.code == .refused && order.sequence == sequence)
  }
}
