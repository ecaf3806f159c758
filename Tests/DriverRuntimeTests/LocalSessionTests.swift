import DriverRuntime
import DriverContract
import Testing

@Suite struct LocalSessionTests {
  @Test func goodDriverSubscribesReadsAndFinishes() throws {
    let session = try FixtureLibrary.session("good")
    let service = DriverService(firstHandle: 1, lastHandle: 9, uuid: DriverUUID(short: 0x1808))
    let characteristic = DriverCharacteristic(
      handle: 3, properties: 0x10, serviceIndex: 0, uuid: DriverUUID(short: 0x2a18))
    let first = try session.handle(.fact(.services([service], [characteristic])))
    #expect(first.actions == [.subscribe(handle: 3, token: 1)])
    let unit = try session.handle(.notification([62], sequence: 2))
    #expect(unit.records.count == 1)
    #expect(
      unit.records[0].values == [
        DriverValue(metric: 1, unit: 3, exponent: -1, qualifier: .exact, value: 6.2, raw: 62)
      ])
    #expect(unit.records[0].texts == [DriverText(field: 304, text: "nüchtern")])
    #expect(unit.records[0].identity == [2, 0, 0, 0])
    #expect(unit.records[0].deviceSequence == 2)
    #expect(unit.writes == [DriverStorageWrite(key: "user/cursor", value: [62])])
    #expect(unit.logs.map(\.message) == ["one notification"])
    let refused = try session.handle(.notification([], sequence: 3))
    #expect(refused.status == -3 && refused.sessionGoesOn && refused.records.isEmpty)
    #expect(try session.handle(.fact(.indication(handle: 4, [1]), sequence: 4)).actions == [.finish])
  }

  @Test(arguments: (0...24).filter { $0 != 10 }) func garbageIsAFaultThatNamesTheRule(lie: Int) throws {
    let session = try FixtureLibrary.session("garbage")
    let fault = try #require(throws: DriverFault.self) { try session.handle(.notification([UInt8(lie)])) }
    #expect(fault.code == .brokeRule)
    #expect(fault.driver == "garbage")
    let rule =
      switch lie {
      case 8, 20: "R13"
      case 9: "R10"
      case 11, 14: "R11"
      default: "R12"
      }
    #expect(fault.rule == rule)
    #expect(try #require(throws: DriverFault.self) { try session.handle(.notification([99])) }.code == .closed)
  }

  /// So that a driver of a later minor can ask and go on without.
  @Test func anActionThatTheHostDoesNotKnowIsNotTaken() throws {
    let session = try FixtureLibrary.session("garbage")
    let unit = try session.handle(.notification([10]))
    #expect(unit.sessionGoesOn && unit.records.count == 1 && unit.actions.isEmpty)
    #expect(unit.logs.map(\.level) == [.warning] && unit.logs.first?.message.contains("action 77") == true)
  }

  @Test func withoutALieTheSameDriverIsFine() throws {
    #expect(try FixtureLibrary.session("garbage").handle(.notification([200])).records.count == 1)
  }

  @Test func floodOfActionsIsAFault() throws {
    let session = try FixtureLibrary.session("flood")
    #expect(try #require(throws: DriverFault.self) { try session.handle(.notification([1])) }.rule == "R11")
  }

  @Test(arguments: [0, 1, 255, 256, 257, 1000, 4096]) func fullSinkIsDrainedAndContinued(count: Int) throws {
    let session = try FixtureLibrary.session("many")
    let unit = try session.handle(.notification([UInt8(count & 255), UInt8(count >> 8)]))
    #expect(unit.records.count == count)
    #expect(unit.records.compactMap(\.deviceSequence) == (0..<UInt64(count)).map { $0 })
  }

  @Test func moreRecordsThanAnEventMayHaveAreAFault() throws {
    let session = try FixtureLibrary.session("many")
    #expect(try #require(throws: DriverFault.self) { try session.handle(.notification([1, 16])) }.rule == "R16")
  }

  @Test func fullWithoutProgressIsAFault() throws {
    let session = try FixtureLibrary.session("stuck")
    #expect(try #require(throws: DriverFault.self) { try session.handle(.notification([1])) }.rule == "R13")
  }

  @Test func storageReadsItsOwnWritesWithinLimits() throws {
    let session = try FixtureLibrary.session("storing", storage: ["user/preloaded": [1, 2]])
    let unit = try session.handle(.notification([1]))
    #expect(unit.records[0].values.map(\.raw) == [0, 0, 3, -4, -1, -6, -6, -8])
    #expect(
      unit.writes == [
        DriverStorageWrite(key: "user/mine", value: [1, 0, 0]), DriverStorageWrite(key: "user/preloaded", value: []),
      ])
  }

  @Test func hostServicesOutsideACallAreDenied() throws {
    let unit = try FixtureLibrary.session("threaded").handle(.notification([1]))
    #expect(unit.records[0].values.map(\.raw) == [0, -6])
  }

  @Test func logIsBoundedAndCannotForgeLines() throws {
    let unit = try FixtureLibrary.session("chatty").handle(.notification([1]))
    #expect(unit.logs.count == 101)
    #expect(unit.logs[0] == DriverLogLine(level: .warning, message: "two lines \u{fffd}"))
    #expect(unit.logs[100].message.hasPrefix("100 lines dropped"))
  }

  @Test func failEndsTheSession() throws {
    let session = try FixtureLibrary.session("failing")
    let unit = try session.handle(.notification([1]))
    #expect(unit.actions == [.fail(.meterError, subcode: 42, text: "Err 4")])
    #expect(!unit.sessionGoesOn)
    #expect(try #require(throws: DriverFault.self) { try session.handle(.notification([1])) }.code == .closed)
  }

  @Test func nothingGoesToAMeterThatIsGone() throws {
    let session = try FixtureLibrary.session("failing")
    #expect(
      try #require(throws: DriverFault.self) { try session.handle(.fact(.disconnected(reason: 8))) }.rule == "R25")
  }

  @Test func refusalToOpenIsTyped() throws {
    let fault = try #require(throws: DriverFault.self) { try FixtureLibrary.session("refuse") }
    #expect(fault.code == .refused)
    #expect(fault.message.contains("MH_E_UNSUPPORTED"))
  }
}
