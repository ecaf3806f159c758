public import GatewayAPI
public import BluetoothWire
import Foundation

extension VirtualAir {
  /// The air of this process: the folder that was named, else what the environment says.
  ///
  /// - Throws: ``GatewayError`` when there is no usable folder.
  public static func of(_ folder: String?) throws(GatewayError) -> VirtualAir {
    if let folder {
      return VirtualAir(folder: URL(fileURLWithPath: folder).standardizedFileURL.path)
    }
    do {
      return try VirtualAir(environment: ProcessInfo.processInfo.environment)
    } catch {
      throw GatewayError(error, hint: "or name it with --air")
    }
  }
}
