import GatewayEngine
import CLinux
import Foundation
import MeterCore
import MeterDrivers

/// What the machine and the user of the gateway bring along.
extension Doctor {
  func examineMachine() -> [DoctorFinding] {
    [examineConfinement(), examineGroups(), examineCapabilities(), examineKeyFiles(), examineCamera(), examineIngest()]
  }

  /// What the kernel offers to keep drivers in their place.
  private func examineConfinement() -> DoctorFinding {
    var lacks: [String] = []
    var cures: [String] = []
    let landlock = clinux_landlock_version()
    if landlock < 1 {
      lacks.append("the kernel has no Landlock")
      cures.append("use a kernel from 5.13 on with landlock among the names in /sys/kernel/security/lsm")
    }
    guard clinux_can_filter_calls() == 1 else {
      return finding(
        "confinement", .failed, "the kernel cannot filter system calls: no driver runs in a worker",
        cure: "use a kernel with CONFIG_SECCOMP_FILTER, and let containers use seccomp(2)")
    }
    if geteuid() == 0 {
      lacks.append("this user is root")
      cures.append("run the gateway as a user of its own")
    }
    let facts = (landlock >= 1 ? "Landlock \(landlock)" : "no Landlock") + ", user \(geteuid())"
    guard !lacks.isEmpty else { return finding("confinement", .passed, "\(facts), system calls can be filtered") }
    return finding(
      "confinement", .warning, "\(lacks.joined(separator: "; ")): a hostile driver is held back by less",
      cure: cures.joined(separator: "; "))
  }

  /// Whether all that a worker makes the kernel hold counts towards a limit. Without that nothing is wrong: the other limits hold.
  private func examineGroups() -> DoctorFinding {
    let host: Int32?
    do throws(StoreError) { host = try StateFolder.holder(of: locations.state) } catch {
      return finding(
        "worker groups", .passed,
        "whether the running host gives its workers control groups is told to the user of its state folder only")
    }
    let words =
      switch GroupOutlook(host: host) {
      case .used: "the running host gives its workers control groups of their own, unless its log says otherwise"
      case .unused:
        "no host that runs here gives its workers control groups; `Delegate=memory pids` in the host's systemd unit makes it do so"
      case .unavailable:
        "workers have no control groups: this machine counts no memory by them (cgroup v2), so `Delegate=memory pids` in the host's "
          + "systemd unit needs `cgroup_enable=memory systemd.unified_cgroup_hierarchy=1` on the kernel's command line"
      }
    return finding("worker groups", .passed, words)
  }

  /// Rights that the kernel asks of a process that uses its radios (capabilities(7)); whether they suffice shows at the
  /// adapters.
  private func examineCapabilities() -> DoctorFinding {
    let names = [12: "CAP_NET_ADMIN", 13: "CAP_NET_RAW"]
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("CapEff:") }
    guard let line, let mask = UInt64(line.dropFirst("CapEff:".count).trimmingCharacters(in: .whitespaces), radix: 16)
    else { return finding("capabilities", .warning, "the kernel does not say which rights this process has") }
    let held = names.sorted { $0.key < $1.key }.filter { mask & 1 << UInt64($0.key) != 0 }.map(\.value)
    return finding(
      "capabilities", .passed,
      "this process has " + (held.isEmpty ? "no rights on radios" : held.joined(separator: ", ")))
  }

  /// The key that encrypts the secrets of the state folder.
  private func examineKeyFiles() -> DoctorFinding {
    let path = "\(locations.state)/vault/key"
    if let folder = ProcessInfo.processInfo.environment["CREDENTIALS_DIRECTORY"],
      FileManager.default.fileExists(atPath: "\(folder)/meterhost.key")
    {
      return finding("keys", .passed, "systemd hands the key for secrets over")
    }
    guard let facts = FileFacts(path) else {
      return finding("keys", .passed, "no secret is stored yet")
    }
    guard facts.isRegular, facts.size == 32 else {
      return finding(
        "keys", .failed, "\(path) is not the key for secrets", cure: "put the right file back: 32 bytes, mode 0600")
    }
    guard facts.mode & 0o077 == 0 else {
      return finding(
        "keys", .failed, "\(path) is open to other users",
        cure: "run `chmod 600 \(path)`, and enter keys anew if somebody may have read it")
    }
    guard facts.owner == geteuid() || geteuid() == 0 else {
      return finding("keys", .failed, "\(path) belongs to another user", cure: "run this as the gateway's user")
    }
    return finding("keys", .passed, "the key for secrets is this user's alone")
  }

  private func examineCamera() -> DoctorFinding {
    guard HostFeature.ocr.isBuiltIn else {
      return finding("camera", .passed, "this version reads no displays: no camera is needed")
    }
    let devices = (try? FileManager.default.contentsOfDirectory(atPath: "/dev")) ?? []
    let cameras = devices.filter { $0.hasPrefix("video") }.sorted().map { "/dev/\($0)" }
    let usable = cameras.filter { access($0, R_OK | W_OK) == 0 }
    guard usable.isEmpty else { return finding("camera", .passed, usable.joined(separator: ", ")) }
    return finding(
      "camera", .warning, cameras.isEmpty ? "no camera" : "\(cameras.joined(separator: ", ")) cannot be used",
      cure: "connect one, and put the gateway's user into the group video")
  }
}
