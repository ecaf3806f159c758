public import BluetoothWire

extension RadioSchedule {
  /// An adapter, as the surroundings name it.
  public struct AdapterID: Hashable, Sendable {
    /// The kernel's index, or any number that stays the adapter's as long as it is there.
    public let rawValue: UInt64
    /// The adapter of this number.
    public init(_ rawValue: UInt64) { self.rawValue = rawValue }
  }

  /// A demand, as its owner names it; a number is not used again for another one.
  public struct DemandID: Hashable, Sendable {
    /// The number.
    public let rawValue: UInt64
    /// The demand of this number.
    public init(_ rawValue: UInt64) { self.rawValue = rawValue }
  }

  /// A piece of work that the schedule has started.
  public struct WorkID: Hashable, Sendable {
    /// Counted from 1 in the order of starts.
    public let rawValue: UInt64
    /// The work of this number.
    public init(_ rawValue: UInt64) { self.rawValue = rawValue }
  }

  /// What an adapter can do.
  public struct Adapter: Sendable, Hashable {
    /// Which one.
    public var id: AdapterID
    /// Links that it holds at the same time.
    public var slots: Int
    /// Whether its radio is on.
    public var isPowered: Bool
    /// Whether it goes on listening while it makes a connection; if not it is told to pause.
    public var hearsWhileConnecting: Bool

    /// An adapter; one of which nothing else is known is on and pauses its listening to connect.
    public init(id: AdapterID, slots: Int, isPowered: Bool = true, hearsWhileConnecting: Bool = false) {
      self.id = id
      self.slots = slots
      self.isPowered = isPowered
      self.hearsWhileConnecting = hearsWhileConnecting
    }
  }

  /// What an interactive demand does with the one meter that it ends with.
  public enum Purpose: Sendable, Hashable {
    /// Read it. A passive read of the same meter that is under way serves as well, unless the demand says otherwise.
    case read
    /// Pair with it. A passive read does not serve, it is stopped.
    case pair
  }

  /// Something that needs the radio.
  public struct Demand: Sendable, Hashable {
    /// Who waits: a person for one meter, passive reading for every meter that comes, or a scan for what is in the air.
    public enum Kind: Sendable, Hashable {
      /// One person waits for one meter.
      ///
      /// - Parameters:
      ///   - deadline: When the meter must have been heard.
      ///   - running: Passive work that reads a meter which this demand wants, too.
      ///   - sharesRunning: Whether such work serves a read; if not it is stopped, as for a pairing: passive reading does not
      ///     bring what this one asks for.
      case interactive(Purpose, deadline: Duration, running: Set<WorkID> = [], sharesRunning: Bool = true)
      /// Reads every meter that fits whenever it advertises, until the demand is withdrawn.
      ///
      /// - Parameter holdOff: How long a meter that was read must not be heard before it is read again; nil takes the
      ///   policy's, and more than ``Policy/longestHoldOff`` counts as that.
      case passive(holdOff: Duration? = nil)
      /// Needs the adapters to listen, nothing else.
      case listening
    }

    /// Which one.
    public var id: DemandID
    /// Who waits, and for what.
    public var kind: Kind

    /// A demand under a number that its owner has not used before.
    public init(id: DemandID, _ kind: Kind) {
      self.id = id
      self.kind = kind
    }
  }

  /// How a meter can be reached, by what was heard.
  public enum Reach: Sendable, Hashable {
    /// It accepts a connection now.
    case connectable
    /// It is there and accepts none now.
    case notConnectable
    /// Its readings are in its advertisements: it needs no link.
    case advertisements
  }

  /// A meter that was heard, and which demands it fits.
  public struct Hearing: Sendable, Hashable {
    /// Who.
    public var meter: BluetoothAddress
    /// Which adapter heard it.
    public var adapter: AdapterID
    /// Signal strength in dBm; 127 when it is not known (Core Vol 4 Part E 7.7.65.2).
    public var rssi: Int8
    /// How it can be reached.
    public var reach: Reach
    /// The demands that want it, the most specific one first.
    public var fits: [DemandID]
    /// Of a meter that only advertises: it shows something else than when its last work ended.
    public var isNews: Bool
    /// Whether this gateway knows the meter. One that it does not know waits behind those that it does, and gets a share of the
    /// radio's time: see ``Policy/strangersShare``.
    public var isKnown: Bool

    /// A meter that was heard.
    public init(
      meter: BluetoothAddress, adapter: AdapterID, rssi: Int8 = 127, reach: Reach = .connectable, fits: [DemandID],
      isNews: Bool = false, isKnown: Bool = true
    ) {
      self.meter = meter
      self.adapter = adapter
      self.rssi = rssi
      self.reach = reach
      self.fits = fits
      self.isNews = isNews
      self.isKnown = isKnown
    }
  }

