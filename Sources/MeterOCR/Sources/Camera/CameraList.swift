import CV4L
import Glibc

/// A camera of this machine.
public struct CameraDescription: Sendable, Hashable {
  /// Its device file.
  public let device: String
  /// What it calls itself; nil for one that this account may not use.
  public let name: String?

  /// Whether this account may not use it.
  public var isDenied: Bool { name == nil }
}

/// The cameras of this machine.
public enum CameraList {
  /// Devices that take pictures, by number. Those that may not be asked are listed without a name.
  public static func cameras(in folder: String = "/dev") -> [CameraDescription] {
    guard let devices = opendir(folder) else { return [] }
    defer { closedir(devices) }
    var numbers: [Int] = []
    while let entry = readdir(devices) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name.hasPrefix("video"), let number = Int(name.dropFirst(5)), number >= 0 { numbers.append(number) }
    }
    return numbers.sorted().compactMap { describe("\(folder)/video\($0)") }
  }

  /// The first camera that may be used.
  static func first(in folder: String = "/dev") throws(FrameSourceError) -> String {
    let cameras = cameras(in: folder)
    if let usable = cameras.first(where: { !$0.isDenied }) { return usable.device }
    if let denied = cameras.first { throw .camera(-EACCES, denied.device, "be opened") }
    throw FrameSourceError(.cameraNotFound, path: folder, message: "there is no camera; plug one in")
  }

  private static func describe(_ device: String) -> CameraDescription? {
    var description = mh_camera_description()
    switch mh_camera_describe(device, &description) {
    case -EACCES, -EPERM: return CameraDescription(device: device, name: nil)
    case 0 where description.captures != 0:
      let card = withUnsafeBytes(of: description.card) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      let name = String(card.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F })
      return CameraDescription(device: device, name: name.isEmpty ? device : name)
    default: return nil
    }
  }
}
