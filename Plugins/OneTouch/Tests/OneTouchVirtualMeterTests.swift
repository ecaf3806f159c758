import BluetoothWire
import CMeterDriver
import Foundation
import Testing
import VirtualMeter

@testable import DriverTestBench

/// The bundle against the virtual meters that the SDK ships: frames and fragments that neither side took from the other.
@Suite struct OneTouchVirtualMeterTests {
  /// Handles in the shipped scripts' databases.
  static let (command, reply, configuration) = (UInt16(3), UInt16(5), UInt16(6))
  static let handles: [(handle: UInt16, properties: UInt16, uuid: mh_uuid)] = [
    (command, 0x08, OneTouchBench.uuid(0xa2)), (reply, 0x10, OneTouchBench.uuid(0xa3)),
  ]

  /// One session; the link drops after `limit` events.
  static func run(
    _ machine: inout MeterMachine, _ host: TestHost, _ opening: TestOpening, droppingAfter limit: Int = .max
  ) throws -> (records: [TestRecord], end: TestAction?) {
    _ = machine.connect()
    let session = try host.open(opening)
    var queue: [TestEvent] = [.vendorServices(handles, service: OneTouchBench.service)]
    var records: [TestRecord] = []
    var events = 0
    while !queue.isEmpty, events < limit {
      let unit = session.commit(queue.removeFirst())
      events += 1
      records += unit.records.filter { $0.kind == MH_KIND_MEASUREMENT }
      for action in unit.actions {
        if action.kind == MH_DO_FINISH || action.kind == MH_DO_FAIL { return (records, action) }
        queue += try carryOut(action, &machine)
      }
    }
    machine.disconnect()
    session.commit(.disconnected)
    return (records, nil)
  }

  static func carryOut(_ action: TestAction, _ machine: inout MeterMachine) throws -> [TestEvent] {
    let request: ATTPDU
    switch action.kind {
    case MH_DO_SUBSCRIBE: request = .writeRequest(handle: configuration, value: [1, 0])
    case MH_DO_WRITE: request = .writeRequest(handle: action.handle, value: action.value)
    default: return []
    }
    var pdus = try sent(machine.receive(request.encoded))
    while case let actions = machine.next(), !actions.isEmpty { pdus += try sent(actions) }
    return pdus.compactMap { pdu in
      switch pdu {
      case .writeResponse:
        action.kind == MH_DO_WRITE ? .wrote(token: action.token) : .subscribed(token: action.token)
      case .errorResponse(_, _, let code):
        action.kind == MH_DO_WRITE
          ? .wrote(token: action.token, status: Int32(code.rawValue))
          : .subscribed(token: action.token, status: Int32(code.rawValue))
      case .handleValueNotification(let handle, let value): .notification(handle, value)
      default: nil
      }
    }
  }

  static func sent(_ actions: [MeterAction]) throws -> [ATTPDU] {
    try actions.compactMap { action in
      guard case .send(let bytes, _) = action else { return nil }
      return try ATTPDU(decoding: bytes)
    }
  }

  static func script(_ name: String) throws -> MeterScript {
    try MeterScript.load(file: packageFolder().appendingPathComponent("SDK/meters/\(name).json").path)
  }

  @Test func verioFlex() throws {
    var machine = MeterMachine(script: try Self.script("verio-flex"))
    let (records, end) = try Self.run(&machine, TestHost(bundle: "onetouch"), TestOpening())
    #expect(end?.kind == MH_DO_FINISH)
    #expect(records.map(\.sequence) == [70, 71, 72, 74, 75, 76])
    #expect(records.map { $0.values[0].raw } == [105, 112, 98, 600, 20, 141])
    #expect(records.map { UInt32($0.values[0].qualifier) } == [0, 0, 0, MH_QUAL_ABOVE, MH_QUAL_BELOW, 0])
    #expect(records.map { $0.flags & MH_REC_CONTROL != 0 } == [false, true, false, false, false, false])
  }

  @Test func selectPlusFlexInFragmentsWithItsOwnPrefix() throws {
    var machine = MeterMachine(script: try Self.script("select-plus-flex"))
    let host = try TestHost(bundle: "onetouch")
    let (records, end) = try Self.run(&machine, host, TestOpening(parameters: [MH_PARAM_VENDOR: 4]))
    #expect(end?.kind == MH_DO_FINISH && records.map { $0.values[0].raw } == [105, 98, 141])
    let (none, refusal) = try Self.run(&machine, host, TestOpening())
    #expect(none.isEmpty && refusal?.code == MH_FAIL_METER_ERROR && refusal?.argument == 8)
  }

  /// A meter that forgets what was acknowledged, broken off at every event.
  @Test func nothingIsLostToAForgetfulMeter() throws {
    var script = try Self.script("verio-flex")
    script.behaviour = .oneTouch(
      .init(clock: 800_000_000, newestNumber: 76, fragmentSize: 8, forgetsAcknowledged: true))
    var drop = 0
    var isWhole = false
    while !isWhole {
      var machine = MeterMachine(script: script)
      let host = try TestHost(bundle: "onetouch")
      let first = try Self.run(&machine, host, TestOpening(), droppingAfter: drop)
      isWhole = first.end != nil
      let second = try Self.run(&machine, host, TestOpening())
      #expect(second.end?.kind == MH_DO_FINISH, "dropped after \(drop)")
      let identities = Set((first.records + second.records).map(\.identity))
      #expect(identities.count == 6, "dropped after \(drop)")
      drop += 1
    }
    #expect(drop > 40)
  }

  @Test func aMeterThatKnowsOnlyPairedHosts() throws {
    var script = try Self.script("verio-flex")
    script.bonded = false
    var machine = MeterMachine(script: script)
    let host = try TestHost(bundle: "onetouch")
    let refused = try Self.run(&machine, host, TestOpening())
    #expect(refused.end?.code == MH_FAIL_NOT_PAIRED && refused.end?.argument == 0x0f)
    script.services[0].characteristics[0].requires = .none
    script.services[0].characteristics[1].requires = .none
    script.behaviour = .oneTouch(.init(answersPairedOnly: true))
    machine = MeterMachine(script: script)
    let silent = try Self.run(&machine, host, TestOpening())
    #expect(silent.end?.code == MH_FAIL_NOT_PAIRED && silent.end?.argument == 7)
  }
}
