import DriverContract
import DriverRuntime
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import MeterDrivers

@Suite("Groups of workers") struct WorkerGroupsTests {
  /// No process has this number.
  private static let gone = Int32.max
  private static let limits = DriverLimits(
    eventCPUMilliseconds: 1, eventWallMilliseconds: 1, memoryMebibytes: 4, recordsPerEvent: 1)

  /// What was told of workers without a group.
  private final class Told: Sendable {
    private let words = Mutex<[String]>([])
    var all: [String] { words.withLock(\.self) }
    func hear(_ line: String) { words.withLock { $0.append(line) } }
  }

  private let told = Told()

  private func groups(_ kernel: SimulatedControlGroups) throws -> WorkerGroups {
    try WorkerGroups(process: 1, files: kernel) { [told] in told.hear($0) }
  }

  @Test("begin when the host has moved into a leaf") func begin() throws {
    let kernel = SimulatedControlGroups()
    _ = try groups(kernel)
    #expect(
      kernel.log == [
        "+ meterhost.host", "meterhost.host/cgroup.procs = 1", "cgroup.subtree_control = +memory +pids",
      ])
    #expect(kernel.processes(in: "meterhost.host") == [1])
  }

  @Test("have all their limits before a worker is in one") func order() throws {
    let kernel = SimulatedControlGroups()
    let groups = try groups(kernel)
    kernel.forgetLog()
    let group = groups.group(for: Self.gone, limits: Self.limits)
    let name = "meterhost.worker.1"
    #expect(
      kernel.log == [
        "+ \(name)", "\(name)/memory.max = \((32 + 4 + 8 + 16) << 20)", "\(name)/memory.oom.group = 1",
        "\(name)/pids.max = 8", "\(name)/cgroup.procs = \(Self.gone)",
      ])
    #expect(group?.end() == false)
    #expect(kernel.groups == ["meterhost.host"])
  }

  @Test("grow with the kind of work") func kinds() throws {
    #expect(DriverLimits.greatest.workerBytes == 120 << 20)
    #expect(DriverLimits.greatest.forImages.workerBytes == 568 << 20)
    #expect(WorkerGroups.ofAnyWork.workerBytes == 568 << 20)
  }

  @Test("do without the controller for processes") func withoutTasks() throws {
    let kernel = SimulatedControlGroups(controllers: ["memory", "cpu"])
    let groups = try groups(kernel)
    let group = groups.group(for: Self.gone, limits: Self.limits)
    #expect(kernel.log.contains("cgroup.subtree_control = +memory"))
    #expect(group != nil && kernel.limits(of: "meterhost.worker.1")["pids.max"] == nil)
    #expect(told.all.isEmpty)
  }

  @Test("whose limit cannot be changed keep it, and are told of once") func unchangedLimit() throws {
    let kernel = SimulatedControlGroups()
    let group = try groups(kernel).group(for: Self.gone, limits: WorkerGroups.ofAnyWork)
    kernel.fail("memory.max", EACCES)
    group?.limit(Self.limits)
    group?.limit(Self.limits)
    #expect(kernel.limits(of: "meterhost.worker.1")["memory.max"] == "\(568 << 20)" && told.all.count == 1)
    kernel.fail("memory.max", nil)
    group?.limit(Self.limits)
    #expect(kernel.limits(of: "meterhost.worker.1")["memory.max"] == "\(60 << 20)")
  }

  static let refusals: [(SimulatedControlGroups, WorkerGroups.Refusal, Bool)] = [
    (SimulatedControlGroups(isDelegated: false), .notDelegated, false),
    (SimulatedControlGroups(controllers: ["cpu", "pids"]), .noMemory, false),
    (SimulatedControlGroups(processes: [1, 2]), .shared, true),
    // One of another namespace.
    (SimulatedControlGroups(processes: [0, 1]), .shared, true),
  ]
  @Test("are refused, and nothing is changed", arguments: refusals)
  func refusal(kernel: SimulatedControlGroups, reason: WorkerGroups.Refusal, isFault: Bool) throws {
    #expect(throws: reason) { try groups(kernel) }
    #expect(reason.isFault == isFault)
    #expect(kernel.log.isEmpty)
  }

  @Test(
    "are refused where there is no hierarchy of version 2",
    arguments: ["4:memory:/a\n", "0::/../a\n", "0::/a (deleted)\n"])
  func noHierarchy(membership: String) {
    let kernel = SimulatedControlGroups()
    kernel.say(membership: membership)
    #expect(throws: WorkerGroups.Refusal.noHierarchy) { try groups(kernel) }
  }

  @Test(
    "that the kernel refuses to begin leave the host where it was",
    arguments: [
      ("/meterhost.host", EACCES), ("/meterhost.host/cgroup.procs", EACCES), ("cgroup.subtree_control", EBUSY),
      ("cgroup.subtree_control", EROFS),
    ])
  func failedBeginning(path: String, number: Int32) {
    let kernel = SimulatedControlGroups()
    kernel.fail(path, number)
    let refusal = #expect(throws: WorkerGroups.Refusal.self) { try groups(kernel) }
    guard case .failed(let failure) = refusal else {
      Issue.record("refused as \(String(describing: refusal))")
      return
    }
    #expect(failure.number == number && failure.path.hasSuffix(path) && refusal?.isFault == true)
    #expect(kernel.groups.isEmpty && kernel.processes(in: "") == [1])
  }

  @Test("go on in the leaf of an earlier host, for the group itself takes no process any more") func again() throws {
    let kernel = SimulatedControlGroups()
    _ = try groups(kernel)
    let procs = "\(SimulatedControlGroups.folder)/cgroup.procs"
    #expect(throws: ControlGroupFailure(procs, EBUSY)) { try kernel.write("1", to: procs) }
    kernel.add("meterhost.worker.1", processes: [Self.gone])
    kernel.add("meterhost.worker.2", processes: [getpid()])
    kernel.forgetLog()
    let groups = try groups(kernel)
    #expect(kernel.log == ["- meterhost.worker.1", "cgroup.subtree_control = +memory +pids"])
    #expect(kernel.processes(in: "meterhost.host") == [1])
    #expect(groups.group(for: Self.gone, limits: Self.limits) != nil)
    #expect(kernel.groups == ["meterhost.host", "meterhost.worker.1", "meterhost.worker.2"])
  }

  /// What systemd's `DelegateSubgroup=` makes.
  private func launched(above: Set<Int32> = [], inLeaf: Set<Int32> = [1]) -> SimulatedControlGroups {
    let kernel = SimulatedControlGroups(processes: above)
    kernel.add("meterhost.host", processes: inLeaf)
    return kernel
  }

  @Test("begin in a leaf that the host was started in") func startedInLeaf() throws {
    let kernel = launched()
    _ = try groups(kernel)
    #expect(kernel.log == ["cgroup.subtree_control = +memory +pids"])
    #expect(kernel.processes(in: "meterhost.host") == [1] && kernel.groups == ["meterhost.host"])
  }

  @Test(
    "are refused in a leaf that has further processes, or whose group has",
    arguments: [([], [1, 2]), ([2], [1]), ([0], [1]), ([], [0, 1])] as [(Set<Int32>, Set<Int32>)])
  func sharedLeaf(above: Set<Int32>, inLeaf: Set<Int32>) {
    let kernel = launched(above: above, inLeaf: inLeaf)
    #expect(throws: WorkerGroups.Refusal.shared) { try groups(kernel) }
    #expect(kernel.log.isEmpty)
  }

  @Test("that the kernel refuses leave a host that was started in a leaf there") func failedInLeaf() {
    let kernel = launched()
    kernel.fail("cgroup.subtree_control", EACCES)
    let failure = ControlGroupFailure("\(SimulatedControlGroups.folder)/cgroup.subtree_control", EACCES)
    #expect(throws: WorkerGroups.Refusal.failed(failure)) { try groups(kernel) }
    #expect(kernel.log.isEmpty && kernel.processes(in: "meterhost.host") == [1])
  }

  @Test("begin in a group with the leaf's name if that one was handed over") func sameName() throws {
    let kernel = launched()
    kernel.add("meterhost.host", controllers: ["memory"], processes: [1])
    kernel.handOver("meterhost.host")
    _ = try groups(kernel)
    #expect(kernel.processes(in: "meterhost.host/meterhost.host") == [1])
  }

  @Test("of an earlier host are removed when they are empty, and nothing else is") func remnants() throws {
    let kernel = SimulatedControlGroups()
    kernel.add("meterhost.worker.1", processes: [Self.gone])
    // A process that lives.
    kernel.add("meterhost.worker.2", processes: [getpid()])
    kernel.add("meterhost.host")
    kernel.add("somebody-elses")
    let groups = try groups(kernel)
    #expect(kernel.groups == ["meterhost.worker.2", "meterhost.host", "somebody-elses"])
    // Its name is passed over.
    let first = groups.group(for: Self.gone, limits: Self.limits)
    let second = groups.group(for: Self.gone, limits: Self.limits)
    #expect(first != nil && second != nil)
    #expect(kernel.processes(in: "meterhost.worker.2") == [getpid()])
    #expect(kernel.processes(in: "meterhost.worker.3") == [Self.gone])
  }

  @Test("that are not empty yet go later") func later() throws {
    let kernel = SimulatedControlGroups()
    let groups = try groups(kernel)
    let first = groups.group(for: Self.gone, limits: Self.limits)
    kernel.fail("/meterhost.worker.1", EBUSY)
    #expect(first?.end() == false)
    #expect(kernel.groups.contains("meterhost.worker.1"))
    kernel.fail("/meterhost.worker.1", nil)
    _ = groups.group(for: Self.gone, limits: Self.limits)
    #expect(kernel.groups == ["meterhost.host", "meterhost.worker.2"])
  }

  @Test(
    "that cannot be filled are no groups, leave nothing behind, and are told of once",
    arguments: [
      "/meterhost.worker.1", "memory.max", "memory.oom.group", "pids.max", "worker.1/cgroup.procs",
    ])
  func failedGroup(path: String) throws {
    let kernel = SimulatedControlGroups()
    let groups = try groups(kernel)
    kernel.fail(path, EACCES)
    #expect(groups.group(for: Self.gone, limits: Self.limits) == nil)
    #expect(kernel.groups.subtracting(["meterhost.worker.1"]) == ["meterhost.host"])
    #expect(kernel.processes(in: "meterhost.worker.1").isEmpty)
    #expect(told.all.count == 1)
    kernel.fail(path, nil)
    kernel.fail("memory.max", EACCES)
    #expect(groups.group(for: Self.gone, limits: Self.limits) == nil)
    #expect(told.all.count == 1)
    kernel.fail("memory.max", nil)
    #expect(groups.group(for: Self.gone, limits: Self.limits) != nil)
  }

  @Test(
    "ran out when both their own limit was met and a process was ended",
    arguments: [(1, 1, true), (3, 2, true), (0, 1, false), (1, 0, false), (0, 0, false)])
  func ranOut(oom: Int, kills: Int, isFull: Bool) throws {
    let kernel = SimulatedControlGroups()
    let group = try groups(kernel).group(for: Self.gone, limits: Self.limits)
    kernel.count("meterhost.worker.1", oom: oom, kills: kills)
    #expect(group?.end() == isFull)
  }

  @Test("that cannot be asked are taken for not full") func silent() throws {
    let kernel = SimulatedControlGroups()
    let group = try groups(kernel).group(for: Self.gone, limits: Self.limits)
    kernel.count("meterhost.worker.1", oom: 1, kills: 1)
    kernel.fail("memory.events", EIO)
    #expect(group?.end() == false)
  }

  @Test(
    "are seen from outside, as long as the host hands memory on",
    arguments: [
      ("0::/service/meterhost.host\n", ["memory"], GroupOutlook.used),
      ("0::/service\n", ["memory"], .unused), ("0::/service/other.meterhost.host\n", ["memory"], .unused),
      ("0::/service/meterhost.host (deleted)\n", ["memory"], .unused),
      ("0::/other/meterhost.host\n", ["memory"], .unused), ("", ["memory"], .unused),
      ("0::/service/meterhost.host\n", ["pids"], .unavailable), ("0::/service\n", [], .unavailable),
    ] as [(String, Set<String>, GroupOutlook)])
  func outlook(membership: String, controllers: Set<String>, expected: GroupOutlook) throws {
    let kernel = SimulatedControlGroups(controllers: controllers)
    _ = try? groups(kernel)
    kernel.say(membership: membership)
    #expect(GroupOutlook(host: 1, files: kernel) == expected)
    #expect(GroupOutlook(host: nil, files: kernel) == (expected == .used ? .unused : expected))
  }

  @Test("The kernel's files are written to, never made") func plainFolder() throws {
    let folder = try TemporaryFolder()
    let files = KernelControlGroupFiles()
    let missing = "\(folder.path)/memory.max"
    #expect(throws: ControlGroupFailure(missing, ENOENT)) { try files.write("1", to: missing) }
    #expect(throws: ControlGroupFailure(missing, ENOENT)) { try files.read(missing) }
    #expect(files.names(in: folder.path).isEmpty && files.names(in: missing).isEmpty)
    // What is no control group was delegated by nobody, whosever it is.
    #expect(!files.isDelegated(folder.path) && !files.isDelegated(missing) && !files.isDelegated("/sys"))
    try files.makeFolder("\(folder.path)/a")
    #expect(throws: ControlGroupFailure("\(folder.path)/a", EEXIST)) { try files.makeFolder("\(folder.path)/a") }
    try files.removeFolder("\(folder.path)/a")
    #expect(throws: ControlGroupFailure("\(folder.path)/a", ENOENT)) { try files.removeFolder("\(folder.path)/a") }
  }
}
