//! Reads the meter's stored readings: subscribe, ask for what is new, take it, finish.
//!
//! The cursor is the identity of the newest committed reading. The meter is asked for that one and all after it: if it still has it,
//! the memory is the one that the cursor belongs to; if not, everything is read again and the host knows by their identities which
//! readings it has. So neither a cleared memory nor a new numbering loses a reading.

use meterhost_driver::abi::*;
use meterhost_driver::{Action, Decoder, Event, Host, Opening, Output, Record, Refusal, Session, Slice};

use crate::measurement::{Identity, Measurement};

const GLUCOSE: mh_uuid = mh_uuid::short(0x1808);
const MEASUREMENT: u16 = 0x2a18;
const RECORD_ACCESS: mh_uuid = mh_uuid::short(0x2a52);

const CURSOR: &str = "user/cursor";
/// How long the meter may be silent while it sends its memory.
const SILENCE_LIMIT: u64 = 10_000_000_000;

// Record Access Control Point (GATT Specification Supplement 3.187).
const REPORT_ALL: [u8; 2] = [0x01, 0x01];
const REPORT_FROM_NUMBER: [u8; 3] = [0x01, 0x03, 0x01];
const ABORT: [u8; 2] = [0x03, 0x00];
const RESPONSE: u8 = 0x06;
const SUCCESS: u8 = 1;
const NO_RECORDS: u8 = 6;

const FOR_MEASUREMENT: u64 = 1;
const FOR_CONTROL: u64 = 2;
const FOR_REQUEST: u64 = 3;
const SILENCE: u64 = 4;
const FOR_ABORT: u64 = 5;

#[derive(PartialEq)]
enum Phase {
    Idle,
    Subscribing { left: u8 },
    Reading,
    Ended,
}

/// The driver's `decode`.
pub struct Values;

impl Decoder for Values {
    fn decode(_: &Opening, slice: &Slice) -> Result<Record, Refusal> {
        // A flag says that the bytes are something else than this characteristic's value.
        if slice.flags != 0 || slice.characteristic != MEASUREMENT {
            return Err(Refusal(MH_E_UNSUPPORTED));
        }
        Measurement::read(slice.bytes)?.record()
    }
}

/// A session with the meter.
pub struct Transfer {
    phase: Phase,
    measurement: u16,
    control: u16,
    cursor: Option<Identity>,
    /// The meter was asked for the cursor's reading and all after it.
    asked_from_cursor: bool,
    saw_cursor: bool,
    newest: Option<(u16, Identity)>,
    received: u64,
    /// A packet could not be read: the cursor stays before it, and the person is told.
    is_damaged: bool,
}

impl Session for Transfer {
    fn open(_: &Host, opening: &Opening) -> Result<Self, Refusal> {
        if ![MH_PURPOSE_READ, MH_PURPOSE_PASSIVE].contains(&opening.purpose()) {
            return Err(Refusal(MH_E_UNSUPPORTED));
        }
        Ok(Transfer {
            phase: Phase::Idle,
            measurement: 0,
            control: 0,
            cursor: None,
            asked_from_cursor: false,
            saw_cursor: false,
            newest: None,
            received: 0,
            is_damaged: false,
        })
    }

    fn event(&mut self, host: &Host, event: &Event, output: &mut Output) -> Result<(), Refusal> {
        if self.phase == Phase::Ended {
            return Ok(());
        }
        let is_reading = self.phase == Phase::Reading;
        match event.kind() {
            MH_EV_SERVICES => self.start(event, output),
            MH_EV_SERVICE_CHANGED => self.forget_services(output),
            MH_EV_SUBSCRIBED => self.subscribed(host, event, output)?,
            MH_EV_WROTE if is_reading && event.token() == FOR_REQUEST && event.status() != 0 => self.fail(
                MH_FAIL_COMMUNICATION, "The meter refused the request for readings. Read it again.", output),
            MH_EV_NOTIFICATION if is_reading && event.handle() == self.measurement => self.received(host, event, output),
            MH_EV_INDICATION if is_reading && event.handle() == self.control => self.answered(host, event, output)?,
            MH_EV_TIMER if event.token() == SILENCE => self.fail(
                MH_FAIL_TIMEOUT, "The meter stopped sending. Keep it near and read it again.", output),
            MH_EV_CANCEL => self.cancelled(output),
            MH_EV_DISCONNECTED => self.fail(
                MH_FAIL_COMMUNICATION, "The meter went away before it had sent everything. Read it again.", output),
            _ => {}
        }
        Ok(())
    }
}

impl Transfer {
    fn start(&mut self, event: &Event, output: &mut Output) {
        if self.phase != Phase::Idle {
            return;
        }
        let measurement = event.characteristic(GLUCOSE, mh_uuid::short(MEASUREMENT));
        let (Some(measurement), Some(control)) = (measurement, event.characteristic(GLUCOSE, RECORD_ACCESS)) else {
            return self.fail(MH_FAIL_UNSUPPORTED_METER, "The meter does not offer its readings.", output);
        };
        (self.measurement, self.control) = (measurement, control);
        self.phase = Phase::Subscribing { left: 2 };
        // Both before the request: the meter may answer at once.
        output.act(Action::subscribe(measurement, FOR_MEASUREMENT));
        output.act(Action::subscribe(control, FOR_CONTROL));
    }

