import MeterOCR

/// All frames of a source, and the errors among them.
func frames(_ source: some FrameSource) async -> (frames: [CapturedFrame], errors: [FrameSourceError]) {
  var (frames, errors): ([CapturedFrame], [FrameSourceError]) = ([], [])
  while true {
    do {
      guard let frame = try await source.nextFrame() else { return (frames, errors) }
      frames.append(frame)
    } catch {
      errors.append(error)
      if !error.concernsOneImage { return (frames, errors) }
    }
  }
}

/// The error that the next frame ends in.
func failure(_ source: some FrameSource) async -> FrameSourceError? {
  do { _ = try await source.nextFrame() } catch { return error }
  return nil
}
