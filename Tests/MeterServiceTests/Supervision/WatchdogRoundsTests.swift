import HostPrimitives
import Testing

@testable import MeterService

/// When systemd is told that the service works, without a socket and a clock.
@Suite struct WatchdogRoundsTests {
  private func at(_ seconds: Int) -> HostInstant { HostInstant.boot + .seconds(seconds) }

  private func begun(_ limit: Int = 15) -> WatchdogRounds {
    var rounds = WatchdogRounds(limit: .seconds(limit))
    #expect(rounds.begin(at: at(0)) == [.ask(.store), .ask(.schedule)])
    return rounds
  }

  @Test func allHaveToAnswerAndItIsSaidOnceARound() {
    var rounds = begun()
    #expect(rounds.answer(of: .schedule, at: at(1)) == [])
    #expect(rounds.answer(of: .store, at: at(15)) == [.works])
    // Nobody has asked again.
    #expect(rounds.answer(of: .store, at: at(16)) == [])
    #expect(rounds.begin(at: at(30)) == [.ask(.store), .ask(.schedule)])
    #expect(rounds.answer(of: .store, at: at(31)) == [])
    #expect(rounds.answer(of: .schedule, at: at(31)) == [.works])
  }

  @Test(arguments: WatchdogRounds.Part.allCases)
  func whatDoesNotAnswerIsAskedOnceAndToldOnce(_ hanging: WatchdogRounds.Part) throws {
    let other = try #require(WatchdogRounds.Part.allCases.first { $0 != hanging })
    var rounds = begun()
    #expect(rounds.answer(of: other, at: at(1)) == [])
    for round in 1...3 {
      let commands = rounds.begin(at: at(30 * round))
      #expect(commands.contains(.ask(other)) && !commands.contains(.ask(hanging)))
      #expect(commands.contains(.silent(hanging)) == (round == 1))
      #expect(rounds.answer(of: other, at: at(30 * round + 1)) == [])
    }
    #expect(rounds.silent == [hanging])
    // The answer of the first round comes: it is asked anew, and says then that it works.
    #expect(rounds.answer(of: hanging, at: at(100)) == [])
    #expect(rounds.begin(at: at(120)).contains(.ask(hanging)))
    #expect(rounds.answer(of: hanging, at: at(121)) == [.answersAgain(hanging)])
    #expect(rounds.answer(of: other, at: at(121)) == [.works])
    #expect(rounds.silent.isEmpty)
  }

  @Test func anAnswerThatComesLateIsNoSignOfLife() {
    var rounds = begun()
    #expect(rounds.answer(of: .schedule, at: at(0)) == [])
    #expect(rounds.answer(of: .store, at: at(16)) == [.silent(.store)])
    #expect(rounds.begin(at: at(30)) == [.ask(.store), .ask(.schedule)])
  }

  @Test(arguments: [1, 2, 60, 600])
  func twoSignsOfLifeAreCloserThanTheWatchdogIsLong(_ seconds: Int) {
    let watchdog = Duration.seconds(seconds)
    let times = WatchdogRounds.times(watchdog: watchdog)
    #expect(times.limit < times.interval)
    #expect(times.interval + times.limit < watchdog)
  }
}
