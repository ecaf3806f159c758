import DriverContract

/// A session whose recorder hears everything first.
struct RecordedSession: DriverSession {
  let session: any DriverSession
  let recorder: SessionRecorder

  func handle(_ event: DriverEvent) async throws(DriverFault) -> DriverUnit {
    // Before the driver has it: an event that it does not come back from is the one that matters.
    recorder.note(event)
    do {
      let unit = try await session.handle(event)
      recorder.note(unit)
      return unit
    } catch {
      recorder.note(error)
      throw error
    }
  }

  func close() async -> DriverFault? {
    let fault = await session.close()
    recorder.close(fault)
    return fault
  }
}

/// Services whose recorder hears every answer.
final class RecordedServices: SessionServices {
  private let services: any SessionServices
  private let recorder: SessionRecorder

  init(_ services: any SessionServices, recorder: SessionRecorder) {
    self.services = services
    self.recorder = recorder
  }

  func answer(_ request: ServiceRequest) -> ServiceAnswer {
    let answer = services.answer(request)
    recorder.note(request, answer)
    return answer
  }
}
