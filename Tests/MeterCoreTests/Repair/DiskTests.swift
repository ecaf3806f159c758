import Foundation
import TestSupport
import Testing

@testable import MeterCore

/// What the store says and keeps when the disk itself fails it: a small file system of its own, in a process of its own.
@Suite("A full or read-only disk", .enabled(if: SmallDisk.isPossible, "this user may not mount a file system"))
struct DiskTests {
  @Test("full while readings come: a typed error, and nothing acknowledged is lost")
  func full() async throws {
    let run = try await SmallDisk.run(
      """
      mount -t tmpfs -o size=840k,mode=700 tmpfs "$disk"
      "$probe" "$disk/state" 250 alone
      "$probe" "$disk/state" 0 alone
      dd if=/dev/zero of="$disk/filler" bs=4k 2>/dev/null
      mount -o remount,size=8m tmpfs "$disk"
      "$probe" "$disk/state" 250 alone
      """)
    let failure = try #require(run.firstIndex { $0.hasPrefix("disk_full: ") })
    let acknowledged = run[..<failure].compactMap { Int($0.dropFirst("acknowledged ".count)) }
    #expect(acknowledged.count > 3, "\(run.suffix(5))")
    // With room again the next process goes on behind the last that was acknowledged, and ends.
    let next = run[failure...].compactMap { Int($0.dropFirst("acknowledged ".count)) }
    #expect(next.first == (acknowledged.last ?? 0) + 1 && next.last == 250, "\(run.suffix(3))")
  }

  @Test("full before the first start: a typed error")
  func fullAtFirst() async throws {
    let run = try await SmallDisk.run(
      """
      mount -t tmpfs -o size=64k,mode=700 tmpfs "$disk"
      dd if=/dev/zero of="$disk/filler" bs=4k 2>/dev/null
      "$probe" "$disk/state" 3 alone
      """)
    #expect(run.last?.hasPrefix("disk_full: ") == true, "\(run)")
  }

