import Foundation
import MeterCore
import TestSupport
import Testing

@testable import MeterDrivers

@Suite struct RecordingStoreTests {
  @Test func aRecordingIsPrivateEncryptedAndOpensWithEitherKey() async throws {
    let state = try RecordingState()
    let pair = SupportKey()
    try RecordingSettings.set(pair.publicKey, in: state.store.recordings)
    let name = try await state.write()
    let file = try #require(state.store.recordings.file(name))
    let mode = try #require(FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int)
    #expect(mode == 0o600)
    let sealed = try RecordingReader.sealed(path: file.path)
    #expect(Set(sealed.holders) == [.vault, .support])
    #expect(sealed.supportFingerprints == [pair.publicKey.fingerprintText])
    let here = try RecordingReader(state: state.url.path).open(sealed)
    let there = try RecordingReader(state: "/nowhere", support: pair).open(sealed)
    #expect(here == there && !here.steps.isEmpty)
    // Nothing of the meter, its address or its data stands in the clear.
    #expect(Data(sealed.bytes).range(of: Data(here.opening.address)) == nil)
    let without = #expect(throws: RecordingError.self) { try RecordingReader(state: "/nowhere").open(sealed) }
    #expect(without?.code == .noKey)
    let wrong = #expect(throws: RecordingError.self) {
      try RecordingReader(state: "/nowhere", support: SupportKey()).open(sealed)
    }
    #expect(wrong?.code == .noKey)
    let copy = try RecordingReader(state: state.url.path).exported(sealed, to: pair.publicKey)
    #expect(copy.holders == [.support])
    #expect(try RecordingReader(state: "/nowhere", support: pair).open(SealedRecording(file: copy.bytes)) == here)
    #expect(throws: RecordingError.self) { try RecordingReader(state: state.url.path).open(copy) }
  }

  @Test func withoutTheVaultsKeySupportCanReadItStill() async throws {
    let state = try RecordingState()
    try state.store.setCredential([1, 2, 3], name: "key", scope: .gateway)
    let key = state.url.appending(path: "vault/key")
    try FileManager.default.removeItem(at: key)
    // Another process, which has not read the key yet.
    let other = try RecordingState(copying: state)
    await #expect(throws: (any Error).self) { try await other.write() }
    let pair = SupportKey()
    try RecordingSettings.set(pair.publicKey, in: other.store.recordings)
    let name = try await other.write()
    let file = try #require(other.store.recordings.file(name))
    let sealed = try RecordingReader.sealed(path: file.path)
    #expect(sealed.holders == [.support])
    #expect(!(try RecordingReader(state: other.url.path, support: pair).open(sealed).steps.isEmpty))
  }

  @Test func theEnvironmentMayNameTheSupportKey() throws {
    let state = try RecordingState()
    let (set, named) = (SupportKey().publicKey, SupportKey().publicKey)
    try RecordingSettings.set(set, in: state.store.recordings)
    let file = state.url.appending(path: "named.pub").path
    try Data(named.file).write(to: URL(filePath: file))
    func key(_ environment: [String: String]) throws -> String? {
      try RecordingSettings.supportKey(state.store.recordings, environment: environment)?.fingerprintText
    }
    #expect(try key([:]) == set.fingerprintText)
    #expect(try key(["METERHOST_SUPPORT_KEY": file]) == named.fingerprintText)
    #expect(throws: RecordingError.self) { try key(["METERHOST_SUPPORT_KEY": "/nowhere"]) }
    try RecordingSettings.set(nil, in: state.store.recordings)
    #expect(try key([:]) == nil)
  }

  @Test func aVerdictIsFoundByName() async throws {
    let state = try RecordingState()
    let (recorder, bundle) = try await state.recorder()
    recorder.refuseOutput(DriverFault(.brokeRule, driver: "recorded", rule: "R12", message: "cannot be"))
    let entry = try RecordingState.entry
    let name = try RecordingWriter(store: state.store).write(
      recorder, bundle: bundle, driver: entry, opening: RecordingBench.opening,
      generation: try state.store.currentSession().generation, knowsDate: true)
    // The head names the entry's driver, which the bundle does not hold.
    let reader = RecordingReader(state: state.url.path)
    let error = await #expect(throws: RecordingError.self) {
      try await RecordingReplay(host: DriverHost()).verdict(of: name, in: reader, bundle: bundle)
    }
    #expect(error?.code == .unavailable)
    let missing = await #expect(throws: RecordingError.self) {
      try await RecordingReplay(host: DriverHost()).verdict(of: "nothing", in: reader, bundle: bundle)
    }
    #expect(missing?.code == .unknown)
  }

  @Test func recordingsGoWithTheirSessionUnlessTheyAreKept() async throws {
    let state = try RecordingState()
    _ = try state.store.startSession(SessionUser(userID: "ada", organizationID: "clinic"), token: AccessToken("t"))
    let (kept, other) = (try await state.write(), try await state.write())
    #expect(state.store.recordings.keep(kept))
    #expect(state.store.recordings.keep(kept), "twice is harmless")
    #expect(!state.store.recordings.keep("nobody"))
    #expect(Set(state.names) == [kept, other])
    try state.store.endSession()
    #expect(state.names == [kept])
    #expect(state.store.recordings.remove(kept))
    #expect(!state.store.recordings.remove(kept))
    #expect(state.names.isEmpty)
  }

  @Test func aRecordingOfASessionThatHasEndedIsNotWritten() async throws {
    let state = try RecordingState()
    _ = try state.store.startSession(SessionUser(userID: "ada", organizationID: "clinic"), token: AccessToken("t"))
    let generation = try state.store.currentSession().generation
    try state.store.endSession()
    let (recorder, bundle) = try await state.recorder()
    let error = #expect(throws: StoreError.self) {
      try RecordingWriter(store: state.store).write(
        recorder, bundle: bundle, driver: RecordingState.entry, opening: RecordingBench.opening,
        generation: generation, knowsDate: true)
    }
    #expect(error?.code == .staleGeneration)
    #expect(state.names.isEmpty)
  }

  @Test func numberAndAgeAreLimited() async throws {
    let state = try RecordingState()
    var settings = RecordingSettings()
    settings.number = 3
    try settings.write(to: state.store.recordings)
    #expect(RecordingSettings(state.store.recordings) == settings)
    var names: [String] = []
    for _ in 0..<5 { names.append(try await state.write()) }
    #expect(state.names.count == 3)
    #expect(state.names.contains(try #require(names.last)))
    let writer = RecordingWriter(store: state.store)
    writer.tend(now: MeterStore.wallClockMicroseconds + 29 * 86_400_000_000)
    #expect(state.names.count == 3)
    writer.tend(now: nil)
    #expect(state.names.count == 3)
    writer.tend(now: MeterStore.wallClockMicroseconds + 31 * 86_400_000_000)
    #expect(state.names.isEmpty)
  }

  private static let day: Int64 = 86_400_000_000
  private static let base: Int64 = 1_700_000_000_000_000

  private func entry(
    _ time: Int64, _ meter: UInt8, size: Int = 10, modified: Int64 = 0, named name: String? = nil
  ) throws -> RecordingEntry {
    let hash = try #require(BundleHash(bytes: [UInt8](repeating: 3, count: 32)))
    let head = RecordingHead(
      id: [UInt8](repeating: 0, count: 16), origin: .session, createdMicroseconds: time, driver: "d",
      driverVersion: "1.0.0", bundleName: "l", bundleHash: hash, contract: .host, hostVersion: "0", peripheral: 1,
      meterTag: [meter], end: .fault, fault: "crashed", events: 0, isTruncated: false)
    let file = RecordingFile(
      name: name ?? "\(meter)-\(time &- Self.base)", path: "", size: size, isKept: false,
      modifiedMicroseconds: modified)
    return RecordingEntry(file: file, head: head)
  }

  @Test func theNewestOfEachMeterGoesLast() throws {
    func entry(_ time: Int64, _ meter: UInt8, size: Int = 10) throws -> RecordingEntry {
      try self.entry(Self.base + time, meter, size: size)
    }
    var settings = RecordingSettings()
    let entries = try [entry(1, 1), entry(2, 2), entry(3, 2), entry(4, 2)]
    func surplus(_ more: [RecordingEntry] = [], keeping name: String? = nil) -> [String] {
      RecordingRetention(settings).surplus(of: (entries + more).shuffled(), keeping: name, now: nil)
    }
    #expect(surplus().isEmpty)
    settings.number = 3
    #expect(surplus() == ["2-2"])
    settings.number = 2
    #expect(surplus() == ["2-2", "2-3"])
    // The one that was just written is the newest of its meter: the one before it is nothing special any more.
    let new = try entry(5, 2)
    #expect(surplus([new], keeping: "2-5") == ["2-2", "2-3", "2-4"])
    settings.number = 1
    #expect(surplus() == ["2-2", "2-3", "1-1"])
    #expect(surplus([new], keeping: "2-5") == ["2-2", "2-3", "2-4", "1-1"])
    settings.number = 100
    settings.megabytes = 1
    let large = try [entry(1, 1, size: 600 << 10), entry(2, 2, size: 600 << 10), entry(3, 2, size: 300 << 10)]
    #expect(RecordingRetention(settings).surplus(of: large, now: nil) == ["2-2"])
    let more = try large + [entry(4, 3, size: 800 << 10)]
    #expect(RecordingRetention(settings).surplus(of: more, keeping: "3-4", now: nil) == ["2-2", "1-1", "2-3"])
  }

  @Test(arguments: [Int64.min, .min + 1, -1, 0, 1, 300_000_000, .max - 1, .max])
  func aDateThatCannotBeIsNone(time: Int64) throws {
    let now = Self.base + 400 * Self.day
    for modified in [Int64.min, 0, 7, now + 2 * Self.day, .max] {
      let undated = try entry(time, 1, modified: modified)
      #expect(undated.date(now: now) == nil && undated.date(now: nil) != time)
      #expect(undated.order(now: now) > now)
      #expect(RecordingRetention(RecordingSettings()).surplus(of: [undated], now: now).isEmpty)
    }
    // Seen by a host that knew the date: from then on it ages.
    let seen = try entry(time, 1, modified: now - 31 * Self.day, named: "seen")
    #expect(RecordingRetention(RecordingSettings()).surplus(of: [seen], now: now) == ["seen"])
    #expect(RecordingRetention(RecordingSettings()).surplus(of: [seen], now: nil).isEmpty)
  }

  @Test func changedHeadsNeverStopRetention() async throws {
    let state = try RecordingState()
    let name = try await state.write()
    let path = try #require(state.store.recordings.file(name)).path
    let whole = try #require(FileManager.default.contents(atPath: path))
    for index in 0..<min(400, whole.count) {
      for byte in [0, 0x7F, 0xFF] as [UInt8] {
        var changed = whole
        changed[changed.startIndex + index] = byte
        try changed.write(to: URL(filePath: path))
        RecordingWriter(store: state.store).tend(now: MeterStore.wallClockMicroseconds)
      }
    }
  }

  @Test func whatWasWrittenWithoutADateAgesFromWhenItIsKnown() async throws {
    let state = try RecordingState()
    let (recorder, bundle) = try await state.recorder()
    func write() throws -> String {
      try RecordingWriter(store: state.store).write(
        recorder, bundle: bundle, driver: RecordingState.entry, opening: RecordingBench.opening,
        generation: state.store.currentSession().generation, knowsDate: false)
    }
    let names = [try write(), try write()]
    #expect(Set(state.names) == Set(names))
    let entries = state.store.recordings.files.map { RecordingEntry($0) }
    #expect(entries.allSatisfy { $0.head?.createdMicroseconds == 0 && $0.date(now: nil) == nil })
    let (writer, now) = (RecordingWriter(store: state.store), MeterStore.wallClockMicroseconds)
    for days in [0, 1, 29] as [Int64] {
      writer.tend(now: now + days * Self.day)
      #expect(state.names.count == 2)
    }
    writer.tend(now: now + 31 * Self.day)
    #expect(state.names.isEmpty)
  }

  @Test func onlyWhatIsRuinedIsRemovedUnread() async throws {
    let state = try RecordingState()
    let folder = state.store.recordings
    let (newer, ruined) = (try await state.write(), try await state.write())
    let path = try #require(folder.file(newer)).path
    var bytes = try #require(FileManager.default.contents(atPath: path))
    bytes[bytes.startIndex + SealedRecording.mark.count] = 99
    try bytes.write(to: URL(filePath: path))
    try Data("no recording".utf8).write(to: URL(filePath: try #require(folder.file(ruined)).path))
    RecordingWriter(store: state.store).tend(now: MeterStore.wallClockMicroseconds + 300 * Self.day)
    #expect(state.names == [newer])
    let file = RecordingFile(name: "a", path: "/nowhere", size: 10, isKept: false)
    let unread = RecordingEntry(file)
    #expect(unread.problem == .file)
    #expect(RecordingRetention(RecordingSettings()).surplus(of: [unread], now: Int64.max / 4).isEmpty)
  }

  @Test func whatIsKeptMeanwhileIsNoSurplus() async throws {
    let state = try RecordingState()
    let name = try await state.write()
    #expect(state.store.recordings.keep(name))
    state.store.recordings.removeSurplus(name)
    #expect(state.names == [name])
  }

  @Test(arguments: ["", ".", "..", "../x", "a/b", "-x", ".x", "ä", "a b", String(repeating: "a", count: 129)])
  func namesThatCouldLeaveTheFolderAreRefused(name: String) throws {
    let state = try RecordingState()
    #expect(!RecordingFolder.isName(name))
    #expect(state.store.recordings.file(name) == nil && !state.store.recordings.remove(name))
    #expect(throws: StoreError.self) {
      try state.store.writeRecording([1], name: name, generation: state.store.currentSession().generation)
    }
  }
}
