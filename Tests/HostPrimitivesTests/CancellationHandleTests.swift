import HostPrimitives
import Synchronization
import Testing

@Suite("Cancellation handles")
struct CancellationHandleTests {
  private final class Count: Sendable {
    let value = Mutex(0)
    func add() { value.withLock { $0 += 1 } }
    var now: Int { value.withLock { $0 } }
  }

  @Test("giving up runs the action of the phase that is under way, once")
  func during() async {
    let (handle, count) = (CancellationHandle(), Count())
    await handle.during({ count.add() }) {
      #expect(count.now == 0 && !handle.isCancelled)
      handle.cancel()
      handle.cancel()
      #expect(count.now == 1 && handle.isCancelled)
    }
    #expect(count.now == 1)
  }

  @Test("a phase that has ended is not told, one that begins late is told at once")
  func around() async {
    let (handle, ended, late) = (CancellationHandle(), Count(), Count())
    await handle.during({ ended.add() }) {}
    handle.cancel()
    #expect(ended.now == 0)
    let value = await handle.during({ late.add() }) { late.now }
    #expect(value == 1)
  }

  @Test("phases within phases are all told")
  func nested() async {
    let (handle, outer, inner) = (CancellationHandle(), Count(), Count())
    await handle.during({ outer.add() }) {
      await handle.during({ inner.add() }) { handle.cancel() }
    }
    #expect(outer.now == 1 && inner.now == 1)
  }
}
