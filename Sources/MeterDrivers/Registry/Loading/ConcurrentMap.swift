import Dispatch
import Synchronization

/// What `body` makes of each number below `count`, in their order; on all cores, as every command reads the registry and
/// a catalogue of thousands should not be felt.
func concurrentMap<Output: Sendable>(_ count: Int, _ body: @Sendable (Int) -> Output) -> [Output] {
  guard count > 1 else { return (0..<count).map(body) }
  let outputs = Mutex<[Output?]>(Array(repeating: nil, count: count))
  DispatchQueue.concurrentPerform(iterations: count) { index in
    let output = body(index)
    outputs.withLock { $0[index] = output }
  }
  return outputs.withLock { $0.compactMap { $0 } }
}
