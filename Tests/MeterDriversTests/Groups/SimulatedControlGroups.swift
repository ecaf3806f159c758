import Glibc
import Synchronization

@testable import MeterDrivers

/// Control groups as the kernel keeps them, in memory: a group that hands controllers on holds no process, files are there when their
/// controller is, what holds a process cannot be removed.
final class SimulatedControlGroups: ControlGroupFiles {
  static let mountInfo = "31 23 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"
  static let folder = "/sys/fs/cgroup/service"

  private struct Group {
    var controllers: Set<String>
    var handedOn: Set<String> = []
    var processes: Set<Int32> = []
    var limits: [String: String] = [:]
    var events = SimulatedControlGroups.events(0, 0)
  }

  private struct State {
    var groups: [String: Group]
    var log: [String] = []
    var failures: [String: Int32] = [:]
    var endsWhoEnters = false
    var delegated: Set<String>
    var membership: String?

    /// What the kernel says of the process 1.
    var ownMembership: String {
      if let membership { return membership }
      let group = groups.first { $0.value.processes.contains(1) }?.key
      return group.map { "0::\($0.dropFirst(SimulatedControlGroups.root.count))\n" } ?? ""
    }
  }

  private static let root = "/sys/fs/cgroup"
  private let state: Mutex<State>

  init(controllers: Set<String> = ["memory", "pids"], processes: Set<Int32> = [1], isDelegated: Bool = true) {
    state = Mutex(
      State(
        groups: [Self.folder: Group(controllers: controllers, processes: processes)],
        delegated: isDelegated ? [Self.folder] : []))
  }

  /// What was written, made and removed, in its order: names without the folder.
  var log: [String] { state.withLock { $0.log } }
  /// The groups below the service's.
  var groups: Set<String> {
    state.withLock { Set($0.groups.keys.filter { $0 != Self.folder }.map(Self.short)) }
  }
  func forgetLog() { state.withLock { $0.log = [] } }
  /// - Parameter group: Without the folder; "" is the service's own.
  func processes(in group: String) -> Set<Int32> { state.withLock { $0.groups[Self.long(group)]?.processes ?? [] } }
  func limits(of group: String) -> [String: String] { state.withLock { $0.groups[Self.long(group)]?.limits ?? [:] } }
  /// From now on this group is the one that was handed over, and no other one is.
  func handOver(_ group: String) { state.withLock { $0.delegated = [Self.long(group)] } }
  func say(membership: String) { state.withLock { $0.membership = membership } }

  /// What touches a file or group whose path ends so fails from now on; nil: no longer.
  func fail(_ end: String, _ number: Int32?) { state.withLock { $0.failures[end] = number } }
  /// A process that enters a group is ended at once, for want of memory.
  func endWhoEnters() { state.withLock { $0.endsWhoEnters = true } }
  func add(_ group: String, controllers: Set<String> = [], processes: Set<Int32> = []) {
    state.withLock { $0.groups[Self.long(group)] = Group(controllers: controllers, processes: processes) }
  }

  /// What the group's `memory.events` says from now on.
  func count(_ group: String, oom: Int, kills: Int) {
    state.withLock { $0.groups[Self.long(group)]?.events = Self.events(oom, kills) }
  }

  private static func events(_ oom: Int, _ kills: Int) -> String {
    "low 0\nhigh 0\nmax 9\noom \(oom)\noom_kill \(kills)\n"
  }

  func read(_ path: String) throws(ControlGroupFailure) -> String {
    let text = state.withLock { state -> Result<String, ControlGroupFailure> in
      if let failure = Self.failure(path, state) { return .failure(failure) }
      if path == "/proc/self/mountinfo" { return .success(Self.mountInfo) }
      if path.hasPrefix("/proc/") { return .success(state.ownMembership) }
      // The group above has the same controllers.
      let path = path == "/sys/fs/cgroup/cgroup.controllers" ? "\(Self.folder)/cgroup.controllers" : path
      guard let (group, file) = Self.place(path, state) else { return .failure(ControlGroupFailure(path, ENOENT)) }
      switch file {
      case "cgroup.controllers": return .success(group.controllers.sorted().joined(separator: " ") + "\n")
      case "cgroup.subtree_control": return .success(group.handedOn.sorted().joined(separator: " ") + "\n")
      case "cgroup.procs": return .success(group.processes.sorted().map { "\($0)\n" }.joined())
      case "memory.events": return .success(group.events)
      default: return .failure(ControlGroupFailure(path, ENOENT))
      }
    }
    return try text.get()
  }

