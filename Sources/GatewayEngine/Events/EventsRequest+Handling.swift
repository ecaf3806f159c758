package import GatewayAPI
import MeterCore

extension EventsRequest: HandledConversation {
  package func perform(on owner: GatewayOwner, with partner: ControlPartner<EventDescription>) async throws {
    follows ? try await follow(owner.store, partner) : try await list(owner.store, partner)
  }

  private func list(_ store: MeterStore, _ partner: ControlPartner<EventDescription>) async throws {
    var cursor = after ?? 0
    while !partner.patience.isOver {
      let page = try store.events(after: cursor)
      if page.missed > 0, after != nil { await partner.tell(EventDescription(.missed(page.missed))) }
      guard !page.events.isEmpty else { return }
      for event in page.events { await partner.tell(EventDescription(.event(event), in: store)) }
      cursor = page.next
    }
  }

  private func follow(_ store: MeterStore, _ partner: ControlPartner<EventDescription>) async throws {
    let events = try store.eventSequence(after: after)
    let listening = Task {
      for try await element in events { await partner.tell(EventDescription(element, in: store)) }
    }
    try await partner.patience.during {
      listening.cancel()
    } _: {
      try await withTaskCancellationHandler {
        try await listening.value
      } onCancel: {
        listening.cancel()
      }
    }
  }
}
