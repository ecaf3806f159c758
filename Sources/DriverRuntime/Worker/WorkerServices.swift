package import DriverContract
import CMeterDriver

/// A worker's way to its session's services: one request to the host, and the wait for its answer, in the middle of an
/// event. The host's deadline counts on; what it knows about keys stays with it.
///
/// Used on the worker's one thread only.
package final class WorkerServices: SessionServices, @unchecked Sendable {
  private let channel: FrameChannel
  /// Why the talk with the host broke off; the worker goes then.
  package private(set) var failure: ChannelError?

  package init(channel: FrameChannel) { self.channel = channel }

  package func answer(_ request: ServiceRequest) -> ServiceAnswer {
    guard failure == nil else { return ServiceAnswer(status: MH_E_DENIED) }
    do throws(ChannelError) {
      let message = WorkerMessage.request(request)
      try channel.send(type: message.type, message.payload, deadline: nil)
      let (type, payload) = try channel.receive(deadline: nil)
      return try answer(type, Array(payload))
    } catch {
      failure = error
      return ServiceAnswer(status: MH_E_DENIED)
    }
  }

  private func answer(_ type: UInt8, _ payload: [UInt8]) throws(ChannelError) -> ServiceAnswer {
    do throws(WireError) {
      guard case .answer(let answer) = try HostMessage(type: type, payload: payload) else {
        throw WireError(message: "the host did not answer a request to the services")
      }
      return answer
    } catch { throw .garbage(error.message) }
  }
}
