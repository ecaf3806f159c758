package import GatewayAPI
import Foundation
package import MeterBluetooth
import MeterCore

extension ReadEventDescription {
  /// Describes an event.
  package init(_ event: ReadEvent) {
    switch event {
    case .started(let instructions):
      self.init(kind: .started)
      text = instructions
    case .connected(let meter):
      self.init(kind: .connected)
      (address, model) = (meter.address, meter.information.model)
      (name, uuid) = (meter.name, meter.identity.peripheralUUID)
    case .question(let question):
      self.init(kind: .question)
      (text, self.question) = (question.prompt, QuestionDescription(question))
    case .passkeyToEnter(let number):
      self.init(kind: .passkeyToEnter)
      text = "Enter \(PasskeyText.digits(number)) at the meter."
    case .paired(let meter):
      self.init(kind: .paired)
      (address, self.meter) = (meter.address, PairedDescription(meter))
    case .ready(let instructions):
      self.init(kind: .ready)
      text = instructions
    case .progress(let done, let total):
      self.init(kind: .progress)
      (self.done, self.total) = (done, total)
    case .provisional(let records):
      self.init(kind: .provisional)
      done = records.count
    case .meterFacts(let facts):
      self.init(kind: .meterFacts)
      self.facts = MeterFactsDescription(facts)
    case .shouldSubmit(let records):
      self.init(kind: .shouldSubmit)
      readings = records.map { ReadingDescription($0) }
    case .completed(let summary): self.init(.completed, summary)
    case .alreadyDelivered(let summary):
      self.init(.alreadyDelivered, summary)
      readings = (summary.records + summary.revised).map { ReadingDescription($0) }
    case .cancelled(let summary): self.init(.cancelled, summary)
    case .failed(let error, let summary):
      self.init(.failed, summary)
      (code, text) = (error.code.rawValue, error.message)
    }
  }

  private init(_ kind: Kind, _ summary: ReadSummary) {
    self.init(kind: kind)
    new = summary.records.count
    revised = summary.revised.count
    duplicates = summary.duplicates
    pdus = summary.pdus
    rejected = summary.rejected.isEmpty ? nil : summary.rejected
    sinceUnknown = summary.isSinceUnknown ? true : nil
    recordings = summary.recordings.isEmpty ? nil : summary.recordings
    left =
      summary.left.isEmpty
      ? nil : Dictionary(summary.left.map { ($0.key.rawValue, $0.value) }, uniquingKeysWith: +)
  }
}

extension MeterFactsDescription {
  /// Describes what a meter has said.
  init(_ facts: MeterFacts) {
    self.init(
      quantities: facts.quantities.map { Quantity(metric: $0.metric, value: $0.value, unit: $0.unit) },
      texts: facts.texts, isClockSet: facts.isClockSet)
  }
}
