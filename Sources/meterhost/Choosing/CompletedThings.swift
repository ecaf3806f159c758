import ArgumentParser
import Foundation
import GatewayAPI

// What a shell offers where a meter, a receiver or a reading is named. The running host or the state folder is asked; whatever
// goes wrong, nothing is offered and nothing is said: a person is typing.

extension CompletionKind {
  /// The meters that this gateway knows, by UUID and by name.
  static var meters: CompletionKind {
    .custom { words, _, prefix in
      await Completion.offered(words, prefix) { locations in
        try await locations.perform(MetersListRequest()).flatMap { [$0.uuid, $0.name] }
      }
    }
  }

  /// The receivers of the session.
  static var sinks: CompletionKind {
    .custom { words, _, prefix in
      await Completion.offered(words, prefix) { try await $0.perform(SinkListRequest()).map(\.name) }
    }
  }

  /// The readings in the queue.
  static var readings: CompletionKind {
    .custom { words, _, prefix in
      await Completion.offered(words, prefix) { locations in
        try await locations.perform(QueueListRequest(limit: QueueListRequest.longest)).items.map(\.name)
      }
    }
  }
}

private enum Completion {
  /// The options that say where things are, of which a shell hands over what is typed so far.
  private static let options: Set<String> = ["--state", "--registry", "--fragments", "--trust", "--config"]

  static func offered(
    _ words: [String], _ prefix: String, _ all: @Sendable (LocationOptions) async throws -> [String]
  ) async -> [String] {
    silence()
    do {
      let locations = try LocationOptions.parse(places(words))
      try ConfigurationInForce.load()
      // A name with a space or a character that a shell obeys is not offered: it would have to be quoted.
      return try await all(locations).filter { $0.hasPrefix(prefix) && $0.allSatisfy(isPlain) }
    } catch {
      return []
    }
  }

  private static func places(_ words: [String]) -> [String] {
    var places: [String] = []
    for (index, word) in words.enumerated() where options.contains(word) && index + 1 < words.count {
      places += [word, words[index + 1]]
    }
    return places
  }

  private static func isPlain(_ character: Character) -> Bool {
    character.isASCII && (character.isLetter || character.isNumber || "-_.:#".contains(character))
  }

  /// What goes to standard error would stand in the line that is being typed.
  private static func silence() {
    let nothing = open("/dev/null", O_WRONLY | O_CLOEXEC)
    guard nothing >= 0 else { return }
    dup2(nothing, STDERR_FILENO)
    close(nothing)
  }
}
