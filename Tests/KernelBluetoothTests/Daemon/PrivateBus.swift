import Foundation
import TestSupport

/// A message bus for one test, by the reference implementation.
final class PrivateBus: Sendable {
  /// There is none, or it does not start.
  struct Failure: Error {
    let reason: String
  }

  private static let program = URL(filePath: "/usr/bin/dbus-daemon")
  static let isInstalled = FileManager.default.isExecutableFile(atPath: program.path)

  /// Where it listens.
  let address: String
  private let folder: URL
  private let child: ChildProcess

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "mh-bus-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let configuration = folder.appending(path: "bus.conf")
    let text = """
      <busconfig><type>session</type><listen>unix:path=\(folder.path)/bus</listen><auth>EXTERNAL</auth>
      <policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/>
      <allow own="*"/></policy></busconfig>
      """
    try Data(text.utf8).write(to: configuration)
    child = try ChildProcess(
      Self.program, ["--nofork", "--print-address", "--config-file=\(configuration.path)"], output: .pipe,
      errors: .null)
    // It says its address when it listens.
    guard try !child.output().availableData.isEmpty else {
      throw Failure(reason: "dbus-daemon has ended")
    }
    address = "unix:path=\(folder.path)/bus"
  }

  /// The bus ends, with all connections.
  func end() {
    child.signal(SIGKILL)
    child.waitForEnd()
  }

  deinit {
    end()
    try? FileManager.default.removeItem(at: folder)
  }
}
