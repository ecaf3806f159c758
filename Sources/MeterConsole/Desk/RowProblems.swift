/// Texts that make no reading.
struct RowProblems: Error {
  let problems: [RowProblem]
}
