public import MeterConsole
import Synchronization

/// A desk without a camera: its readings do what a test says.
public final class ScriptedDesk: ReadingDesk {
  /// Every reading that the view starts, as it starts.
  public let readings: AsyncStream<ScriptedReading>
  private let started: AsyncStream<ScriptedReading>.Continuation
  private let list: [DeskMeter]
  private let drawing: [UInt8]
  private let refusal = Mutex<DeskError?>(nil)

  /// A desk with these meters, and one drawing for all of them.
  public init(meters: [DeskMeter] = ScriptedDesk.meters, drawing: String = ScriptedDesk.drawing) {
    list = meters
    self.drawing = Array(drawing.utf8)
    (readings, started) = AsyncStream.makeStream()
  }

  /// The next start fails with this error.
  public func refuse(_ error: DeskError) {
    refusal.withLock { $0 = error }
  }

  /// The meters that it was made with.
  public func meters() async throws(DeskError) -> [DeskMeter] { list }

  /// The drawing that it was made with.
  public func overlay(of meter: UInt32) async throws(DeskError) -> [UInt8] {
    guard list.contains(where: { $0.id == meter }) else { throw Self.noMeter }
    return drawing
  }

  /// Starts a reading, unless it was told to refuse.
  public func start(meter: UInt32, unit: String?) async throws(DeskError) -> any DeskReading {
    let refused = refusal.withLock { refusal -> DeskError? in
      defer { refusal = nil }
      return refusal
    }
    if let refused { throw refused }
    guard let chosen = list.first(where: { $0.id == meter }) else { throw Self.noMeter }
    let reading = ScriptedReading(meter: chosen, unit: unit)
    started.yield(reading)
    return reading
  }

  private static let noMeter = DeskError(.notFound, code: "unknown_meter", message: "There is no such meter.")

  /// One of each kind, in the shape of real ones.
  public static let meters = [
    DeskMeter(
      id: 1, name: "Example Glucose One", kind: "Glucose meters", units: [DeskUnit("mg/dL"), DeskUnit("mmol/L")]),
    DeskMeter(
      id: 2, name: "Example Glucose Two", kind: "Glucose meters", units: [DeskUnit("mg/dL"), DeskUnit("mmol/L")]),
    DeskMeter(id: 3, name: "Example Upper Arm", kind: "Blood pressure monitors", units: [DeskUnit("mmHg")]),
    DeskMeter(
      id: 4, name: "Example Thermometer", kind: "Thermometers",
      units: [DeskUnit("[degF]", title: "°F"), DeskUnit("Cel", title: "°C")]),
    DeskMeter(
      id: 5, name: "Example Scale", kind: "Scales", units: [DeskUnit("kg"), DeskUnit("[lb_av]", title: "lb")],
      needsUnit: true),
    DeskMeter(id: 6, name: "Example Oximeter", kind: "Pulse oximeters", units: [DeskUnit("%")]),
  ]

  /// An outline of a display.
  public static let drawing = """
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 300"><rect x="4" y="4" width="392" height="292" rx="24" \
    fill="none" stroke="#fff" stroke-width="8"/></svg>
    """
}
