import Glibc

/// The clock that frames are stamped with.
enum MonotonicClock {
  /// Nanoseconds since some moment before.
  static var now: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
