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

/// A hook as people write it in one text.
package enum HookText {
  /// The words of a text: blanks part them, quotes of either kind and a backslash keep blanks. Nothing else has a meaning.
  ///
  /// - Returns: nil for a quotation without an end, and for no words.
  package static func words(_ text: String) -> [String]? {
    var words: [String] = []
    var word: String?
    var quote: Character?
    var isEscaped = false
    for character in text {
      if isEscaped {
        word = (word ?? "") + String(character)
        isEscaped = false
      } else if character == "\\", quote != "'" {
        isEscaped = true
      } else if let open = quote {
        if character == open { quote = nil } else { word = (word ?? "") + String(character) }
      } else if character == "'" || character == "\"" {
        quote = character
        word = word ?? ""
      } else if character.isWhitespace {
        if let whole = word { words.append(whole) }
        word = nil
      } else {
        word = (word ?? "") + String(character)
      }
    }
    guard quote == nil, !isEscaped else { return nil }
    if let word { words.append(word) }
    return words.isEmpty ? nil : words
  }
}
