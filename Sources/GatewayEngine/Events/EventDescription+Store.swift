package import GatewayAPI
import HostPrimitives
package import MeterCore

extension EventDescription {
  /// Describes what a listener hears.
  package init(_ element: EventSequence.Element) {
    switch element {
    case .event(let logged):
      self.init(
        cursor: logged.cursor, time: CivilMoment(microseconds: logged.timeMicroseconds).text(.millionths) + "Z",
        happened: logged.event)
    case .missed(let count): self.init(missed: count)
    }
  }

  /// Describes what a listener hears, with the record that it is about.
  init(_ element: EventSequence.Element, in store: MeterStore) {
    self.init(element)
    guard case .recordSubmissionFailed(let refused) = happened else { return }
    // An event is told in any case.
    let waiting = try? store.refusedRecord(refused)
    record = waiting.map {
      ReadingDescription($0, state: DeliveryState.dead.word, reason: refused.reason, isWhole: true)
    }
  }
}
