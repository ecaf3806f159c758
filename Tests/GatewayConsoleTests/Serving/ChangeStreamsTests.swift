import Testing

@testable import GatewayConsole

/// Who hears that something has changed.
@Suite("Windows that listen") struct ChangeStreamsTests {
  @Test func aPlaceThatNobodyHasUsedIsGivenBack() {
    let streams = ChangeStreams()
    for number in 0..<ChangeStreams.most * 2 {
      let isGiven = streams.open() != nil
      #expect(isGiven, "\(number)")
    }
  }

  @Test func onlySoManyListen() {
    let streams = ChangeStreams()
    let places = (0..<ChangeStreams.most).compactMap { _ in streams.open() }
    #expect(places.count == ChangeStreams.most)
    let isFull = streams.open() == nil
    #expect(isFull)
    places.first?.giveBack()
    let isGiven = streams.open() != nil
    #expect(isGiven)
    withExtendedLifetime(places) {}
  }

  @Test func whoComesDuringAShutdownIsNotLetIn() {
    let streams = ChangeStreams()
    streams.closeAll()
    let isRefused = streams.open() == nil
    #expect(isRefused)
  }
}
