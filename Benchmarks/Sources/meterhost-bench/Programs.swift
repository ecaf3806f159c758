import Foundation

/// Runs a program to its end and gives what it wrote.
func output(of program: String, _ arguments: [String], input: String = "") throws -> String {
  let process = Process()
  let (reading, writing) = (Pipe(), Pipe())
  process.executableURL = URL(fileURLWithPath: program)
  process.arguments = arguments
  process.standardInput = writing
  process.standardOutput = reading
  try process.run()
  writing.fileHandleForWriting.write(Data(input.utf8))
  try writing.fileHandleForWriting.close()
  let written = try reading.fileHandleForReading.readToEnd() ?? Data()
  process.waitUntilExit()
  guard process.terminationStatus == 0 else {
    throw BenchmarkError("\(program) ended with status \(process.terminationStatus)")
  }
  return String(decoding: written, as: UTF8.self)
}
