#!/usr/bin/env python3
"""Writes a program's man pages from what its own help says: NAME.1, and one page for each subcommand (NAME-READ.1).

Usage: pages.py PROGRAM VERSION DATE FOLDER <HELP.json
  HELP.json is what `PROGRAM --experimental-dump-help` prints; DATE stands at the foot of each page."""
import json
import os
import re
import sys

HEADING = re.compile(r"[A-Z][A-Z ]+")


def text(words):
    """Words as roff reads them: nothing in them is a macro or an escape."""
    words = words.replace("\\", r"\e").replace("-", r"\-").replace("'", r"\(aq").replace("`", r"\(ga").replace("^", r"\(ha").replace("~", r"\(ti")
    return "\n".join(r"\&" + line if line[:1] in (".", "'") else line for line in words.split("\n"))


def synopsis_of(argument):
    """One argument as it is written on the command line."""
    value = rf"\fI{text(argument['valueName'])}\fR"
    if argument["kind"] == "positional":
        written = value
    else:
        written = rf"\fB{text(spelled(argument['preferredName']))}\fR" + (f" {value}" if argument["kind"] == "option" else "")
    if argument["isRepeating"]:
        written += " ..."
    return f"[{written}]" if argument["isOptional"] else written


def spelled(name):
    return ("--" if name["kind"] == "long" else "-") + name["name"]


def option(argument):
    """The entry of an argument: its spellings, and what it means."""
    value = rf"\fI{text(argument['valueName'])}\fR"
    if argument["kind"] == "positional":
        head = value
    else:
        head = ", ".join(rf"\fB{text(spelled(each))}\fR" for each in argument["names"])
        if argument["kind"] == "option":
            head += f" {value}"
    meaning = [text(argument.get("abstract", ""))]
    values = argument.get("allValues")
    if values and not all(each in argument.get("abstract", "") for each in values):
        meaning.append(f"One of {text(', '.join(values))}.")
    if "defaultValue" in argument:
        meaning.append(f"The default is {text(argument['defaultValue'])}.")
    return [".TP", head, "\n".join(part for part in meaning if part)]


def discussion(words):
    """What the help says at length: headings become sections, examples and tables stay as they are."""
    lines, block, paragraph = [], [], []

    def separator():
        return [] if not lines or lines[-1].startswith(".SH") else [".PP"]

    def flush():
        if paragraph:
            lines.extend(separator() + [text("\n".join(paragraph))])
        if block:
            lines.extend(separator() + [".nf", text("\n".join(block)), ".fi"])
        paragraph.clear()
        block.clear()

    for line in words.split("\n"):
        if HEADING.fullmatch(line):
            flush()
            lines.append(f".SH {line}")
        elif not line.strip():
            flush()
        elif line.startswith("  "):
            if paragraph:
                flush()
            block.append(line[2:])
        else:
            if block:
                flush()
            paragraph.append(line)
    flush()
    return lines


def page(path, command, parent, version, date):
    """A whole page."""
    name = "-".join(path)
    shown = [each for each in command.get("arguments", []) if each.get("shouldDisplay", True)]
    children = [each for each in command.get("subcommands", []) if each.get("shouldDisplay", True) and each["commandName"] != "help"]
    lines = [
        f'.TH "{text(name.upper())}" 1 "{date}" "{text(path[0])} {version}" "User Commands"',
        ".SH NAME", rf"{text(name)} \- {text(command.get('abstract', '').rstrip('.').split(chr(10))[0])}",
        ".SH SYNOPSIS", ".nh", ".ad l",
        rf"\fB{text(' '.join(path))}\fR " + ("[\\fIOPTION\\fR ...] \\fICOMMAND\\fR" if children else " ".join(synopsis_of(each) for each in shown)),
        ".ad b", ".hy",
    ]
    body = discussion(command.get("discussion", ""))
    if body and not body[0].startswith(".SH"):
        lines.append(".SH DESCRIPTION")
    sections = next((index for index, line in enumerate(body) if line.startswith(".SH")), len(body))
    lines += body[:sections]
    if children:
        lines.append(".SH COMMANDS")
        for child in children:
            lines += [".TP", rf"\fB{text(child['commandName'])}\fR", text(child.get("abstract", ""))
                      + f"\nSee \\fB{text(name)}\\-{text(child['commandName'])}\\fR(1)."]
    if shown:
        lines.append(".SH OPTIONS")
        for each in shown:
            lines += option(each)
    lines += body[sections:]
    related = ([parent] if parent else []) + ([path[0]] if parent and parent != path[0] else [])
    if related:
        lines += [".SH SEE ALSO", ", ".join(rf"\fB{text(each)}\fR(1)" for each in related)]
    return "\n".join(lines) + "\n"


def write(path, command, parent, version, date, folder):
    name = "-".join(path)
    with open(os.path.join(folder, f"{name}.1"), "w", encoding="utf-8") as file:
        file.write(page(path, command, parent, version, date))
    for child in command.get("subcommands", []):
        if child.get("shouldDisplay", True) and child["commandName"] != "help":
            write(path + [child["commandName"]], child, name, version, date, folder)


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    program, version, date, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    write([program], json.load(sys.stdin)["command"], None, version, date, folder)


main()
