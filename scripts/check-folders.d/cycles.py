"""Cycles between parts, and where they are cut most cheaply."""


def components(parts, edges):
    """Groups of more than one part that all lead to each other (Tarjan)."""
    index, low, stack, found = {}, {}, [], []

    def visit(part):
        index[part] = low[part] = len(index)
        stack.append(part)
        for other in edges.get(part, ()):
            if other not in index:
                visit(other)
                low[part] = min(low[part], low[other])
            elif other in stack:
                low[part] = min(low[part], index[other])
        if low[part] == index[part]:
            at = stack.index(part)
            if len(stack) - at > 1:
                found.append(sorted(stack[at:]))
            del stack[at:]

    for part in sorted(parts):
        if part not in index:
            visit(part)
    return found


def order(parts, weight):
    """The parts, lowest first, so that as little as possible leads upward. weight(a, b): how much a uses b."""
    if len(parts) > 16:
        return greedy(parts, weight)
    n = len(parts)
    weights = [[weight(a, b) for b in parts] for a in parts]
    # best[set]: the least that leads upward from those of the set to what is above it, and the last one laid down.
    best = [(0, -1)] + [None] * ((1 << n) - 1)
    for laid in range(1, 1 << n):
        chosen = None
        for last in range(n):
            if laid >> last & 1:
                below = laid & ~(1 << last)
                cost = best[below][0] + sum(weights[last][j] for j in range(n) if not laid >> j & 1)
                if chosen is None or cost < chosen[0]:
                    chosen = (cost, last)
        best[laid] = chosen
    laid, found = (1 << n) - 1, []
    while laid:
        last = best[laid][1]
        found.append(parts[last])
        laid &= ~(1 << last)
    return found[::-1]


def greedy(parts, weight):
    left, found = list(parts), []
    while left:
        lowest = min(left, key=lambda part: sum(weight(part, other) for other in left if other != part))
        found.append(lowest)
        left.remove(lowest)
    return found


def way(start, end, edges, within):
    """The shortest way from one part to another."""
    ways, seen = [[start]], {start}
    for path in ways:
        if path[-1] == end:
            return path
        for other in sorted(edges.get(path[-1], ())):
            if other in within and other not in seen:
                seen.add(other)
                ways.append(path + [other])
    return []
