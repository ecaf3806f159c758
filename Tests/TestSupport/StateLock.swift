public import Foundation

/// Waits until nobody holds the lock of a state folder. A folder without a lock file is free.
///
/// A process that is killed is taken apart by the kernel after its tracer has gone; a program that another test starts has
/// this process's files for a moment; and what a server keeps goes with its last connection.
public func waitUntilFree(stateFolder: URL) {
  let lock = open(stateFolder.appending(path: "lock").path, O_RDWR | O_CLOEXEC)
  guard lock >= 0 else { return }
  while flock(lock, LOCK_EX) != 0 && errno == EINTR {}
  // Said, for such a program has a copy of this descriptor as well.
  flock(lock, LOCK_UN)
  close(lock)
}
