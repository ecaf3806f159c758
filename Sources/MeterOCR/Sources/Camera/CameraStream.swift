import CLinux
import CV4L
import Glibc
import Synchronization

/// The camera's own thread and what it shares with others: the latest picture, and how it ended.
final class CameraStream: Sendable {
  /// What a wait for a picture gives.
  enum Outcome: Sendable {
    case picture(RawPicture)
    case closed
    case failed(FrameSourceError)
  }

  private struct State {
    var latest: RawPicture?
    var waiting: [(id: UInt64, continuation: CheckedContinuation<Outcome, Never>)] = []
    var nextID: UInt64 = 0
    /// Set once: no picture comes any more.
    var end: Outcome?
    var isStopped = false
    var hasThread = false
    /// Those who wait until the camera is given back.
    var closing: [CheckedContinuation<Void, Never>] = []
  }

  private let device: String?
  private let silence: Duration
  private let formats: [CameraFormat]
  private let wake: Int32
  private let state = Mutex(State())

  /// - Parameters:
  ///   - device: The camera's file; nil is the first one.
  ///   - silence: How long it may give no picture.
  ///   - formats: Those to ask for, best first.
  init(device: String?, silence: Duration, formats: [CameraFormat] = CameraNegotiation.order) {
    self.device = device
    self.formats = formats
    self.silence = silence
    wake = mh_camera_wake_open()
  }

  deinit { if wake >= 0 { mh_camera_wake_close(wake) } }

  /// The next picture that nobody has taken; waits for it. The first call opens the camera.
  func next() async -> Outcome {
    // Who has given up already opens no camera, and hears of no failure.
    if Task.isCancelled { return .closed }
    start()
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let ready: Outcome? = state.withLock { state in
          if let latest = state.latest.take() { return .picture(latest) }
          if let end = state.end { return end }
          if Task.isCancelled { return .closed }
          state.waiting.append((id, continuation))
          return nil
        }
        if let ready { continuation.resume(returning: ready) }
      }
    } onCancel: {
      let waiting = state.withLock { state in
        state.waiting.firstIndex { $0.id == id }.map { state.waiting.remove(at: $0).continuation }
      }
      waiting?.resume(returning: .closed)
    }
  }

  /// Ends the pictures; returns at once.
  func stop() {
    let waiting = state.withLock { state in
      state.isStopped = true
      state.latest = nil
      if state.end == nil { state.end = .closed }
      return state.waiting.take()
    }
    for one in waiting { one.continuation.resume(returning: .closed) }
    if wake >= 0 { mh_camera_wake(wake) }
  }

  /// Ends the pictures and waits until the camera is given back.
  func close() async {
    stop()
    await withCheckedContinuation { continuation in
      let isOver = state.withLock { state in
        if state.hasThread { state.closing.append(continuation) }
        return !state.hasThread
      }
      if isOver { continuation.resume() }
    }
  }

  private func start() {
    let isFirst = state.withLock { state in
      guard !state.hasThread, state.end == nil else { return false }
      state.hasThread = true
      return true
    }
    guard isFirst else { return }
    let context = Unmanaged.passRetained(self)
    let status = mh_socket_thread_start(
      "mh-camera",
      { context in
        if let context { Unmanaged<CameraStream>.fromOpaque(context).takeRetainedValue().run() }
        return nil
      }, context.toOpaque())
    guard status != 0 else { return }
    context.release()
    finish(.failed(.camera(status, device ?? "camera", "have a thread of its own")))
  }

  private func run() {
    do throws(FrameSourceError) {
      guard wake >= 0 else { throw .camera(wake, device ?? "camera", "be waited for") }
      let path: String
      if let device { path = device } else { path = try CameraList.first() }
      try stream(try CameraDevice(path: path, formats: formats))
      finish(.closed)
    } catch { finish(.failed(error)) }
  }

  /// Nanoseconds: a millisecond to an hour.
  static func patience(_ silence: Duration) -> UInt64 {
    UInt64(min(max(silence, .milliseconds(1)), .seconds(3600)) / .nanoseconds(1))
  }

  /// Pictures until somebody stops it or the camera ends. The camera is given back when this returns.
  private func stream(_ camera: CameraDevice) throws(FrameSourceError) {
    let patience = Self.patience(silence)
    var last = MonotonicClock.now
    while !state.withLock(\.isStopped) {
      let quiet = MonotonicClock.now - last
      guard quiet < patience else {
        throw FrameSourceError(
          .cameraSilent, path: camera.path,
          message: "the camera gives no pictures; uncover it, unplug it, plug it in and begin again")
      }
      // Asked now and then: a camera that is unplugged need not wake those who wait for it.
      let left = Int32(min((patience - quiet) / 1_000_000 + 1, 500))
      guard try camera.wait(wake, milliseconds: left) == .picture else { continue }
      guard let picture = try camera.take() else { continue }
      last = MonotonicClock.now
      offer(picture)
    }
  }

  private func offer(_ picture: RawPicture) {
    let waiting = state.withLock { state -> CheckedContinuation<Outcome, Never>? in
      guard state.end == nil else { return nil }
      guard state.waiting.isEmpty else { return state.waiting.removeFirst().continuation }
      state.latest = picture
      return nil
    }
    waiting?.resume(returning: .picture(picture))
  }

  private func finish(_ end: Outcome) {
    let (waiting, closing, said) = state.withLock { state in
      if state.end == nil { state.end = end }
      state.hasThread = false
      // Who was told to stop does not hear of a failure of stopping.
      return (state.waiting.take(), state.closing.take(), state.end ?? end)
    }
    for one in waiting { one.continuation.resume(returning: said) }
    for one in closing { one.resume() }
  }
}

extension Array {
  /// All of it, leaving none.
  fileprivate mutating func take() -> [Element] {
    defer { self = [] }
    return self
  }
}
