"""Decodes Glucose Measurement values with the decoders that PyPI offers, and measures them.

Reads one value a line in hexadecimal from standard input; writes one JSON object a decoder.
"""

import json
import statistics
import sys
import time

BATCH = 4096
SAMPLES = 5


def bluetooth_sig():
    from bluetooth_sig.gatt.characteristics.glucose_measurement import GlucoseMeasurementCharacteristic

    characteristic = GlucoseMeasurementCharacteristic()
    return lambda value: characteristic.parse_value(bytearray(value))


def bleak_sigspec():
    from bleak_sigspec.utils import get_char_value, get_xml_char

    # The description is parsed once: its cost is no part of decoding a value.
    characteristic = get_xml_char("Glucose Measurement")
    return lambda value: get_char_value(value, characteristic)


def decodes(decode, value):
    try:
        decode(value)
        return True
    except Exception:  # pylint: disable=broad-except
        return False


def measure(name, make, values):
    try:
        decode = make()
    except Exception as error:  # pylint: disable=broad-except
        return {"name": name, "problem": f"cannot be used: {error!r}"}
    good = [value for value in values if decodes(decode, value)]
    if not good:
        return {"name": name, "problem": f"decodes none of the {len(values)} values"}
    # Only values that it decodes: an exception costs more than a decoder is to blame for.
    batch = [good[index % len(good)] for index in range(BATCH)]
    samples = []
    for _ in range(SAMPLES):
        start = time.perf_counter_ns()
        for value in batch:
            decode(value)
        samples.append((time.perf_counter_ns() - start) / BATCH)
    return {
        "name": name,
        "decoded": len(good),
        "values": len(values),
        "minimum": min(samples),
        "median": statistics.median(samples),
        "maximum": max(samples),
        "samples": SAMPLES,
    }


def main():
    values = [bytes.fromhex(line.strip()) for line in sys.stdin if line.strip()]
    for name, make in {"bluetooth-sig": bluetooth_sig, "bleak-sigspec": bleak_sigspec}.items():
        print(json.dumps(measure(name, make, values)), flush=True)


main()
