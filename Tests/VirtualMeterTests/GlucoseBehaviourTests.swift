import BluetoothWire
import Testing
import VirtualMeter

@Suite("Record Access Control Point")
struct GlucoseBehaviourTests {
  @Test(
    "requests and their answers",
    arguments: [
      ([1, 1], [10, 11, 12], [6, 0, 1, 1]), ([1, 5], [10], [6, 0, 1, 1]), ([1, 6], [12], [6, 0, 1, 1]),
      ([1, 3, 1, 11, 0], [11, 12], [6, 0, 1, 1]), ([1, 2, 1, 11, 0], [10, 11], [6, 0, 1, 1]),
      ([1, 4, 1, 11, 0, 11, 0], [11], [6, 0, 1, 1]), ([1, 3, 1, 45, 0], [], [6, 0, 1, 6]),
      ([1, 3, 1, 0xFF, 0xFF], [], [6, 0, 1, 6]),
      ([4, 1], [], [5, 0, 3, 0]), ([4, 3, 1, 12, 0], [], [5, 0, 1, 0]), ([4, 3, 1, 13, 0], [], [5, 0, 0, 0]),
      ([12, 1], [], [6, 0, 12, 2]), ([5, 0], [], [6, 0, 5, 2]), ([6], [], [6, 0, 6, 2]),
      ([1], [], [6, 0, 1, 3]), ([1, 0], [], [6, 0, 1, 3]), ([3, 1], [], [6, 0, 3, 3]),
      ([1, 7], [], [6, 0, 1, 4]),
      ([1, 1, 1], [], [6, 0, 1, 5]), ([1, 3], [], [6, 0, 1, 5]), ([1, 3, 1, 45], [], [6, 0, 1, 5]),
      ([1, 4, 1, 12, 0, 11, 0], [], [6, 0, 1, 5]), ([1, 4, 1, 12, 0], [], [6, 0, 1, 5]),
      ([3, 0, 1], [], [6, 0, 3, 5]),
      ([3, 0], [], [6, 0, 3, 7]),
      ([1, 3, 2, 0xE2, 7, 1, 1, 0, 0, 0], [], [6, 0, 1, 9]),
      ([2, 3, 1, 45, 0], [], [6, 0, 2, 6]), ([2, 1], [], [6, 0, 2, 1]),
    ] as [([UInt8], [UInt8], [UInt8])])
  func requests(request: [UInt8], reported: [UInt8], response: [UInt8]) throws {
    var meter = try TestMeter.glucose()
    try meter.subscribe()
    let result = try meter.racp(request)
    #expect(result.reported == reported)
    #expect(result.response == response)
    #expect(meter.machine.recordsLeft == (request == [2, 1] ? 0 : 3))
    // The next procedure works whatever this one was.
    #expect(try meter.racp([4, 1]).response?.first == 5)
  }

