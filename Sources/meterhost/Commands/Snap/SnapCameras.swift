import ArgumentParser
import MeterOCR

/// `meterhost snap cameras`.
struct SnapCameras: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cameras", abstract: "List the cameras of this machine, and whether this account may use them.",
    discussion: """
      EXAMPLES
        meterhost snap cameras
        meterhost snap cameras --json
      """)

  @OptionGroup var output: OutputOptions

  func run() {
    let cameras = CameraList.cameras().map(CameraLine.init)
    let terminal = Terminal()
    guard !output.json else { return cameras.forEach { terminal.json($0) } }
    guard !cameras.isEmpty else {
      return terminal.error("there is no camera: plug one in, or hand one through to this container or virtual machine")
    }
    terminal.table(["DEVICE", "STATE", "NAME"], cameras.map { [$0.device, $0.state.rawValue, $0.name ?? "-"] })
    for camera in cameras {
      if let cure = camera.cure { terminal.error("\(camera.device): \(cure)") }
    }
  }
}

/// A camera in the list.
private struct CameraLine: Encodable {
  enum State: String, Encodable {
    case usable, denied, busy
  }

  let device: String
  let name: String?
  let state: State

  init(_ camera: CameraDescription) {
    (device, name) = (camera.device, camera.name)
    state = camera.isBusy ? .busy : camera.isDenied ? .denied : .usable
  }

  /// What to do about a camera that cannot be used.
  var cure: String? {
    switch state {
    case .usable: nil
    case .denied:
      "this account may not use it; add it to the group video (sudo usermod -aG video NAME) and log in again"
    case .busy: "another program uses it; end it (`fuser -v \(device)` names it)"
    }
  }
}
