import HostPrimitives

/// What the process does about its memory before any command begins.
enum ProcessMemory {
  /// Keeps it to itself (``PrivateMemory/protect()``), and says so where the system does not.
  static func protect() {
    guard let reason = PrivateMemory.protect() else { return }
    Terminal().error("warning: the system does not keep this process's memory out of core files: \(reason)")
  }

  /// Keeps little of what is freed (``PrivateMemory/keepLittle()``).
  static func keepLittle() { PrivateMemory.keepLittle() }

  /// From now on gives back what a flood has left behind.
  static func returnWhatIsFree() { PrivateMemory.returnWhatIsFree() }
}
