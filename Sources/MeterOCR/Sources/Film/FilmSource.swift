import DriverContract
import MeterDrivers

/// Pictures of a film: JPEG pictures one behind the other, or an AVI file of them. A damaged picture is passed over and
/// counted.
public actor FilmSource: FrameSource {
  /// Nanoseconds from one picture to the next of a film that does not say it.
  static let interval: UInt64 = 33_333_333
  /// So many damaged pictures one after the other are the end: each may cost the decoder a whole picture's time.
  static let mostDamaged = 300

  private enum Pictures {
    case unknown
    case stream(JPEGStream)
    case avi(AVIFilm)
    case ended
  }

  private let executor = BlockingExecutor(label: "meterhost-film")
  /// Where it runs.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// How many pictures were damaged so far.
  public private(set) var skipped = 0

  private let path: String
  private let decoder: any ImageDecoding
  private let options: FrameOptions
  private var film: FilmFile?
  private var pictures = Pictures.unknown
  private var moments: UInt64 = 0
  private var given = 0

  /// A film.
  public init(file: String, decoder: any ImageDecoding, options: FrameOptions = FrameOptions()) {
    path = file
    self.decoder = decoder
    self.options = options
  }

  /// The next picture that is whole; nil at the end, and when the task is cancelled while it is looked for.
  ///
  /// - Throws: `damagedFilm` at the end of a film without any such picture, and behind very many damaged ones.
  public func nextFrame() async throws(FrameSourceError) -> CapturedFrame? {
    do throws(FrameSourceError) {
      var damaged = 0
      while let (item, moment) = try nextItem() {
        if case .picture(let bytes) = item, let frame = try await frame(bytes, moment) {
          given += 1
          return frame
        }
        if item != .repeated, item != .nothing {
          skipped += 1
          damaged += 1
        }
        guard damaged < Self.mostDamaged else { throw broken }
        // Whoever closes it has a turn.
        await Task.yield()
        if Task.isCancelled { return nil }
      }
      let wasClosed = film == nil && moments == 0
      end()
      guard given > 0 || wasClosed else {
        throw FrameSourceError(
          .damagedFilm, path: path,
          message: "the film has no picture that can be read; convert it: ffmpeg -i FILM -c:v mjpeg -q:v 3 FILM.avi")
      }
      return nil
    } catch {
      end()
      // Told once.
      given = max(given, 1)
      throw error
    }
  }

  /// Nothing more is read.
  public func close() {
    end()
    given = max(given, 1)
  }

  private func end() {
    pictures = .ended
    film = nil
  }

  private var broken: FrameSourceError {
    FrameSourceError(
      .damagedFilm, path: path,
      message: "\(Self.mostDamaged) pictures of the film, one after the other, are damaged; convert it again")
  }

  private func nextItem() throws(FrameSourceError) -> (FilmItem, moment: UInt64)? {
    if case .unknown = pictures {
      let film = try FilmFile(path: path)
      self.film = film
      pictures = AVIFilm.fits(try film.bytes(at: 0, count: 12)) ? .avi(AVIFilm()) : .stream(JPEGStream())
    }
    guard let film else { return nil }
    let item: FilmItem?
    var interval = Self.interval
    switch pictures {
    case .unknown, .ended: return nil
    case .stream(var stream):
      item = try stream.next(film)
      pictures = .stream(stream)
    case .avi(var avi):
      item = try avi.next(film)
      interval = avi.interval
      pictures = .avi(avi)
    }
    guard let item else { return nil }
    defer { if item != .nothing { moments += interval } }
    return (item, moments)
  }

  /// Nil for a picture that is damaged.
  private func frame(_ bytes: [UInt8], _ moment: UInt64) async throws(FrameSourceError) -> CapturedFrame? {
    do throws(ImageCodecError) {
      return try await decoder.frame(bytes, options, moment: moment, isStill: false, name: path)
    } catch {
      switch error {
      case .damaged, .unsupported, .tooLarge: return nil
      case .invalid, .fault: throw error.error(path)
      }
    }
  }
}
