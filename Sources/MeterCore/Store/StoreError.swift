public import HostErrors

/// Why the store refused or failed.
public struct StoreError: HostError, Hashable {
  /// Stable names of the reasons.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// Another process owns the state folder.
    case busy
    /// The user changed since the read started (R23).
    case staleGeneration = "stale_generation"
    /// The file system of the state folder has no room left.
    case diskFull = "disk_full"
    /// The database is damaged.
    case corrupt
    /// The database was there and is gone.
    case missingDatabase = "missing_database"
    /// The write-ahead log beside the database does not belong to it.
    case foreignLog = "foreign_log"
    /// A file of the state folder, or the folder, was removed or replaced while this process works with it.
    case moved
    /// The folder or file may not be written.
    case readOnly = "read_only"
    /// Another program locks the database file.
    case locked
    /// The disk failed.
    case inputOutput = "input_output"
    /// A driver's storage would grow beyond its limits (R23).
    case storageLimit = "storage_limit"
    /// The queue holds as many records or bytes as it may, or one of them waits for too long.
    case queueFull = "queue_full"
    /// A storage key that is not allowed.
    case storageKey = "storage_key"
    /// The store was written by a newer MeterHost.
    case newerVersion = "newer_version"
    /// A cursor of the event log that this state folder has not given.
    case unknownCursor = "unknown_cursor"
    /// A file of the state folder could not be made, opened or written.
    case folder
    /// A backup is being made of the folder.
    case backupRunning = "backup_running"
    /// No such record or session.
    case notFound = "not_found"
    /// An image that cannot be kept for its record.
    case imageRefused = "image_refused"
    /// What was given is another user's than the session's.
    case otherUser = "other_user"
    /// A receiver that cannot be added or removed.
    case sink
    /// The recovery file could not be written; the session has not ended.
    case recoveryFile = "recovery_file"
    /// The key that encrypts secrets is missing, open to others, too short or another one.
    case vaultKey = "vault_key"
    /// A stored secret is damaged or stands in another row than it was written for.
    case vault
    /// The database refused for a reason that has no name of its own.
    case database
  }

  /// The reason.
  public let code: Code
  /// What happened and what to do.
  public let message: String
  /// What the system or SQLite said.
  public let cause: String?
  /// The owner's process id, for ``Code/busy``.
  public let ownerPID: Int32?

  /// An error from its parts.
  package init(_ code: Code, _ message: String, cause: String? = nil, ownerPID: Int32? = nil) {
    (self.code, self.message, self.cause, self.ownerPID) = (code, message, cause, ownerPID)
  }

  /// Code, message and cause in one line.
  public var description: String { "\(code.rawValue): \(fullMessage)" }

  /// Decides the exit status.
  public var kind: HostErrorKind {
    switch code {
    case .busy, .locked, .backupRunning: .temporary
    case .unknownCursor: .usage
    default: .failed
    }
  }

  /// Another process owns the state folder.
  package static func busy(pid: Int32?, folder: String) -> StoreError {
    let owner = pid.map { "process \($0)" } ?? "another process"
    return StoreError(
      .busy, "\(owner) owns the state folder \(folder); stop it, or give this command another folder.", ownerPID: pid)
  }

  /// The user changed since the read started.
  package static func staleGeneration(read: SessionGeneration, current: SessionGeneration) -> StoreError {
    StoreError(
      .staleGeneration,
      "the user changed while the meter was read (generation \(read.rawValue), now \(current.rawValue)); "
        + "nothing was stored, read the meter again.")
  }
}
