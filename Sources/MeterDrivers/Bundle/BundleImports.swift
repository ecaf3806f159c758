import Glibc

extension VerifiedBundle {
  /// The functions and variables of other libraries that the bundle uses, as its symbol table says.
  ///
  /// - Throws: `BundleError` when the sealed bytes cannot be read.
  package func imports() throws(BundleError) -> [String] {
    do { return try ELFInspector(try bytes()).imports } catch let error as BundleError { throw error } catch {
      throw BundleError(.malformed, path: path, message: "its symbols cannot be read", cause: "\(error)")
    }
  }

  private func bytes() throws(BundleError) -> [UInt8] {
    var facts = stat()
    guard fstat(descriptor, &facts) == 0 else { throw unreadable }
    let size = Int(facts.st_size)
    var content = [UInt8](repeating: 0, count: size)
    var count = 0
    while count < size {
      let got = content.withUnsafeMutableBytes {
        pread(descriptor, $0.baseAddress?.advanced(by: count), size - count, off_t(count))
      }
      if got < 0, errno == EINTR { continue }
      guard got > 0 else { throw unreadable }
      count += got
    }
    return content
  }

  private var unreadable: BundleError {
    BundleError(
      .unreadable, path: path, message: "the sealed bundle cannot be read", cause: words(errno))
  }
}
