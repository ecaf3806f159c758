import HostPrimitives
import Logging
import MeterCore

/// What listeners and the log of events are told.
extension PassiveManager {
  /// Tells what a turn has come to. That a meter which is only looked at again has nothing new is no news: nobody has switched
  /// it on for it. Of unknown ones without a reading only the first few are told by themselves.
  func tell(_ result: TurnResult, of peripheral: UInt32, _ work: RadioSchedule.Work) {
    if let meter = result.meter, result.summary.hasNews || result.isComplete && !work.isReread {
      if !work.isStranger || result.summary.hasNews || strangers.mayTell() {
        tell(.didRead(peripheral: peripheral, meter: meter, result.summary))
      } else {
        strangers.count("nothing_new")
      }
    }
    guard let error = result.error else { return }
    if work.isStranger, !strangers.mayTell() { return strangers.count(error.code.rawValue) }
    tell(.didFail(peripheral: peripheral, meter: result.meter, error))
  }

  func tell(_ event: PassiveEvent) {
    Self.note(event.hostEvent, in: store)
    happenings.send(event)
  }

  static func note(_ event: HostEvent, in store: MeterStore) {
    do throws(StoreError) { try store.log(event) } catch {
      log.error("an event of passive reading could not be logged: \(error.message)")
    }
  }
}
