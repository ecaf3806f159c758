import Testing

@testable import MeterDrivers

@Suite("What the kernel says of control groups") struct ControlGroupTextTests {
  @Test(
    "names a process's group, or none",
    arguments: [
      ("0::/system.slice/meterhost.service\n", "/system.slice/meterhost.service"),
      ("0::/\n", "/"),
      // Hybrid machines: version 1 beside it, in any order, with any name.
      ("9:name=systemd:/a\n4:memory:/b\n0::/c\n", "/c"),
      ("0::/c\n1:cpu:/d\n", "/c"),
      ("4:memory:/b\n1:name=0::/e:/f\n", nil),
      ("0::/with blanks and :colons:\n", "/with blanks and :colons:"),
      ("0::/a\r\n1:cpu:/d\n", "/a\r"),
      ("0::/a", "/a"),
      // Outside of this namespace, gone, cut, twice, or nothing at all.
      ("0::/../other\n", nil), ("0::/a/../../b\n", nil), ("0::/a (deleted)\n", nil), ("0::\n", nil), ("0::a\n", nil),
      ("0::/a\n0::/b\n", nil), ("10::/a\n", nil), ("", nil), ("\n\n", nil),
      ("0::/a..b/..c\n", "/a..b/..c"),
    ] as [(String, String?)])
  func membership(text: String, group: String?) {
    #expect(ControlGroupText.group(ofMembership: text) == group)
  }

  @Test(
    "names where the hierarchy is mounted",
    arguments: [
      ("31 23 0:28 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n", [("/", "/sys/fs/cgroup")]),
      // No optional fields, several of them, and a dash in one that is none.
      ("31 23 0:28 / /a rw - cgroup2 none rw\n", [("/", "/a")]),
      ("31 23 0:28 / /a rw shared:1 master:2 propagate_from:3 - cgroup2 none rw\n", [("/", "/a")]),
      ("31 23 0:28 /b/c /a rw - cgroup2 none rw\n", [("/b/c", "/a")]),
      ("31 23 0:28 /b\\040c /a\\134b\\011 rw - cgroup2 none rw\n", [("/b c", "/a\\b\t")]),
      ("31 23 0:28 / /a\\04 rw - cgroup2 none rw\n", [("/", "/a\\04")]),
      ("31 23 0:28 / /a\\999 rw - cgroup2 none rw\n", [("/", "/a\\999")]),
      // Version 1, another file system of that name, a group outside of the namespace, and lines that are cut.
      ("32 31 0:29 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n", []),
      ("31 23 0:28 / /cgroup2 rw - tmpfs cgroup2 rw\n", []),
      ("31 23 0:28 /../.. /a rw - cgroup2 none rw\n", []),
      ("31 23 0:28 / /a rw -\n", []), ("31 23 0:28 / /a rw - cgroup2\n", []), ("- cgroup2\n", []), ("", []),
      (
        "31 23 0:28 / /a rw - cgroup2 none rw\n32 23 0:28 /b /a rw - cgroup2 none rw\n", [("/", "/a"), ("/b", "/a")]
      ),
    ] as [(String, [(String, String)])])
  func mounts(text: String, expected: [(String, String)]) {
    #expect(
      ControlGroupText.mounts(text) == expected.map { ControlGroupText.Mount(root: $0.0, place: $0.1) }, "\(text)")
  }

  @Test(
    "leads to a group's folder where it is mounted",
    arguments: [
      ("/", [("/", "/sys/fs/cgroup")], "/sys/fs/cgroup"),
      ("/a/b", [("/", "/sys/fs/cgroup")], "/sys/fs/cgroup/a/b"),
      ("/a/b", [("/", "/")], "/a/b"), ("/", [("/", "/")], "/"),
      ("/a/b", [("/a", "/mnt")], "/mnt/b"), ("/a", [("/a", "/mnt")], "/mnt"),
      // A name that only begins alike is another group's.
      ("/ab", [("/a", "/mnt")], nil), ("/", [("/a", "/mnt")], nil), ("/a", [], nil),
      // é in one and in two characters are two groups.
      ("/\u{e9}/b", [("/e\u{301}", "/mnt")], nil),
      // What is mounted last lies on top.
      ("/a/b", [("/", "/one"), ("/a", "/two")], "/two/b"), ("/c", [("/", "/one"), ("/a", "/two")], "/one/c"),
    ] as [(String, [(String, String)], String?)])
  func folder(group: String, mounts: [(String, String)], expected: String?) {
    let mounts = mounts.map { ControlGroupText.Mount(root: $0.0, place: $0.1) }
    #expect(ControlGroupText.folder(of: group, in: mounts) == expected)
  }

  @Test(
    "counts",
    arguments: [
      ("low 0\nhigh 0\nmax 7\noom 2\noom_kill 1\noom_group_kill 1\n", 2), ("oom 18446744073709551615\n", .max),
      ("oom_kill 3\n", 0), ("oom\n", 0), ("oom x\n", 0), ("oom -1\n", 0), ("oom 1 2\n", 0), ("", 0),
      ("oom 99999999999999999999\n", 0), ("max 1\r\noom 5\n", 5),
    ] as [(String, UInt64)])
  func counts(text: String, expected: UInt64) { #expect(ControlGroupText.count(of: "oom", in: text) == expected) }

  @Test(
    "lists controllers by whole words",
    arguments: [
      ("cpu memory pids\n", true), ("memory", true), ("cpu memory_recursive\n", false), ("hugetlb\n", false),
      ("", false),
      ("cpu\nmemory\n", true),
    ])
  func words(text: String, has: Bool) { #expect(ControlGroupText.has("memory", in: text) == has) }

  @Test(
    "tells whether a process is alone",
    arguments: [
      ("42\n", true), ("42\n42\n", true), ("42\n43\n", false), ("0\n42\n", false), ("", false), ("x\n", false),
      ("420\n", false),
    ])
  func alone(text: String, isAlone: Bool) { #expect(ControlGroupText.isAlone(42, in: text) == isAlone) }
}
