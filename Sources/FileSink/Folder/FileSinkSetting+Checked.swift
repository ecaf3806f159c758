import Glibc
import HostPrimitives

extension FileSinkSetting {
  /// The setting, when readings can be written by it. The folder is made (mode 0700) when there is none: a sink itself makes none, so
  /// that readings do not end up below the place of a disk that is not mounted.
  ///
  /// - Parameter stateFolder: The host's own folder, in which no files of others may be.
  /// - Throws: ``FileSinkError`` for a member that cannot be, and for a folder that is no folder of this user alone, cannot be
  ///   written, or is in the state folder.
  public func checked(stateFolder: String) throws(FileSinkError) -> FileSinkSetting {
    let setting = try validated()
    try setting.refuse(inside: stateFolder)
    try HeldFolder(path: setting.folder, makes: true).tryWriting()
    return setting
  }

  private func refuse(inside stateFolder: String) throws(FileSinkError) {
    let state = Self.resolved(stateFolder) ?? stateFolder
    let own = Self.resolved(folder) ?? Self.resolvedInParent(folder)
    guard own.isExactly(state) || own.beginsExactly(with: state + "/") else { return }
    throw FileSinkError(
      .insideState, member: Member.folder.rawValue,
      "folder: \(folder) is in the state folder \(stateFolder), whose files are the host's own; give another folder.")
  }

  /// The path of a folder that is not there yet, with the links that lead to its parent followed.
  private static func resolvedInParent(_ path: String) -> String {
    guard let slash = path.lastIndex(of: "/"),
      let parent = resolved(slash == path.startIndex ? "/" : String(path[..<slash]))
    else { return path }
    return (parent.isExactly("/") ? "" : parent) + path[slash...]
  }

  /// The path with every symbolic link followed; nil when there is nothing.
  private static func resolved(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}