  /// What carries a piece of work.
  public enum Medium: Sendable, Hashable {
    /// A link: it takes one of the adapter's slots.
    case link
    /// The meter's advertisements.
    case advertisements
  }

  /// One meter, one demand, one adapter: what the surroundings carry out.
  public struct Work: Sendable, Hashable {
    /// Which one.
    public let id: WorkID
    /// The demand that it serves.
    public let demand: DemandID
    /// Whom to connect to, or whose advertisements to take.
    public let meter: BluetoothAddress
    /// Which of the machine's controllers carries it out.
    public let adapter: AdapterID
    /// Link or advertisements.
    public let medium: Medium
    /// When the attempt to connect must have come to an end.
    public let connectBy: Duration
    /// Whether the meter is read again though it has advertised all the time since it was read.
    public let isReread: Bool
    /// Whether nobody knows the meter and no person waits for it: it may be anybody's, and gets little time.
    public let isStranger: Bool
  }

  /// What a work failed with, as far as it matters for the next attempt.
  public enum Failure: Sendable, Hashable, CaseIterable {
    /// No link came about.
    case connection
    /// The link was there, and the meter did not do its part.
    case communication
    /// The driver crashed, broke a rule or could not be opened.
    case driver
    /// The meter wants a bond: it waits for a person.
    case notPaired
    /// A key, a licence or an approval is missing or wrong: it waits for a person.
    case keyMissing
    /// It is not the peripheral that the demand means, by its own Device Information.
    case otherMeter
    /// The adapter went away or was switched off.
    case adapterLost
  }

  /// How a work has ended.
  public enum Ending: Sendable, Hashable {
    /// It brought records that were not known, or it has paired.
    case readNew
    /// It read the meter, and nothing was new.
    case nothingNew
    /// It came to nothing.
    case failed(Failure)
    /// It ended before it was done: it was asked to, or gave up by itself.
    case stopped
  }

  /// What is known of a meter that was read, for the time after.
  public struct Courtesy: Sendable, Hashable {
    /// How long it must not be heard before it is read again; a person has set it. Nil: what the demand says.
    public var holdOff: Duration?
    /// After how long it is read again at the earliest while it goes on advertising; nil: never.
    public var readAgain: Duration?
    /// Whether what it has brought is known for what it is when it comes again, so that reading it again doubles nothing.
    public var isKnownAgain: Bool

    /// From its parts.
    public init(holdOff: Duration? = nil, readAgain: Duration? = nil, isKnownAgain: Bool = false) {
      (self.holdOff, self.readAgain, self.isKnownAgain) = (holdOff, readAgain, isKnownAgain)
    }
  }

  /// Something that has happened.
  public enum Input: Sendable, Hashable {
    /// An adapter is there, or has changed.
    case adapter(Adapter)
    /// An adapter is gone. What ran on it still has to be reported as ended.
    case adapterGone(AdapterID)
    /// The adapter has really begun or ceased to listen; until the first such report it does not.
    case listening(AdapterID, Bool)
    /// There is a new demand, or a passive one has changed: what waited for a person is tried again.
    case demand(Demand)
    /// The demand is over; its work is stopped.
    case withdraw(DemandID)
    /// A meter was heard.
    case heard(Hearing)
    /// The link of a work is up.
    case connected(WorkID)
    /// When the meter of a work may be read again, in place of what its demand and the policy say.
    case courtesy(WorkID, Courtesy)
    /// A work is over, and with it its link.
    case ended(WorkID, Ending)
    /// A meter that only advertises was read outside all works: it rests as after one of its own.
    ///
    /// - Parameter holdOff: What a person has set for it; nil takes the demand's.
    case served(BluetoothAddress, Ending, holdOff: Duration?)
    /// A person has done something about this meter: earlier failures of it do not count any more.
    case forgive(BluetoothAddress)
    /// Nothing has happened but time.
    case tick
  }

  /// What the surroundings have to do, in this order.
  public enum Command: Sendable, Hashable {
    /// Listen with this adapter, or cease to, and keep it so; report what is with ``Input/listening(_:_:)``.
    case listen(AdapterID, Bool)
    /// Begin this work; answer with ``Input/connected(_:)`` if it needs a link, and with ``Input/ended(_:_:)``.
    case start(Work)
    /// End this work at the next safe point: after the commit of what has arrived.
    case stop(WorkID)
    /// This passive work reads the meter that the person wants: hand its records to the demand, too. If it brings any,
    /// ``finished(_:)`` follows.
    case handOver(WorkID, to: DemandID)
    /// An interactive demand has its meter, or has failed with it, and is over.
    case finished(DemandID)
    /// The deadline of an interactive demand has passed and no meter is there for it; it is over. If an attempt was
    /// made before, its failure is the better message.
    case expired(DemandID)
    /// Another interactive demand is under way: this one was not taken.
    case busy(DemandID)
  }
}
