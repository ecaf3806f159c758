"""Pairing by the kernel, with every kind of meter and every way to fail."""

import signal

from lab import expect, scenario
from peripheral import Security
from peripherals.glucose import Glucose
from readings import expect_error, expect_read

# The number of a choice.
YES, NO = "1", "2"


def meter_of(program):
    """The meter of a pairing that succeeded."""
    paired = program.events("paired")
    expect(paired, program, "no event paired")
    return paired[-1]["meter"]


@scenario
async def pair_just_works(lab):
    """A meter without display pairs without a question, and is read under encryption without another pairing."""
    meter = await lab.put(Glucose(security=Security.JUST_WORKS))
    said = await lab.pair(meter)
    paired = meter_of(said)
    expect(not said.events("question"), said, "somebody was asked")
    listed = await lab.ask("meters", "list", "--paired", adapter=None)
    expect(paired["uuid"] in listed.text, listed, "the paired meter is not listed")
    expect_read(await lab.read(meter), meter.records)
    expect(meter.link.is_encrypted and meter.noted("paired") == 1, "the read was not under the first pairing's key")


@scenario
async def pair_passkey(lab):
    """A meter that shows a passkey: a wrong one is a typed error, the right one pairs."""
    meter = await lab.put(Glucose(security=Security.PASSKEY, passkey=271828))
    wrong = await lab.pair(meter, answers=["000000"], status=1)
    expect_error(wrong, "pairing_failure")
    expect(meter.noted("paired") == 0, "the meter believes that it is paired")
    right = await lab.pair(meter, answers=["271828"])
    question = right.events("question")
    expect(question and question[0]["question"]["kind"] == "passkey", right, "nobody was asked for a passkey")
    expect("271828" not in right.error_text, right, "the passkey is in the log")
    meter_of(right)
    expect_read(await lab.read(meter), meter.records)


@scenario
async def pair_numeric(lab):
    """Both sides show the same number; the person says that it is the same."""
    meter = await lab.put(Glucose(security=Security.NUMERIC))
    paired = await lab.pair(meter, answers=[YES])
    meter_of(paired)
    prompts = " ".join(event["question"]["prompt"] for event in paired.events("question")).replace(" ", "")
    expect(meter.shown_number and meter.shown_number in prompts, paired, "not the meter's number", meter.shown_number)


@scenario
async def pair_numeric_refused(lab):
    """The person says that the numbers differ: no pairing on either side."""
    meter = await lab.put(Glucose(security=Security.NUMERIC))
    refused = await lab.pair(meter, answers=[NO], status=None)
    expect(refused.status not in (0, None), refused)
    expect_error(refused, "cancelled", "pairing_failure")
    listed = await lab.ask("meters", "list", "--paired", adapter=None)
    expect("uuid" not in listed.text, listed, "a refused meter is listed")


@scenario
async def pair_cancelled(lab):
    """A passkey that nobody gives, and an interruption while nobody is there, are cancelled pairings."""
    meter = await lab.put(Glucose(security=Security.PASSKEY))
    refused = await lab.pair(meter, answers=[""], status=130)
    expect_error(refused, "cancelled")
    await meter.fall_silent()
    waiting = lab.meterhost("pair", 1000, "--timeout", 30)
    await waiting.event("started")
    await lab.pause(1)
    waiting.send(signal.SIGINT)
    await waiting.ended(15)
    expect(waiting.status == 130, waiting)
    expect_error(waiting, "cancelled")
    await meter.call()
    meter_of(await lab.pair(meter, answers=[f"{meter.passkey:06}"]))


@scenario
async def pair_not_in_pairing_mode(lab):
    """A meter that refuses because nobody has put it into its pairing mode; then somebody does."""
    meter = await lab.put(Glucose(security=Security.JUST_WORKS))
    meter.is_in_pairing_mode = False
    refused = await lab.pair(meter, status=1)
    expect_error(refused, "pairing_failure")
    meter.is_in_pairing_mode = True
    meter_of(await lab.pair(meter))


@scenario
async def not_paired(lab):
    """A read never starts a pairing by itself; with --pair it does."""
    meter = await lab.put(Glucose(security=Security.JUST_WORKS))
    refused = await lab.read(meter, status=1)
    expect_error(refused, "not_paired")
    expect(meter.noted("pairing asked") == 0, "the read has started a pairing")
    expect_read(await lab.read(meter, "--pair"), meter.records)


@scenario
async def forget(lab):
    """A meter that is forgotten has to be paired again."""
    meter = await lab.put(Glucose(security=Security.JUST_WORKS))
    paired = meter_of(await lab.pair(meter))
    await lab.ask("meters", "forget", paired["uuid"], adapter=None)
    expect(paired["uuid"] not in (await lab.ask("meters", "list", "--paired", adapter=None)).text, "a forgotten meter is listed")
    expect_error(await lab.read(meter, status=1), "not_paired")
