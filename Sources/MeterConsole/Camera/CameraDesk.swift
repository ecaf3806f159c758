import DriverContract
import MeterOCR
import Synchronization

/// The desk that reads displays with a camera.
public final class CameraDesk: ReadingDesk {
  private let equipment: any DisplayEquipment
  /// The drawings of meters that were opened; the page asks for one when its reading has started.
  private let drawings = Mutex<[UInt32: [UInt8]]>([:])

  /// A desk with this equipment.
  public init(_ equipment: any DisplayEquipment) {
    self.equipment = equipment
  }

  /// Those whose displays the equipment can read.
  public func meters() async throws(DeskError) -> [DeskMeter] { equipment.meters }

  /// The drawing that the driver's bundle holds.
  public func overlay(of meter: UInt32) async throws(DeskError) -> [UInt8] {
    if let drawing = drawings.withLock({ $0[meter] }) { return drawing }
    let display = try await open(meter, unit: nil)
    await display.close()
    return Array(display.peripheral.overlay.utf8)
  }

  /// Opens the driver and the camera.
  public func start(meter: UInt32, unit: String?) async throws(DeskError) -> any DeskReading {
    let display = try await open(meter, unit: unit)
    do throws(DeskError) {
      return CameraReading(display, try await display.controller())
    } catch {
      await display.close()
      throw error
    }
  }

  private func open(_ meter: UInt32, unit: String?) async throws(DeskError) -> any OpenDisplay {
    guard let entry = equipment.meters.first(where: { $0.id == meter }) else {
      throw DeskError(.notFound, code: "unknown_peripheral", message: "There is no such meter. Load the page again.")
    }
    // A meter with one unit has nothing to choose from.
    let choice = entry.units.count > 1 ? unit : nil
    guard choice == nil || entry.units.contains(where: { $0.code == choice }) else {
      throw DeskError(.notFound, code: "unit_not_shown", message: "\(entry.name) does not show this unit.")
    }
    let display = try await equipment.open(meter: meter, unit: choice)
    drawings.withLock { $0[meter] = Array(display.peripheral.overlay.utf8) }
    return display
  }
}
