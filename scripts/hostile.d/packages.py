#!/usr/bin/env python3
"""Crafted packages: of a signed package every changed bit, every cut and every other head is refused; of one that nobody has signed
no file gets anywhere but its own place, whatever the manifest calls it. A refused package leaves nothing behind."""

import json
import shutil
import struct
import subprocess

from bench import ROOT, Gateway, Part

KEY = "publisher.key"


def sources(part, gateway):
    """The example's folder, as `driver pack` takes it."""
    folder = gateway.folder / "scale"
    folder.mkdir()
    example = ROOT / "docs/examples/scale"
    for name in ("scale.json",):
        shutil.copy(example / name, folder / name)
    (folder / "LICENSE").write_text("MIT\n")
    subprocess.run(
        ["clang", "-shared", "-fPIC", "-O1", "-std=c11", "-fvisibility=hidden", "-I", ROOT / "SDK/include",
         f"-Wl,--version-script={ROOT / 'SDK/driver.map'}", "-Wl,-z,noexecstack", "-o", folder / "libexample-scale.so",
         example / "scale.c"], check=True, capture_output=True)
    return folder


def files(gateway):
    """Everything in the gateway's folders but what is made here."""
    return {
        str(file.relative_to(gateway.folder)) for file in gateway.folder.rglob("*")
        if file.is_file() and file.name not in (".lock", "tried.mhdriver") and "state" not in file.relative_to(gateway.folder).parts}


def split(package):
    manifest, signatures = struct.unpack_from("<II", package, 8)
    return package[16 : 16 + manifest], package[16 + manifest : 16 + manifest + signatures], package[16 + manifest + signatures :]


def join(manifest, signatures, rest):
    return b"MHDRIVER" + struct.pack("<II", len(manifest), len(signatures)) + manifest + signatures + rest


def signed_cases(part, package):
    manifest, signatures, rest = split(package)
    heads = 16 + len(manifest) + len(signatures)
    for _ in range(12 if part.quick else 400):
        # As many in the heads, which are short, as in the files.
        at = part.random.randrange(heads if part.random.random() < 0.6 else len(package))
        bit = part.random.randrange(8)
        yield f"bit {bit} of {at}", package[:at] + bytes([package[at] ^ 1 << bit]) + package[at + 1 :]
    for length in [0, 7, 15, 16, heads - 1, heads, len(package) - 1]:
        yield f"cut at {length}", package[:length]
    yield "longer", package + b"\0"
    yield "twice", package + package
    for a, b in [(0xFFFFFFFF, 0), (0, 0xFFFFFFFF), (0x7FFFFFFF, 0x7FFFFFFF), (0, 0)]:
        yield f"lengths {a} {b}", package[:8] + struct.pack("<II", a, b) + package[16:]
    yield "signatures of another", join(manifest, b"{}", rest)
    yield "a deep manifest", join(b'{"a":' * 100_000, signatures, rest)
    yield "no text", join(b"\xff" * len(manifest), signatures, rest)


def unsigned_cases(package):
    manifest, _, rest = split(package)
    text = manifest.decode()
    escapes = ["../../evil", "/etc/meterhost-evil", "lib/../../evil", "lib/linux-x86_64/..", "a\\u0000b", "versions.json", ".", ""]
    for path in escapes:
        for member in ("lib/linux-x86_64/libexample-scale.so", "LICENSE"):
            changed = text.replace(f'"{member}"', f'"{path}"')
            if changed != text:
                yield f"{member} called {path!r}", join(changed.encode(), b"", rest)
    for name in ["../evil", "org.example.scale/../../evil", "x" * 65, "versions.json", "", "ORG", "a b"]:
        yield f"id {name!r}", join(text.replace('"org.example.scale"', json.dumps(name)).encode(), b"", rest)


def main():
    part = Part("packages")
    maker = Gateway(part, "maker")
    made = maker.run(["driver", "pack", str(sources(part, maker)), "--output", "scale.mhdriver", "--json"])
    part.check(made.returncode == 0, f"the example cannot be packed: {made.stderr[-300:]}")
    unsigned = (maker.folder / "scale.mhdriver").read_bytes()
    key = maker.run(["driver", "key", "make", KEY, "--json"]).stdout
    maker.run(["driver", "sign", "scale.mhdriver", "--key", KEY])
    package = (maker.folder / "scale.mhdriver").read_bytes()
    public = json.loads(key)["key"]

    def attempt(case, is_signed):
        name, content = case
        gateway = Gateway(part, f"install-{abs(hash(name))}")
        options = ["--fragments", "fragments", "--trust", "trust.json"]
        if is_signed:
            gateway.run(
                ["driver", "trust", "add", "example", "--name", "Example", "--key", public, "--drivers", "org.example."]
                + options[2:])
        (gateway.folder / "tried.mhdriver").write_bytes(content)
        before = files(gateway)
        done = gateway.run(
            ["driver", "install", "tried.mhdriver", "--json"] + ([] if is_signed else ["--unsigned"]) + options)
        new = files(gateway) - before
        if name == "as it is":
            part.check(done.returncode == 0, f"{name}: {done.stderr[-300:]}")
        else:
            part.check(done.returncode != 0 and bool(done.stderr.strip()), f"{name}: was installed")
            part.check(not new, f"{name}: has left {sorted(new)[:3]}")
        gateway.run(["driver", "verify", "tried.mhdriver", "--json"] + options)
        part.check(not any("evil" in file for file in new), f"{name}: a file outside")
        shutil.rmtree(gateway.folder, ignore_errors=True)

    part.each([("as it is", package), *signed_cases(part, package)], lambda case: attempt(case, True))
    others = list(unsigned_cases(unsigned))
    part.each(others[::4] if part.quick else others, lambda case: attempt(case, False))
    part.end()


if __name__ == "__main__":
    main()
