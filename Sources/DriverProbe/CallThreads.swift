import DriverRuntime
import Glibc

/// A thread that waits for driver calls. Made before a process gives up the right to make threads, and there until it ends.
final class CallThread {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let changed: UnsafeMutablePointer<pthread_cond_t>
  private var work: (() -> Void)?

  init?() {
    mutex = .allocate(capacity: 1)
    changed = .allocate(capacity: 1)
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(changed, nil)
    var thread = pthread_t()
    let this = Unmanaged.passRetained(self).toOpaque()
    let status = pthread_create(
      &thread, nil,
      { argument in
        if let argument { Unmanaged<CallThread>.fromOpaque(argument).takeUnretainedValue().serve() }
        return nil
      }, this)
    guard status == 0 else { return nil }
    pthread_detach(thread)
  }

  /// Starts work; `wait` tells when it is done.
  func start(_ body: @escaping () -> Void) {
    pthread_mutex_lock(mutex)
    work = body
    pthread_cond_broadcast(changed)
    pthread_mutex_unlock(mutex)
  }

  /// Waits until what was started is done.
  func wait() {
    pthread_mutex_lock(mutex)
    while work != nil { pthread_cond_wait(changed, mutex) }
    pthread_mutex_unlock(mutex)
  }

  private func serve() {
    pthread_mutex_lock(mutex)
    while true {
      while work == nil { pthread_cond_wait(changed, mutex) }
      let body = work
      pthread_mutex_unlock(mutex)
      body?()
      pthread_mutex_lock(mutex)
      work = nil
      pthread_cond_broadcast(changed)
    }
  }
}

/// The threads of a probe. With ``ProbeManner/changesThreads`` every call is made on another one (rule R7).
final class CallThreads {
  let threads: [CallThread]
  var changes = false
  private var next = 0

  /// Three: a driver that is only right on the first thread, or on two in turn, is wrong on the third.
  init?() {
    let threads = (0..<3).compactMap { _ in CallThread() }
    guard threads.count == 3 else { return nil }
    // A thread that is still being made needs system calls that are soon forbidden.
    for thread in threads {
      thread.start {}
      thread.wait()
    }
    self.threads = threads
  }

  /// Runs a call.
  func call<Result>(_ body: () -> Result) -> Result {
    guard changes else { return body() }
    next = (next + 1) % threads.count
    var result: Result?
    withoutActuallyEscaping(body) { body in
      threads[next].start { result = body() }
      threads[next].wait()
    }
    // `wait` returns after the body has.
    return result ?? body()
  }
}
