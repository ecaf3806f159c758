import MeterCore
import DriverContract
import ArgumentParser
import Foundation
import GatewayAPI
import MeterOCR
import ProgramTerminal

/// `meterhost snap read`: one reading of a display.
struct SnapRead: AsyncParsableCommand, InterruptibleCommand {
  static let configuration = CommandConfiguration(
    commandName: "read", abstract: "Read a display, have a person look at it, and submit it with its picture.",
    discussion: """
      Looks until frames that differ agree, then shows the values: confirm them, correct them, or refuse them. Nothing is submitted
      without a person's word or --yes. What could not be read for certain is no value; what was read with some doubt is held for
      confirmation. The default is the first camera.

      EXAMPLES
        meterhost snap read --peripheral 10001 --unit mmol/L
        meterhost snap read --peripheral 10101 --camera /dev/video2
        meterhost snap read --peripheral 10001 photo.jpg --time 2026-03-01T08:00 --correct 1=112 --yes --json
        meterhost snap read --peripheral 10301 --unit kg --camera /dev/video2
        meterhost snap read --peripheral 10101 --demo '120\\n80\\n64' --no-submit
        meterhost snap read --peripheral 10101 --frames seen --preview-size 480x360 --json
      """)

  @Option(help: ArgumentHelp("The meter's id in `meterhost snap list`.", valueName: "id"))
  var peripheral: UInt32
  @Argument(
    help: ArgumentHelp("Photographs of one display, or a folder of them, in place of a camera.", valueName: "file"),
    completion: .file())
  var pictures: [String] = []
  @Option(help: ArgumentHelp("The camera's device.", valueName: "device"), completion: .file())
  var camera: String?
  @Option(help: ArgumentHelp("A film of JPEG pictures (MJPEG or AVI).", valueName: "file"), completion: .file())
  var film: String?
  @Option(
    help: ArgumentHelp("A drawn meter that shows these texts, with a literal \\n between rows.", valueName: "texts"))
  var demo: String?
  @Option(
    help: ArgumentHelp(
      "The unit that the meter is set to; its default without it, which scales have not.", valueName: "unit"))
  var unit: String?
  @Option(
    help: ArgumentHelp(
      "When it was measured, or now. Needed with --yes for photographs and films.", valueName: "time"))
  var time: MomentText?
  @Option(
    help: ArgumentHelp("What a row shows, counted from 1; may be repeated.", valueName: "row=text"))
  var correct: [RowText] = []
  @Flag(help: "Submit without asking.")
  var yes = false
  @Flag(help: "Show what is read, and submit nothing.")
  var noSubmit = false
  @Option(help: ArgumentHelp("Write the cut-out picture (JPEG) to a new file.", valueName: "file"), completion: .file())
  var crop: String?
  @Flag(help: "Vouch for this machine's clock although no time source disciplines it.")
  var trustClock = false
  @Flag(help: "Leave delivery to a later command.")
  var noUpload = false
  @OptionGroup var preview: SnapPreviewOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var locations: LocationOptions

  func validate() throws {
    let sources = [!pictures.isEmpty, camera != nil, film != nil, demo != nil].count { $0 }
    guard sources <= 1 else {
      throw ValidationError("name one of: pictures, --camera, --film, --demo.")
    }
    guard !yes || !noSubmit else { throw ValidationError("--yes submits, --no-submit does not; name one of them.") }
    guard Set(correct.map(\.row)).count == correct.count else {
      throw ValidationError("--correct names one row twice.")
    }
  }

  private var source: DisplaySource {
    if let film { return .film(film) }
    if let demo { return .demo(demo.components(separatedBy: "\\n")) }
    guard !pictures.isEmpty else { return .camera(camera) }
    var isFolder: ObjCBool = false
    if pictures.count == 1, FileManager.default.fileExists(atPath: pictures[0], isDirectory: &isFolder),
      isFolder.boolValue
    {
      return .folder(pictures[0])
    }
    return .pictures(pictures)
  }

  func run() async throws {
    guard !yes || !source.isRecorded || time != nil else {
      throw GatewayError(
        .usage, code: "time_needed", "when the picture was taken is known to nobody here, and --yes asks nobody",
        hint: "say it with --time, as 2026-03-01T08:00 or now")
    }
    // Whose reading it is, and when it was by their clock, stands before it begins: somebody else may sign in meanwhile.
    let isOwnerAsked = !noSubmit || time?.needsZone == true
    let ticket = isOwnerAsked ? try await locations.perform(DisplayStartRequest(time: time)) : nil
    let desk = try await locations.displays().open(peripheral, unit: unit.map(UnitSpelling.ucum), isJudged: !noSubmit)
    do {
      try await read(desk, ticket)
    } catch {
      await desk.close()
      throw error
    }
    await desk.close()
  }

