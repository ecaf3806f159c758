import Foundation
import HostErrors

/// Whose files a command makes.
enum FileOwner {
  /// Root can make a file in the service's folder, and the service could not write it.
  ///
  /// - Throws: ``ProgramError`` `wrong_user`.
  static func requireOwn(folderOf path: String) throws(ProgramError) {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    var status = stat()
    guard geteuid() == 0, stat(folder, &status) == 0, status.st_uid != 0 else { return }
    let owner = getpwuid(status.st_uid).map { String(cString: $0.pointee.pw_name) } ?? "\(status.st_uid)"
    throw ProgramError(
      .usage, code: "wrong_user", "\(folder) belongs to \(owner), who could not write a database that root makes there",
      hint: "sudo -u \(owner) meterhost-receiver ...")
  }
}
