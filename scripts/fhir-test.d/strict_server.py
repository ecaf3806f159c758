"""A strict FHIR R4 server on a port of this machine: transactions that are done whole or not at all, conditional creation and update by an
identifier, 412 where several things match, placeholders that must lead somewhere, and faults by chance."""

import http.server
import json
import threading
import urllib.parse

TOKEN = "fhir-test-TOKEN-0123456789abcdef"
PATIENT = {
    "resourceType": "Patient", "id": "123", "active": True, "gender": "female", "birthDate": "1958-03-07",
    "identifier": [{"system": "https://clinic.example/mrn", "value": "4711"}],
    "name": [{"use": "official", "given": ["Ada", "B."], "family": "Example"}]}
ABILITIES = {
    "resourceType": "CapabilityStatement", "status": "active", "kind": "instance", "fhirVersion": "4.0.1", "format": ["json"],
    "rest": [{"mode": "server", "interaction": [{"code": "transaction"}], "resource": [
        {"type": "Observation", "conditionalCreate": True, "conditionalUpdate": True, "updateCreate": True},
        {"type": "Device", "conditionalCreate": True}, {"type": "Patient"}]}]}


class Refusal(Exception):
    def __init__(self, status, code, words):
        super().__init__(words)
        self.status, self.code, self.words = status, code, words


def outcome(code, words):
    return {"resourceType": "OperationOutcome", "issue": [{"severity": "error", "code": code, "diagnostics": words}]}


def each_reference(value):
    if isinstance(value, dict):
        for key, part in value.items():
            if key == "reference" and isinstance(part, str):
                yield part
            else:
                yield from each_reference(part)
    elif isinstance(value, list):
        for part in value:
            yield from each_reference(part)


def resolved(value, places):
    if isinstance(value, dict):
        return {key: places.get(part, part) if key == "reference" and isinstance(part, str) else resolved(part, places)
                for key, part in value.items()}
    return [resolved(part, places) for part in value] if isinstance(value, list) else value