  private func read(_ desk: LocalDesk, _ ticket: DisplayStartRequest.Ticket?) async throws {
    let stated = try ticket.map(\.time) ?? time?.time(in: .gateway, source: .gateway)
    let view = SnapReadView(json: output.json, rows: desk.peripheral.layout.rows.count)
    var reading = try await look(desk, view)
    reading = try await corrected(reading, desk)
    let picture = try await desk.jpeg(reading.crop)
    if let crop { try NewFile.write(picture, to: crop) }
    guard let ticket, !noSubmit else { return view.show(reading, picture, at: stated) }
    if source.isRecorded, time == nil {
      view.warn("when the picture was taken is not known: submitted, the reading gets the time of now (--time)")
    }
    if yes || output.json || !SecretInput.isThere {
      view.show(reading, picture, at: stated)
      guard yes else { throw notConfirmed }
    } else {
      reading = try await SnapQuestion(desk: desk, view: view).confirmed(reading, picture, at: stated)
    }
    var request = try desk.submission(reading, ticket, picture: picture)
    request.delivers = !noUpload
    request.isDrawn = source.isDrawn
    let answer = try await locations.perform(request)
    view.show(answer)
    if let failure = SubmittedRecord.failure(of: answer.records) { throw failure }
    if !ticket.hasUser { view.warn("there is no session: the reading is kept and never delivered") }
  }

  private func look(_ desk: LocalDesk, _ view: SnapReadView) async throws -> OCRReading {
    let frames = try preview.frames.map { folder throws(GatewayError) in
      try SnapFrames(folder: folder, isComposed: preview.composed, desk: desk)
    }
    let controller = try desk.controller(source, clockIsVouched: trustClock)
    if let size = preview.previewSize { controller.configure(forPreviewSize: size.size) }
    let previews = frames?.keepPreviews(of: controller, view)
    let result: OCRResult
    do {
      result = try await Interruption.whileRunning(onInterrupt: { Task { await controller.cancel() } }) { _ in
        let partials = controller.partials()
        controller.start()
        for await partial in partials { view.show(partial, crop: try await frames?.keep(partial)) }
        return await controller.result
      }
    } catch {
      await controller.close()
      throw error
    }
    await controller.close()
    try await previews?.value
    view.endProgress()
    switch result {
    case .completed(let reading): return reading
    case .cancelled: throw GatewayError(.cancelled, code: "cancelled", "the reading was given up; nothing was taken")
    case .denied(let error), .failed(.source(let error)): throw error
    case .failed(.driver(let fault)):
      throw GatewayError(.failed, code: "driver_fault", "\(fault)", hint: "`meterhost driver verify` checks the bundle")
    case .noValue(let none):
      view.show(none)
      throw GatewayError(.temporary, code: "no_value", none.message, hint: "reason: \(none.reason.rawValue)")
    }
  }

  /// The reading with what the command line says of its rows.
  private func corrected(_ reading: OCRReading, _ desk: LocalDesk) async throws -> OCRReading {
    guard !correct.isEmpty else { return reading }
    var texts = [String?](repeating: nil, count: reading.rows.count)
    for text in correct {
      guard texts.indices.contains(text.row - 1) else {
        throw GatewayError(
          .usage, code: "wrong_number_of_rows", "there is no row \(text.row); the display has \(texts.count)",
          hint: "rows are counted from 1, from the top")
      }
      texts[text.row - 1] = text.text
    }
    return try await desk.correct(reading, texts)
  }

  private var notConfirmed: GatewayError {
    GatewayError(
      .failed, code: "not_confirmed", "nobody has confirmed the reading; nothing was submitted",
      hint: "--yes submits without asking, --no-submit says that it is not wanted")
  }
}

/// `ROW=TEXT` on the command line.
struct RowText: ExpressibleByArgument {
  let row: Int
  let text: String

  init?(argument: String) {
    guard let sign = argument.firstIndex(of: "="), let row = Int(argument[..<sign]), row > 0 else { return nil }
    self.row = row
    text = String(argument[argument.index(after: sign)...])
  }
}
