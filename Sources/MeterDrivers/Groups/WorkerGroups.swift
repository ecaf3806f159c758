import DriverRuntime
import DriverContract
import Glibc
import Synchronization

/// Gives each worker a control group of its own, with a limit that counts all that the kernel holds for it: the tables of its pages, too,
/// which no limit of a process does (rule R16).
///
/// Only below a group that was handed to this process: it moves into a leaf itself, because a group that hands controllers on holds
/// no process. For the same reason a process cannot be started in such a group again: one that begins in the leaf stays there.
package final class WorkerGroups: Sendable {
  /// Why there are none.
  package enum Refusal: Error, Hashable, Sendable {
    /// No control groups of version 2 are mounted, or this process is in none that it can see.
    case noHierarchy
    /// The group is somebody else's.
    case notDelegated
    /// The group was handed over without the controller for memory.
    case noMemory
    /// The group has further processes, which would be left in it.
    case shared
    /// The kernel has refused a step.
    case failed(ControlGroupFailure)
  }

  /// The leaf of the host itself.
  package static let hostName = "meterhost.host"
  /// What the names of workers' groups begin with. Groups of other names are nobody's business here.
  package static let workerPrefix = "meterhost.worker."
  /// Threads and processes of a worker: it has two threads, and its filter gives it no more.
  static let tasks = 8
  /// The limits of the largest work: those of a worker that does not know its own yet.
  static let ofAnyWork = DriverLimits.greatest.forImages
  /// Groups of an earlier host that cannot be removed are passed over, up to so many.
  private static let mostAttempts = 64

  private let folder: String
  private let hasTasks: Bool
  private let files: any ControlGroupFiles
  private let tell: @Sendable (String) -> Void
  private let told = Atomic(false)
  private let number = Atomic<UInt64>(0)
  /// Folders that were not empty yet when they were to go.
  private let remnants = Mutex<[String]>([])

  /// Moves this process into a leaf of its group, unless it is in there, and makes the group ready for those of workers. Before the first
  /// worker starts.
  ///
  /// - Parameter tell: Hears once, and once only, that a worker has no group although there could be one.
  /// - Throws: `Refusal`; then everything is as it was, as far as the kernel lets it.
  package init(
    process: Int32 = getpid(), files: any ControlGroupFiles = KernelControlGroupFiles(),
    tell: @escaping @Sendable (String) -> Void
  ) throws(Refusal) {
    let (folder, isInLeaf) = try Self.place(files)
    let controllers = try Self.controllers(of: folder, process, isInLeaf: isInLeaf, files)
    self.folder = folder
    self.files = files
    self.tell = tell
    hasTasks = ControlGroupText.has("pids", in: controllers)
    for name in files.names(in: folder) where name.hasPrefix(Self.workerPrefix) {
      // One that still holds a process of an earlier host stays.
      try? files.removeFolder("\(folder)/\(name)")
    }
    do throws(ControlGroupFailure) { if isInLeaf { try handOn() } else { try enter(process) } } catch {
      throw .failed(error)
    }
  }

  /// A group for a worker, which is in it from now on with whatever it starts.
  ///
  /// - Returns: nil where there is none: the worker has its other limits all the same.
  func group(for process: Int32, limits: DriverLimits) -> WorkerGroup? {
    removeRemnants()
    do throws(ControlGroupFailure) {
      let made = try makeFolder()
      do throws(ControlGroupFailure) { try fill(made, process, limits) } catch {
        drop(made)
        throw error
      }
      return WorkerGroup(folder: made, of: self)
    } catch {
      report("a worker has no control group of its own, only its other limits: \(error)")
      return nil
    }
  }

  /// Gives a group the limit of the work that its worker is to do.
  func limit(_ folder: String, _ limits: DriverLimits) {
    do throws(ControlGroupFailure) { try writeLimit(folder, limits) } catch {
      report("a worker keeps the limit of the largest work in its control group: \(error)")
    }
  }

  private func report(_ words: String) { if !told.exchange(true, ordering: .relaxed) { tell(words) } }

  /// Whether the kernel has ended what was in a group because this group was full. The counter of processes that were ended counts those
  /// as well that had to go because the machine, or the service, was short of memory: that is not the driver's doing.
  func ranOut(_ folder: String) -> Bool {
    guard let events = try? files.read("\(folder)/memory.events") else { return false }
    return ControlGroupText.count(of: "oom", in: events) > 0 && ControlGroupText.count(of: "oom_kill", in: events) > 0
  }

  /// Removes a group, now or as soon as it is empty.
  func drop(_ folder: String) {
    do throws(ControlGroupFailure) { try files.removeFolder(folder) } catch {
      if error.number == EBUSY { remnants.withLock { $0.append(folder) } }
    }
  }

  private func removeRemnants() {
    let waiting = remnants.withLock { remnants in
      defer { remnants = [] }
      return remnants
    }
    for folder in waiting { drop(folder) }
  }

  private func makeFolder() throws(ControlGroupFailure) -> String {
    for _ in 0..<Self.mostAttempts {
      let made = "\(folder)/\(Self.workerPrefix)\(number.add(1, ordering: .relaxed).newValue)"
      do throws(ControlGroupFailure) {
        try files.makeFolder(made)
        return made
      } catch  where error.number == EEXIST { continue }
    }
    throw ControlGroupFailure(folder, EEXIST)
  }

  /// Limits first: there is no moment without them.
  private func fill(_ made: String, _ process: Int32, _ limits: DriverLimits) throws(ControlGroupFailure) {
    try writeLimit(made, limits)
    try files.write("1", to: "\(made)/memory.oom.group")
    if hasTasks { try files.write("\(Self.tasks)", to: "\(made)/pids.max") }
    try files.write("\(process)", to: "\(made)/cgroup.procs")
  }

  private func writeLimit(_ made: String, _ limits: DriverLimits) throws(ControlGroupFailure) {
    try files.write("\(limits.workerBytes)", to: "\(made)/memory.max")
  }

  /// The group that was handed over, as far as it can be told, and whether this process is in the host's leaf of it.
  private static func place(_ files: any ControlGroupFiles) throws(Refusal) -> (folder: String, isInLeaf: Bool) {
    guard let membership = try? files.read("/proc/self/cgroup"), let mounts = try? files.read("/proc/self/mountinfo"),
      let group = ControlGroupText.group(ofMembership: membership),
      let folder = ControlGroupText.folder(of: group, in: ControlGroupText.mounts(mounts))
    else { throw .noHierarchy }
    let leaf = "/\(hostName)"
    let above = String(folder.dropLast(leaf.count))
    // Another manager's group may have the same name.
    guard folder.hasSuffix(leaf), files.isDelegated(above) else { return (folder, false) }
    return (above, true)
  }

  private static func controllers(
    of folder: String, _ process: Int32, isInLeaf: Bool, _ files: any ControlGroupFiles
  ) throws(Refusal) -> String {
    guard files.isDelegated(folder) else { throw .notDelegated }
    let controllers: String, inside: String, inLeaf: String
    do throws(ControlGroupFailure) {
      controllers = try files.read("\(folder)/cgroup.controllers")
      inside = try files.read("\(folder)/cgroup.procs")
      inLeaf = try isInLeaf ? files.read("\(folder)/\(hostName)/cgroup.procs") : ""
    } catch { throw .failed(error) }
    guard ControlGroupText.has("memory", in: controllers) else { throw .noMemory }
    // A group that hands controllers on holds nobody.
    let isAlone =
      isInLeaf
      ? inside.isEmpty && ControlGroupText.isAlone(process, in: inLeaf) : ControlGroupText.isAlone(process, in: inside)
    guard isAlone else { throw .shared }
    return controllers
  }

  private func enter(_ process: Int32) throws(ControlGroupFailure) {
    let leaf = "\(folder)/\(Self.hostName)"
    do throws(ControlGroupFailure) { try files.makeFolder(leaf) } catch {
      // An earlier host's, in a group whose manager has taken the controllers back.
      guard error.number == EEXIST else { throw error }
    }
    do throws(ControlGroupFailure) {
      try files.write("\(process)", to: "\(leaf)/cgroup.procs")
      try handOn()
    } catch {
      try? files.write("\(process)", to: "\(folder)/cgroup.procs")
      try? files.removeFolder(leaf)
      throw error
    }
  }

  private func handOn() throws(ControlGroupFailure) {
    try files.write(hasTasks ? "+memory +pids" : "+memory", to: "\(folder)/cgroup.subtree_control")
  }
}