  @Test("read-only: a typed error, and afterwards everything is there")
  func readOnly() async throws {
    let run = try await SmallDisk.run(
      """
      mount -t tmpfs -o size=8m,mode=700 tmpfs "$disk"
      "$probe" "$disk/state" 3 alone
      mount -o remount,ro tmpfs "$disk"
      "$probe" "$disk/state" 6 alone
      mount -o remount,rw tmpfs "$disk"
      "$probe" "$disk/state" 6 alone
      """)
    #expect(
      run.map { $0.hasPrefix("read_only: ") ? "read_only" : $0 }
        == ["opened", "found 0 0"] + (1...3).map { "acknowledged \($0)" } + ["read_only", "opened", "found 3 9"]
        + (4...6).map { "acknowledged \($0)" })
  }

  @Test("read-only: what waits can be looked at, also after a kill, and what changes something names the folder")
  func lookedAt() async throws {
    let run = try await SmallDisk.run(
      """
      mount -t tmpfs -o size=8m,mode=700 tmpfs "$disk"
      "$probe" "$disk/state" 3 alone | tail -n 1
      mount -o remount,ro tmpfs "$disk"
      "$probe" "$disk/state" 0 look
      "$probe" "$disk/state" 6 alone
      mount -o remount,rw tmpfs "$disk"
      strace -f -qqq -o "$disk/trace" -e trace=fdatasync -e inject=fdatasync:signal=SIGKILL:when=6 -- \
        "$probe" "$disk/state" 30 alone > /dev/null 2>&1
      mount -o remount,ro tmpfs "$disk"
      "$probe" "$disk/state" 0 look | head -n 1
      """)
    try #require(run.count == 5, "\(run)")
    #expect(run[0] == "acknowledged 3" && run[1] == "looks 9", "\(run)")
    for line in run[2...3] { #expect(line.hasPrefix("read_only: ") && line.contains("/state "), "\(line)") }
    #expect(run[4].hasPrefix("looks "), "\(run)")
  }

  @Test("full during a repair: the damaged database stays as it was, and with room the repair ends")
  func fullDuringRepair() async throws {
    let run = try await SmallDisk.run(
      """
      mount -t tmpfs -o size=8m,mode=700 tmpfs "$disk"
      "$probe" "$disk/state" 250 alone | tail -n 1
      dd if=/dev/zero of="$disk/filler" bs=4k 2>/dev/null
      truncate -s -200k "$disk/filler"
      before=$(cat "$disk/state/state.sqlite" | sha256sum)
      "$probe" "$disk/state" 250 repair
      [ "$before" = "$(cat "$disk/state/state.sqlite" | sha256sum)" ] && echo untouched
      rm "$disk/filler"
      "$probe" "$disk/state" 250 repair | head -n 2
      """)
    #expect(run.count == 5 && run[1].hasPrefix("disk_full: "), "\(run)")
    #expect([run.first, run.dropFirst(2).first] == ["acknowledged 250", "untouched"], "\(run)")
    #expect(run.suffix(2) == ["repaired, lost 0", "opened"], "\(run)")
  }

  /// The journal of a killed process, without its end: the next start keeps it before SQLite writes over it.
  private static let cutJournal = """
    mount -t tmpfs -o size=8m,mode=700 tmpfs "$disk"
    strace -f -qqq -o "$disk/trace" -e trace=fdatasync -e inject=fdatasync:signal=SIGKILL:when=65 -- \
      "$probe" "$disk/state" 250 alone > /dev/null 2>&1
    truncate -s -60000 "$disk/state/state.sqlite-wal"
    """

  @Test("full at a start that has to keep what SQLite would write over: a typed error, and it is still there")
  func fullAtAStartThatKeeps() async throws {
    let run = try await SmallDisk.run(
      Self.cutJournal + """

        dd if=/dev/zero of="$disk/filler" bs=4k 2>/dev/null
        truncate -s -8k "$disk/filler"
        before=$(cat "$disk/state/state.sqlite" "$disk/state/state.sqlite-wal" | sha256sum)
        "$probe" "$disk/state" 0 look
        [ "$before" = "$(cat "$disk/state/state.sqlite" "$disk/state/state.sqlite-wal" | sha256sum)" ] && echo untouched
        ls "$disk/state" | grep -c damaged
        rm "$disk/filler"
        "$probe" "$disk/state" 0 look
        [ "$before" = "$(cat "$disk/state/damaged-1/state.sqlite" "$disk/state/damaged-1/state.sqlite-wal" | sha256sum)" ] \
          && echo kept
        """)
    try #require(run.count == 5, "\(run)")
    #expect(run[0].hasPrefix("disk_full: ") && run[0].contains("make room"), "\(run)")
    #expect(run[1] == "untouched" && run[2] == "0" && run[3].hasPrefix("owns ") && run[4] == "kept", "\(run)")
  }

  @Test("a start that is killed while it keeps, or behind it, begins again and keeps the same once")
  func killedWhileItKeeps() async throws {
    let run = try await SmallDisk.run(
      Self.cutJournal + """

        killed() {
          strace -f -qqq -o "$disk/trace" -e "trace=$1" -e "inject=$1:signal=SIGKILL:when=$2" -- \
            "$probe" "$disk/state" 0 look > /dev/null 2>&1
        }
        killed /^rename 1
        ls "$disk/state" | grep damaged
        # The copy is there, and its name may not be on disk.
        killed fsync 4
        "$probe" "$disk/state" 0 look
        ls "$disk/state" | grep damaged
        """)
    #expect(run.count == 3 && run.first == "damaged-1.part" && run.last == "damaged-1", "\(run)")
  }

  @Test("a place in memory that is too small is left for another one, and a killed process leaves no copy for long")
  func lookedAtElsewhere() async throws {
    let run = try await SmallDisk.run(
      """
      mount -t tmpfs -o size=8m,mode=700 tmpfs "$disk"
      "$probe" "$disk/state" 250 alone | tail -n 1
      mount -o remount,ro tmpfs "$disk"
      mount -t tmpfs -o size=64k tmpfs /dev/shm
      "$probe" "$disk/state" 0 look | head -n 1
      ls /dev/shm | wc -l
      mount -o remount,size=8m tmpfs /dev/shm
      strace -f -qqq -o /dev/null -e trace=/^unlink -e inject=/^unlink:signal=SIGKILL:when=1 -- \
        "$probe" "$disk/state" 0 look > /dev/null 2>&1
      ls /dev/shm/*
      "$probe" "$disk/state" 0 look | head -n 1
      ls /dev/shm | wc -l
      """)
    #expect(
      run == ["acknowledged 250", "looks 750", "0", "state.sqlite", "looks 750", "0"], "\(run)")
  }

  @Test("a count that cannot be written: nothing is acknowledged, and the repetition writes it again")
  func countFails() async throws {
    for (call, code) in [("pwrite64:error=ENOSPC", "disk_full: "), ("fdatasync:error=EIO", "input_output: ")] {
      let run = try await SmallDisk.run(
        """
        mount -t tmpfs -o size=8m,mode=700 tmpfs "$disk"
        strace -f -qqq -o "$disk/trace" -P "$disk/state/commits" -e trace=pwrite64,fdatasync -e inject=\(call):when=4 -- \
          "$probe" "$disk/state" 6 again 2>/dev/null
        # Behind a sync that has failed the next one is no witness: the kernel has forgotten what it could not write.
        grep -A1 INJECTED "$disk/trace" | tail -n 1 | grep -o 'pwrite64'
        "$probe" "$disk/state" 0 look
        """)
      let failure = try #require(run.firstIndex { $0.hasPrefix(code) }, "\(run)")
      #expect(run[failure].contains("commits") && run[failure + 1] == "known 3", "\(run)")
      #expect(run[failure - 1] == "acknowledged 2" && run[failure + 2] == "acknowledged 3", "\(run)")
      #expect(run.suffix(3) == ["acknowledged 6", "pwrite64", "owns 18"], "\(run)")
    }
  }

  @Test("a session that ends while its end cannot be counted has ended, and says so")
  func endIsNotCounted() async throws {
    let run = try await SmallDisk.run(
      """
      mount -t tmpfs -o size=8m,mode=700 tmpfs "$disk"
      for number in 1 2 3 4 5 6; do
        rm -rf "$disk/state"
        strace -f -qqq -o "$disk/trace" -P "$disk/state/commits" -e trace=pwrite64 \
          -e inject=pwrite64:error=ENOSPC:when=$number -- "$probe" "$disk/state" 2 end > "$disk/said" 2>/dev/null
        echo "$? $(grep -c INJECTED "$disk/trace") $("$probe" "$disk/state" 0 look)"
      done
      """)
    // The session's start, two commits, the two halves of its end, the start of the next.
    #expect(
      run == ["1 1 owns 0", "1 1 owns 3", "1 1 owns 6", "0 1 owns 6", "0 1 owns 6", "1 1 owns 0"], "\(run)")
  }
}

/// A file system in memory, mounted for one script only.
private enum SmallDisk {
  static let isPossible = (try? start("mount -t tmpfs tmpfs /mnt && echo mounted")) == ["mounted"]

  static func run(_ script: String) async throws -> [String] {
    try await onOwnThread { try start(script) }
  }

  private static func start(_ script: String) throws -> [String] {
    let folder = try TemporaryFolder()
    let environment = [
      "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "disk": folder.url.path,
      "probe": BuildProducts.folder.appending(path: "store-probe").path,
    ]
    return try ChildProcess.run(
      URL(filePath: "/usr/bin/unshare"), ["--mount", "--", "/bin/bash", "-c", script], environment: environment
    ).lines
  }
}
