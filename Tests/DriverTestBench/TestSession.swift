import CMeterDriver
import Testing

/// A fact for a driver.
enum TestEvent {
  case services([(handle: UInt16, properties: UInt16, id: UInt16)], service: UInt16)
  /// Characteristics of one service with vendors' UUIDs.
  case vendorServices([(handle: UInt16, properties: UInt16, uuid: mh_uuid)], service: mh_uuid)
  case servicesChanged
  case encrypted(Int32)
  case subscribed(token: UInt64, status: Int32 = 0)
  case wrote(token: UInt64, status: Int32 = 0)
  case notification(UInt16, [UInt8])
  case indication(UInt16, [UInt8])
  case timer(UInt64)
  case advertisement([UInt8])
  case userInput(token: UInt64, [UInt8] = [], status: Int32 = 0)
  /// The SIG services of a meter with several.
  case database([TestService])
  case read(token: UInt64, [UInt8], status: Int32 = 0)
  case cancel
  case disconnected
  case other(UInt32)
}

/// A SIG service with its characteristics.
struct TestService {
  let id: UInt16
  let characteristics: [(handle: UInt16, properties: UInt16, id: UInt16)]
}

/// One session of a loaded driver.
final class TestSession {
  let host: TestHost
  private let session: OpaquePointer
  private var sequence: UInt64 = 0
  var capacities = Capacities.ample
  /// The host's clocks at the next events; the monotonic one counts events when it is nil.
  var unixMicroseconds: Int64 = 0
  var monotonicNanoseconds: UInt64?

  init(_ host: TestHost, _ session: OpaquePointer) {
    self.host = host
    self.session = session
  }

  deinit { host.bluetooth.close(session) }

  /// Hands one fact over and takes its whole unit, in as many rounds as the arrays need. Nothing is committed.
  ///
  /// - Parameter beforeContinuing: Called before every further round.
  func send(_ event: TestEvent, beforeContinuing: () -> Void = {}) -> TestUnit {
    sequence += 1
    var unit = TestUnit()
    host.state.pendingWrites = [:]
    host.state.actions = []
    unit.status = withEvent(event) { deliver($0, &unit) }
    while unit.status == MH_E_FULL {
      unit.rounds += 1
      if unit.rounds > 20_000 {
        Issue.record("no progress")
        break
      }
      beforeContinuing()
      unit.status = withEvent(.other(UInt32(MH_EV_CONTINUE))) { deliver($0, &unit) }
    }
    unit.actions = host.state.actions
    unit.writes = host.state.pendingWrites
    host.state.pendingWrites = [:]
    return unit
  }

  /// Hands one fact over and commits its unit.
  @discardableResult
  func commit(_ event: TestEvent) -> TestUnit {
    let unit = send(event)
    host.state.storage.merge(unit.writes) { $1 }
    return unit
  }

  private func deliver(_ event: UnsafePointer<mh_event>, _ unit: inout TestUnit) -> Int32 {
    let sink = TestSink(capacities, host.state)
    let status = host.bluetooth.event(session, event, &sink.sink)
    unit.records += sink.take()
    return status
  }

  private func withEvent<Result>(_ event: TestEvent, _ body: (UnsafePointer<mh_event>) -> Result) -> Result {
    var fact = mh_event()
    fact.struct_size = UInt32(MemoryLayout<mh_event>.size)
    fact.seq = sequence
    fact.mono_ns = monotonicNanoseconds ?? sequence * 1_000_000
    fact.unix_us = unixMicroseconds
    var value: [UInt8] = []
    switch event {
    case .services(let list, let service):
      let vendors = list.map { ($0.handle, $0.properties, mh_uuid16($0.id)) }
      return withServices(fact, vendors, mh_uuid16(service), body)
    case .vendorServices(let list, let service): return withServices(fact, list, service, body)
    case .servicesChanged: fact.kind = MH_EV_SERVICE_CHANGED
    case .encrypted(let level): (fact.kind, fact.status) = (MH_EV_ENCRYPTED, level)
    case .subscribed(let token, let status): (fact.kind, fact.token, fact.status) = (MH_EV_SUBSCRIBED, token, status)
    case .wrote(let token, let status): (fact.kind, fact.token, fact.status) = (MH_EV_WROTE, token, status)
    case .notification(let handle, let bytes): (fact.kind, fact.handle, value) = (MH_EV_NOTIFICATION, handle, bytes)
    case .indication(let handle, let bytes): (fact.kind, fact.handle, value) = (MH_EV_INDICATION, handle, bytes)
    case .timer(let token): (fact.kind, fact.token) = (MH_EV_TIMER, token)
    case .advertisement(let data): (fact.kind, fact.status, value) = (MH_EV_ADVERTISEMENT, -60, data)
    case .userInput(let token, let answer, let status):
      (fact.kind, fact.token, value, fact.status) = (MH_EV_USER_INPUT, token, answer, status)
    case .read(let token, let bytes, let status):
      (fact.kind, fact.token, value, fact.status) = (MH_EV_READ, token, bytes, status)
    case .database(let services): return withDatabase(fact, services, body)
    case .cancel: (fact.kind, fact.token) = (MH_EV_CANCEL, 1_000_000_000)
    case .disconnected: (fact.kind, fact.status) = (MH_EV_DISCONNECTED, 8)
    case .other(let kind): fact.kind = kind
    }
    // A copy of the exact size, so that a read past the end is seen by a memory checker.
    return value.withUnsafeBufferPointer { buffer in
      fact.value = mh_bytes(p: buffer.baseAddress, n: UInt64(buffer.count))
      return body(&fact)
    }
  }

