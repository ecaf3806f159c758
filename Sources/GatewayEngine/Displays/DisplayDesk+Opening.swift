import GatewayAPI
import DriverContract
import MeterDrivers
import MeterOCR

extension DisplayDesk {
  /// The driver of a meter's display, and the one that decodes pictures. Neither runs yet.
  static func drivers(
    of entry: Peripheral, in registry: Registry
  ) throws(GatewayError) -> (display: VerifiedDriver, images: VerifiedDriver) {
    do throws(DriverFault) {
      return (try registry.displayDriver(for: entry), try registry.imageDriver())
    } catch { throw GatewayError(display: error) }
  }

  /// Starts a driver. No picture has a part in that: who fails twice, each time in a new worker, fails by himself.
  static func started<Value: Sendable>(
    _ driver: VerifiedDriver, _ judge: DisplayJudge?,
    _ body: @Sendable (VerifiedDriver) async throws(DriverFault) -> Value
  ) async throws(DriverFault) -> Value {
    do throws(DriverFault) { return try await body(driver) } catch {
      guard let judge, QuarantinePolicy().isOffence(error) else { throw error }
      do throws(DriverFault) { return try await body(driver) } catch {
        await judge.note(error, of: driver, with: nil)
        throw error
      }
    }
  }

  /// A reader that has said where the rows of a meter's display lie.
  static func reader(
    of entry: Peripheral, by driver: VerifiedDriver, on host: DriverHost
  ) async throws(DriverFault) -> (reader: DisplayReader, peripheral: OCRPeripheral) {
    let reader = try await DisplayReader.open(host: host, bundle: driver.bundle, entry: driver.entry)
    do throws(DriverFault) { return (reader, try await OCRPeripheral(entry, reader)) } catch {
      await reader.close()
      throw error
    }
  }
}
