"""What docs/embed-the-library.md says to a client: a package that is written from its code, and the table of what each product needs.

Usage: page.py write PAGE FOLDER     lays the client out in FOLDER/client; beside it `address` and `version` of the dependency, `program`, the
                                     name of the executable, and `printed`, what it prints
       page.py table PAGE MANIFEST   compares the table with what `swift package dump-package` says"""
import json
import os
import re
import sys

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
MANIFEST = "// swift-tools-version:"
# What the sources of a target or a package include or link, by the name of the Debian package that has it.
SYSTEM = {
    "CBluetooth": "libbluetooth-dev",
    "CCrypto": "libssl-dev",
    "CCurl": "libcurl4-openssl-dev",
    "CFFI": "libffi-dev",
    "CInflate": "zlib1g-dev",
    "CPostgres": "libpq-dev",
    "CV4L": "libv4l-dev",
    "GRDB.swift": "libsqlite3-dev",
}
HEAD = ["| product | compiled with it | Debian packages |", "|---|---|---|"]


def fail(text):
    sys.exit(f"check-client: {text}")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def client(page, folder):
    blocks = BLOCK.findall(read(page))
    manifest = next((text for kind, text in blocks if kind == "swift" and text.startswith(MANIFEST)), None)
    if manifest is None:
        fail(f"{page} has no block of Swift that begins with {MANIFEST}")
    dependency = re.search(r'\.package\(\s*url: "([^"]+)", from: "([^"]+)"', manifest)
    if dependency is None:
        fail(f"the Package.swift of {page} depends on no version")
    source = next((at for at, (_, text) in enumerate(blocks) if re.match(r"// Sources/\w+/main\.swift\n", text)), None)
    if source is None or source + 1 == len(blocks) or blocks[source + 1][0] != "text":
        fail(f"{page} has no block that begins with // Sources/NAME/main.swift, and behind it one of text, which it prints")
    path = blocks[source][1].split("\n")[0].removeprefix("// ")
    write(f"{folder}/client/Package.swift", manifest)
    write(f"{folder}/client/{path}", blocks[source][1])
    write(f"{folder}/address", dependency[1])
    write(f"{folder}/version", dependency[2])
    write(f"{folder}/program", path.split("/")[1])
    write(f"{folder}/printed", blocks[source + 1][1])


def needs(manifest, product):
    """The packages whose products the targets of a product name, theirs included, and the Debian packages of all of them."""
    targets = {target["name"]: target["dependencies"] for target in manifest["targets"]}
    seen, packages, left = set(), set(), list(product["targets"])
    while left:
        name = left.pop()
        if name in seen:
            continue
        seen.add(name)
        for dependency in targets[name]:
            if "product" in dependency:
                packages.add(dependency["product"][1])
            else:
                left.append(next(iter(dependency.values()))[0])
    return packages, {SYSTEM[name] for name in seen | packages if name in SYSTEM}


def table(page, manifest):
    # As Package.swift names them.
    order = [each["sourceControl"][0]["identity"] for each in manifest["dependencies"]]
    rows = []
    for product in manifest["products"]:
        if product["type"].get("library") != ["automatic"]:
            continue
        packages, system = needs(manifest, product)
        packages = sorted(packages, key=lambda name: order.index(name.lower()))
        rows.append(f"| `{product['name']}` | {', '.join(packages) or 'nothing'} | {', '.join(sorted(system)) or 'none'} |")
    text = "\n".join(HEAD + rows)
    if f"{text}\n\n" not in read(page):
        fail(f"{page} has not this table of what Package.swift says:\n{text}")


def main():
    match sys.argv[1:]:
        case ["write", page, folder]: client(page, folder)
        case ["table", page, manifest]: table(page, json.loads(read(manifest)))
        case _: sys.exit(__doc__)


main()
