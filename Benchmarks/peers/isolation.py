"""What one value through a plugin costs in other hosts: ctypes (no isolation), wasmtime and Extism (PyPI).

Usage: isolation.py FOLDER ROUNDS HEX: FOLDER holds value.so, value.wasm and extism.wasm; prints one JSON object of lists of microseconds.
"""

import ctypes
import json
import struct
import sys
import time


def timed(rounds, call, expected):
    times = []
    for _ in range(rounds):
        start = time.perf_counter_ns()
        value = call()
        times.append((time.perf_counter_ns() - start) / 1000)
        assert value == expected, (value, expected)
    return times


def by_ctypes(folder, value):
    library = ctypes.CDLL(f"{folder}/value.so")
    decode = library.decode_value
    decode.argtypes = [ctypes.c_char_p, ctypes.c_uint32, ctypes.POINTER(ctypes.c_double)]
    out = ctypes.c_double()

    def call():
        return out.value if decode(value, len(value), out) == 0 else None

    return call


def by_wasmtime(folder, value, results, rounds):
    import wasmtime

    engine = wasmtime.Engine()
    module = wasmtime.Module.from_file(engine, f"{folder}/value.wasm")

    def instantiate():
        store = wasmtime.Store(engine)
        return store, wasmtime.Instance(store, module, [])

    starts = []
    for _ in range(min(rounds, 200)):
        start = time.perf_counter_ns()
        instantiate()
        starts.append((time.perf_counter_ns() - start) / 1000)
    results["instance of a compiled module, wasmtime"] = starts
    store, instance = instantiate()
    exports = instance.exports(store)
    memory, decode = exports["memory"], exports["decode_value"]
    room, result = exports["value_room"](store), exports["value_result"](store)

    def call():
        memory.write(store, value, room)
        if decode(store, room, len(value), result) != 0:
            return None
        return struct.unpack("<d", memory.read(store, result, result + 8))[0]

    return call


def by_extism(folder, value):
    import extism

    with open(f"{folder}/extism.wasm", "rb") as file:
        plugin = extism.Plugin({"wasm": [{"data": file.read()}]})
    return lambda: struct.unpack("<d", plugin.call("decode", value, parse=lambda out: bytes(out)))[0]


def main():
    folder, rounds, value = sys.argv[1], int(sys.argv[2]), bytes.fromhex(sys.argv[3])
    results = {}
    native = by_ctypes(folder, value)
    expected = native()
    assert expected is not None
    ways = {
        "one value, Python ctypes (no isolation)": lambda: native,
        "one value, wasmtime from Python": lambda: by_wasmtime(folder, value, results, rounds),
        "one value, Extism from Python": lambda: by_extism(folder, value),
    }
    for name, make in ways.items():
        try:
            call = make()
            timed(min(rounds, 200), call, expected)
            results[name] = timed(rounds, call, expected)
        except Exception as error:  # Each of them has errors of its own; the others are measured all the same.
            print(f"isolation: {name} is left out: {error}", file=sys.stderr)
    json.dump(results, sys.stdout)


main()
