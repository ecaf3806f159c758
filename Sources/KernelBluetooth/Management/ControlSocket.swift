import CBluetooth
import LinuxSockets

/// The socket of the kernel's management interface.
enum ControlSocket {
  /// - Throws: `KernelBluetoothError`, `SocketError`.
  static func open() throws -> PacketSocket {
    let descriptor = mh_bluetooth_control_open()
    guard descriptor >= 0 else {
      throw KernelBluetoothError(opening: "speak to the kernel's Bluetooth", errno: -descriptor)
    }
    return try PacketSocket(descriptor: descriptor)
  }
}
