import CMeterDriver
import Testing

import DriverContract
@testable import DriverRuntime

/// What an action does not name is zero, and what a driver does not know it has not answered.
@Suite struct ActionCheckTests {
  /// One good action of each kind.
  private static let good = [
    RawAction(kind: MH_DO_SUBSCRIBE, token: 1, handle: 3), RawAction(kind: MH_DO_UNSUBSCRIBE, token: 1, handle: 3),
    RawAction(kind: MH_DO_READ, token: 1, handle: 3), RawAction(kind: MH_DO_WRITE, token: 1, handle: 3, value: [1]),
    RawAction(kind: MH_DO_WRITE_NO_RESPONSE, token: 1, handle: 3, value: [1]),
    RawAction(kind: MH_DO_MTU, token: 1, first: 247), RawAction(kind: MH_DO_PAIR, token: 1, flags: 1),
    RawAction(kind: MH_DO_TIMER, token: 1, first: 5), RawAction(kind: MH_DO_CANCEL_TIMER, token: 1),
    RawAction(kind: MH_DO_READY, token: 1), RawAction(kind: MH_DO_PROGRESS, token: 1, first: 1, second: 2),
    RawAction(kind: MH_DO_ASK_USER, token: 1, first: 6, second: 6, flags: 1, code: 1, text: [0x3f]),
    RawAction(kind: MH_DO_FINISH, token: 1),
    RawAction(kind: MH_DO_FAIL, token: 1, first: 9, code: 1, text: [0x3f]),
  ]

  private func check(_ actions: [RawAction]) throws(DriverFault) -> [DriverAction] {
    try ActionCheck(driver: "test", isDisconnected: false).check(actions)
  }

  @Test func everyActionPassesWithWhatItNames() throws {
    #expect(Set(Self.good.map(\.kind)) == Set(MH_DO_SUBSCRIBE...MH_DO_FAIL))
    #expect(try check(Self.good).count == Self.good.count)
  }

  @Test(arguments: good.indices) func aFieldThatAnActionDoesNotNameIsRefused(index: Int) {
    let action = Self.good[index]
    let changes: [(RawAction) -> RawAction] = [
      {
        var a = $0; a.first = 99; return a
      },
      {
        var a = $0; a.second = 99; return a
      },
      {
        var a = $0; a.handle = 99; return a
      },
      {
        var a = $0; a.flags = 0x80; return a
      },
      {
        var a = $0; a.code = 99; return a
      },
      {
        var a = $0; a.value = [1, 2]; return a
      },
      {
        var a = $0; a.text = [0x21]; return a
      },
    ]
    let plain = RawAction(kind: action.kind, token: action.token)
    let fields: [(RawAction) -> Bool] = [
      { $0.first == plain.first }, { $0.second == plain.second }, { $0.handle == plain.handle },
      { $0.flags == plain.flags }, { $0.code == plain.code }, { $0.value == plain.value }, { $0.text == plain.text },
    ]
    for (change, isUnset) in zip(changes, fields) where isUnset(action) {
      // A question may also name the place where its answer is kept.
      let changed = change(action)
      let fault = #expect(throws: DriverFault.self) { try check([changed]) }
      #expect(fault?.rule == "R11", "\(changed)")
    }
  }

  @Test func anUnknownEventHasNoOutput() throws {
    let check = UnitCheck(driver: "test", isDisconnected: false)
    let empty = RawUnit(status: MH_E_UNSUPPORTED, rounds: [], actions: [], writes: [], logs: [])
    #expect(try check.check(empty).sessionGoesOn)
    var acting = empty
    acting.actions = [Self.good[0]]
    #expect(#expect(throws: DriverFault.self) { try check.check(acting) }?.rule == "R10")
    var writing = empty
    writing.writes = [DriverStorageWrite(key: "user/x", value: [1])]
    #expect(#expect(throws: DriverFault.self) { try check.check(writing) }?.rule == "R10")
  }
}
