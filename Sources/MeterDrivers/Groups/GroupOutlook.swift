/// Whether workers have control groups of their own, as far as can be seen from outside of their host.
package enum GroupOutlook: Hashable, Sendable {
  /// The host that runs gives each worker one.
  case used
  /// No such host runs, and the kernel could do it.
  case unused
  /// The kernel counts no memory by control groups of version 2, or none are to be seen from here.
  case unavailable

  /// - Parameter host: The process of a host; nil: none is known.
  package init(host: Int32?, files: any ControlGroupFiles = KernelControlGroupFiles()) {
    let mounts = ControlGroupText.mounts((try? files.read("/proc/self/mountinfo")) ?? "")
    if let host, Self.uses(host, mounts, files) {
      self = .used
    } else {
      let hasMemory = mounts.contains { mount in
        ControlGroupText.has("memory", in: (try? files.read("\(mount.place)/cgroup.controllers")) ?? "")
      }
      self = hasMemory ? .unused : .unavailable
    }
  }

  private static func uses(
    _ host: Int32, _ mounts: [ControlGroupText.Mount], _ files: any ControlGroupFiles
  ) -> Bool {
    let leaf = "/\(WorkerGroups.hostName)"
    guard let membership = try? files.read("/proc/\(host)/cgroup"),
      let group = ControlGroupText.group(ofMembership: membership), group.hasSuffix(leaf),
      let folder = ControlGroupText.folder(of: group, in: mounts),
      let handedOn = try? files.read("\(folder.dropLast(leaf.count))/cgroup.subtree_control")
    else { return false }
    return ControlGroupText.has("memory", in: handedOn)
  }
}
