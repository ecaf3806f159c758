import DriverContract
import Synchronization

/// Pictures from a camera (V4L2 through libv4l2), the latest first: who reads slowly skips pictures.
///
/// The first call of `nextFrame` opens the camera; `close`, or the end of this object, gives it back.
public final class CameraSource: FrameSource {
  /// So many damaged pictures one after the other are no picture at all.
  private static let mostDamaged = 60

  private let stream: CameraStream
  private let device: String
  private let decoder: any ImageDecoding
  private let options: FrameOptions

  /// A camera.
  ///
  /// - Parameters:
  ///   - device: Its file, such as `/dev/video0`; nil is the first one that may be used.
  ///   - decoder: For cameras that send compressed pictures.
  ///   - silence: How long it may give no picture: a millisecond to an hour.
  public convenience init(
    device: String? = nil, decoder: any ImageDecoding, options: FrameOptions = FrameOptions(),
    silence: Duration = .seconds(5)
  ) {
    self.init(
      device: device, decoder: decoder, options: options, silence: silence, formats: CameraNegotiation.order)
  }

  /// - Parameter formats: Those to ask for, best first: for tests of one that a camera would not choose.
  package init(
    device: String?, decoder: any ImageDecoding, options: FrameOptions = FrameOptions(),
    silence: Duration = .seconds(5), formats: [CameraFormat]
  ) {
    stream = CameraStream(device: device, silence: silence, formats: formats)
    self.device = device ?? "camera"
    self.decoder = decoder
    self.options = options
  }

  deinit { stream.stop() }

  /// The latest picture that was not asked for yet; nil after `close`, or when the task is cancelled.
  public func nextFrame() async throws(FrameSourceError) -> CapturedFrame? {
    for _ in 0..<Self.mostDamaged {
      switch await stream.next() {
      case .closed: return nil
      case .failed(let error): throw error
      case .picture(let picture):
        if let frame = try await frame(picture) { return frame }
      }
    }
    throw FrameSourceError(
      .cameraSilent, path: device,
      message: "the camera sends damaged pictures only; plug it into another port, with a shorter cable")
  }

  /// Gives the camera back; returns when it is free for others.
  public func close() async { await stream.close() }

  /// Nil for a picture that is damaged.
  private func frame(_ picture: RawPicture) async throws(FrameSourceError) -> CapturedFrame? {
    guard picture.format == .mjpeg else {
      return picture.grey.map { grey in
        CapturedFrame(
          image: grey, preview: options.wantsPreview ? picture.colours : nil, moment: picture.moment, isStill: false)
      }
    }
    do throws(ImageCodecError) {
      return try await decoder.frame(picture.bytes, options, moment: picture.moment, isStill: false, name: nil)
    } catch {
      switch error {
      case .damaged, .unsupported, .tooLarge: return nil
      case .invalid, .fault: throw error.error(device)
      }
    }
  }
}