/// One worker's group; whoever has it ends it when the worker is gone.
final class WorkerGroup: Sendable {
  private let folder: String
  private let groups: WorkerGroups

  init(folder: String, of groups: WorkerGroups) { (self.folder, self.groups) = (folder, groups) }

  /// Gives it the limit of the work that its worker is to do.
  func limit(_ limits: DriverLimits) { groups.limit(folder, limits) }

  /// Removes the group.
  ///
  /// - Returns: Whether the kernel has ended the worker because its group was full.
  func end() -> Bool {
    let ranOut = groups.ranOut(folder)
    groups.drop(folder)
    return ranOut
  }
}

extension WorkerGroups.Refusal: CustomStringConvertible {
  package var description: String {
    switch self {
    case .noHierarchy: "this process is in no control group of version 2 that it can see"
    case .notDelegated: "no control group is delegated to this process"
    case .noMemory: "the delegated control group has no controller for memory"
    case .shared: "the delegated control group has further processes"
    case .failed(let failure): "the delegated control group cannot be used (\(failure))"
    }
  }

  /// Whether somebody has meant the host to have groups, and has to hear that it has none.
  package var isFault: Bool {
    switch self {
    case .noHierarchy, .notDelegated, .noMemory: false
    case .shared, .failed: true
    }
  }
}
