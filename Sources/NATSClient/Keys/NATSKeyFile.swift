import Foundation

/// The file that a seed is kept in: one line `SU...`, or the form in which NATS's tools write it, between `-----BEGIN USER NKEY SEED-----` and
/// the like. Lines with `#` say something to people.
package enum NATSKeyFile {
  private static let limit = 4096

  /// The pair of a file.
  ///
  /// - Throws: ``NATSError`` with code `nats_key`: there is no such file, others may read it, or it holds no seed.
  package static func read(_ path: String) throws(NATSError) -> NATSKeyPair {
    let text = String(decoding: try bytes(path), as: UTF8.self)
    let seeds = text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { $0.hasPrefix("S") }
    guard seeds.count == 1, let seed = seeds.first, let pair = NATSKeyPair(seed: seed) else {
      throw NATSError(
        .key, "\(path) holds no seed of a user of NATS",
        hint: "it is one line that begins with SU; `meterhost fleet` makes one")
    }
    return pair
  }

  private static func bytes(_ path: String) throws(NATSError) -> [UInt8] {
    do {
      let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
      defer { try? handle.close() }
      var status = stat()
      guard fstat(handle.fileDescriptor, &status) == 0, isPrivate(status, path) else {
        throw NATSError(
          .key, "the file \(path) with the seed for NATS is open to other users", hint: "run `chmod 600 \(path)`")
      }
      return Array(try handle.read(upToCount: limit) ?? Data())
    } catch let error as NATSError {
      throw error
    } catch {
      throw NATSError(
        .key, "the file \(path) with the seed for NATS cannot be read", hint: "check the path and whose it is",
        cause: (error as NSError).localizedDescription)
    }
  }

  /// A credential of systemd is root's, and its service reads it by an access list, whose mask stands where the group's bits do
  /// (systemd.exec(5), LoadCredential=; acl(5)).
  private static func isPrivate(_ status: stat, _ path: String) -> Bool {
    guard let folder = ProcessInfo.processInfo.environment["CREDENTIALS_DIRECTORY"], !folder.isEmpty,
      path.hasPrefix(folder + "/")
    else { return status.st_mode & 0o077 == 0 }
    return status.st_mode & 0o037 == 0
  }
}
