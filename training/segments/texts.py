"""What displays show: readings of meters, words, and what no meter shows."""

WORDS = ["Lo", "Hi", "HI", "LO", "Err", "Er", "E", "Er1", "E-1", "Er-3", "E3", "E-5", "E11", "Er12", "---", "--", "-.-",
         "---.-", "Lo-", "L0", "H1"]
# Signs that the network need not know.
STRANGE = ["C", "F", "P", "A", "n", "d", "U", "t", "u", "h", "c", "y"]
STRANGE_GLYPHS = {"C": "adef", "F": "aefg", "P": "abefg", "A": "abcefg", "n": "ceg", "d": "bcdeg", "U": "bcdef",
                  "t": "defg", "u": "cde", "h": "cefg", "c": "deg", "y": "bcdfg", "I": "bc", "O": "abcdef", "l": "bc"}


def reading(r):
    """A text as the value of some display."""
    k = r.random()
    if k < .30:
        return str(r.randint(20, 399))
    if k < .40:
        return str(r.randint(0, 99))
    if k < .60:
        return f"{r.randint(0, 399)}.{r.randint(0, 9)}"
    if k < .70:
        return f"{r.randint(0, 99)}.{r.randint(0, 99):02d}"
    if k < .78:
        return f"{r.randint(0, 39)}.{r.randint(0, 9999):0{r.choice([3, 4])}d}"
    if k < .97:
        return "".join(r.choice("0123456789") for _ in range(r.randint(1, 7)))
    return "-" + str(r.randint(1, 99))


def text(r):
    """Any text of a display: mostly readings, some words, strange signs, nothing at all."""
    k = r.random()
    if k < .025:
        return ""
    if k < .075:
        return r.choice(WORDS)
    if k < .10:
        word = [r.choice("0123456789") for _ in range(r.randint(1, 4))]
        word[r.randrange(len(word))] = r.choice(STRANGE)
        return "".join(word)
    if k < .115:
        return f"{r.randint(0, 23)}:{r.randint(0, 59):02d}"
    s = reading(r)
    if r.random() < .04:
        s = s.zfill(r.randint(4, 6))
    return s
