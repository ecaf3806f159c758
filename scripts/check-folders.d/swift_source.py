"""What a Swift file declares and which names it uses, as far as its words tell; nothing is compiled."""
import collections
import re

# kind: type, member, case, function or initializer. scope: the type in whose braces it is, as A.B. is_extension: those of an
# extension. is_hidden: private, or inside a function.
Declaration = collections.namedtuple("Declaration", "kind name scope is_extension line is_hidden")
# before: the name in front of a dot; None without a dot, "" when it is not a name. next: the word or sign behind it.
Use = collections.namedtuple("Use", "name line before scope next label")

OPENING = re.compile(r'//|/\*|#*"""|#*"|#/|(?<=[=(,:] )/(?=[^\s/*])|(?<=[(])/(?=[^\s/*])')
WITHIN = re.compile(OPENING.pattern + "|[()]")
COMMENT_EDGE = re.compile(r"/\*|\*/")
WORD = re.compile(r"`?[^\W\d]\w*`?|\n|\d[\w.]*|[^\s\w]")
TYPES = {"struct", "class", "enum", "actor", "protocol", "typealias"}


def without_text(source):
    """The source with blanks for comments and a quote and blanks for literals, lines kept. Code inside a literal's \\( )
    stays."""
    parts = []

    def hide(start, end, first=" "):
        parts.append(first + re.sub(r"[^\n]", " ", source[start + 1:end]))
        return end

    def literal(start, opening):
        hashes = opening.count("#")
        quote = opening.replace("#", "")
        close, escape = quote + "#" * hashes, "\\" + "#" * hashes
        # A literal of one line that is not closed ends with it.
        step = re.compile(rf"{re.escape(escape)}\(|{re.escape(escape)}[^(]|{re.escape(close)}" + ("|\n" if len(quote) == 1 else ""))
        at = start + len(opening)
        while match := step.search(source, at):
            at = match.end()
            if match.group() in (close, "\n"):
                return hide(start, at, '"')
            if match.group().endswith("(") and quote != "/":
                hide(start, at, '"')
                start = at = code(at, True)
        return hide(start, len(source), '"')

    def comment(start):
        depth = 0
        for edge in COMMENT_EDGE.finditer(source, start):
            depth += 1 if edge.group() == "/*" else -1
            if depth == 0:
                return hide(start, edge.end())
        return hide(start, len(source))

    def code(at, is_within):
        depth = 0
        while match := (WITHIN if is_within else OPENING).search(source, at):
            found, start = match.group(), match.start()
            parts.append(source[at:start])
            if found == "//":
                end = source.find("\n", start)
                at = hide(start, end if end >= 0 else len(source))
            elif found == "/*":
                at = comment(start)
            elif found == "(":
                depth += 1
                parts.append(found)
                at = match.end()
            elif found == ")":
                at = match.end()
                if depth == 0:
                    parts.append(" ")
                    return at
                depth -= 1
                parts.append(found)
            else:
                at = literal(start, found)
        parts.append(source[at:])
        return len(source)

    code(0, False)
    return "".join(parts)


def is_name(word):
    return word[:1].isalpha() or word[:1] == "_"


class SwiftFile:
    """declarations and uses of a file, in the order in which they stand."""

    def __init__(self, source):
        self.declarations, self.uses = [], []
        words, line = [], 1
        for word in WORD.findall(without_text(source)):
            if word == "\n":
                line += 1
            else:
                words.append((word.strip("`"), line))
        # Room to look ahead and back.
        self.words = [("", 0)] * 3 + words + [("", 0)] * 4
        # What the open braces belong to: (type, extension or body, name, whether it is private).
        self.scopes = []
        self.walk()

    def walk(self):
        at, end = 3, len(self.words) - 4
        # The type whose brace comes next, and how many parentheses are open around it.
        waiting, open_parentheses, is_private = None, 0, False
        while at < end:
            word, following = self.words[at][0], self.words[at + 1][0]
            is_member = self.words[at - 1][0] == "."
            names = is_name(following) and not is_member
            if word == "{":
                is_type = waiting and waiting[3] == open_parentheses
                self.scopes.append(waiting[:3] if is_type else ("body", "", True))
                waiting = None if is_type else waiting
                is_private = False
            elif word == "}":
                if self.scopes:
                    self.scopes.pop()
                is_private = False
            elif word in "([":
                open_parentheses += 1
            elif word in ")]":
                open_parentheses -= 1
            elif word in ("private", "fileprivate"):
                is_private = following != "("
            elif word in TYPES and names and following not in ("func", "var", "let"):
                self.declare("type", at + 1, is_private)
                if word != "typealias":
                    waiting = ("type", following, is_private, open_parentheses)
                is_private = False
                at += 1
            elif word == "extension" and names:
                waiting = ("extension", self.dotted(at + 1), is_private, open_parentheses)
                is_private = False
            elif word in ("func", "let", "var") and names and (word == "func" or open_parentheses == 0):
                self.declare("member" if self.scopes else "function", at + 1, is_private)
                is_private = False
                at += 1
            elif word == "init" and following == "(" and not is_member:
                self.declare("initializer", at + 2, is_private)
                is_private = False
            elif word == "case" and self.scopes and self.scopes[-1][0] != "body" and open_parentheses == 0:
                at = self.cases(at + 1)
                continue
            elif is_name(word):
                self.use(at)
            at += 1

    def dotted(self, at):
        name = self.words[at][0]
        while self.words[at + 1][0] == "." and is_name(self.words[at + 2][0]):
            at += 2
            name += "." + self.words[at][0]
        return name

    def scope(self):
        return ".".join(scope[1] for scope in self.scopes if scope[0] != "body")

    def declare(self, kind, at, is_private):
        name, line = self.words[at]
        is_hidden = is_private or any(scope[2] for scope in self.scopes)
        is_extension = any(scope[0] == "extension" for scope in self.scopes)
        self.declarations.append(Declaration(kind, name, self.scope(), is_extension, line, is_hidden))

    def use(self, at):
        name, line = self.words[at]
        dot, front = self.words[at - 1][0], self.words[at - 2][0]
        before = None if dot != "." else front if is_name(front) else ""
        following = self.words[at + 1][0]
        label = self.words[at + 2][0] if following == "(" and self.words[at + 3][0] == ":" else ""
        self.uses.append(Use(name, line, before, self.scope(), following, label))

    def cases(self, at):
        """The cases behind a `case` of an enum; what they carry is used. Returns the place behind them."""
        while True:
            self.declare("case", at, False)
            at += 1
            if self.words[at][0] == "(":
                depth = 0
                while self.words[at][0]:
                    word = self.words[at][0]
                    depth += (word in "([") - (word in ")]")
                    if is_name(word):
                        self.use(at)
                    at += 1
                    if depth == 0:
                        break
            if self.words[at][0] == "=":
                at += 2 if self.words[at + 1][0] != "-" else 3
            if self.words[at][0] != ",":
                return at
            at += 1
