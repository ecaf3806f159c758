public import HostErrors

/// Why a suite cannot even begin; nothing is said about the driver.
public struct ConformanceError: HostError, Hashable {
  /// The kinds of trouble. The raw value is stable.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// What was named is no folder, bundle or installed driver.
    case unknownTarget = "unknown_target"
    /// The folder has no library: it has not been built.
    case notBuilt = "not_built"
    /// The registry, a fragment, a meter or the vectors cannot be read.
    case unreadable
    /// The disk or the worker fails.
    case system
  }

  /// What kind of trouble it is.
  public var code: Code
  /// What is wrong, and what to do.
  public var message: String

  /// Decides the exit status.
  public var kind: HostErrorKind {
    switch code {
    case .unknownTarget, .notBuilt: .usage
    case .unreadable, .system: .unavailable
    }
  }

  init(_ code: Code, _ message: String) {
    (self.code, self.message) = (code, message)
  }
}
