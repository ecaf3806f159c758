import ArgumentParser
import Foundation
import GatewayAPI
import MeterOCR

/// How a program that shows the preview wants it.
struct SnapPreviewOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The size of the view that shows the preview: the overlay and reflected light are told in it.",
      valueName: "widthxheight"))
  var previewSize: PreviewSizeArgument?
  @Option(
    help: ArgumentHelp(
      "Write the preview's pictures and each frame's rows (JPEG) into a new folder.", valueName: "folder"),
    completion: .directory)
  var frames: String?
  @Flag(help: "Draw the overlay into the pictures of the preview.")
  var composed = false

  func validate() throws {
    guard !composed || frames != nil else { throw ValidationError("--composed draws into the pictures of --frames.") }
  }
}

/// `WIDTHxHEIGHT` on the command line.
struct PreviewSizeArgument: ExpressibleByArgument {
  let size: ViewSize

  init?(argument: String) {
    let sides = argument.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
    guard sides.count == 2, let width = sides[0], let height = sides[1], (1...1_000_000).contains(width),
      (1...1_000_000).contains(height)
    else { return nil }
    size = ViewSize(width: Double(width), height: Double(height))
  }
}

/// Writes what is seen on the way into a folder.
struct SnapFrames: Sendable {
  let folder: String
  let isComposed: Bool
  let desk: LocalDesk

  /// Makes the folder.
  ///
  /// - Throws: ``GatewayError`` with code `output_file`.
  init(folder: String, isComposed: Bool, desk: LocalDesk) throws(GatewayError) {
    guard mkdir(folder, 0o700) == 0 else {
      let reason = errno == EEXIST ? "it is there already" : String(cString: strerror(errno))
      throw GatewayError(
        .usage, code: "output_file", "the folder \(folder) cannot be made: \(reason)", hint: "name a new folder")
    }
    (self.folder, self.isComposed, self.desk) = (folder, isComposed, desk)
  }

  /// Writes the rows of a frame; returns the file.
  func keep(_ partial: OCRPartial) async throws(GatewayError) -> String {
    let file = path(partial.number, "rows")
    try NewFile.write(try await desk.jpeg(partial.crop), to: file)
    return file
  }

  /// Writes the preview until it ends. A picture that cannot be written ends the look.
  func keepPreviews(of controller: OCRController, _ view: SnapReadView) -> Task<Void, any Error> {
    let pictures = controller.previews()
    return Task {
      do {
        for await preview in pictures {
          let file = path(preview.number, "preview")
          let picture = isComposed ? preview.composed() : preview.picture
          try NewFile.write(try await desk.jpeg(picture, quality: 80), to: file)
          view.show(LocalDesk.description(of: preview, picture: file, overlayFrame: controller.overlayFrame))
        }
      } catch {
        await controller.cancel()
        throw error
      }
    }
  }

  private func path(_ number: Int, _ what: String) -> String {
    let digits = "\(number)"
    return "\(folder)/\(String(repeating: "0", count: max(0, 6 - digits.count)))\(digits)-\(what).jpg"
  }
}
