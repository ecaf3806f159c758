"""What the host program says it has read, held against what a peripheral has."""

import collections

from lab import expect


def keys(readings):
    """Each reading as (civil time, metric, value), as the peripherals' records name themselves; metric by metric."""
    return [
        {(reading.get("civil_time"), value["metric"], float(value["reported"])) for value in reading["values"]}
        for reading in readings]


def of_read(program):
    return [reading for event in program.events("should_submit") for reading in event["readings"]]


def holds(found, record):
    """Whether a reading is this record, with all its values."""
    time, metric, number = record.key
    wanted = [(metric, number), *getattr(record, "others", ())]
    return all(any(metric == name and abs(number - value) < 1e-9 and (time is None or same(time, moment))
                   for moment, name, value in found) for metric, number in wanted)


def same(time, moment):
    return moment is not None and moment.split(".")[0].rstrip("Z") == time.split(".")[0]


def expect_each_once(readings, records, *what):
    """Every record is among the readings, once, and nothing else is."""
    found = keys(readings)
    counts = collections.Counter(
        index for index, record in enumerate(records) for reading in found if holds(reading, record))
    wrong = [record for index, record in enumerate(records) if counts[index] != 1]
    expect(not wrong and len(found) == len(records), *what, f"{len(found)} readings of {len(records)} records; not once:",
           wrong, "in", found)


async def of_queue(lab, *more):
    """The committed readings, those without a session too."""
    listed = await lab.ask("queue", "list", *more, adapter=None)
    return [line["reading"] for line in listed.objects if line.get("reading")]


async def expect_committed(lab, records, *more):
    """What is on disk, by its own names: every record once."""
    listed = await lab.ask("queue", "list", *(more or ["--default-user"]), adapter=None)
    names = [line["log_id"] for line in listed.objects]
    expect(len(names) == len(set(names)), "a reading twice in the queue:", names)
    expect_each_once([line["reading"] for line in listed.objects], records, "queue:")


def expect_read(program, records, *what):
    """A read that has taken exactly these records."""
    expect_each_once(of_read(program), records, program, *what)
    completed = program.events("completed")
    expect(completed and completed[-1]["new"] == len(records), program, "completed with another number than", len(records))


def expect_nothing_new(program):
    completed = program.events("completed")
    expect(completed and completed[-1]["new"] == 0 and not of_read(program), program, "something is new")


def expect_error(program, *codes):
    """A typed error, with words for a person."""
    error = program.error
    expect(error and error["code"] in codes, program, "the error is not of", codes)
    expect(len(error["message"]) > 10, program, "the error has no message")
    return error
