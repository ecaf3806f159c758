"""Hooks that bring what schemathesis generates past the receiver's authentication: each call gets the credential of its kind
and ids of users, records and images that are there. One case in eight is sent as a stranger instead, and must not succeed.

What becomes of a case depends on its content, so that a failing one fails again while it is made smaller."""
import atexit
import collections
import json
import os
import sys
import urllib.request
import uuid
import zlib

import schemathesis

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import samples  # noqa: E402

URL = os.environ["FUZZ_URL"]
ORGANIZATION, UID = os.environ["FUZZ_USER"].split(":")
USER_TOKEN = os.environ["FUZZ_USER_TOKEN"]
ORGANIZATION_TOKEN = os.environ["FUZZ_ORGANIZATION_TOKEN"]
OTHER_TOKEN = os.environ["FUZZ_OTHER_ORGANIZATION_TOKEN"]
USERS = f"/organizations/{ORGANIZATION}/users"
# Calls that take away what later cases need are about a user or a record of their own.
DELETING = {"deleteUser", "deleteRecord", "deleteLegacy"}
CHANGING = {"refreshToken", "suspendUser", "unsuspendUser", "updateUser"}

answers = collections.defaultdict(collections.Counter)
strangers = {}
made = {}
stored = collections.Counter()


def call(method, path, body=None, token=None, content_type="application/json"):
    """Calls the receiver as a client would; what is needed for a case must succeed."""
    data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
    request = urllib.request.Request(URL + path, data=data, method=method, headers={"Content-Type": content_type})
    if token:
        request.add_header("Authorization", f"Bearer {token}")
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


def kept(name, make):
    """What is made once, at its first use."""
    if name not in made:
        made[name] = make()
    return made[name]


def user():
    uid = f"user-{uuid.uuid4()}"
    call("POST", f"{USERS}?token={ORGANIZATION_TOKEN}", {"uid": uid})
    return uid


def suspended():
    """The token of a user who may not upload."""
    uid = f"suspended-{uuid.uuid4()}"
    token = call("POST", f"{USERS}?token={ORGANIZATION_TOKEN}", {"uid": uid})["mobile"]["token"]
    call("PUT", f"{USERS}/{uid}/suspend?token={ORGANIZATION_TOKEN}")
    return token


def record(collection):
    body = samples.record(samples.COLLECTIONS[collection], str(uuid.uuid4()))
    return call("POST", f"/connect/provider/data/{collection}", body, USER_TOKEN)["data"]


def measurement():
    return record("measurements")["id"]


def legacy_record(kind):
    body = {"access_token": USER_TOKEN, kind: samples.legacy({}, kind, str(uuid.uuid4()))}
    return call("POST", f"/v1/organizations/{ORGANIZATION}/users/{UID}/{kind}.json", body)[kind]["_id"]


def stored_one(operation, kind):
    """Something to list, whichever records the cases themselves have stored."""
    if operation == "listLegacy" and kind in samples.LEGACY:
        legacy_record(kind)
        stored[kind] += 1
    elif kind in samples.COLLECTIONS:
        record(kind)
        stored[kind] += 1


def image():
    path = f"/connect/provider/records/{kept('record with an image', measurement)}/media"
    return call("POST", path, samples.PNG + b"x", USER_TOKEN, "image/png")["data"]["id"]


def path_parameters(operation, given, pick):
    """Ids that are there, in place of generated ones."""
    path = dict(given)
    deleting = operation in DELETING
    if "organization" in path:
        path["organization"] = ORGANIZATION
    for name in {"uid", "user"} & path.keys():
        path[name] = user() if operation == "deleteUser" else UID
        if operation in CHANGING:
            path[name] = kept("changed user", user)
    kind = path.get("type")
    if "id" in path and kind in (samples.LEGACY if "user" in path else samples.COLLECTIONS):
        make = legacy_record if "user" in path else lambda kind: record(kind)["id"]
        path["id"] = make(kind) if deleting else kept((operation, kind), lambda: make(kind))
    if "record" in path:
        path["record"] = kept(("record", pick % 8), measurement)
    if "media" in path:
        path["media"] = kept("image", image)
    return path


def query(operation, given, kind, pick):
    """A window in which there are records, on a page of them."""
    query = dict(given)
    if operation.startswith("list") and operation != "listUsers":
        kept(("listed", operation, kind), lambda: stored_one(operation, kind))
        legacy = operation == "listLegacy" and pick % 2
        query["start_date"] = f"{samples.DAY}T00:00:00Z" if legacy else samples.DAY
        query["end_date"] = f"{samples.DAY}T23:00:00+00:00" if legacy else samples.DAY
        query["offset"] = pick % (1 + stored[kind])
        if pick % 3 == 0:
            query["limit"] = 1000
    if pick % 4 and "source" in query:
        query["source"] = "device"
    return query


def body(operation, case, pick):
    """The generated body with what the receiver insists on; what else is wrong with it stays."""
    given, kind = case.body, case.path_parameters.get("type")
    if operation == "uploadImage":
        start = samples.JPEG if case.media_type == "image/jpeg" else samples.PNG
        return start + (given if isinstance(given, bytes) else repr(given).encode())
    if operation in ("writeRecords", "replaceRecord") and kind in samples.COLLECTIONS:
        return records(operation, given, samples.COLLECTIONS[kind], pick)
    if operation in ("createLegacy", "replaceLegacy") and kind in samples.LEGACY and isinstance(given, dict):
        return legacy_body(operation, given, kind, pick)
    if operation in ("createUser", "updateUser"):
        return user_body(operation, given, pick)
    if operation == "createLegacyUser" and isinstance(given, dict):
        return {**given, "user": location(given.get("user"), pick)}
    return given