  @Test("newest first turns the order of what is selected around")
  func newestFirst() throws {
    var meter = try TestMeter.glucose(#", "order": "newest-first""#)
    try meter.subscribe()
    #expect(try meter.racp([1, 1]).reported == [12, 11, 10])
    #expect(try meter.racp([1, 3, 1, 11, 0]).reported == [12, 11])
    #expect(try meter.racp([1, 6]).reported == [12])
  }

  @Test("the context follows its measurement if the client subscribed to it")
  func contexts() throws {
    var meter = try TestMeter.glucose()
    try meter.subscribe()
    _ = try meter.ask(.writeRequest(handle: 11, value: [1, 1]))
    let handles = try meter.drain().map { pdu -> UInt16 in
      switch pdu {
      case .handleValueNotification(let handle, _), .handleValueIndication(let handle, _): handle
      default: 0
      }
    }
    #expect(handles == [3, 3, 6, 3, 11])
    meter.reconnect()
    try meter.subscribe(glucoseTo: [4, 12])
    #expect(try meter.racp([1, 1]).contexts.isEmpty)
  }

  @Test("the count has the scripted width", arguments: [1, 2, 4])
  func countWidth(width: Int) throws {
    var meter = try TestMeter.glucose(#", "count_width": \#(width)"#)
    try meter.subscribe()
    #expect(try meter.racp([4, 1]).response == [5, 0, 3] + [UInt8](repeating: 0, count: width - 1))
  }

  @Test("a scripted refusal meets its requests only", arguments: [4, 9] as [UInt8])
  func refusals(response: UInt8) throws {
    var meter = try TestMeter.glucose(
      #", "refuse": [{"opcode": "01", "operator": "03", "response": "0\#(response)"}]"#)
    try meter.subscribe()
    #expect(try meter.racp([1, 3, 1, 11, 0]).response == [6, 0, 1, response])
    #expect(try meter.racp([4, 3, 1, 11, 0]).response == [5, 0, 2, 0])
    #expect(try meter.racp([1, 1]).reported == [10, 11, 12])
  }

  @Test("without the subscriptions the write is refused with 0xFD", arguments: [[], [4], [12]] as [[UInt16]])
  func subscriptions(handles: [UInt16]) throws {
    var meter = try TestMeter.glucose()
    try meter.subscribe(glucoseTo: handles)
    let refused = ATTPDU.errorResponse(request: .writeRequest, handle: 11, code: .cccdImproperlyConfigured)
    #expect(try meter.ask(.writeRequest(handle: 11, value: [1, 1])) == refused)
    // Counting needs the control point's subscription only.
    #expect((try meter.ask(.writeRequest(handle: 11, value: [4, 1])) == refused) == !handles.contains(12))
  }

  @Test("during a procedure another write is refused with 0xFE, up to the confirmation")
  func busy() throws {
    var meter = try TestMeter.glucose()
    try meter.subscribe()
    let refused = ATTPDU.errorResponse(request: .writeRequest, handle: 11, code: .procedureAlreadyInProgress)
    let again = ATTPDU.writeRequest(handle: 11, value: [4, 1])
    _ = try meter.ask(.writeRequest(handle: 11, value: [1, 1]))
    #expect(try meter.ask(again) == refused)
    _ = try meter.drain()
    #expect(try meter.ask(again) == refused)
    #expect(try meter.ask(.writeRequest(handle: 11, value: [3, 0])) == refused)
    meter.send(.handleValueConfirmation)
    #expect(try meter.ask(again) == .writeResponse)
    #expect(try meter.ask(.writeRequest(handle: 11, value: [])).map { $0.opcode } == .errorResponse)
  }

  @Test("an abort stops the report, and the records stay")
  func abort() throws {
    var meter = try TestMeter.glucose(#", "delete_on_confirmation": true"#, records: 5)
    try meter.subscribe()
    _ = try meter.ask(.writeRequest(handle: 11, value: [1, 1]))
    #expect(try meter.drain(limit: 2).count == 2)
    #expect(try meter.ask(.writeRequest(handle: 11, value: [3, 0])) == .writeResponse)
    #expect(try meter.drain() == [.handleValueIndication(handle: 11, value: [6, 0, 3, 1])])
    meter.send(.handleValueConfirmation)
    #expect(meter.machine.recordsLeft == 5)
    #expect(try meter.racp([1, 1]).reported.count == 5)
  }

  @Test("delete on confirmation: a record goes only when the response is confirmed")
  func deleteOnConfirmation() throws {
    var meter = try TestMeter.glucose(#", "delete_on_confirmation": true"#)
    try meter.subscribe()
    _ = try meter.ask(.writeRequest(handle: 11, value: [1, 3, 1, 11, 0]))
    _ = try meter.drain()
    #expect(meter.machine.recordsLeft == 3)
    meter.reconnect()
    #expect(meter.machine.recordsLeft == 3)
    try meter.subscribe()
    #expect(try meter.racp([1, 3, 1, 11, 0]).reported == [11, 12])
    #expect(meter.machine.recordsLeft == 1)
    #expect(try meter.racp([1, 1]).reported == [10])
    #expect(try meter.racp([1, 1]).response == [6, 0, 1, 6])
  }

  @Test("deleting by op code lasts across connections")
  func delete() throws {
    var meter = try TestMeter.glucose()
    try meter.subscribe()
    #expect(try meter.racp([2, 2, 1, 11, 0]).response == [6, 0, 2, 1])
    meter.reconnect()
    try meter.subscribe()
    #expect(try meter.racp([1, 1]).reported == [12])
  }

  @Test("the end of the procedure is an event, and the link closes if scripted")
  func procedureDone() throws {
    var meter = try TestMeter.glucose(extra: #", "disconnect_after_procedure": true"#)
    try meter.subscribe()
    _ = try meter.ask(.writeRequest(handle: 11, value: [1, 1]))
    _ = try meter.drain()
    let actions = meter.send(.handleValueConfirmation)
    #expect(actions.contains(.event(.procedureDone("racp"))))
    #expect(actions.last == .disconnect(.procedureDone))
    #expect(meter.send(.readRequest(handle: 9)).isEmpty)
  }
}