class Store:
    """Resources by type and id, all versions counted."""

    def __init__(self):
        self.resources, self.versions, self.next = {("Patient", "123"): PATIENT}, {("Patient", "123"): 1}, 0

    def found(self, kind, query):
        parts = urllib.parse.parse_qs(query, keep_blank_values=True)
        if set(parts) != {"identifier"} or len(parts["identifier"]) != 1:
            raise Refusal(400, "not-supported", "only identifier=system|value")
        system, bar, value = parts["identifier"][0].partition("|")
        if not bar:
            raise Refusal(400, "invalid", "an identifier without a system")
        return [key for key, resource in self.resources.items() if key[0] == kind and self.has(resource, system, value)]

    @staticmethod
    def has(resource, system, value):
        return any(each.get("system") == system and each.get("value") == value for each in resource.get("identifier", []))

    def new(self, kind):
        self.next += 1
        return kind, str(self.next)

    def step(self, entry):
        """(key, whether it is written, resource), before anything is written."""
        resource, request = entry["resource"], entry["request"]
        kind, method = resource["resourceType"], request["method"]
        path, _, query = request["url"].partition("?")
        if method == "POST":
            if path != kind or query or "ifNoneExist" not in request:
                raise Refusal(400, "required", "creates unconditionally")
            hits = self.found(kind, request["ifNoneExist"])
            alone = Store()
            alone.resources = {(kind, "x"): resource}
            if not alone.found(kind, request["ifNoneExist"]):
                raise Refusal(400, "invariant", "is not what it is looked for by")
        elif method == "PUT" and query:
            hits = self.found(kind, query)
        elif method == "PUT" and path == f"{kind}/{resource.get('id')}":
            return (kind, resource["id"]), True, resource
        else:
            raise Refusal(405, "not-supported", method)
        if len(hits) > 1:
            raise Refusal(412, "multiple-matches", f"{kind} matches {len(hits)}")
        return (hits[0], method == "PUT", resource) if hits else (self.new(kind), True, resource)

    def transaction(self, bundle):
        if bundle.get("resourceType") != "Bundle" or bundle.get("type") != "transaction" or not bundle.get("entry"):
            raise Refusal(400, "structure", "no transaction")
        steps, places, written = [], {}, set()
        for entry in bundle["entry"]:
            key, is_written, resource = self.step(entry)
            if is_written and key in written:
                raise Refusal(400, "duplicate", "one identity twice in a transaction")
            if is_written:
                written.add(key)
            places[entry["fullUrl"]] = "/".join(key)
            steps.append((key, is_written, resource))
        for _, _, resource in steps:
            for target in each_reference(resolved(resource, places)):
                if target.startswith("urn:"):
                    raise Refusal(422, "not-found", "an unresolved reference")
                if target.startswith("Patient/") and tuple(target.split("/")) not in self.resources:
                    raise Refusal(400, "not-found", f"there is no {target}")
        answers = []
        for key, is_written, resource in steps:
            is_new = key not in self.resources
            if is_written:
                self.resources[key] = resolved(resource, places)
                self.versions[key] = self.versions.get(key, 0) + 1
            answers.append({"response": {"status": "201 Created" if is_new else "200 OK",
                                         "location": f"{key[0]}/{key[1]}/_history/{self.versions[key]}"}})
        return {"resourceType": "Bundle", "type": "transaction-response", "entry": answers}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def say(self, status, body, kind="application/fhir+json", **fields):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        for name, value in fields.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(data)

    def refuse(self, error):
        self.say(error.status, outcome(error.code, error.words))

    def is_known(self):
        if self.headers.get("Authorization") == f"Bearer {TOKEN}":
            return True
        self.say(401, outcome("login", "who are you"), WWW_Authenticate="Bearer")
        return False

    def do_GET(self):
        server = self.server.owner
        if not self.is_known():
            return
        path, _, query = self.path.removeprefix("/fhir").strip("/").partition("?")
        with server.lock:
            try:
                if path == "metadata":
                    return self.say(200, ABILITIES)
                if query:
                    hits = [server.store.resources[key] for key in server.store.found(path, query)]
                    return self.say(200, {"resourceType": "Bundle", "type": "searchset", "total": len(hits),
                                          "entry": [{"resource": each} for each in hits]})
                resource = server.store.resources.get(tuple(path.split("/")))
                if resource is None:
                    raise Refusal(404, "not-found", "no such resource")
                return self.say(200, resource)
            except Refusal as error:
                return self.refuse(error)

    def do_POST(self):
        server = self.server.owner
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if not self.is_known():
            return
        fault = server.fault()
        if fault == "busy":
            return self.say(503, outcome("transient", "later"), Retry_After="0")
        if fault == "conflict":
            return self.say(409, outcome("conflict", "HAPI-0550"))
        if fault == "page":
            return self.say(200, b"<html>login</html>", "text/html")
        try:
            with server.lock:
                if self.path.strip("/") != "fhir" or self.headers.get("Content-Type") != "application/fhir+json":
                    raise Refusal(415, "structure", "no FHIR in JSON at the base")
                said = server.store.transaction(json.loads(raw))
        except Refusal as error:
            server.refused.append(error.words)
            return self.refuse(error)
        except (ValueError, KeyError, TypeError) as error:
            server.refused.append(repr(error))
            return self.refuse(Refusal(400, "structure", "not readable"))
        if fault == "batch":
            return self.say(200, {**said, "type": "batch-response"})
        if fault == "dropped":
            self.close_connection = True
            return
        self.say(200, said)


class Server:
    """Runs until the program ends."""

    FAULTS = ["busy", "conflict", "page", "batch", "dropped", "dropped"]

    def __init__(self, random):
        self.random, self.lock, self.store = random, threading.Lock(), Store()
        self.share, self.refused = 0.0, []
        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.http.owner = self
        threading.Thread(target=self.http.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.http.server_port}/fhir"

    def fault(self):
        with self.lock:
            return self.random.choice(self.FAULTS) if self.random.random() < self.share else None

    def observations(self):
        """Versions of observations by the names that we give them, LOG_ID among them; a list, which has one element where nothing is doubled."""
        found = {}
        with self.lock:
            for key, resource in self.store.resources.items():
                for each in resource.get("identifier", []) if key[0] == "Observation" else []:
                    if each.get("system", "").startswith("https://meterhost.org/fhir/sid/"):
                        found.setdefault(each["value"], []).append((self.store.versions[key], resource))
        return found
