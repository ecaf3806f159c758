import CMeterDriver

import DriverContract
@testable import DriverRuntime

/// Exchanges as they should be, for a fuzzer to begin with.
enum ProtocolSeeds {
  static var all: [(name: String, bytes: [UInt8])] {
    [
      ("session", ProtocolFuzz.encoded(.session, worker([hello, .ready, .unit(unit), .unit(unit)]))),
      (
        "session-with-requests",
        ProtocolFuzz.encoded(
          .session,
          worker([hello, .ready, .request(.sha256([1, 2])), .request(.value(name: "credential/a")), .unit(unit)]))
      ),
      ("session-with-a-fault", ProtocolFuzz.encoded(.session, worker([hello, .fault(fault)]))),
      ("decoding", ProtocolFuzz.encoded(.decoding, decoded)),
      ("worker", ProtocolFuzz.encoded(.worker, host)),
      ("unit", ProtocolFuzz.encoded(.payload, [66] + WorkerMessage.unit(unit).payload)),
      ("returned", ProtocolFuzz.encoded(.payload, [70] + WorkerMessage.returned(returned).payload)),
      ("confined", ProtocolFuzz.encoded(.payload, [63] + WorkerMessage.confined(.host).payload)),
      ("hello", ProtocolFuzz.encoded(.payload, [64] + hello.payload)),
      ("fault", ProtocolFuzz.encoded(.payload, [67] + WorkerMessage.fault(fault).payload)),
    ]
      + ExtensionSeeds.workerMessages.enumerated().map { number, message in
        ("extension-\(number)", ProtocolFuzz.encoded(.payload, [message.type] + message.payload))
      }
      + (hostMessages + ExtensionSeeds.hostMessages).enumerated().map { number, message in
        ("host-\(number)", ProtocolFuzz.encoded(.payload, [message.type] + message.payload))
      }
  }

  private static let hello = WorkerMessage.hello(
    .host,
    [
      DriverDescription(
        id: "org.example.seed", version: "1.0.0", vendor: "seed", capabilities: [.connect, .decode],
        functions: [DriverFunction(name: "self_test", signature: "i32(out_text)")], extensions: [.ocr])
    ])
  private static let fault = DriverFault(.brokeRule, driver: "seed", rule: "R12", message: "a record that cannot be")

  /// Made anew each time: a leak checker does not find what only a global's enum points to.
  private static var returned: RawAnswer {
    RawAnswer(
      status: MH_OK,
      outputs: [
        .word(Double(5).bitPattern), .buffer(length: 2, isIntact: true, bytes: Array("ok".utf8)),
        .buffer(length: 1, isIntact: true, bytes: [7]),
      ],
      logs: [DriverLogLine(level: .info, message: "one")])
  }

  private static var output: RawOutput {
    var record = mh_record()
    (record.kind, record.time_kind, record.ident_class) = (
      numericCast(MH_KIND_MEASUREMENT), numericCast(MH_TIME_CIVIL), numericCast(MH_IDENT_STORED)
    )
    (record.n_values, record.ident_len) = (1, 2)
    record.utc_offset_s = mh_offset_unknown()
    var value = mh_value()
    (value.metric, value.unit, value.exp10) = (
      numericCast(MH_METRIC_BLOOD_GLUCOSE), numericCast(MH_UNIT_MMOL_PER_L), -1
    )
    (value.raw, value.value) = (50, 5)
    return RawOutput(records: [record], values: [value], texts: [], arena: [1, 2])
  }

  private static var unit: RawUnit {
    RawUnit(
      status: MH_OK, rounds: [output], actions: [RawAction(kind: numericCast(MH_DO_FINISH))],
      writes: [DriverStorageWrite(key: "user/cursor", value: [7])],
      logs: [DriverLogLine(level: .info, message: "one")])
  }

  private static var decoded: [UInt8] {
    var slice = mh_slice()
    slice.n_records = 1
    return [slice, mh_slice(), mh_slice(), mh_slice()].withUnsafeBufferPointer { slices in
      output.withView { view in
        let payload =
          DecodedFrame.head(slices, view, isLast: true) + DecodedFrame.pieces(slices, view).flatMap { Array($0) }
        return WireFrame(type: WorkerMessage.decodedType, length: payload.count).head + payload
      }
    }
  }

  private static var hostMessages: [HostMessage] {
    let facts: [DriverFact] = [
      .connected(mtu: 23),
      .services(
        [DriverService(firstHandle: 1, lastHandle: 9, uuid: DriverUUID(short: 0x1808))],
        [DriverCharacteristic(handle: 3, properties: 16, serviceIndex: 0, uuid: DriverUUID(short: 0x2a18))]),
      .notification(handle: 3, [1, 2, 3]), .advertisement([2, 1, 6], rssi: -60), .userInput([1], status: 0),
      .disconnected(reason: 8),
    ]
    let opening = DriverOpening(
      advertisedName: "seed", parameters: [DriverParameter(name: 1, value: .integer(1))], storage: ["user/a": [1]],
      assets: ["a": [1]])
    return [
      .load(name: "seed", .greatest), .open(driver: "seed", opening), .prepare(driver: "seed", opening), .close,
      .answer(ServiceAnswer(status: 0, output: [1])), .decode(slices: [mh_slice()], arena: [1]),
    ]
      + facts.enumerated().map { number, fact in
        .event(
          DriverEvent(
            sequence: UInt64(number), monotonicNanoseconds: 1, unixMicroseconds: 2, fact: fact))
      }
  }

  private static var host: [UInt8] { frames(hostMessages.map { ($0.type, $0.payload) }) }
  private static func worker(_ messages: [WorkerMessage]) -> [UInt8] {
    frames(messages.map { ($0.type, $0.payload) })
  }
  private static func frames(_ messages: [(type: UInt8, payload: [UInt8])]) -> [UInt8] {
    messages.flatMap { WireFrame(type: $0.type, length: $0.payload.count).head + $0.payload }
  }
}
