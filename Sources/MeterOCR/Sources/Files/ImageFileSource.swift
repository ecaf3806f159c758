import MeterDrivers

/// Photographs from files, each decoded by a bundle in its worker. A file that cannot be read is an error of that frame;
/// the files behind it can still be asked for.
public actor ImageFileSource: FrameSource {
  private enum Origin {
    case folder(String)
    case files([String])
  }

  /// Reading a disk may take its time: not on a thread that other tasks wait for.
  private let executor = BlockingExecutor(label: "meterhost-image-files")
  /// Where it runs.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private var origin: Origin
  private var next = 0
  private let decoder: any ImageDecoding
  private let options: FrameOptions

  /// These files, in this order.
  public init(files: [String], decoder: any ImageDecoding, options: FrameOptions = FrameOptions()) {
    origin = .files(files)
    self.decoder = decoder
    self.options = options
  }

  /// The pictures of a folder, sorted by name; what a picture is, its content says.
  public init(directory: String, decoder: any ImageDecoding, options: FrameOptions = FrameOptions()) {
    origin = .folder(directory)
    self.decoder = decoder
    self.options = options
  }

  /// The files that are left, in their order.
  public func files() throws(FrameSourceError) -> [String] {
    switch origin {
    case .files(let files): return Array(files.dropFirst(next))
    case .folder(let path):
      let files = try PictureFolder.pictures(path)
      origin = .files(files)
      return files
    }
  }

  /// The next photograph; nil behind the last, and behind the error of a folder that cannot be listed.
  public func nextFrame() async throws(FrameSourceError) -> CapturedFrame? {
    let left: [String]
    do { left = try files() } catch {
      close()
      throw error
    }
    guard let file = left.first else { return nil }
    next += 1
    let content = try PictureFile.read(file)
    do {
      return try await decoder.frame(content, options, moment: MonotonicClock.now, isStill: true, name: file)
    } catch { throw error.error(file) }
  }

  /// Nothing more is read.
  public func close() { origin = .files([]) }
}
