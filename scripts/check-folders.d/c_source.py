"""What C and C++ files define for each other, and which of it they use, as far as their words tell."""
import collections
import re

from uses import Reference

TEXT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|^[ \t]*#(?:\\\n|[^\n])*', re.M | re.S)
WORD = re.compile(r"[^\W\d]\w*|\n|\d[\w.]*|[^\s\w]")
OPEN = re.compile(r"\b(?:namespace(?:\s+[\w:]+)?|extern)\s*$")
NO_NAMES = {"if", "for", "while", "switch", "return", "sizeof", "do", "else", "operator"}
NO_TYPES = {"return", "case", "goto", "else", "do", "sizeof", "in"}


def is_name(word):
    return word[:1].isalpha() or word[:1] == "_"


def without_text(source):
    return TEXT.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), source)


class CFile:
    """defined: names that other files may use, and their lines. own: static names. called, named: names in bodies and initial
    values, with and without arguments. local: what is declared in bodies."""

    def __init__(self, source):
        self.defined, self.own, self.called, self.named, self.local = {}, set(), [], [], set()
        # The words of the statement at the top level, and what each open brace is: "open" (a namespace) or "closed".
        statement, braces, line, before = [], [], 1, ""
        words = WORD.findall(without_text(source)) + [""]
        for at, word in enumerate(words[:-1]):
            if word == "\n":
                line += 1
                continue
            last, before = before, word
            is_top = "closed" not in braces
            if word == "{":
                said = [each for each, _ in statement]
                if is_top and OPEN.search(" ".join(said)):
                    braces.append("open" if said[-1:] != ["namespace"] else "closed")
                else:
                    if is_top:
                        self.define(statement)
                    braces.append("closed")
                if braces[-1] == "open":
                    statement = []
            elif word == "}":
                if braces:
                    braces.pop()
                if "closed" not in braces:
                    statement = []
            elif is_top:
                if word == ";":
                    statement = []
                else:
                    statement.append((word, line))
            elif is_name(word):
                if words[at + 1] == "(":
                    self.called.append((word, line))
                elif is_name(last) and last not in NO_TYPES:
                    self.local.add(word)
                else:
                    self.named.append((word, line))

    def define(self, statement):
        """A function, or a variable with a value in braces, of the top level."""
        words = [word for word, _ in statement]
        if not words or words[0] in ("typedef", "struct", "enum", "union", "class") and "(" not in words and "=" not in words:
            return
        # The name is in front of the parameters, of the dimensions or of the value.
        end = next((at for at, word in enumerate(words) if word in ("(", "[", "=")), len(words))
        name, line = statement[end - 1] if end else ("", 0)
        if name in NO_NAMES or not is_name(name):
            return
        if "static" in words[:end]:
            self.own.add(name)
        else:
            self.defined[name] = line


def references(files):
    """files: CFile by path."""
    places = collections.defaultdict(list)
    for path, file in files.items():
        for name, line in file.defined.items():
            places[name].append((path, line))
    for path, file in files.items():
        uses = file.called + [use for use in file.named if use[0] not in file.local]
        for name, line in sorted(uses, key=lambda use: use[1]):
            found = places.get(name, [])
            if len(found) == 1 and found[0][0] != path and name not in file.own:
                yield Reference(name, path, line, *found[0])