    fn subscribed(&mut self, host: &Host, event: &Event, output: &mut Output) -> Result<(), Refusal> {
        let Phase::Subscribing { left } = self.phase else { return Ok(()) };
        if event.status() != 0 {
            self.fail(MH_FAIL_COMMUNICATION, "The meter refused to send its readings. Read it again.", output);
            return Ok(());
        }
        self.phase = Phase::Subscribing { left: left - 1 };
        if left > 1 {
            return Ok(());
        }
        // What is no cursor of this release is none.
        self.cursor = host.load(CURSOR)?.and_then(|bytes| bytes.try_into().ok());
        output.act(Action::new(MH_DO_READY));
        self.ask_for_new(output);
        Ok(())
    }

    fn ask_for_new(&mut self, output: &mut Output) {
        match self.cursor {
            // After number 65535 comes 0, which is no number "from 65535 on".
            Some([low, high, ..]) if u16::from_le_bytes([low, high]) != u16::MAX => {
                self.asked_from_cursor = true;
                let mut request = alloc::vec::Vec::from(REPORT_FROM_NUMBER);
                request.extend([low, high]);
                self.request(&request, output);
            }
            _ => self.ask_for_all(output),
        }
    }

    fn ask_for_all(&mut self, output: &mut Output) {
        self.asked_from_cursor = false;
        self.request(&REPORT_ALL, output);
    }

    fn request(&mut self, bytes: &[u8], output: &mut Output) {
        self.phase = Phase::Reading;
        (self.newest, self.saw_cursor) = (None, false);
        output.act(Action::write(self.control, FOR_REQUEST, bytes));
        output.act(Action::timer(SILENCE, SILENCE_LIMIT));
    }

    fn received(&mut self, host: &Host, event: &Event, output: &mut Output) {
        let Ok(reading) = Measurement::read(event.value()) else {
            host.log(MH_LOG_WARNING, "a packet was refused: it is shorter than its flags say");
            self.is_damaged = true;
            return output.refuse_bytes();
        };
        output.act(Action::timer(SILENCE, SILENCE_LIMIT));
        let identity = reading.identity();
        if self.asked_from_cursor && Some(identity) == self.cursor {
            self.saw_cursor = true;
            return;
        }
        if self.newest.is_none_or(|(number, _)| reading.sequence >= number) {
            self.newest = Some((reading.sequence, identity));
        }
        match reading.record() {
            Ok(record) => output.record(record),
            Err(_) => host.log(MH_LOG_INFO, "the meter could not measure this one; no reading"),
        }
        self.received += 1;
        output.act(Action { arg: self.received, ..Action::new(MH_DO_PROGRESS) });
    }

    fn answered(&mut self, host: &Host, event: &Event, output: &mut Output) -> Result<(), Refusal> {
        let [RESPONSE, _, request, result, ..] = *event.value() else { return Ok(()) };
        if request != REPORT_ALL[0] {
            return Ok(());
        }
        if result == SUCCESS || result == NO_RECORDS {
            return self.reported(host, output);
        }
        if self.asked_from_cursor {
            host.log(MH_LOG_INFO, "the meter does not filter by number; reading all");
            self.ask_for_all(output);
        } else {
            self.fail(MH_FAIL_METER_ERROR, "The meter could not send its readings. Read it again.", output);
        }
        Ok(())
    }

    /// The meter has sent what it was asked for. The cursor moves once, here, so that it never passes what did not come.
    fn reported(&mut self, host: &Host, output: &mut Output) -> Result<(), Refusal> {
        if self.asked_from_cursor && !self.saw_cursor {
            host.log(MH_LOG_INFO, "the cursor's reading is not in the meter any more; reading all");
            self.ask_for_all(output);
            return Ok(());
        }
        if self.is_damaged {
            self.fail(MH_FAIL_METER_ERROR, "The meter sent a reading that cannot be read. Update the driver.", output);
            return Ok(());
        }
        if let Some((number, identity)) = self.newest {
            host.store(CURSOR, &identity)?;
            if self.asked_from_cursor && number == u16::MAX {
                self.ask_for_all(output);
                return Ok(());
            }
        }
        output.act(Action { token: SILENCE, ..Action::new(MH_DO_CANCEL_TIMER) });
        self.end(Action::new(MH_DO_FINISH), output);
        Ok(())
    }

    fn cancelled(&mut self, output: &mut Output) {
        if self.phase == Phase::Reading {
            output.act(Action::write(self.control, FOR_ABORT, &ABORT));
        }
        self.end(Action::new(MH_DO_FINISH), output);
    }

    /// Handles may mean something else now: start again at the next list of services.
    fn forget_services(&mut self, output: &mut Output) {
        self.phase = Phase::Idle;
        output.act(Action { token: SILENCE, ..Action::new(MH_DO_CANCEL_TIMER) });
    }

    fn fail(&mut self, code: i32, words: &str, output: &mut Output) {
        self.end(Action::fail(code, words), output);
    }

    fn end(&mut self, action: Action, output: &mut Output) {
        self.phase = Phase::Ended;
        output.act(action);
    }
}
