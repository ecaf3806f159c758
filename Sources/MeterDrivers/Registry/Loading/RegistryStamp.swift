import Glibc

/// What the files of a registry look like from outside, to notice that one of them has changed.
package struct RegistryStamp: Sendable, Hashable {
  private struct File: Sendable, Hashable {
    let path: String
    let device: UInt
    let number: UInt
    let size: Int
    let mode: UInt32
    let content: Moment
    /// When anything of it has changed: its owner and its rights, too, say whether a trust list counts.
    let change: Moment
  }

  private struct Moment: Sendable, Hashable {
    let seconds: Int
    let nanoseconds: Int

    init(_ time: timespec) { (seconds, nanoseconds) = (time.tv_sec, time.tv_nsec) }
  }

  private let files: [File]

  /// Looks at the files. What is not there now and will be later is a change.
  package init(_ sources: RegistrySources) {
    var paths = [sources.base] + [sources.trust].compactMap(\.self)
    if let folder = sources.fragments {
      let names = (try? RegistryFile.fragments(in: folder)) ?? []
      paths += names.map { "\(folder)/\($0)" }
    }
    files = paths.compactMap { path in
      var facts = stat()
      guard stat(path, &facts) == 0 else { return nil }
      return File(
        path: path, device: UInt(facts.st_dev), number: UInt(facts.st_ino), size: Int(facts.st_size),
        mode: facts.st_mode, content: Moment(facts.st_mtim), change: Moment(facts.st_ctim))
    }
  }
}