  private func withServices<Result>(
    _ head: mh_event, _ list: [(handle: UInt16, properties: UInt16, uuid: mh_uuid)], _ service: mh_uuid,
    _ body: (UnsafePointer<mh_event>) -> Result
  ) -> Result {
    let services = [mh_service(first_handle: 1, last_handle: 0xffff, reserved: 0, uuid: service)]
    let characteristics = list.map {
      mh_characteristic(handle: $0.handle, properties: $0.properties, service_index: 0, uuid: $0.uuid)
    }
    return withDatabase(head, services, characteristics, body)
  }

  private func withDatabase<Result>(
    _ head: mh_event, _ database: [TestService], _ body: (UnsafePointer<mh_event>) -> Result
  ) -> Result {
    let services = database.map { service in
      let handles = service.characteristics.map(\.handle)
      return mh_service(
        first_handle: (handles.min() ?? 2) - 2, last_handle: (handles.max() ?? 2) + 1, reserved: 0,
        uuid: mh_uuid16(service.id))
    }
    let characteristics = database.enumerated().flatMap { index, service in
      service.characteristics.map {
        mh_characteristic(
          handle: $0.handle, properties: $0.properties, service_index: UInt32(index), uuid: mh_uuid16($0.id))
      }
    }
    return withDatabase(head, services, characteristics, body)
  }

  private func withDatabase<Result>(
    _ head: mh_event, _ services: [mh_service], _ characteristics: [mh_characteristic],
    _ body: (UnsafePointer<mh_event>) -> Result
  ) -> Result {
    var fact = head
    return services.withUnsafeBufferPointer { services in
      characteristics.withUnsafeBufferPointer { characteristics in
        fact.kind = MH_EV_SERVICES
        fact.services = services.baseAddress
        fact.n_services = UInt32(services.count)
        fact.characteristics = characteristics.baseAddress
        fact.n_characteristics = UInt32(characteristics.count)
        return body(&fact)
      }
    }
  }
}

/// What became of one decoded value.
struct TestOutcome: Equatable {
  var status: Int32
  var records: [TestRecord]
}

extension TestHost {
  /// Decodes values in one call, or in several when the arrays are small.
  func decode(
    _ values: [(characteristic: UInt16, bytes: [UInt8])], _ opening: TestOpening = TestOpening(),
    _ capacities: Capacities = .ample, flags: UInt16 = 0
  ) -> [TestOutcome] {
    var arena: [UInt8] = []
    var slices: [mh_slice] = values.map { value in
      var slice = mh_slice()
      slice.off = UInt32(arena.count)
      slice.len = UInt32(value.bytes.count)
      slice.characteristic = value.characteristic
      slice.status = 99
      slice.flags = flags
      arena += value.bytes
      return slice
    }
    var outcomes: [TestOutcome] = []
    var start = 0
    repeat {
      let sink = TestSink(capacities, state, actions: false)
      var done: UInt64 = 0
      let status = opening.withTable { table in
        arena.withUnsafeBufferPointer { arena in
          slices.withUnsafeMutableBufferPointer { slices in
            bluetooth.decode(
              table, mh_bytes(p: arena.baseAddress, n: UInt64(arena.count)), slices.baseAddress.map { $0 + start },
              UInt64(slices.count - start), &sink.sink, &done)
          }
        }
      }
      for slice in slices[start..<start + Int(done)] {
        let first = Int(slice.first_record)
        outcomes.append(TestOutcome(status: slice.status, records: sink.take(first..<first + Int(slice.n_records))))
      }
      start += Int(done)
      #expect(status == (start == slices.count ? MH_OK : MH_E_FULL))
      if done == 0 && start < slices.count {
        Issue.record("no progress")
        break
      }
    } while start < slices.count
    return outcomes
  }
}
