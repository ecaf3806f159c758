import GatewayTools
import Testing

@Suite struct HelpLayoutTests {
  @Test func paragraphsAreWrappedOnceAndExamplesCanBeCopied() {
    let help = """
      OVERVIEW: Start a session.

      The same user keeps the queue; another user's session ends first, and what it had not delivered goes to a recovery
      file.

      EXAMPLES
        meterhost session start --user u1 --organization o1 --receiver https://receiver.example --token-file token
        meterhost demo                          read virtual meters and see what a receiver stores of them

      USAGE: meterhost session start [--only <state> ...] [--default-user] [--limit <count>] [--after <position>]

      OPTIONS:
        --only <state>          Only readings with one of these states, which may be repeated as often as one likes it.
      """
    let laidOut = HelpLayout.text(help)
    #expect(
      laidOut == """
        OVERVIEW: Start a session.

        The same user keeps the queue; another user's session ends first, and what it
        had not delivered goes to a recovery file.

        EXAMPLES
          meterhost session start --user u1 --organization o1 --receiver \\
              https://receiver.example --token-file token
          meterhost demo                          read virtual meters and see what a
                                                  receiver stores of them

        USAGE: meterhost session start [--only <state> ...] [--default-user]
               [--limit <count>] [--after <position>]

        OPTIONS:
          --only <state>          Only readings with one of these states, which may be
                                  repeated as often as one likes it.
        """)
    #expect(HelpLayout.text(laidOut) == laidOut)
  }
}

@Suite struct CommandNameTests {
  private let root = CommandName(
    "meterhost",
    [
      CommandName(
        "queue", [CommandName("list", [], hasDefault: false), CommandName("discard", [], hasDefault: false)],
        hasDefault: true),
      CommandName("completions", [], hasDefault: false), CommandName("meters", [], hasDefault: false),
      CommandName("meter", [], hasDefault: false),
    ], hasDefault: false)

  @Test(
    arguments: [
      (["quee", "list"], "quee", "queue"), (["queue", "lst"], "lst", "list"), (["queue", "disc"], "disc", "discard"),
      (["xyzzy"], "xyzzy", nil), (["metres"], "metres", "meters"),
    ] as [([String], String, String?)])
  func aNearNameIsTold(arguments: [String], word: String, guess: String?) throws {
    let unknown = try #require(root.unknown(in: arguments))
    #expect(unknown.word == word && unknown.guess == guess)
  }

  @Test(arguments: [
    [], ["queue"], ["queue", "list", "x"], ["completions", "tcsh"], ["queue", "0b0c7d5e"], ["--bogus"],
  ])
  func whatIsNoCommandIsNotTakenForOne(arguments: [String]) {
    #expect(root.unknown(in: arguments) == nil)
  }
}

@Suite struct TableLayoutTests {
  @Test func namesAreCutAndValuesAreNot() {
    let layout = TableLayout(wanted: [36, 40, 10], names: [1], limit: 80)
    #expect(layout.fits && layout.widths == [36, 30, 10])
    #expect(!TableLayout(wanted: [36, 40, 40], names: [1], limit: 80).fits)
    #expect(TableLayout(wanted: [36, 40, 40], names: [1], limit: 80).widths == [36, 40, 40])
    #expect(TableLayout(wanted: [60, 60], names: [0, 1], limit: 80).widths == [39, 39])
    #expect(TableLayout(wanted: [200], names: [], limit: nil).fits)
    #expect(TableLayout(wanted: [], names: [0], limit: 10).fits)
  }
}

@Suite struct LocalTimeTests {
  /// The zone of the machine that runs the tests is not known: what is shown has no fraction, and is one moment for one second.
  @Test func aTimeIsShownWithoutItsFraction() throws {
    let shown = LocalTime.text("2026-03-01T08:00:05.123456Z")
    #expect(shown == LocalTime.text("2026-03-01T08:00:05Z"))
    #expect(shown.wholeMatch(of: /2026-0[23]-\d\d \d\d:\d\d:05/) != nil, "\(shown)")
    #expect(LocalTime.text("2026-03-01T08:00:06Z") != shown)
  }

  @Test(arguments: [
    "never", "", "2026-03-01", "2018-09-19T22:27:07", "2026-03-01T08:00:05+02:00", "2026-03-01T08:00:05.xZ",
  ])
  func whatIsNoTimeInUTCStays(text: String) { #expect(LocalTime.text(text) == text) }
}
