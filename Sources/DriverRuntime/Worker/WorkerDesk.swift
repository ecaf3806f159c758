import DriverContract
import CMeterDriver

/// What a worker has open: one session, one decoder, one reader of displays or one of pictures.
struct WorkerDesk {
  private let library: DriverLibrary
  private let services: any SessionServices
  private let limits: DriverLimits
  private var opened: LocalSession?
  private var prepared: LocalDecoder?
  private var display: LocalDisplay?
  private var images: LocalImageCodec?

  init(library: DriverLibrary, services: any SessionServices, limits: DriverLimits) {
    self.library = library
    self.services = services
    self.limits = limits
  }

  mutating func open(_ driver: String, _ opening: DriverOpening) throws(DriverFault) {
    guard opened == nil else {
      throw DriverFault(.refused, driver: driver, message: "a worker serves one session, and this one has had its own")
    }
    opened = try LocalSession(library: library, driver: driver, opening: opening, services: services, limits: limits)
  }

  mutating func prepare(_ driver: String, _ opening: DriverOpening) throws(DriverFault) {
    prepared = try LocalDecoder(library: library, driver: driver, opening: opening, room: .decodeMessage)
  }

  func call(_ driver: String, _ call: FunctionCall) throws(DriverFault) -> RawAnswer {
    try LocalCall(library: library, driver: driver).raw(call)
  }

  func session() throws(DriverFault) -> LocalSession {
    guard let opened else { throw DriverFault(.closed, driver: library.name, message: "no session is open") }
    return opened
  }

  func decoder() throws(DriverFault) -> LocalDecoder {
    guard let prepared else { throw DriverFault(.closed, driver: library.name, message: "no decoder is prepared") }
    return prepared
  }

  func close() { opened?.close() }

  /// What the draft extensions answer, each within the CPU time that rule R16 grants it.
  mutating func extensionAnswer(_ message: HostMessage, _ budget: CPUBudget) throws(DriverFault) -> WorkerMessage {
    let library = library
    switch message {
    case .loadDisplay(let driver, let assets):
      display = try budget.spend(budget.limits.loadCPUMilliseconds) { () throws(DriverFault) in
        try LocalDisplay(library: library, driver: driver, assets: assets)
      }.result
      return .ready
    case .layout, .recognize, .interpret:
      guard let display else { throw closed("no reader of displays is loaded") }
      return try budget.spend { () throws(DriverFault) in try Self.answer(message, display) }.result
    case .loadImages(let driver):
      images = try budget.spend { () throws(DriverFault) in
        try LocalImageCodec(library: library, driver: driver)
      }.result
      return .ready
    case .measureImage, .decodeImage, .encodeImage:
      guard let images else { throw closed("no decoder of pictures is loaded") }
      return try budget.spend(budget.limits.imageCPUMilliseconds) { () throws(DriverFault) in
        try Self.answer(message, images)
      }.result
    case .load, .open, .event, .prepare, .decode, .close, .answer, .call: return .ready
    }
  }

  private static func answer(_ message: HostMessage, _ display: LocalDisplay) throws(DriverFault) -> WorkerMessage {
    switch message {
    case .recognize(let meter, let frame): .reading(try display.rawReading(frame, meter: meter))
    case .interpret(let meter, let unit, let texts):
      .interpretation(try display.rawInterpretation(texts, meter: meter, unit: unit))
    case .layout(let meter): .layout(try display.rawLayout(meter: meter))
    default: .ready
    }
  }

  private static func answer(_ message: HostMessage, _ images: LocalImageCodec) throws(DriverFault) -> WorkerMessage {
    switch message {
    case .measureImage(let file): return .picture(try images.rawSize(file), [])
    case .decodeImage(let request, let file):
      let (picture, pixels) = try images.rawPicture(file, request)
      return .picture(picture, pixels)
    case .encodeImage(let image, let quality):
      let (picture, file) = try images.rawFile(image, quality: quality)
      return .picture(picture, file)
    default: return .ready
    }
  }

  private func closed(_ words: String) -> DriverFault { DriverFault(.closed, driver: library.name, message: words) }
}
