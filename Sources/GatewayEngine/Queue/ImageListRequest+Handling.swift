package import GatewayAPI
import MeterCore

extension ImageListRequest: HandledRequest {
  package func perform(on owner: GatewayOwner) throws -> [ImageItem] {
    try owner.store.imageSnapshot(after: after, limit: min(max(limit, 1), QueueListRequest.longest)).map(ImageItem.init)
  }
}
