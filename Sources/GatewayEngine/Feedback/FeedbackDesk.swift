package import GatewayAPI
package import HostPrimitives
import Logging
package import MeterCore

/// Gives the feedback that a person chose for headless reads, beside whatever happens meanwhile: a read never waits
/// for it.
///
/// Notifications, sounds and hooks each have a lane of their own, and in a lane one is given at a time. A program that hangs
/// is killed after its time; moments that come meanwhile wait, the newest of them, and those that are too old by then are
/// passed by. A file that does not answer holds up its own lane only.
package final class FeedbackDesk: Sendable {
  struct Lane: Sendable {
    let name: String
    let moments: AsyncStream<(moment: FeedbackMoment, time: HostInstant)>
    let entrance: AsyncStream<(moment: FeedbackMoment, time: HostInstant)>.Continuation
    let action: @Sendable (FeedbackSettings.Actions) -> FeedbackRunner.Action?
    let runner: FeedbackRunner

    init(
      _ name: String, _ runner: FeedbackRunner, _ files: FeedbackFileWork,
      _ action: @escaping @Sendable (FeedbackSettings.Actions) -> FeedbackRunner.Action?
    ) {
      self.name = name
      var own = runner
      own.files = files
      self.runner = own
      self.action = action
      (moments, entrance) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(FeedbackDesk.mostWaiting))
    }
  }

  /// How many moments wait in a lane.
  static let mostWaiting = 16
  private static let log = LogArea.bluetooth.logger

  private let store: MeterStore
  private let patience: Duration
  private let clock: any HostClock
  let lanes: [Lane]

  /// A desk that obeys the settings of a state folder as they are at each moment.
  package convenience init(store: MeterStore) { self.init(store: store, clock: .system) }

  package convenience init(store: MeterStore, clock: any HostClock) {
    self.init(store: store, runner: FeedbackRunner(), clock: clock)
  }

  /// - Parameters:
  ///   - patience: How old a moment may be before it is passed by.
  ///   - files: Makes what looks at the files of a lane, by the lane's name.
  init(
    store: MeterStore, runner: FeedbackRunner, patience: Duration = .seconds(30), clock: any HostClock = .system,
    files: (String) -> FeedbackFileWork = { _ in FeedbackFileWork() }
  ) {
    self.store = store
    self.patience = patience
    self.clock = clock
    func lane(
      _ name: String, _ action: @escaping @Sendable (FeedbackSettings.Actions) -> FeedbackRunner.Action?
    ) -> Lane { Lane(name, runner, files(name), action) }
    lanes = [
      lane("notification") { $0.notification ? .notification : nil }, lane("sound") { $0.sound.map { .sound($0) } },
      lane("hook") { $0.hook.map { .hook($0) } },
    ]
  }

  /// Tells of a moment; returns at once.
  package func tell(_ moment: FeedbackMoment) {
    let now = clock.now
    for lane in lanes {
      guard case .dropped = lane.entrance.yield((moment, now)) else { continue }
      Self.log.warning("feedback (\(lane.name)) is slower than what happens: a moment was left out")
    }
  }

  /// Takes no further moment: ``run()`` ends after those that wait.
  func close() { for lane in lanes { lane.entrance.finish() } }

  /// Gives feedback until the task is cancelled; a program that runs then is killed. Called once.
  package func run() async {
    await withDiscardingTaskGroup { group in
      for lane in lanes { group.addTask { await self.serve(lane) } }
    }
  }

  private func serve(_ lane: Lane) async {
    for await (moment, time) in lane.moments {
      do {
        guard let action = lane.action(try store.feedbackSettings()[moment.kind]) else { continue }
        guard clock.now - time < patience else {
          Self.log.warning("feedback (\(lane.name)) for \(moment.kind.rawValue) came too late and was left out")
          continue
        }
        try await lane.runner.perform(action, for: moment)
      } catch let problem as FeedbackProblem {
        if Task.isCancelled { return }
        Self.log.warning("feedback for \(moment.kind.rawValue): \(problem.message)")
      } catch {
        Self.log.error("the settings of feedback cannot be read: \(error)")
      }
    }
  }
}
