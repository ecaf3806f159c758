"""Which file of a Swift module uses which name of which other file."""
import collections

# Where it is used, and where it is declared.
Reference = collections.namedtuple("Reference", "name file line target target_line")

# Members that the language's and the system's own types have: their name alone says nothing.
COMMON = set(
    """advance all allCases append attributes body bytes capacity characters close compactMap contains count data
    dateComponents decode description distance drop dropFirst dropLast element elements encode end error execute fetch
    filter finish first firstIndex flatMap forEach format get index indices insert isCancelled isEmpty key keys last
    lastIndex length load lock map max message milliseconds min minutes name nanoseconds next none path popLast prefix
    range read reduce remove removeAll removeFirst removeLast replace replacing reserveCapacity resume reverse reversed
    rounded row run seconds send set shared size sleep some sort sorted split standard start state string subtract
    subtracting success suffix swapAt text time trimmingPrefix type union unlock update value values wait width write
    yield zero""".split())


def member_names(files):
    """The members that other modules can see."""
    return {
        declaration.name
        for file in files.values()
        for declaration in file.declarations
        if declaration.kind in ("member", "case") and not declaration.is_hidden
    }


class Module:
    """files: SwiftFile by path. foreign: names that other modules of the package declare as members."""

    def __init__(self, name, files, foreign):
        self.name, self.files, self.foreign = name, files, foreign
        # Top-level types and functions by name, nested types by their dotted name, members by type and name: where they are.
        self.tops = collections.defaultdict(list)
        self.nested = collections.defaultdict(list)
        self.members = collections.defaultdict(list)
        # Every place that declares a member of this name, hidden ones included.
        self.named = collections.defaultdict(set)
        self.initializers = collections.defaultdict(list)
        for path, file in files.items():
            for declaration in file.declarations:
                self.add(path, declaration)

    def add(self, path, declaration):
        place = (path, declaration.line)
        kind, name, scope = declaration.kind, declaration.name, declaration.scope
        if kind in ("member", "case"):
            self.named[name].add(path)
        if declaration.is_hidden:
            return
        if kind == "type":
            (self.nested[f"{scope}.{name}"] if scope else self.tops[name]).append(place)
        elif kind == "function":
            self.tops[name].append(place)
        elif kind == "initializer":
            self.initializers[scope, name].append((place, declaration.is_extension))
        else:
            self.members[scope, name].append(place)

    def references(self):
        """Every use of a name of another file that is told apart with certainty."""
        # A member is known by its name alone where no other file has one of that name.
        alone, known = {}, self.foreign | COMMON
        for (scope, name), places in self.members.items():
            if len(self.named[name]) == 1 and name not in known and name not in self.tops:
                alone[name] = places[0]
        for path, file in self.files.items():
            own = {declaration.name for declaration in file.declarations if declaration.kind == "type"}
            seen = {declaration.name for declaration in file.declarations}
            for use in file.uses:
                for target, line in self.targets(use, own, seen, alone):
                    if target != path:
                        yield Reference(use.name, path, use.line, target, line)

    def targets(self, use, own, seen, alone):
        name, before = use.name, use.before
        scopes = []
        parts = use.scope.split(".") if use.scope else []
        for depth in range(len(parts), 0, -1):
            scopes.append(".".join(parts[:depth]))
        if before is None or before == self.name:
            if before is None:
                for scope in scopes:
                    if (nested := self.nested.get(f"{scope}.{name}")) is not None:
                        return nested
            if name in self.tops and not (before is None and name in own):
                return self.tops[name] + self.initializer(name, use)
            if name not in seen:
                return self.member(scopes, name)
            return []
        if before in ("self", "Self"):
            return self.member(scopes, name)
        if f"{before}.{name}" in self.nested:
            return self.nested[f"{before}.{name}"]
        if found := self.member([before], name):
            return found
        if before[:1].isupper() and (before in self.tops or before in own):
            return []
        return [alone[name]] if name in alone else []

    def member(self, scopes, name):
        """The innermost type's. A type of another module may have one of the same name itself."""
        for scope in scopes:
            if (scope, name) in self.members and (scope.split(".")[0] in self.tops or name not in self.foreign):
                return self.members[scope, name]
        return []

    def initializer(self, name, use):
        """One in an extension, known by its first label."""
        found = self.initializers.get((name, use.label), [])
        if not found or not all(is_extension for _, is_extension in found) or (name, use.label) in self.members:
            return []
        return [place for place, _ in found]
