"""The targets of a package, in the order in which Package.swift declares them, and what their files import."""
import json
import os
import re
import subprocess
import sys

from swift_source import without_text

IMPORT = re.compile(
    r"^[ \t]*(?:@\w+(?:\([^)\n]*\))?\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?"
    r"import\s+(?:(?:struct|class|enum|protocol|typealias|func|let|var|actor)\s+)?([A-Za-z_]\w*)", re.M)
# Of the compiler and the system.
SYSTEM = {
    "Swift", "Foundation", "FoundationEssentials", "FoundationNetworking", "FoundationXML", "Glibc", "Dispatch",
    "Synchronization", "Testing",
}
# Modules that come with a product, by product.
PARTS = {
    "Hummingbird": {"HummingbirdCore", "HTTPTypes", "NIOCore", "NIOHTTP1", "NIOHTTPTypes", "NIOHTTPTypesHTTP1", "NIOPosix"},
    "NIOSSL": {"NIOCore"},
}
# What a target depends on for these files alone; its others import what lies below.
KEPT = {
    # A running host is asked by values. The command holds an engine only where it is the owner itself, or reads what needs none.
    ("meterhost", "GatewayEngine"): {
        "Sources/meterhost/Owner/LocalCatalogue.swift",
        "Sources/meterhost/Owner/LocalDesk.swift",
        "Sources/meterhost/Owner/LocalOwner.swift",
        "Sources/meterhost/Owner/LocalPlaces.swift",
    },
}
SUFFIXES = (".swift", ".c", ".cpp")


class Target:
    def __init__(self, root, description):
        self.name = description["name"]
        self.kind = description["type"]
        home = "Tests" if self.kind == "test" else "Sources"
        self.path = description.get("path") or f"{home}/{self.name}"
        self.dependencies = [next(iter(each.values()))[0] for each in description["dependencies"]]
        roots = description.get("sources") or ["."]
        excluded = [os.path.normpath(os.path.join(self.path, each)) for each in description.get("exclude", [])]
        self.files = []
        for each in roots:
            top = os.path.normpath(os.path.join(self.path, each))
            if os.path.isfile(os.path.join(root, top)):
                self.files.append(top)
            for folder, _, names in os.walk(os.path.join(root, top)):
                for name in names:
                    path = os.path.relpath(os.path.join(folder, name), root)
                    if path.endswith(SUFFIXES) and not any(f"{path}/".startswith(f"{out}/") for out in excluded):
                        self.files.append(path)
        self.files.sort()


def targets(root):
    """Reads the manifest; nothing is resolved or built. Programs that are built on request belong to it."""
    environment = dict(os.environ, METERHOST_BENCH="1", METERHOST_FUZZ="1")
    done = subprocess.run(
        ["swift", "package", "--package-path", root, "dump-package"], capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        sys.exit(f"check-folders: swift package dump-package failed:\n{done.stderr}")
    return [Target(root, each) for each in json.loads(done.stdout)["targets"]]


def reached(target, named):
    """Everything that a target depends on, with what that depends on."""
    found, left = set(), list(target.dependencies)
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left += named[name].dependencies if name in named else []
    return found


def upward(root, found):
    """(file, line, words) of every dependency and every import that leads upward, or to what is not declared. A target of
    Sources names what it imports, some of it for a few files alone; tests and drivers get what their dependencies have."""
    named = {target.name: target for target in found}
    place = {target.name: at for at, target in enumerate(found)}
    with open(os.path.join(root, "Package.swift"), encoding="utf-8") as file:
        manifest = file.read()
    for target in found:
        for name in target.dependencies:
            if place.get(name, -1) > place[target.name]:
                declared = re.search(rf'\("{re.escape(target.name)}"|name: "{re.escape(target.name)}"', manifest)
                line = manifest.count("\n", 0, declared.start()) + 1 if declared else 1
                yield "Package.swift", line, f"{target.name} depends on {name}, which is declared behind it and so lies above"
        all_below = reached(target, named)
        is_strict = target.path.startswith("Sources/")
        known = SYSTEM | {target.name} | (set(target.dependencies) if is_strict else all_below)
        for name in all_below:
            known |= PARTS.get(name, set())
        kept = {module: files for (name, module), files in KEPT.items() if name == target.name}
        for path in target.files:
            if path.endswith(".swift"):
                barred = {module: files for module, files in kept.items() if path not in files}
                yield from strange_imports(root, path, target.name, known - set(barred), place, barred)


def unused(root):
    """(file, module) of every file that may import what is kept to it, and does not."""
    for (_, module), files in KEPT.items():
        for path in sorted(files):
            try:
                with open(os.path.join(root, path), encoding="utf-8") as file:
                    names = {match.group(1) for match in IMPORT.finditer(without_text(file.read()))}
            except FileNotFoundError:
                names = set()
            if module not in names:
                yield path, module


def strange_imports(root, path, target, known, place, barred):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        source = file.read()
    if all(match.group(1) in known for match in IMPORT.finditer(source)):
        return
    for match in IMPORT.finditer(without_text(source)):
        name = match.group(1)
        if name not in known:
            line = source.count("\n", 0, match.start(1)) + 1
            if name in barred:
                reason = f"is kept to {', '.join(sorted(barred[name]))}"
            else:
                reason = "lies above it" if place.get(name, -1) > place[target] else "is no dependency of it"
            yield path, line, f"{target} imports {name}, which {reason}"
