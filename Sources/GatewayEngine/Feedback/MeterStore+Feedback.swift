package import GatewayAPI
import Foundation
package import MeterCore

extension MeterStore {
  private static let feedbackSetting = "feedback"

  /// What was chosen for this folder.
  ///
  /// - Throws: `StoreError`.
  package func feedbackSettings() throws(StoreError) -> FeedbackSettings {
    // Settings of another version are no reason to refuse the folder.
    try hostSetting(Self.feedbackSetting)
      .flatMap { try? JSONDecoder().decode(FeedbackSettings.self, from: Data($0.utf8)) } ?? FeedbackSettings()
  }

  /// Keeps what was chosen.
  ///
  /// - Throws: `StoreError`.
  package func setFeedbackSettings(_ settings: FeedbackSettings) throws(StoreError) {
    let text = (try? JSONEncoder().encode(settings)).map { String(decoding: $0, as: UTF8.self) }
    try setHostSetting(settings.isEmpty ? nil : text, Self.feedbackSetting)
  }
}
