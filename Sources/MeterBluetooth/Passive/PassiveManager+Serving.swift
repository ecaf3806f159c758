import Foundation
import HostPrimitives
import MeterCore
import MeterDrivers

/// How a turn at a meter is used, and what the schedule is told of it.
extension PassiveManager {
  func serve(_ turn: AirTraffic.Turn, _ read: CancellationHandle) async {
    let peripheral = peripheral(of: turn)
    // A session that begins meanwhile makes what comes another user's than is noted here: nobody is told of it then.
    let generation = (try? store.currentSession())?.generation
    let memory = DriverMemory(of: turn, as: peripheral, in: generation, surroundings())
    var result: TurnResult
    if let peripheral {
      result = await carryOut(turn, peripheral, read)
    } else {
      result = TurnResult(ending: .stopped, summary: ReadSummary())
    }
    if peripheral != nil, result.meter == nil { result.meter = known(result, turn)?.uuid }
    let isNoted = DriverMemory(of: turn, as: peripheral, in: generation, surroundings()).hasChanged(since: memory)
    // Whoever hears of the read finds that it is over.
    traffic.ended(
      turn, result.ending, brought: peripheral.flatMap { delivery(result, of: $0, turn, generation) },
      courtesy: courtesy(after: result, turn, knowsRepeats: isNoted))
    if let peripheral {
      surroundings().count(result.event, of: peripheral, for: .read)
      tell(result, of: peripheral, turn.work)
    }
    // Behind what this looks up and logs, and the air: whoever waits for the turns may close the store.
    turns.end(turn.work.id)
  }

  /// What a turn has brought, though it may have broken off behind the commit.
  private func delivery(
    _ result: TurnResult, of peripheral: UInt32, _ turn: AirTraffic.Turn, _ generation: SessionGeneration?
  ) -> AirTraffic.Delivery? {
    guard let meter = result.meter, let generation, result.summary.hasNews else { return nil }
    return AirTraffic.Delivery(
      peripheral: peripheral, meter: meter, address: turn.work.meter, generation: generation, summary: result.summary,
      time: traffic.clock.now)
  }

  /// - Parameter knowsRepeats: Whether the driver has noted what it has brought.
  private func courtesy(
    after result: TurnResult, _ turn: AirTraffic.Turn, knowsRepeats: Bool
  ) -> RadioSchedule.Courtesy {
    let settings = known(result, turn)?.settings
    // What has no time of its own would be another reading when it is read again, unless the driver knows it for what it is.
    return RadioSchedule.Courtesy(
      holdOff: settings?.holdOff, readAgain: (settings ?? MeterSettings()).readAgain,
      isKnownAgain: knowsRepeats || !result.summary.hasLiveNews)
  }

  /// The meter of a turn, as far as it is known: by itself, where it came so far, as many a meter changes its address.
  private func known(_ result: TurnResult, _ turn: AirTraffic.Turn) -> StoredMeter? {
    if let uuid = result.meter { return (try? store.meter(uuid)) ?? nil }
    return (try? store.meter(at: turn.work.meter)) ?? nil
  }

  private func carryOut(_ turn: AirTraffic.Turn, _ peripheral: UInt32, _ read: CancellationHandle) async -> TurnResult {
    let surroundings = surroundings()
    do throws(BluetoothError) {
      let plan = try surroundings.plan(for: peripheral)
      let (events, sink) = AsyncStream<ReadEvent>.makeStream()
      let operation = ReadOperation(
        plan: plan, purpose: .read, options: options, surroundings: surroundings, sink: sink, cancellation: read,
        desk: QuestionDesk(isStaffed: false) { _ in })
      let listening = Task { await listen(to: events, plan, isStranger: turn.work.isStranger) }
      var result = await operation.serve(turn)
      sink.finish()
      result.meter = await listening.value
      return result
    } catch {
      return TurnResult(
        ending: .failed(RadioSchedule.Failure(error)), summary: ReadSummary(), event: .failure(error))
    }
  }

  /// - Returns: The meter, when it came so far.
  private func listen(to events: AsyncStream<ReadEvent>, _ plan: ReadPlan, isStranger: Bool) async -> UUID? {
    var meter: UUID?
    for await event in events {
      switch event {
      case .connected(let description): meter = description.identity.peripheralUUID
      case .ready:
        guard plan.peripheral.announcesBeforeMeasurement, let meter, !isStranger || strangers.mayTell() else { break }
        tell(.isReady(peripheral: plan.peripheral.id, meter: meter))
      default: break
      }
    }
    return meter
  }
}
