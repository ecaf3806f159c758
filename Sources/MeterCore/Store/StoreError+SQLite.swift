internal import GRDB
internal import Glibc

extension StoreError {
  /// The store's error for whatever a database access threw.
  static func mapping(_ error: any Error) -> StoreError {
    switch error {
    case let error as StoreError: error
    case let error as DatabaseError: mapping(error)
    // Not its description: that has the row, a person's data.
    case is RowDecodingError:
      StoreError(.corrupt, Self.damaged, cause: "a value of a row is of another type")
    default:
      StoreError(
        .database, "the state database could not be used; run `meterhost doctor`.", cause: "\(type(of: error))")
    }
  }

  /// What to do when the system gives no descriptors.
  static let tooManyFiles = "too many files are open; raise the limit (`ulimit -n`) or close programs, and try again."

  /// Whether the system gives no descriptor for anything at the moment: SQLite only says that it cannot open its file.
  private static var lacksDescriptors: Bool {
    let descriptor = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor < 0 else {
      close(descriptor)
      return false
    }
    return errno == EMFILE || errno == ENFILE
  }

  private static let damaged =
    "the state database is damaged; run `meterhost doctor --repair`, which keeps everything that can be read."

  private static let full = "the disk is full; make room. What was stored before is safe, this was not stored."

  private static func mapping(_ error: DatabaseError) -> StoreError {
    // The message only: SQL and arguments hold health values.
    let cause = "SQLite \(error.extendedResultCode.rawValue): \(error.message ?? "no message")"
    switch error.resultCode {
    case .SQLITE_FULL: return StoreError(.diskFull, full, cause: cause)
    // SQLite's index of the log, which only grows: it does not say that there was no room for it.
    case .SQLITE_IOERR where [.SQLITE_IOERR_SHMSIZE, .SQLITE_IOERR_SHMMAP].contains(error.extendedResultCode):
      return StoreError(.diskFull, full, cause: cause)
    // The statements are this program's and do not change: one that SQLite does not understand meets other tables than it was
    // written for, and a value that does not fit its column was not written by it.
    case .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_ERROR, .SQLITE_MISMATCH:
      return StoreError(.corrupt, damaged, cause: cause)
    case .SQLITE_CANTOPEN where lacksDescriptors:
      return StoreError(.folder, "the state database cannot be opened: \(tooManyFiles)", cause: cause)
    case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_CANTOPEN, .SQLITE_AUTH:
      return StoreError(
        .readOnly, "the state database cannot be written; check owner and mode of the state folder.", cause: cause)
    case .SQLITE_BUSY, .SQLITE_LOCKED:
      return StoreError(
        .locked, "another program has locked the state database; close it and try again.", cause: cause)
    case .SQLITE_IOERR:
      return StoreError(.inputOutput, "the disk failed; check the medium, nothing was stored.", cause: cause)
    default:
      return StoreError(.database, "the state database refused; run `meterhost doctor`.", cause: cause)
    }
  }
}
