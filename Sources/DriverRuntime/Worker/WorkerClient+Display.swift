package import DriverContract

/// What the host asks a worker that reads displays (rule R17). A driver that refuses can be asked on: only what breaks a rule
/// or the protocol ends the talk.
extension WorkerClient {
  /// Makes the worker a reader of displays.
  package func loadDisplay(assets: [String: [UInt8]], within limit: Duration) throws(WorkerFailure) {
    try expectReady(.loadDisplay(driver: driver, assets: assets), limit, cpu: limits.loadCPUMilliseconds)
  }

  /// Where the rows of a meter's display lie.
  package func layout(
    meter: UInt32, within limit: Duration
  ) throws(WorkerFailure) -> Result<DisplayLayout, DriverFault> {
    guard case .layout(let raw) = try exchange(.layout(meter: meter), limit) else {
      throw .garbage("the worker did not answer with a layout")
    }
    return try judged { () throws(DriverFault) in try DisplayCheck(driver: driver).check(raw, meter: meter) }
  }

  /// Reads a frame that ``DisplayFrame/problem`` finds nothing wrong with.
  ///
  /// - Parameter rows: How many rows there are to read.
  package func recognize(
    _ frame: DisplayFrame, meter: UInt32, rows: Int, within limit: Duration
  ) throws(WorkerFailure) -> Result<DisplayReading, DriverFault> {
    guard case .reading(let raw) = try exchange(.recognize(meter: meter, frame), limit) else {
      throw .garbage("the worker did not answer a frame with a reading")
    }
    return try judged { () throws(DriverFault) in try DisplayCheck(driver: driver).check(raw, rows: rows) }
  }

  /// What texts mean.
  package func interpret(
    _ texts: [String], meter: UInt32, unit: UInt16?, within limit: Duration
  ) throws(WorkerFailure) -> Result<DisplayVerdict, DriverFault> {
    guard case .interpretation(let raw) = try exchange(.interpret(meter: meter, unit: unit, texts: texts), limit)
    else { throw .garbage("the worker did not answer texts with a verdict") }
    return try judged { () throws(DriverFault) in try DisplayCheck(driver: driver).check(raw) }
  }

  private func judged<Success>(
    _ check: () throws(DriverFault) -> Success
  ) throws(WorkerFailure) -> Result<Success, DriverFault> {
    do throws(DriverFault) { return .success(try check()) } catch {
      guard error.code == .refused else { throw .fault(error) }
      return .failure(error)
    }
  }

  private func exchange(
    _ message: HostMessage, _ limit: Duration, cpu: UInt32? = nil
  ) throws(WorkerFailure) -> WorkerMessage {
    let deadline = begin(limit, cpu: cpu)
    try send(message, deadline)
    return try answer(deadline)
  }
}

/// What the host asks a worker that decodes pictures. A damaged picture does not end the talk.
extension WorkerClient {
  /// Makes the worker a decoder of pictures.
  package func loadImages(within limit: Duration) throws(WorkerFailure) {
    try expectReady(.loadImages(driver: driver), limit)
  }

  /// What the head of a file says.
  package func measure(
    _ file: [UInt8], within limit: Duration
  ) throws(WorkerFailure) -> Result<ImageSize, ImageCodecError> {
    let (raw, bytes) = try picture(.measureImage(file), limit)
    guard bytes.isEmpty else { throw .garbage("the worker gave pixels where none were asked for") }
    return try judged { () throws(ImageCodecError) in try ImageCheck(driver: driver).size(raw) }
  }

  /// Decodes a file.
  package func decode(
    _ file: [UInt8], format: DecodedImage.Format, atLeast: (width: Int, height: Int)?, within limit: Duration
  ) throws(WorkerFailure) -> Result<DecodedImage, ImageCodecError> {
    let request = ImageRequest(format, atLeast: atLeast)
    let (raw, pixels) = try picture(.decodeImage(request, file), limit)
    return try judged { () throws(ImageCodecError) in
      DecodedImage(try ImageCheck(driver: driver).decoded(raw, count: pixels.count, for: request), pixels: pixels)
    }
  }

  /// Encodes a picture that ``DecodedImage/problem`` finds nothing wrong with.
  package func encode(
    _ image: DecodedImage, quality: Int, within limit: Duration
  ) throws(WorkerFailure) -> Result<[UInt8], ImageCodecError> {
    let quality = UInt32(clamping: max(1, min(100, quality)))
    let (raw, file) = try picture(.encodeImage(image, quality: quality), limit)
    return try judged { () throws(ImageCodecError) in try ImageCheck(driver: driver).encoded(raw, file) }
  }

  private func picture(_ message: HostMessage, _ limit: Duration) throws(WorkerFailure) -> (RawPicture, [UInt8]) {
    channel.longest = WireFrame.longestPicture
    defer {
      channel.longest = WireFrame.longest
      channel.forgetPayload()
    }
    guard case .picture(let raw, let bytes) = try exchange(message, limit, cpu: limits.imageCPUMilliseconds)
    else {
      throw .garbage("the worker did not answer with a picture")
    }
    return (raw, bytes)
  }

  private func judged<Success>(
    _ check: () throws(ImageCodecError) -> Success
  ) throws(WorkerFailure) -> Result<Success, ImageCodecError> {
    do throws(ImageCodecError) { return .success(try check()) } catch {
      if case .fault(let fault) = error { throw .fault(fault) }
      return .failure(error)
    }
  }
}
