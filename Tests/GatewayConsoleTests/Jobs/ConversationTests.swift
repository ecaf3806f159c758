import GatewayAPI
import HostPrimitives
import Testing

@testable import GatewayConsole

/// What goes on between requests, and its questions.
@Suite("Conversations of the console", .timeLimit(.minutes(60))) struct ConversationTests {
  private static let question = QuestionDescription(
    id: 1, kind: "choice", prompt: "Which user of the meter?", choices: ["1", "2"], secret: false, least: 1, greatest: 1
  )

  private func asking(_ conversation: Conversation) async -> (name: String, answer: Task<String?, Never>) {
    let answer = Task { await conversation.ask(Self.question) }
    while true {
      if let name = conversation.shown.questionName { return (name, answer) }
      await Task.yield()
    }
  }

  @Test func anAnswerToAnEarlierConversationsQuestionIsNotTaken() async {
    let (earlier, now) = (Conversation(title: "Pair one"), Conversation(title: "Pair another"))
    let (old, refused) = await asking(earlier)
    let (name, answer) = await asking(now)
    earlier.finish(.done("over"))
    #expect(await refused.value == nil)
    #expect(old != name)
    #expect(!now.answer(old, "2") && !now.answer("1", "2") && !earlier.answer(old, "2"))
    #expect(now.answer(name, "1"))
    #expect(await answer.value == "1")
    #expect(!now.answer(name, "2"))
  }
}
