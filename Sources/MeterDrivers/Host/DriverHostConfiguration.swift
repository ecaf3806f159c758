import DriverContract

/// Where drivers run, and how long they may take.
public struct DriverHostConfiguration: Sendable, Hashable {
  /// Where a driver runs.
  public enum Isolation: String, Sendable, Hashable, CaseIterable {
    /// A process of its own for every session: a crash or hang ends the session only (rule R24).
    case worker
    /// In this process: for embedded builds and bulk decoding with bundles that are trusted.
    case inProcess = "in-process"
  }

  /// Where drivers run.
  public var isolation: Isolation
  /// The worker's executable; nil: beside this executable, then in ../libexec/meterhost.
  public var workerPath: String?
  /// Wall time of one event or batch (rule R16).
  public var eventLimit: Duration
  /// Wall time for starting a worker and loading the bundle.
  public var startLimit: Duration
  /// Workers that are kept waiting for the next session.
  public var spares: Int

  /// A configuration; the defaults are those of a gateway in use.
  public init(
    isolation: Isolation = .worker, workerPath: String? = nil, eventLimit: Duration = .seconds(10),
    startLimit: Duration = .seconds(10), spares: Int = 0
  ) {
    self.isolation = isolation
    self.workerPath = workerPath
    self.eventLimit = eventLimit
    self.startLimit = startLimit
    self.spares = spares
  }

  /// What a driver of these limits gets.
  func eventLimit(_ limits: DriverLimits) -> Duration {
    min(eventLimit, .milliseconds(Int64(limits.eventWallMilliseconds)))
  }
}
