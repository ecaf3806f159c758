import CMeterDriver
import Testing

@testable import DriverTestBench

/// What ends a session besides its readings: silence, refusals, another meter, a person, a link that goes; and what does not.
@Suite struct KeyedRefusalTests {
  typealias Meter = SimulatedKeyedMeter

  @Test func everyStepHasItsTimer() throws {
    let bench = try KeyedBench()
    #expect(bench.session.commit(Meter.services).actions.contains { $0.kind == MH_DO_TIMER })
    _ = bench.request()
    #expect(bench.send(Meter.record(1)).actions.map(\.kind) == [MH_DO_TIMER])
    #expect(bench.session.commit(.timer(Meter.silence)).failure == MH_FAIL_TIMEOUT)
    #expect(bench.cursor == nil)
  }

  @Test(arguments: [0x05, 0x0f, 0x01, 0x85])
  func refusalsOfTheMeterAreNamed(_ status: Int32) throws {
    let code = status == 0x05 || status == 0x0f ? MH_FAIL_NOT_PAIRED : MH_FAIL_COMMUNICATION
    let information = try KeyedBench()
    information.session.commit(Meter.services)
    #expect(information.session.commit(.read(token: Meter.informationRead, [], status: status)).failure == code)
    let control = try KeyedBench()
    _ = control.readInformation()
    #expect(control.session.commit(.subscribed(token: Meter.controlSubscription, status: status)).failure == code)
    let data = try KeyedBench()
    _ = data.readInformation()
    data.session.commit(.subscribed(token: Meter.controlSubscription))
    #expect(data.session.commit(.subscribed(token: Meter.dataSubscription, status: status)).failure == code)
    let write = try KeyedBench()
    _ = write.request()
    let refused = write.session.commit(.wrote(token: Meter.commandWrite, status: status))
    #expect(refused.failure == MH_FAIL_COMMUNICATION && refused.actions.first?.argument == UInt64(status))
  }

  @Test func aMeterThatSaysNothingSensibleAboutItselfIsLeft() throws {
    for value in [[], [1], Array(Meter().informationValue.prefix(10))] as [[UInt8]] {
      let bench = try KeyedBench()
      bench.session.commit(Meter.services)
      #expect(
        bench.session.commit(.read(token: Meter.informationRead, value)).failure == MH_FAIL_COMMUNICATION)
    }
    for length in [0, 1, 5, 6, 16, 255] {
      var meter = Meter()
      meter.tagLength = length
      #expect(try KeyedBench(meter).readInformation().failure == MH_FAIL_COMMUNICATION)
    }
    let bench = try KeyedBench()
    bench.session.commit(Meter.services)
    let longer = bench.session.commit(.read(token: Meter.informationRead, bench.meter.informationValue + [9, 9]))
    #expect(longer.failure == nil)
  }

  @Test func anotherMetersServicesAreRefused() throws {
    let missing: [[(handle: UInt16, properties: UInt16, uuid: mh_uuid)]] = [
      [], [(16, 0x28, Meter.uuid(2)), (20, 0x10, Meter.uuid(3))],
      [(16, 0x28, Meter.uuid(2)), (20, 0x10, Meter.uuid(3)), (24, 2, Meter.uuid(5))],
    ]
    for characteristics in missing {
      let unit = try KeyedBench().session.commit(.vendorServices(characteristics, service: Meter.uuid(1)))
      #expect(unit.failure == MH_FAIL_UNSUPPORTED_METER)
    }
    let generic = try KeyedBench().session.commit(.services([(16, 0x28, 0x2a18)], service: 0x1808))
    #expect(generic.actions.map(\.code) == [MH_FAIL_UNSUPPORTED_METER])
  }

  @Test func cancellingAndLosingTheLinkEndIt() throws {
    for steps in 0..<4 {
      for event in [TestEvent.cancel, .disconnected] {
        let bench = try KeyedBench()
        switch steps {
        case 0: break
        case 1: _ = bench.readInformation()
        case 2: _ = bench.request()
        default:
          _ = bench.request()
          _ = bench.send(Meter.record(1))
        }
        let unit = bench.session.commit(event)
        if case .cancel = event {
          #expect(unit.actions.map(\.kind) == [MH_DO_FINISH])
        } else {
          #expect(unit.failure == MH_FAIL_COMMUNICATION && unit.actions[0].argument == 8)
        }
        #expect(unit.records.isEmpty && bench.session.commit(.timer(1)).actions.isEmpty)
      }
    }
  }

  @Test func eventsOfALaterContractAreUnknownAndChangeNothing() throws {
    let bench = try KeyedBench()
    _ = bench.readInformation()
    for kind in [18, 30, 0, UInt32.max] as [UInt32] {
      #expect(bench.session.commit(.other(kind)) == TestUnit(status: MH_E_UNSUPPORTED))
    }
    for kind in [MH_EV_CONNECTED, MH_EV_MTU] { #expect(bench.session.commit(.other(UInt32(kind))) == TestUnit()) }
    #expect(bench.subscribe().written != nil)
    // Every handle is void: there is nothing to go on with.
    #expect(bench.session.commit(.servicesChanged).failure == MH_FAIL_COMMUNICATION)
    #expect(try KeyedBench().session.commit(.servicesChanged) == TestUnit())
  }

  @Test func answersThatNobodyWaitsForAreProtocolErrorsAndChangeNothing() throws {
    let bench = try KeyedBench()
    _ = bench.readInformation()
    for value in [[], [0x00], [0x81], [0x82, 0, 0], [0x83], [0xff, 1]] as [[UInt8]] {
      let unit = bench.indicate(value)
      #expect(unit.status == MH_E_PROTOCOL && unit.actions.isEmpty, "\(value)")
    }
    #expect(bench.session.commit(.indication(99, [0x81])).status == MH_OK)
    #expect(bench.session.commit(.notification(Meter.data, [1, 2, 3])) == TestUnit())
    #expect(bench.session.commit(.notification(99, bench.meter.packet(Meter.record(1)))) == TestUnit())
    #expect(bench.subscribe().written?.first == 1)
    let challenge = bench.host.state.actions.first { $0.kind == MH_DO_WRITE }?.value ?? []
    #expect(bench.indicate(bench.meter.proof(Array(challenge.dropFirst()))).written == [2, 1, 0])
    #expect(bench.indicate([0x83]).status == MH_E_PROTOCOL)
    #expect(bench.indicate([0x82]).failure == MH_FAIL_COMMUNICATION)
  }
}
