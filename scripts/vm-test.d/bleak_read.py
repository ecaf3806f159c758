#!/usr/bin/env python3
"""Reads meters through bluetoothd with bleak, step by step as MeterHost does: what MeterHost is compared with.

Usage: bleak_read.py [--reads N] NAME=UUID,UUID... [NAME=...]...
For each meter: scans for its name, connects, discovers, subscribes in the order given. With 2A52 among the characteristics it asks
a glucose meter for all records and waits for the response; else it reads until the meter hangs up or is silent. One JSON object a
line for each read, before the link is ended: `meter`, `seconds` from the first advertisement to the last record, and `values`, what
was notified or indicated, as [characteristic, hex]. Or `failure`.
"""

import argparse
import asyncio
import json
import sys
import time

from bleak import BleakClient, BleakScanner

RACP, ALL_RECORDS, RESPONSE = "2A52", bytes([1, 1]), 6


def short(uuid):
    return uuid[4:8].upper() if uuid.lower().endswith("-0000-1000-8000-00805f9b34fb") else uuid.upper()


async def find(name, seconds):
    """The meter, and the moment at which it was first heard."""
    found = asyncio.get_running_loop().create_future()

    def heard(device, advertisement):
        if name in (advertisement.local_name, device.name) and not found.done():
            found.set_result((device, time.monotonic()))

    async with BleakScanner(heard):
        return await asyncio.wait_for(found, seconds)


async def read(name, characteristics, options):
    device, heard = await find(name, options.seconds)
    values, ended, last = [], asyncio.Event(), [heard]

    def came(characteristic, value):
        values.append([short(characteristic.uuid), bytes(value).hex()])
        if short(characteristic.uuid) != RACP:
            last[0] = time.monotonic()
        elif value[0] == RESPONSE:
            ended.set()

    client = BleakClient(device, lambda _: ended.set(), timeout=options.seconds)
    await client.connect()
    try:
        for uuid in characteristics:
            await client.start_notify(uuid, came)
        if RACP in characteristics:
            await client.write_gatt_char(RACP, ALL_RECORDS, response=True)
            await asyncio.wait_for(ended.wait(), options.seconds)
        else:
            began = time.monotonic()
            while not ended.is_set() and len(values) < options.values and time.monotonic() - max(last[0], began) < options.silence:
                await asyncio.sleep(0.05)
        print(json.dumps({"meter": name, "seconds": last[0] - heard, "values": values}), flush=True)
    finally:
        if client.is_connected:
            await client.disconnect()


async def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("meters", nargs="+")
    parser.add_argument("--seconds", type=float, default=20, help="for each step")
    parser.add_argument("--silence", type=float, default=2)
    parser.add_argument("--values", type=int, default=100, help="at most, of a meter that never ends")
    parser.add_argument("--reads", type=int, default=1)
    options = parser.parse_args()
    status = 0
    for meter in options.meters * options.reads:
        name, characteristics = meter.split("=")
        try:
            await read(name, characteristics.upper().split(","), options)
        except Exception as error:  # noqa: BLE001: a failed read is a result as well
            print(json.dumps({"meter": name, "failure": repr(error)}), flush=True)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
