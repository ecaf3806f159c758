public import HostErrors

/// Why an export of a health store was not read, or what was asked of it cannot be.
///
/// ```swift
/// do { try await importer.read(export) } catch let error as HealthImportError where error.code == .notAnExport {
///   print(error.message, error.hint ?? "")
/// }
/// ```
public struct HealthImportError: HostError, Hashable {
  /// What kind of failure it is. The raw value is stable.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// The file or folder cannot be opened or read, is neither, or a folder is beyond the limits.
    case file
    /// There is nothing in it: no bytes, no file, or no samples.
    case empty
    /// It is an archive that only a password opens.
    case encrypted
    /// It ends in the middle, or became shorter while it was read.
    case truncated
    /// It, or a file of a folder, became another one while it was read.
    case changed
    /// No driver knows what it is.
    case notAnExport = "not_an_export"
    /// No driver that reads exports is installed, or none of them can be loaded.
    case noDriver = "no_driver"
    /// The driver gave up in the middle, with a reason of its own.
    case driverFailed = "driver_failed"
    /// The driver crashed, hung or broke a rule.
    case driverFault = "driver_fault"
    /// The caller gave up.
    case cancelled
    /// There is no such set or sample type.
    case unknownType = "unknown_type"
    /// What the session subscribes to cannot be read.
    case storedSubscription = "stored_subscription"
    /// What was named are no days, or no order of them.
    case historyDays = "history_days"
    /// The days lie further back than history goes.
    case historyLimit = "history_limit"
  }

  /// What kind of failure it is.
  public let code: Code
  /// What happened.
  public let message: String
  /// What to do about it.
  public let hint: String?
  /// The words of the system or of drivers.
  public let cause: String?

  /// Makes an error.
  public init(_ code: Code, _ message: String, hint: String? = nil, cause: String? = nil) {
    (self.code, self.message, self.hint, self.cause) = (code, message, hint, cause)
  }

  /// Decides the exit status.
  public var kind: HostErrorKind {
    switch code {
    case .file, .empty, .encrypted, .notAnExport, .unknownType, .historyDays, .historyLimit: .usage
    case .noDriver: .unavailable
    case .changed: .temporary
    case .truncated, .driverFailed, .driverFault, .storedSubscription: .failed
    case .cancelled: .cancelled
    }
  }
}
