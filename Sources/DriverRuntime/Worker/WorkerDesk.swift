import DriverContract
import CMeterDriver

/// What a worker has open: one session, one decoder, and one extension of each kind.
struct WorkerDesk {
  private let library: DriverLibrary
  private let services: any SessionServices
  private let limits: DriverLimits
  private var opened: LocalSession?
  private var prepared: LocalDecoder?
  private var extensions: ExtensionDesk

  init(library: DriverLibrary, services: any SessionServices, limits: DriverLimits) {
    self.library = library
    self.services = services
    self.limits = limits
    extensions = ExtensionDesk(tables: library, name: library.name, limits: limits)
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

  func close() {
    opened?.close()
    extensions.close()
  }

  /// What an extension answers, within the CPU time that its kind is granted (rule R16).
  mutating func answer(_ message: ExtensionMessage, _ budget: CPUBudget) throws(DriverFault) -> WorkerMessage {
    let kind = try extensions.kind(of: message)
    let milliseconds = extensions.milliseconds(for: message, kind)
    let answer = try budget.spend(milliseconds) { () throws(DriverFault) in try extensions.answer(message) }.result
    return answer.map { WorkerMessage.extension($0) } ?? .ready
  }
}
