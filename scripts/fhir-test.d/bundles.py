#!/usr/bin/env python3
"""Checks transaction bundles of FHIR R4: the base rules by fhirkit-rs, the profiles by phdcheck where it is there, and here what neither
looks at: that entries find each other, that conditions name what the resource has, that codes of LOINC can be. Exits 1 at a fault."""
import argparse
import json
import pathlib
import re
import sys
from urllib.parse import parse_qs

import fhirkit

LOINC = "http://loinc.org"


def check_digit(number):
    """LOINC's: every second digit from the right as one number and doubled, and the rest."""
    digits = number[::-1]
    return (10 - sum(map(int, digits[1::2] + str(2 * int(digits[0::2])))) % 10) % 10


def walk(value):
    """Every object inside a value, and the value itself."""
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else []:
        yield from walk(inner)


def faults_of_entries(bundle):
    """What is wrong with the way in which the entries of a bundle hang together."""
    entries = bundle.get("entry", [])
    places = [entry.get("fullUrl") for entry in entries]
    if bundle.get("type") != "transaction":
        yield "the bundle is no transaction"
    if len(set(places)) != len(places):
        yield "two entries have one fullUrl"
    for number, entry in enumerate(entries):
        request, resource = entry["request"], entry["resource"]
        query = request.get("ifNoneExist") if request["method"] == "POST" else request["url"].partition("?")[2]
        wanted = parse_qs(query or "").get("identifier", [""])[0].replace("\\", "")
        known = {f"{one.get('system')}|{one.get('value')}" for one in resource.get("identifier", [])}
        if wanted not in known:
            yield f"entry {number} is conditional on {wanted}, which it does not have"
        if not request["url"].startswith(resource["resourceType"]):
            yield f"entry {number} goes to {request['url']}"
        for part in walk(resource):
            reference = part.get("reference")
            if isinstance(reference, str) and reference.startswith("urn:uuid:") and reference not in places:
                yield f"entry {number} speaks of {reference}, which is not there"
            if part.get("system") == LOINC and "code" in part:
                number_text, _, digit = part["code"].partition("-")
                if not re.fullmatch(r"\d+-\d", part["code"]) or check_digit(number_text) != int(digit):
                    yield f"entry {number}: {part['code']} is no code of LOINC"


def faults(text, profiles):
    """Everything that is wrong with a bundle."""
    found = [f"FHIR: {issue}" for issue in fhirkit.validate(text)]
    bundle = json.loads(text)
    if not found:
        found += faults_of_entries(bundle)
    if profiles:
        found += [f"profile: {line}" for line in profiles.check(bundle)]
    return found


def prove(text, profiles):
    """A check that finds nothing in a bundle without a status, a category and a place is none."""
    broken = [("FHIR", '"status"', '"state"'), ("entry", '"fullUrl": "urn:uuid:', '"fullUrl": "urn:uuid:0')]
    if profiles:
        broken.append(("profile", '"code": "phd"', '"code": "x"'))
    for kind, good, bad in broken:
        pretty = json.dumps(json.loads(text), indent=1)
        if good not in pretty or not any(line.startswith((kind, "entry")) for line in faults(pretty.replace(good, bad), profiles)):
            sys.exit(f"fhir-test: {good} was replaced by {bad}, and no check has seen it")


def bundles(names):
    """The bundles of files and folders, each with its name."""
    for name in map(pathlib.Path, names):
        files = sorted(p for p in name.rglob("*") if p.suffix in (".json", ".ndjson")) if name.is_dir() else [name]
        for file in files:
            text = file.read_text(encoding="utf-8")
            if file.suffix == ".json":
                yield file.name, text
            else:
                for number, line in enumerate(text.splitlines(), 1):
                    yield f"{file.name}:{number}", line


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--profiles", help="the folder of phdcheck.py and the profiles as JSON")
    parser.add_argument("names", nargs="+")
    arguments = parser.parse_args()
    profiles = None
    if arguments.profiles:
        sys.path.insert(0, arguments.profiles)
        import phdcheck
        profiles = phdcheck
    count = bad = 0
    example = None
    for name, text in bundles(arguments.names):
        found = faults(text, profiles)
        count += 1
        bad += bool(found)
        # What a meter has said has all that the proof takes away.
        example = example or (text if "observation-gatewayDevice" in text else None)
        for line in found:
            print(f"{name}: {line}")
    if not count:
        sys.exit("fhir-test: there is no bundle")
    if example and not bad:
        prove(example, profiles)
    by = "FHIR R4 and the guide's profiles" if profiles else "FHIR R4"
    print(f"fhir-test: {count} bundles, {bad} with faults, by {by}")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
