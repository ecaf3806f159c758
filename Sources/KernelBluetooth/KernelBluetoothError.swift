import LinuxSockets

/// Why the kernel's Bluetooth could not do what was asked.
public struct KernelBluetoothError: Error, Sendable, Hashable {
  /// The kinds of failure; the raw value is stable and stands in `--json` output.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// The kernel, or the container that this runs in, has no Bluetooth.
    case noSupport = "bluetooth_no_support"
    /// This process may not use it.
    case noPermission = "bluetooth_no_permission"
    /// There is no adapter, or not the one that was named.
    case noAdapter = "bluetooth_no_adapter"
    /// The adapter cannot do Bluetooth LE.
    case noLowEnergy = "bluetooth_no_low_energy"
    /// The adapter is off and could not be switched on.
    case poweredOff = "bluetooth_powered_off"
    /// rfkill keeps the radio off.
    case blocked = "bluetooth_blocked"
    /// The adapter was unplugged while it was used.
    case adapterGone = "bluetooth_adapter_gone"
    /// The kernel did not answer.
    case noAnswer = "bluetooth_no_answer"
    /// The kernel refused a command.
    case refused = "bluetooth_refused"
    /// No link to the meter could be made, or it broke.
    case link = "bluetooth_link"
    /// A system call failed.
    case system = "bluetooth_system"
  }

  /// What went wrong, for programs.
  public let code: Code
  /// What happened and what to do, for people.
  public let message: String
  /// What the kernel answered, when it did.
  public let status: ManagementStatus?
  /// The system call's error number; 0 when none failed.
  public let errno: Int32

  package init(_ code: Code, _ message: String, status: ManagementStatus? = nil, errno: Int32 = 0) {
    self.code = code
    self.message = message
    self.status = status
    self.errno = errno
  }
}

extension KernelBluetoothError: CustomStringConvertible {
  /// What happened and what to do, for people.
  public var description: String { message }
}

extension KernelBluetoothError {
  private static let mayBeBlocked: Set<ManagementStatus> = [.failed, .notPowered]

  /// A command that the kernel refused.
  package init(_ status: ManagementStatus, trying action: String, adapter: String) {
    let what = "\(adapter) cannot \(action): \(status.words)"
    // The kernel has a status of its own for rfkill, and does not always use it.
    let status = status != .success && RadioSwitch.isBlocked() && Self.mayBeBlocked.contains(status) ? .blocked : status
    switch status {
    case .permissionDenied:
      self.init(.noPermission, "\(what); \(Self.permissionCure)", status: status)
    case .blocked:
      self.init(.blocked, "\(what); run `rfkill unblock bluetooth`, or use the machine's switch", status: status)
    case .notPowered: self.init(.poweredOff, "\(what); switch it on, and try again", status: status)
    case .invalidIndex: self.init(.adapterGone, "\(what); plug it in again", status: status)
    default: self.init(.refused, what, status: status)
    }
  }

  /// A socket that could not be opened.
  init(opening what: String, errno: Int32) {
    let name = SocketError.name(of: errno)
    switch errno {
    case SystemErrorNumber.familyNotSupported, SystemErrorNumber.protocolNotSupported:
      self.init(
        .noSupport,
        "the kernel has no Bluetooth (\(name)); load its module with `modprobe bluetooth`, and let containers use the host's network",
        errno: errno)
    case SystemErrorNumber.notPermitted, SystemErrorNumber.accessDenied:
      self.init(.noPermission, "cannot \(what): \(name); \(Self.permissionCure)", errno: errno)
    default: self.init(.system, "cannot \(what): \(name)", errno: errno)
    }
  }

  /// The right that the kernel asks for, and how a gateway gets them.
  static let permissionCure =
    "give the program CAP_NET_ADMIN: `AmbientCapabilities=CAP_NET_ADMIN` in its systemd unit, or `setcap "
    + "cap_net_admin+ep` on its file"
}