  func write(_ text: String, to path: String) throws(ControlGroupFailure) {
    let number = state.withLock { state -> Int32? in
      if let failure = Self.failure(path, state) { return failure.number }
      guard let (group, file) = Self.place(path, state) else { return ENOENT }
      let folder = String(path.dropLast(file.count + 1))
      switch file {
      case "cgroup.procs":
        guard group.handedOn.isEmpty else { return EBUSY }
        guard let process = Int32(text) else { return EINVAL }
        for other in state.groups.keys { state.groups[other]?.processes.remove(process) }
        state.groups[folder]?.processes.insert(process)
      case "cgroup.subtree_control":
        guard group.processes.isEmpty else { return EBUSY }
        let words = text.split(separator: " ")
        let (more, fewer) = (Self.names(words, "+"), Self.names(words, "-"))
        guard more.isSubset(of: group.controllers) else { return ENOENT }
        let handedOn = group.handedOn.union(more).subtracting(fewer)
        state.groups[folder]?.handedOn = handedOn
        for below in state.groups.keys where below.hasPrefix("\(folder)/") {
          state.groups[below]?.controllers = handedOn
        }
      default:
        guard let controller = file.split(separator: ".").first, group.controllers.contains(String(controller)) else {
          return ENOENT
        }
        state.groups[folder]?.limits[file] = text
      }
      state.log.append("\(Self.short(path)) = \(text)")
      if state.endsWhoEnters, let process = Int32(text), file == "cgroup.procs" {
        state.groups[folder]?.events = Self.events(1, 1)
        kill(process, SIGKILL)
      }
      return nil
    }
    if let number { throw ControlGroupFailure(path, number) }
  }

  func makeFolder(_ path: String) throws(ControlGroupFailure) {
    let number = state.withLock { state -> Int32? in
      if let failure = Self.failure(path, state) { return failure.number }
      guard state.groups[path] == nil else { return EEXIST }
      guard let (above, _) = Self.place(path, state) else { return ENOENT }
      state.groups[path] = Group(controllers: above.handedOn)
      state.log.append("+ \(Self.short(path))")
      return nil
    }
    if let number { throw ControlGroupFailure(path, number) }
  }

  func removeFolder(_ path: String) throws(ControlGroupFailure) {
    let number = state.withLock { state -> Int32? in
      if let failure = Self.failure(path, state) { return failure.number }
      guard let group = state.groups[path] else { return ENOENT }
      // A process that is gone, or waits to be taken away, keeps no group.
      guard group.processes.allSatisfy({ kill($0, 0) != 0 }) else { return EBUSY }
      state.groups[path] = nil
      state.log.append("- \(Self.short(path))")
      return nil
    }
    if let number { throw ControlGroupFailure(path, number) }
  }

  func names(in folder: String) -> [String] { groups.sorted() + ["cgroup.procs"] }

  func isDelegated(_ folder: String) -> Bool { state.withLock { $0.delegated.contains(folder) } }

  private static func failure(_ path: String, _ state: State) -> ControlGroupFailure? {
    state.failures.first { path.hasSuffix($0.key) }.map { ControlGroupFailure(path, $0.value) }
  }

  private static func place(_ path: String, _ state: State) -> (Group, String)? {
    guard let slash = path.lastIndex(of: "/"), let group = state.groups[String(path[..<slash])] else { return nil }
    return (group, String(path[path.index(after: slash)...]))
  }

  private static func names(_ words: [Substring], _ sign: Character) -> Set<String> {
    Set(words.filter { $0.first == sign }.map { String($0.dropFirst()) })
  }

  private static func short(_ path: String) -> String { String(path.dropFirst(folder.count + 1)) }
  private static func long(_ group: String) -> String { group.isEmpty ? folder : "\(folder)/\(group)" }
}
