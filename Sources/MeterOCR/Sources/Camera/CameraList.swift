import CV4L
import Glibc

/// A camera of this machine.
public struct CameraDescription: Sendable, Hashable {
  /// Its device file.
  public let device: String
  /// What it calls itself; nil for one that could not be asked.
  public let name: String?
  /// Whether another program uses it, so that it cannot be asked.
  public let isBusy: Bool

  init(device: String, name: String?, isBusy: Bool = false) {
    (self.device, self.name, self.isBusy) = (device, name, isBusy)
  }

  /// Whether this account may not use it.
  public var isDenied: Bool { name == nil && !isBusy }
}

/// The cameras of this machine.
public enum CameraList {
  /// Devices that take pictures, by number. Those that cannot be asked are listed without a name.
  public static func cameras(in folder: String = "/dev") -> [CameraDescription] {
    ((try? devices(folder)) ?? []).compactMap { listed($0, describe($0)) }
  }

  /// A device as the list has it; nil for one that is no camera.
  static func listed(_ device: String, _ answer: Result<CameraDescription, NoCamera>) -> CameraDescription? {
    switch answer {
    case .success(let camera): camera
    case .failure(let problem):
      problem.status == -EBUSY ? CameraDescription(device: device, name: nil, isBusy: true) : nil
    }
  }

  /// The first camera that may be used.
  static func first(in folder: String = "/dev") throws(FrameSourceError) -> String {
    let devices = try devices(folder)
    return try first(devices.map { ($0, describe($0)) }, in: folder)
  }

  /// What no camera is: another device, or one that cannot be asked now.
  struct NoCamera: Error {
    /// As `mh_camera_describe` has it; 0 for a device that takes no pictures.
    let status: Int32
  }

  /// The first of these that may be used.
  ///
  /// - Throws: `cameraBusy` or `cameraDenied` when there is such a one instead.
  static func first(
    _ devices: [(device: String, answer: Result<CameraDescription, NoCamera>)], in folder: String
  ) throws(FrameSourceError) -> String {
    let cameras = devices.compactMap { try? $0.answer.get() }
    if let usable = cameras.first(where: { !$0.isDenied }) { return usable.device }
    for (device, answer) in devices {
      if case .failure(let problem) = answer, problem.status == -EBUSY { throw .camera(-EBUSY, device, "be opened") }
    }
    if let denied = cameras.first { throw .camera(-EACCES, denied.device, "be opened") }
    throw FrameSourceError(
      .cameraNotFound, path: folder,
      message: "there is no camera; plug one in, or hand one through to this container or virtual machine "
        + "(`meterhost snap cameras` lists what is there)")
  }

  /// Files of a folder that have the name of a camera, by number; none when there is no such folder.
  private static func devices(_ folder: String) throws(FrameSourceError) -> [String] {
    guard let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    var numbers: [Int] = []
    while true {
      // Nothing else tells the end from an error.
      errno = 0
      guard let entry = readdir(stream) else { break }
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name.hasPrefix("video"), let number = Int(name.dropFirst(5)), number >= 0 { numbers.append(number) }
    }
    let number = errno
    guard number == 0 else {
      throw FrameSourceError(
        .cameraFailed, path: folder, message: "the folder of the cameras cannot be read; check the system",
        cause: String(cString: strerror(number)))
    }
    return numbers.sorted().map { "\(folder)/video\($0)" }
  }

  private static func describe(_ device: String) -> Result<CameraDescription, NoCamera> {
    var description = mh_camera_description()
    switch mh_camera_describe(device, &description) {
    case -EACCES, -EPERM: return .success(CameraDescription(device: device, name: nil))
    case 0 where description.captures != 0:
      let card = withUnsafeBytes(of: description.card) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      let name = String(card.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F })
      return .success(CameraDescription(device: device, name: name.isEmpty ? device : name))
    case let status: return .failure(NoCamera(status: status))
    }
  }
}
