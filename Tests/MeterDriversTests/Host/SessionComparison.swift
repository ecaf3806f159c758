import MeterDrivers
import Testing

/// Hands the same events to a driver in a worker and to the same driver in this process; their units must be equal.
///
/// - Parameter withLogs: Whether the log lines must be equal, too: how many are kept of very many is a matter of time.
/// - Returns: The units, for further checks.
@discardableResult
func expectSameUnits(
  _ bundle: VerifiedBundle, driver: String, opening: DriverOpening, events: [DriverEvent],
  withLogs: Bool = true, sourceLocation: SourceLocation = #_sourceLocation
) async throws -> [DriverUnit] {
  let worker = try await DriverHost().open(bundle, driver: driver, opening: opening)
  let here = try await DriverHost(configuration: DriverHostConfiguration(isolation: .inProcess))
    .open(bundle, driver: driver, opening: opening)
  var units: [DriverUnit] = []
  for event in events {
    let remote = await unit(worker, event, withLogs)
    let local = await unit(here, event, withLogs)
    #expect(remote == local, "event \(event.sequence)", sourceLocation: sourceLocation)
    guard case .success(let unit) = local else { break }
    units.append(unit)
    guard unit.sessionGoesOn else { break }
  }
  await worker.close()
  await here.close()
  return units
}

private func unit(
  _ session: any DriverSession, _ event: DriverEvent, _ withLogs: Bool
) async -> Result<DriverUnit, DriverFault> {
  do throws(DriverFault) {
    var unit = try await session.handle(event)
    if !withLogs { unit.logs = [] }
    return .success(unit)
  } catch {
    return .failure(error)
  }
}

@Suite struct SessionComparisonTests {
  @Test(arguments: ["good", "many", "storing", "chatty", "failing", "flood", "stuck", "garbage"])
  func workerAndThisProcessAgree(driver: String) async throws {
    let service = DriverService(firstHandle: 1, lastHandle: 9, uuid: DriverUUID(short: 0x1808))
    let characteristic = DriverCharacteristic(
      handle: 3, properties: 0x10, serviceIndex: 0, uuid: DriverUUID(short: 0x2a18))
    let facts: [DriverFact] = [
      .connected(mtu: 23), .services([service], [characteristic]), .notification(handle: 3, [62, 1]),
      .notification(handle: 3, [88, 3]), .indication(handle: 3, [1]), .disconnected(reason: 19),
    ]
    let events = facts.enumerated().map {
      DriverEvent(sequence: UInt64($0 + 1), monotonicNanoseconds: 5, unixMicroseconds: 6, fact: $1)
    }
    let opening = DriverOpening(storage: ["user/preloaded": [1]])
    let units = try await expectSameUnits(
      try DriverHostTests.bundle(), driver: driver, opening: opening, events: events,
      withLogs: driver != "chatty")
    if driver == "good" { #expect(units.count == events.count) }
  }
}
