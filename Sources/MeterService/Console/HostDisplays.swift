import DriverContract
import GatewayAPI
import GatewayEngine
import MeterConsole
import MeterDrivers
import MeterOCR

/// What the console's view reads with: the catalogue, the camera of the machine on which the host runs, and the queue.
struct HostDisplays: DisplayEquipment {
  let owner: GatewayOwner

  private var host: RunningHost { RunningHost(owner: owner) }

  var meters: [DeskMeter] { owner.gateway.registry.ocrPeripherals().map { DeskMeter($0) } }

  func open(meter: UInt32, unit: String?) async throws(DeskError) -> any OpenDisplay {
    let host = host
    let judge = DisplayJudge(
      verdict: { try await host.perform($0) }, note: { _ = try await host.perform($0) })
    do {
      // Whose reading it is stands before it begins.
      let ticket = try await host.perform(DisplayStartRequest())
      let desk = try await DisplayDesk.open(meter, unit: unit, in: owner.gateway, judge: judge)
      return HostDisplay(desk: desk, host: host, ticket: ticket)
    } catch { throw DeskError(describing: error) }
  }
}

/// A meter before the host's camera.
private struct HostDisplay: OpenDisplay {
  let desk: DisplayDesk
  let host: RunningHost
  let ticket: DisplayStartRequest.Ticket

  var peripheral: OCRPeripheral { desk.peripheral }

  func controller() async throws(DeskError) -> OCRController {
    do { return try desk.controller(.camera(nil), isLive: true) } catch { throw DeskError(describing: error) }
  }

  func corrected(_ reading: OCRReading, _ texts: [String]) async throws(OCRCorrectionError) -> OCRReading {
    try await desk.corrected(reading, texts)
  }

  func jpeg(_ picture: DecodedImage, quality: Int) async -> [UInt8]? {
    // The page goes on without a picture that cannot be made.
    try? await desk.jpeg(picture, quality: quality)
  }

  func submit(_ reading: OCRReading, picture: [UInt8]) async throws(DeskError) -> String {
    do {
      var request = try DisplaySubmitRequest(reading, ticket, picture: picture)
      request.bundle = desk.bundle
      return try await host.perform(request).sentence
    } catch { throw DeskError(describing: error) }
  }

  func close() async { await desk.close() }
}
