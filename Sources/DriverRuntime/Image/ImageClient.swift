package import DriverContract

/// Asks a worker that decodes pictures, and believes nothing unchecked. A damaged picture does not end the talk.
package struct ImageClient {
  /// What is granted to decoders of pictures.
  package static var kind: ExtensionKind { ImageServer.kind }

  private let worker: WorkerClient

  /// Asks this worker, in which a decoder is open.
  package init(_ worker: WorkerClient) { self.worker = worker }

  /// What the head of a file says.
  package func measure(
    _ file: [UInt8], within limit: Duration
  ) throws(WorkerFailure) -> Result<ImageSize, ImageCodecError> {
    let answer = try ask(.measure(file), limit)
    guard answer.content.isEmpty else { throw .garbage("the worker gave pixels where none were asked for") }
    return try judged { () throws(ImageCodecError) in try check.size(answer.picture) }
  }

  /// Decodes a file.
  package func decode(
    _ file: [UInt8], format: DecodedImage.Format, atLeast: (width: Int, height: Int)?, within limit: Duration
  ) throws(WorkerFailure) -> Result<DecodedImage, ImageCodecError> {
    let request = ImageRequest(format, atLeast: atLeast)
    let answer = try ask(.decode(request, file), limit)
    return try judged { () throws(ImageCodecError) in
      DecodedImage(
        try check.decoded(answer.picture, count: answer.content.count, for: request), pixels: answer.content)
    }
  }

  /// Encodes a picture that ``DecodedImage/problem`` finds nothing wrong with.
  package func encode(
    _ image: DecodedImage, quality: Int, within limit: Duration
  ) throws(WorkerFailure) -> Result<[UInt8], ImageCodecError> {
    let quality = UInt32(clamping: max(1, min(100, quality)))
    let answer = try ask(.encode(image, quality: quality), limit)
    return try judged { () throws(ImageCodecError) in try check.encoded(answer.picture, answer.content) }
  }

  private var check: ImageCheck { ImageCheck(driver: worker.driver) }

  private func ask(_ question: ImageQuestion, _ limit: Duration) throws(WorkerFailure) -> ImageAnswer {
    try worker.call(Self.kind, question.payload, within: limit) { reader throws(WireError) in
      try ImageAnswer(from: &reader)
    }
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
