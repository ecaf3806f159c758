import GatewayAPI
import Foundation

/// Checks what a person names for feedback, and finds the programs that give it.
enum FeedbackFiles {
  /// Most words of a hook, and most bytes of them all.
  static let (mostWords, mostBytes) = (64, 4_096)
  /// Programs that play a sound, in the order in which they are tried: PipeWire, PulseAudio, ALSA.
  static let players = ["pw-play", "paplay", "aplay"]
  /// The program that shows a notification.
  static let notifier = "notify-send"

  /// What is wrong with a hook; nil when it can be run.
  static func problem(ofHook words: [String]) -> FeedbackProblem? {
    func refused(_ message: String, _ cure: String) -> FeedbackProblem {
      FeedbackProblem(.hookFile, message, cure: cure)
    }
    guard words.count <= mostWords, words.reduce(0, { $0 + $1.utf8.count }) <= mostBytes else {
      return refused(
        "a hook has \(mostWords) words and \(mostBytes) bytes at most", "put what it does into a script of its own")
    }
    guard let program = words.first, program.hasPrefix("/"), !words.contains(where: { $0.utf8.contains(0) }) else {
      return refused(
        "a hook begins with the absolute path of a program, not with \(words.first ?? "nothing")",
        "name it like /usr/local/bin/meter-was-read")
    }
    guard let facts = FileFacts(following: program), facts.isRegular, access(program, X_OK) == 0 else {
      return refused(
        "the hook \(program) is no program that this user can run", "make the file there and allow it: chmod +x")
    }
    guard facts.mode & 0o002 == 0 else {
      return refused(
        "everybody on this machine can write the hook \(program), and it would run as this user",
        "close it to others: chmod o-w")
    }
    return nil
  }

  /// What is wrong with a sound file; nil when it can be read.
  static func problem(ofSound file: String) -> FeedbackProblem? {
    guard file.hasPrefix("/"), !file.utf8.contains(0), file.utf8.count <= mostBytes,
      FileFacts(following: file)?.isRegular == true, access(file, R_OK) == 0
    else {
      return FeedbackProblem(
        .soundFile, "the sound \(file) is no file that this user can read",
        cure: "name a file by its absolute path, such as one below /usr/share/sounds")
    }
    return nil
  }

  /// A program on a search path; nil when it is nowhere. Relative folders are passed by.
  static func program(_ name: String, on path: String) -> String? {
    path.split(separator: ":").filter { $0.hasPrefix("/") }.map { "\($0)/\(name)" }.first { file in
      FileFacts(following: file)?.isRegular == true && access(file, X_OK) == 0
    }
  }

  static var notifierMissing: FeedbackProblem {
    FeedbackProblem(
      .notifierMissing, "there is no \(notifier), so that no notification can be shown",
      cure: "install it (Debian: libnotify-bin), or choose a sound or a hook")
  }

  static var playerMissing: FeedbackProblem {
    FeedbackProblem(
      .playerMissing, "there is no program that plays sounds: \(players.joined(separator: ", "))",
      cure: "install one (Debian: pipewire-bin, pulseaudio-utils or alsa-utils), or choose a hook")
  }
}
