/// How long feeds wait, and for what.
package struct FeedTimes: Sendable, Hashable {
  /// For how long a file of a watched folder must look the same. Programs that copy and synchronise write in bursts.
  package var settling = Duration.seconds(10)
  /// How often folders and spool are looked at without being told: file systems of a network tell nothing.
  package var poll = Duration.seconds(30)
  /// When something is tried again that failed for a reason that may pass.
  package var retry = Duration.seconds(300)

  /// The times of a host.
  package init() {}
}
