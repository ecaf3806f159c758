import TestSupport
import Testing

@testable import KernelBluetooth

@Suite("Discovery")
struct DiscoveryMachineTests {
  @Test("Discovery begins again when the kernel ends it, as long as somebody listens")
  func goesOn() {
    var machine = DiscoveryMachine()
    #expect(machine.handle(.wanted(true)) == [.start])
    #expect(machine.handle(.discovering(true)) == [])
    #expect(machine.handle(.started(.success)) == [])
    #expect(machine.handle(.discovering(false)) == [.start])
    #expect(machine.handle(.started(.success)) == [])
    #expect(machine.handle(.wanted(false)) == [.stop])
    #expect(machine.handle(.discovering(false)) == [])
    #expect(machine.handle(.stopped) == [])
  }

  @Test("Who listens again while discovery is being stopped is heard")
  func wantedWhileStopping() {
    var machine = DiscoveryMachine()
    _ = machine.handle(.wanted(true))
    _ = machine.handle(.started(.success))
    #expect(machine.handle(.wanted(false)) == [.stop])
    #expect(machine.handle(.wanted(true)) == [])
    #expect(machine.handle(.stopped) == [.start])
  }

  @Test("Nobody waits for a start that nobody wants any more")
  func unwantedWhileStarting() {
    var machine = DiscoveryMachine()
    _ = machine.handle(.wanted(true))
    #expect(machine.handle(.wanted(false)) == [])
    #expect(machine.handle(.started(.success)) == [.stop])
  }

  @Test("Another program's discovery is waited for")
  func busy() {
    var machine = DiscoveryMachine()
    _ = machine.handle(.wanted(true))
    #expect(machine.handle(.started(.busy)) == [.retry])
    #expect(machine.handle(.discovering(false)) == [.start])
    #expect(machine.handle(.retryTime) == [])
    #expect(machine.handle(.started(.busy)) == [.retry])
    #expect(machine.handle(.retryTime) == [.start])
  }

  @Test(
    "An adapter that is off is told at once", arguments: [ManagementStatus.notPowered, .blocked, .permissionDenied])
  func off(_ status: ManagementStatus) {
    var machine = DiscoveryMachine()
    _ = machine.handle(.wanted(true))
    #expect(machine.handle(.started(status)) == [.fail(status)])
    #expect(machine.handle(.wanted(true)) == [.start])
  }

  @Test("A discovery whose start was never answered is stopped, too")
  func unanswered() {
    var machine = DiscoveryMachine()
    _ = machine.handle(.wanted(true))
    #expect(machine.handle(.started(.failed)) == [.retry])
    #expect(machine.handle(.retryTime) == [.start])
    #expect(machine.handle(.started(.busy)) == [.retry])
    #expect(machine.handle(.wanted(false)) == [.stop])
    #expect(machine.handle(.stopped) == [])
  }

  @Test("The end of an earlier discovery is not that of the one that has begun since")
  func earlierEnd() {
    var machine = DiscoveryMachine()
    _ = machine.handle(.wanted(true))
    #expect(machine.handle(.discovering(false)) == [])
    #expect(machine.handle(.discovering(true)) == [])
    #expect(machine.handle(.started(.success)) == [])
    #expect(machine.handle(.wanted(false)) == [.stop])
  }

  @Test("What fails again and again is given up")
  func givesUp() {
    var machine = DiscoveryMachine()
    var commands = machine.handle(.wanted(true))
    var starts = 0
    while commands == [.start] {
      starts += 1
      commands = machine.handle(.started(.failed))
      if commands == [.retry] { commands = machine.handle(.retryTime) }
    }
    #expect(commands == [.fail(.failed)])
    #expect(starts == DiscoveryMachine.patience)
  }

  @Test("In whatever order things happen, it discovers exactly while somebody listens")
  func anyOrder() {
    var random = SeededGenerator(seed: 11)
    for _ in 0..<2_000 {
      var machine = DiscoveryMachine()
      var (pending, runs, isWanted) = ([DiscoveryMachine.Command](), false, false)
      func settle(_ commands: [DiscoveryMachine.Command]) { pending += commands }
      for _ in 0..<40 {
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
          isWanted.toggle()
          settle(machine.handle(.wanted(isWanted)))
        case 1 where runs:
          runs = false
          settle(machine.handle(.discovering(false)))
        case _ where !pending.isEmpty:
          switch pending.removeFirst() {
          case .start:
            let status = Bool.random(using: &random) ? ManagementStatus.success : .busy
            runs = runs || status == .success
            settle(machine.handle(.started(status)))
          case .stop:
            runs = false
            settle(machine.handle(.stopped))
          case .retry: settle(machine.handle(.retryTime))
          case .fail: Issue.record("it gave up")
          }
        default: break
        }
      }
      // Everything that is under way comes to its end.
      for _ in 0..<10 where !pending.isEmpty {
        switch pending.removeFirst() {
        case .start:
          runs = true
          settle(machine.handle(.started(.success)))
        case .stop:
          runs = false
          settle(machine.handle(.stopped))
        case .retry: settle(machine.handle(.retryTime))
        case .fail: break
        }
      }
      #expect(pending.isEmpty)
      #expect(runs == isWanted)
    }
  }
}
