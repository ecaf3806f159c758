internal import Synchronization

/// Where those who count hear what a host does. One listens at a time; without one nothing is done.
package final class CountedEvents: Sendable {
  /// Hears an event on the thread on which it happens: it must not wait for anything.
  package typealias Listener = @Sendable (CountedEvent) -> Void

  private let listener = Mutex<Listener?>(nil)

  /// Nobody listens.
  package init() {}

  /// Tells somebody from now on, in place of who listened before; nil: nobody.
  package func listen(_ body: Listener?) { listener.withLock { $0 = body } }

  /// Tells what has happened.
  package func tell(_ event: @autoclosure () -> CountedEvent) {
    guard let body = listener.withLock({ $0 }) else { return }
    body(event())
  }
}
