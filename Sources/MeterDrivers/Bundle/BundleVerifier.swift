import CLinux
import Glibc
import Synchronization

/// Turns a file into a bundle that may be loaded: opened once, hashed, sealed, judged (rule R20).
public struct BundleVerifier {
  /// Sealed files by their content, open until the process ends: the loader knows a bundle by its descriptor's number.
  private static let sealed = Mutex<[BundleHash: Int32]>([:])

  /// Verifies a bundle.
  ///
  /// - Parameters:
  ///   - path: The file. Symbolic links as its last component are refused.
  ///   - expectedHash: What the registry says; nil: it says nothing.
  ///   - rules: What is allowed.
  /// - Throws: `BundleError`.
  public static func verify(
    path: String, expectedHash: BundleHash?, rules: BundleRules = BundleRules()
  ) throws(BundleError) -> VerifiedBundle {
    let content = try read(path, maximumSize: rules.maximumSize)
    let hash = try check(content, path, expectedHash, rules)
    try rules.check(content, path: path)
    return VerifiedBundle(path: path, hash: hash, descriptor: try seal(content, hash, path))
  }

  /// Reads a file that goes with a bundle.
  ///
  /// - Parameter limit: Most bytes.
  /// - Throws: `BundleError`.
  static func asset(
    path: String, expectedHash: BundleHash?, atMost limit: Int, rules: BundleRules
  ) throws(BundleError) -> [UInt8] {
    let content = try read(path, maximumSize: limit)
    _ = try check(content, path, expectedHash, rules)
    return content
  }

  private static func check(
    _ content: [UInt8], _ path: String, _ expectedHash: BundleHash?, _ rules: BundleRules
  ) throws(BundleError) -> BundleHash {
    let hash = BundleHash(of: content)
    if let expectedHash {
      guard hash == expectedHash else {
        throw BundleError(
          .wrongHash, path: path, rule: "R20",
          message: "the file's SHA-256 is \(hash), the registry says \(expectedHash); install the bundle again")
      }
    } else if !rules.allowsMissingHash {
      throw BundleError(
        .missingHash, path: path, rule: "R20",
        message: "the registry has no hash for this file (it would be \(hash)); only a registry marked "
          + "\"development\" may leave it out")
    }
    return hash
  }

  private static func read(_ path: String, maximumSize: Int) throws(BundleError) -> [UInt8] {
    let file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else {
      let why = errno == ELOOP ? "it is a symbolic link; name the file itself" : "check the path and its permissions"
      throw BundleError(.unreadable, path: path, message: "it cannot be opened: \(why)", cause: words(errno))
    }
    defer { close(file) }
    do throws(WholeFile.Failure) { return try WholeFile.read(file, limit: maximumSize) } catch {
      switch error {
      case .notRegular:
        throw BundleError(.notRegularFile, path: path, message: "it is no regular file; give the file itself")
      case .tooLarge(let size):
        throw BundleError(.tooLarge, path: path, message: "it has \(size) bytes; at most \(maximumSize) are loaded")
      case .unreadable(let number):
        throw BundleError(.unreadable, path: path, message: "it cannot be read; try again", cause: words(number))
      case .changing:
        throw BundleError(.unreadable, path: path, message: "it changes while it is read; try again")
      }
    }
  }

  private static func seal(_ content: [UInt8], _ hash: BundleHash, _ path: String) throws(BundleError) -> Int32 {
    let result = sealed.withLock { known -> Result<Int32, BundleError> in
      if let descriptor = known[hash] { return .success(descriptor) }
      do throws(BundleError) {
        let descriptor = try makeSealed(content, path)
        known[hash] = descriptor
        return .success(descriptor)
      } catch { return .failure(error) }
    }
    return try result.get()
  }

  private static func makeSealed(_ content: [UInt8], _ path: String) throws(BundleError) -> Int32 {
    let file = clinux_memory_file("meterhost-bundle")
    guard file >= 0 else { throw notSealed(path, -file) }
    var written = 0
    var failure: Int32 = 0
    content.withUnsafeBytes { bytes in
      while written < bytes.count, failure == 0, let base = bytes.baseAddress {
        let put = write(file, base + written, bytes.count - written)
        if put < 0, errno != EINTR { failure = errno }
        if put > 0 { written += put }
      }
    }
    if failure == 0 { failure = -clinux_seal(file) }
    if failure == 0, clinux_is_sealed(file) != 1 { failure = EPERM }
    guard failure == 0 else {
      close(file)
      throw notSealed(path, failure)
    }
    return file
  }

  private static func notSealed(_ path: String, _ number: Int32) -> BundleError {
    BundleError(
      .notSealed, path: path, rule: "R20",
      message: "the bundle's bytes cannot be kept in sealed memory; the system must offer memfd_create and seals",
      cause: words(number))
  }
}
