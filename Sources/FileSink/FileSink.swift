import Dispatch
package import HostPrimitives
public import MeterCore
import Synchronization

/// A folder in which readings stand as JSON Lines or CSV, each revision once (docs/reference/file-sink.md).
///
/// ```swift
/// let setting = try FileSinkSetting(folder: "/srv/readings").checked(stateFolder: folder.path)
/// let engine = DeliveryEngine(store: store, sink: "files", target: setting.stored(), receiver: FileSink(setting))
/// ```
///
/// The folder is this sink's alone from the first delivery on until the value is gone.
public struct FileSink: Sink {
  /// Readings that arrive together are put on disk together.
  public let capabilities = SinkCapabilities(batchSize: batchSize, acknowledgement: .disk)

  /// How many readings are put on disk together.
  static let batchSize = 100

  private let writer: FolderWriter

  /// A sink for a folder.
  ///
  /// - Parameter setting: As ``FileSinkSetting/checked(stateFolder:)`` gives it.
  public init(_ setting: FileSinkSetting) { self.init(setting, clock: .system) }

  /// - Parameter clock: Whose date begins files, and is in their names.
  package init(_ setting: FileSinkSetting, clock: any HostClock) { self.init(setting, clock: clock, disk: .system) }

  /// - Parameter disk: By what lines reach the disk.
  init(_ setting: FileSinkSetting, clock: any HostClock, disk: DiskCalls) {
    writer = FolderWriter(SinkFolder(setting, clock: clock, disk: disk))
  }

  /// Whether the folder can be written. There is no token that a folder could refuse.
  public func check(_ credential: SinkCredential) async -> CredentialReply { await writer.run { $0.check() } }

  /// Writes readings that are not in the files yet, and puts them on disk.
  public func deliver(_ records: [Record], with credential: SinkCredential) async -> [SinkReply] {
    await writer.run { $0.deliver(records, of: credential.user) }
  }

  /// Writes a picture that is not in the folder yet.
  public func deliver(_ image: SinkImage, with credential: SinkCredential) async -> SinkReply {
    await writer.run { $0.deliver(image, of: credential.user) }
  }
}

/// Works on a folder for one caller after the other, on a thread that may wait for a disk: the threads of tasks must not.
private final class FolderWriter: Sendable {
  private let queue = DispatchQueue(label: "meterhost.file-sink")
  private let folder: Mutex<SinkFolder>

  init(_ folder: SinkFolder) { self.folder = Mutex(folder) }

  func run<Answer: Sendable>(_ body: @escaping @Sendable (inout SinkFolder) -> Answer) async -> Answer {
    await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: self.folder.withLock { body(&$0) }) }
    }
  }
}
