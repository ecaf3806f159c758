import GatewayEngine
import HostPrimitives
import LinuxSockets
import Logging

/// Tells systemd how the service does: that it is ready, what matters, that it works, that it ends.
///
/// It says that the service works when the parts that everything needs have answered, never by a timer alone.
actor ServiceSupervisor {
  /// Asks the store what matters. It may hang, as the store may.
  typealias StatusQuestion = @Sendable () async -> ServiceStatus
  /// Has the radios' schedule decide. It may hang, as the schedule may.
  typealias ScheduleQuestion = @Sendable () async -> Void

  /// How often systemd gets a new line where it wants no sign of life.
  static let statusInterval = Duration.seconds(30)

  private let systemd: ServiceNotification
  private let interval: Duration
  private let watches: Bool
  private let clock: any HostClock
  private let logger: Logger
  private let status: StatusQuestion
  private let schedule: ScheduleQuestion
  private var rounds: WatchdogRounds
  private var shown: String?

  init(
    _ request: SupervisorRequest, clock: any HostClock, logger: Logger, status: @escaping StatusQuestion,
    schedule: @escaping ScheduleQuestion
  ) {
    systemd = request.systemd
    watches = request.watchdog != nil
    let times = WatchdogRounds.times(watchdog: request.watchdog ?? Self.statusInterval * 2)
    interval = times.interval
    rounds = WatchdogRounds(limit: times.limit)
    self.clock = clock
    self.logger = logger
    self.status = status
    self.schedule = schedule
  }

  /// The service does what it was started for.
  func tellReady() {
    guard !systemd.send(.ready) else { return }
    logger.warning("systemd does not hear that the service is ready", metadata: ["address": "\(systemd.address)"])
  }

  /// The service ends.
  func tellStopping() { systemd.send(.stopping) }

  /// Asks and tells until the task is cancelled.
  func follow() async {
    while !Task.isCancelled {
      perform(rounds.begin(at: clock.now))
      guard await clock.elapsed(interval) else { return }
    }
  }

  private func perform(_ commands: [WatchdogRounds.Command]) {
    for command in commands {
      switch command {
      // Elsewhere: what hangs must not keep this from telling so.
      case .ask(.store):
        Task.detached { [status] in
          let told = await status()
          await self.hear(told)
        }
      case .ask(.schedule):
        Task.detached { [schedule] in
          await schedule()
          await self.hear(.schedule)
        }
      case .works: if watches { systemd.send(.works) }
      case .silent(let part):
        logger.critical(
          "\(part.words) does not answer\(watches ? "; systemd starts the service anew if that lasts" : "")")
      case .answersAgain(let part): logger.notice("\(part.words) answers again")
      }
    }
  }

  private func hear(_ status: ServiceStatus) {
    hear(.store)
    let line = status.line
    guard line != shown, systemd.send(.status(line)) else { return }
    shown = line
  }

  private func hear(_ part: WatchdogRounds.Part) { perform(rounds.answer(of: part, at: clock.now)) }
}

extension ServiceSupervisor {
  /// - Parameter owner: The running host, whose store and radios are asked.
  init(_ request: SupervisorRequest, of owner: GatewayOwner, clock: any HostClock, logger: Logger) {
    self.init(
      request, clock: clock, logger: logger,
      status: { ServiceStatus(owner.store, passiveProblem: owner.passiveProblem) },
      schedule: { await owner.radios.askSchedules() })
  }
}

extension WatchdogRounds.Part {
  /// For the log.
  fileprivate var words: String {
    switch self {
    case .store: "the store"
    case .schedule: "the radios' schedule"
    }
  }
}