def records(operation, given, kind, pick):
    """A record or a list of records, mended."""
    if isinstance(given, list):
        return [records(operation, each, kind, f"{pick}/{index}") for index, each in enumerate(given)]
    if not isinstance(given, dict):
        return given
    return without_id(operation, samples.mended(given, kind, str(uuid.uuid5(uuid.NAMESPACE_URL, str(pick)))), pick)


def legacy_body(operation, given, kind, pick):
    """The record that was generated under whatever name, mended under the name that is right."""
    generated = given.get(kind, next((value for value in given.values() if isinstance(value, dict)), {}))
    if not isinstance(generated, dict):
        return given
    return {**given, kind: without_id(operation, samples.legacy(generated, kind, str(pick)), pick)}


def without_id(operation, record, pick):
    """What replaces a record has the id of that record; without a revision it is the next one."""
    if not operation.startswith("replace"):
        return record
    leave = ("log_id", "activity_id", "revision") if pick % 4 else ("log_id", "activity_id")
    return {name: value for name, value in record.items() if name not in leave}


def user_body(operation, given, pick):
    """A user whose place is told once; three changes in four have something to change, and no other name."""
    given = location(given, pick)
    if not isinstance(given, dict):
        return given
    place = location(given.get("location"), pick)
    if isinstance(place, dict):
        given = {name: value for name, value in given.items() if name not in place} | {"location": place}
    if operation == "updateUser" and pick % 4:
        given.pop("uid", None)
        given = given if isinstance(place, dict) and place else given | {"timezone": "Europe/Berlin"}
    return given


def location(given, pick):
    """A user with a name of their own and with a place that there is."""
    if not isinstance(given, dict):
        return given
    place = {"uid": f"made-{pick}", "timezone": "Europe/Berlin", "country_code": "DE"}
    return {name: place.get(name, value) if isinstance(value, str) else value for name, value in given.items()}


def credential(operation, scheme, stranger, pick):
    """A token that opens the call, or for a stranger one that must not."""
    if not stranger:
        if scheme == "legacyToken":
            return ORGANIZATION_TOKEN if operation == "createLegacyUser" or pick % 2 else USER_TOKEN
        return USER_TOKEN if scheme == "userToken" else ORGANIZATION_TOKEN
    wrong = [None, "unknown-token-0123456789", kept("suspended", suspended), OTHER_TOKEN]
    if scheme == "organizationToken" or operation == "createLegacyUser":
        wrong.append(USER_TOKEN)
    if scheme == "userToken":
        wrong.append(ORGANIZATION_TOKEN)
    return wrong[pick % len(wrong)]


def present(case, scheme, token, pick):
    """Puts the token where the call wants it, and nowhere else."""
    if scheme == "userToken":
        case.headers.pop("Authorization", None)
        if token:
            case.headers["Authorization"] = f"Bearer {token}"
        return
    name = "token" if scheme == "organizationToken" else "access_token"
    case.query.pop(name, None)
    if scheme == "legacyToken" and isinstance(case.body, dict):
        case.body = {member: value for member, value in case.body.items() if member != name}
        if pick % 3 == 0 and token:
            case.body[name] = token
            return
    if token:
        case.query[name] = token


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """One name for a Legacy record instead of seven, all of the same schema: each bound would be tried under each of them. The
    record is put under the name of its path in `legacy_body`."""
    names = raw_schema["components"]["schemas"]["LegacyRecordRequest"]["properties"]
    for name in samples.LEGACY.keys() - {"diabetes"}:
        del names[name]


@schemathesis.hook
def before_call(context, case, kwargs):
    definition = case.operation.definition.raw
    schemes = [name for each in definition["security"] for name in each]
    if not schemes or case.method != case.operation.method.upper():
        return
    operation = definition["operationId"]
    pick = zlib.crc32(repr((operation, case.path_parameters, case.query, case.body)).encode(errors="replace"))
    # An operation of few cases must succeed once too.
    waits = not answers[operation]["2xx"]
    pick, stranger = pick // 8, pick % 8 == 0 and not waits
    # schemathesis also generates ids out of earlier answers.
    spoils = operation in DELETING | CHANGING and {UID, *made.values()} & set(case.path_parameters.values())
    # A stranger with everything else right is the hardest to tell from an owner.
    if stranger or waits or spoils or pick % 8 > 0:
        case.path_parameters = path_parameters(operation, case.path_parameters, pick // 8)
    if stranger or waits or pick % 8 > 1:
        kind = case.path_parameters.get("type") or case.path.split("/")[-1]
        case.query = query(operation, case.query, kind, pick // 8)
        if definition.get("requestBody"):
            case.body = body(operation, case, pick // 8)
    present(case, schemes[0], credential(operation, schemes[0], stranger, pick // 8), pick // 8)
    if stranger:
        strangers[case.id] = True


@schemathesis.hook
def after_call(context, case, response):
    if case.method != case.operation.method.upper():
        return
    operation = case.operation.definition.raw["operationId"]
    answers[operation][f"{response.status_code // 100}xx"] += 1
    if operation == "writeRecords" and response.status_code == 207:
        stored[case.path_parameters["type"]] += sum(each["status"] == 201 for each in response.json()["data"])
    elif operation in ("writeRecords", "createLegacy") and response.status_code == 201:
        stored[case.path_parameters["type"]] += 1


@schemathesis.check
def strangers_are_refused(ctx, response, case):
    """What was sent without a credential that opens it must not succeed."""
    if strangers.pop(case.id, False):
        assert response.status_code >= 400, "a stranger's request succeeded"


@atexit.register
def tell():
    with open(os.environ["FUZZ_ANSWERS"], "w", encoding="utf-8") as file:
        json.dump(answers, file)
