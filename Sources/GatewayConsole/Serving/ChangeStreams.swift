import GatewayAPI
import HostPrimitives
import Synchronization

/// The windows that hear when something has changed. They are told that, and nothing of what it was.
final class ChangeStreams: Sendable {
  /// So many windows at once.
  static let most = 16
  /// So often a window is told that nothing has happened, so that a connection that is gone is seen.
  static let beat = Duration.seconds(20)

  private struct State {
    var next = 0
    var listeners: [Int: Listener] = [:]
    var isOver = false
  }

  private let state = Mutex(State())

  /// One window.
  final class Listener: Sendable {
    let number: Int
    let patience = Patience()
    private let wakes: AsyncStream<Void>
    private let waker: AsyncStream<Void>.Continuation
    private let hasChanged = Mutex(false)

    fileprivate init(number: Int) {
      self.number = number
      (wakes, waker) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func tell() {
      hasChanged.withLock { $0 = true }
      waker.yield()
    }

    func beat() { waker.yield() }

    func end() {
      patience.end()
      waker.finish()
    }

    /// Wakes with whether something has changed, or only a while has passed; nil at the end.
    func next() async -> Bool? {
      for await _ in wakes {
        return hasChanged.withLock { changed in
          defer { changed = false }
          return changed
        }
      }
      return nil
    }
  }

  /// The place of a window. It is given back with the value: the body of an answer whose client has gone before its head is never
  /// written, and would give back nothing.
  final class Place: Sendable {
    let listener: Listener
    private let streams: ChangeStreams

    fileprivate init(_ listener: Listener, of streams: ChangeStreams) {
      (self.listener, self.streams) = (listener, streams)
    }

    deinit { streams.close(listener) }

    func giveBack() { streams.close(listener) }
  }

  /// A place for a window; nil where there is none.
  func open() -> Place? {
    let listener: Listener? = state.withLock { state in
      guard !state.isOver, state.listeners.count < Self.most else { return nil }
      state.next += 1
      let listener = Listener(number: state.next)
      state.listeners[state.next] = listener
      return listener
    }
    return listener.map { Place($0, of: self) }
  }

  private func close(_ listener: Listener) {
    listener.end()
    state.withLock { $0.listeners[listener.number] = nil }
  }

  /// Ends those that are open; browsers that are still let in come again.
  func endListening() {
    for listener in state.withLock({ Array($0.listeners.values) }) { listener.end() }
  }

  /// Ends all of them, for which a shutdown would wait, and lets no more in.
  func closeAll() {
    let all = state.withLock { state in
      state.isOver = true
      return Array(state.listeners.values)
    }
    for listener in all { listener.end() }
  }
}
