import ArgumentParser
import GatewayAPI

/// A kind of receiver, its setting and its token, as people type them.
struct SinkTargetOptions: ParsableArguments {
  @OptionGroup var setting: SinkSettingOptions
  @OptionGroup var members: SinkMemberOptions
  @Option(
    help: ArgumentHelp("Read the access token from this file.", valueName: "file"), completion: .file())
  var tokenFile: String?
  @Flag(name: .customLong("token"), help: "Read the access token from standard input.")
  var readsToken = false

  /// The token, where one is given; a person who is asked for it must not block the state folder.
  func token() throws(GatewayError) -> String? {
    guard tokenFile != nil || readsToken else { return nil }
    return try TokenInput.read(file: tokenFile)
  }
}
