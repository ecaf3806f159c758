// Which commands only look, and which go on without their output. A command that is not named here changes something.

extension PeripheralsCommand.List: LookingCommand {}
extension PeripheralsCommand.Show: LookingCommand {}
extension ScanCommand: LookingCommand {}
extension EventsCommand: LookingCommand {}
extension MetricsCommand: LookingCommand {}
extension CompletionsCommand: LookingCommand {}
extension LogCommand.Show: LookingCommand {}
extension LogCommand.Tail: LookingCommand {}
extension ConfigCommand.Check: LookingCommand {}
extension ConfigCommand.Show: LookingCommand {}
extension FeedbackCommand.Show: LookingCommand {}
extension PassiveCommand.Show: LookingCommand {}
extension MetersCommand.List: LookingCommand {}
extension KeyCommand.List: LookingCommand {}
extension SessionCommand.Show: LookingCommand {}
extension SessionCommand.Sink.List: LookingCommand {}
extension SinkCommand.Kinds: LookingCommand {}
extension SinkCommand.List: LookingCommand {}
extension SinkCommand.Show: LookingCommand {}
extension SinkCommand.Test: LookingCommand {}
extension HealthCommand.Subscribe.List: LookingCommand {}
extension HealthCommand.Sources.List: LookingCommand {}
extension HealthCommand.Report: LookingCommand {}
extension HealthCommand.Vanished.List: LookingCommand {}
extension HealthCommand.Watch.List: LookingCommand {}
extension HealthCommand.Ingest.Show: LookingCommand {}
extension HealthCommand.Ingest.Token.List: LookingCommand {}

extension BackupCommand.Show: LookingCommand {}
extension BackupCommand.Verify: LookingCommand {}

extension QueueCommand.List: LookingCommand {}
extension QueueCommand.Held: LookingCommand {}
extension QueueCommand.Dead: LookingCommand {}
extension QueueCommand.Show: LookingCommand {}
extension QueueCommand.Images: LookingCommand {}

extension SnapList: LookingCommand {}
extension SnapShow: LookingCommand {}
extension SnapCameras: LookingCommand {}

extension DriverCommand.List: LookingCommand {}
extension DriverCommand.Show: LookingCommand {}
extension DriverCommand.Why: LookingCommand {}
extension DriverCommand.Verify: LookingCommand {}
extension DriverCommand.Decode: LookingCommand {}
extension DriverCommand.Test: LookingCommand {}
extension DriverCommand.Replay: LookingCommand {}
extension DriverCommand.Key.Show: LookingCommand {}
extension DriverCommand.Trust.List: LookingCommand {}
extension DriverCommand.Source.List: LookingCommand {}
extension DriverCommand.Quarantine.List: LookingCommand {}
extension DriverCommand.Quarantine.Show: LookingCommand {}
extension DriverCommand.Recordings.List: LookingCommand {}
extension DriverCommand.Recordings.Show: LookingCommand {}

// With an option these change something.

extension DoctorCommand: LookingCommand {
  var onlyLooks: Bool { !repair && report == nil }
}

extension SessionCommand.Recover: LookingCommand {
  var onlyLooks: Bool { list }
}

extension QueueCommand.Limits: LookingCommand {
  var onlyLooks: Bool { records == nil && bytes == nil && age == nil }
}

extension DriverCommand.Recordings.Settings: LookingCommand {
  var onlyLooks: Bool { all == nil && days == nil && number == nil && megabytes == nil }
}

extension DriverCommand.Recordings.Support: LookingCommand {
  var onlyLooks: Bool { file == nil && !remove }
}

extension FHIRCommand.Export: LookingCommand {
  var onlyLooks: Bool { isShown }
}

extension HealthCommand.Import: LookingCommand {
  var onlyLooks: Bool { dryRun }
}

extension DriverCommand.Call: LookingCommand {
  var onlyLooks: Bool { describe || help }
}

// These end when their reader goes, as a person ends them: what they serve or play is nobody's reading, or is on disk.

extension ReceiveCommand: LookingCommand {}
extension FleetCommand: LookingCommand {}
extension DemoCommand: LookingCommand {}
extension MeterCommand.Run: LookingCommand {}
extension SnapView: LookingCommand {}
extension SnapBench: LookingCommand {}

// Readings and bonds matter more than who looks on.

extension RunCommand: OutlivingCommand {
  var isService: Bool { true }
}

extension ReadCommand: OutlivingCommand {}
extension PairCommand: OutlivingCommand {}
extension SnapRead: OutlivingCommand {}
