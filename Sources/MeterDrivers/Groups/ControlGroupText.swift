/// What the kernel's texts say of control groups (cgroups(7), proc_pid_mountinfo(5)). Touches no file.
package enum ControlGroupText {
  /// A place where the hierarchy of version 2, or a part of it, is mounted.
  package struct Mount: Hashable, Sendable {
    /// The group that is seen there.
    package let root: String
    /// Where.
    package let place: String
  }

  /// A process's group in the hierarchy of version 2, by its `/proc/PID/cgroup`; nil: it is in none that this process can see.
  package static func group(ofMembership text: String) -> String? {
    let mark = Array("0::".utf8)
    let found = lines(text).filter { $0.starts(with: mark) }
    guard found.count == 1, let line = found.first else { return nil }
    let path = line.dropFirst(mark.count)
    // A group that was removed under its processes, or one outside of this process's namespace.
    guard isPath(path), !path.ends(with: Array(" (deleted)".utf8)) else { return nil }
    return String(decoding: path, as: UTF8.self)
  }

  /// Where the hierarchy of version 2 is mounted, by a `/proc/PID/mountinfo`, in its order; of several at one place the last one counts.
  package static func mounts(_ text: String) -> [Mount] {
    lines(text).compactMap { line in
      let fields = line.split(separator: UInt8(ascii: " "))
      // Optional fields end with a dash; before them there are six.
      guard fields.count > 8, let dash = fields.dropFirst(6).firstIndex(where: { $0.elementsEqual("-".utf8) }),
        dash + 1 < fields.count, fields[dash + 1].elementsEqual("cgroup2".utf8)
      else { return nil }
      let (root, place) = (unescaped(fields[3]), unescaped(fields[4]))
      guard isPath(root[...]), isPath(place[...]) else { return nil }
      return Mount(root: String(decoding: root, as: UTF8.self), place: String(decoding: place, as: UTF8.self))
    }
  }

  /// The folder of a group; nil: it is not below what is mounted.
  package static func folder(of group: String, in mounts: [Mount]) -> String? {
    let wanted = components(group)
    for mount in mounts.reversed() {
      let root = components(mount.root)
      guard wanted.count >= root.count, zip(wanted, root).allSatisfy({ $0.elementsEqual($1) }) else { continue }
      let rest = wanted.dropFirst(root.count).map { "/" + String(decoding: $0, as: UTF8.self) }.joined()
      return (mount.place == "/" && !rest.isEmpty ? "" : mount.place) + rest
    }
    return nil
  }

  /// The value of a name in a file of lines `NAME NUMBER`; 0 where the kernel does not know it.
  package static func count(of name: String, in text: String) -> UInt64 {
    for line in lines(text) {
      let fields = line.split(separator: UInt8(ascii: " "))
      if fields.count == 2, fields[0].elementsEqual(name.utf8) {
        return UInt64(String(decoding: fields[1], as: UTF8.self)) ?? 0
      }
    }
    return 0
  }

  /// Whether a list of words, such as `cgroup.controllers`, has one.
  package static func has(_ word: String, in text: String) -> Bool {
    text.utf8.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }.contains { $0.elementsEqual(word.utf8) }
  }

  /// Whether a `cgroup.procs` names this process and no other one. One of another namespace is named 0.
  package static func isAlone(_ process: Int32, in text: String) -> Bool {
    let found = lines(text)
    return !found.isEmpty && found.allSatisfy { Int32(String(decoding: $0, as: UTF8.self)) == process }
  }

  /// By bytes: to Swift a carriage return and the end of its line are one character.
  private static func lines(_ text: String) -> [ArraySlice<UInt8>] {
    Array(text.utf8).split(separator: UInt8(ascii: "\n"))
  }

  private static func components(_ path: String) -> [ArraySlice<UInt8>] {
    Array(path.utf8).split(separator: UInt8(ascii: "/"))
  }

  /// Absolute, and nowhere upwards.
  private static func isPath(_ path: ArraySlice<UInt8>) -> Bool {
    path.first == UInt8(ascii: "/")
      && !path.split(separator: UInt8(ascii: "/")).contains { $0.elementsEqual("..".utf8) }
  }

  /// Blanks, line ends and backslashes are written as `\040`.
  private static func unescaped(_ field: ArraySlice<UInt8>) -> [UInt8] {
    var plain: [UInt8] = []
    var rest = field
    while let byte = rest.popFirst() {
      let digits = rest.prefix(3)
      guard byte == UInt8(ascii: "\\"), digits.count == 3,
        let code = UInt8(String(decoding: digits, as: UTF8.self), radix: 8)
      else {
        plain.append(byte)
        continue
      }
      plain.append(code)
      rest = rest.dropFirst(3)
    }
    return plain
  }
}

extension ArraySlice<UInt8> {
  fileprivate func ends(with end: [UInt8]) -> Bool { suffix(end.count).elementsEqual(end) }
}
