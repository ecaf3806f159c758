use alloc::string::String;
use alloc::vec::Vec;
use core::mem::size_of;

use crate::abi::*;
use crate::facts::{bytes, text};

/// One record with its values, texts and identity (rule R12).
#[derive(Clone)]
pub struct Record {
    head: mh_record,
    values: Vec<mh_value>,
    identity: Vec<u8>,
    texts: Vec<(u16, String)>,
}

impl Record {
    /// A measurement without a time and a number, which has the identity of its first commit.
    pub fn live() -> Self {
        let head = mh_record {
            kind: MH_KIND_MEASUREMENT,
            flags: 0,
            n_values: 0,
            n_texts: 0,
            device_user: 0,
            time_kind: MH_TIME_NONE as u16,
            t_us: 0,
            end_us: 0,
            device_seq: MH_SEQ_NONE,
            utc_offset_s: MH_OFFSET_UNKNOWN,
            first_value: 0,
            first_text: 0,
            group: 0,
            ident_off: 0,
            ident_len: 0,
            ident_class: MH_IDENT_LIVE as u16,
        };
        Record { head, values: Vec::new(), identity: Vec::new(), texts: Vec::new() }
    }

    /// A measurement that the meter can send again: its identity is the same bytes on every read.
    pub fn stored(identity: &[u8]) -> Self {
        let mut record = Record::live();
        record.head.ident_class = MH_IDENT_STORED as u16;
        record.identity.extend_from_slice(identity);
        record
    }

    /// The meter's sequence number.
    pub fn sequence(mut self, number: u64) -> Self {
        self.head.device_seq = number;
        self
    }

    /// What the meter's display shows as the time: microseconds since 1970-01-01T00:00, its zone unknown.
    pub fn civil_time(mut self, microseconds: i64) -> Self {
        self.head.time_kind = MH_TIME_CIVIL as u16;
        self.head.t_us = microseconds;
        self.head.end_us = microseconds;
        self
    }

    /// The meter's user slot.
    pub fn user(mut self, slot: u16) -> Self {
        self.head.device_user = slot;
        self.flag(MH_REC_USER)
    }

    /// Flags: `MH_REC_...`.
    pub fn flag(mut self, flags: u32) -> Self {
        self.head.flags |= flags;
        self
    }

    /// Another kind: `MH_KIND_...`.
    pub fn kind(mut self, kind: u32) -> Self {
        self.head.kind = kind;
        self
    }

    /// A number with the digits of the display: `mantissa` times ten to `exponent`.
    pub fn value(mut self, metric: u16, unit: u16, mantissa: i64, exponent: i8, qualifier: u32) -> Self {
        let value = nearest(mantissa, exponent);
        let qualifier = qualifier as u8;
        self.values.push(mh_value { metric, unit, exp10: exponent, qualifier, flags: 0, value, raw: mantissa });
        self
    }

    /// A coded fact.
    pub fn code(self, metric: u16, number: i64) -> Self {
        self.value(metric, MH_UNIT_NONE, number, 0, MH_QUAL_EXACT)
    }

    /// A text of the dictionary.
    pub fn text(mut self, field: u16, words: &str) -> Self {
        self.texts.push((field, String::from(words)));
        self
    }

    /// Puts it into a sink as a whole, or leaves the sink as it is (rule R13).
    pub(crate) fn put(&self, sink: &mut mh_sink) -> i32 {
        let needed = self.identity.len() + self.texts.iter().map(|(_, words)| words.len()).sum::<usize>();
        let fits = sink.cap_records - sink.n_records >= 1
            && sink.cap_values - sink.n_values >= self.values.len() as u64
            && sink.cap_texts - sink.n_texts >= self.texts.len() as u64
            && sink.cap_arena - sink.n_arena >= needed as u64;
        if !fits {
            return MH_E_FULL;
        }
        let mut head = self.head;
        head.n_values = self.values.len() as u16;
        head.n_texts = self.texts.len() as u16;
        head.first_value = sink.n_values as u32;
        head.first_text = sink.n_texts as u32;
        head.ident_off = sink.n_arena as u32;
        head.ident_len = self.identity.len() as u16;
        // SAFETY: there is room for all of it, as was looked at above.
        unsafe {
            append(sink.arena, &mut sink.n_arena, &self.identity);
            append(sink.values, &mut sink.n_values, &self.values);
            for (field, words) in &self.texts {
                let one = mh_text { field: *field, flags: 0, off: sink.n_arena as u32, len: words.len() as u32 };
                append(sink.texts, &mut sink.n_texts, &[one]);
                append(sink.arena, &mut sink.n_arena, words.as_bytes());
            }
            append(sink.records, &mut sink.n_records, &[head]);
        }
        MH_OK
    }
}

/// # Safety
/// Behind `count` values of `first` there is room for more.
unsafe fn append<T: Copy>(first: *mut T, count: &mut u64, more: &[T]) {
    if !more.is_empty() {
        core::ptr::copy_nonoverlapping(more.as_ptr(), first.add(*count as usize), more.len());
        *count += more.len() as u64;
    }
}

/// The nearest double: one operation on two exact numbers.
fn nearest(mantissa: i64, exponent: i8) -> f64 {
    let mut power = 1.0;
    for _ in 0..exponent.unsigned_abs() {
        power *= 10.0;
    }
    if exponent < 0 {
        mantissa as f64 / power
    } else {
        mantissa as f64 * power
    }
}

/// What a driver asks of the host (rule R11): `MH_DO_...`; what an action does not name stays zero.
#[derive(Clone, Default)]
pub struct Action {
    pub kind: u32,
    pub token: u64,
    pub arg: u64,
    pub arg2: u64,
    pub handle: u16,
    pub flags: u16,
    pub code: i32,
    pub value: Vec<u8>,
    pub text: String,
}

impl Action {
    /// An action of a kind.
    pub fn new(kind: u32) -> Self {
        Action { kind, ..Action::default() }
    }

    /// A subscription to a characteristic.
    pub fn subscribe(handle: u16, token: u64) -> Self {
        Action { handle, token, ..Action::new(MH_DO_SUBSCRIBE) }
    }

    /// A write that is answered.
    pub fn write(handle: u16, token: u64, value: &[u8]) -> Self {
        Action { handle, token, value: Vec::from(value), ..Action::new(MH_DO_WRITE) }
    }

    /// A timer; it replaces the one of the same token.
    pub fn timer(token: u64, nanoseconds: u64) -> Self {
        Action { token, arg: nanoseconds, ..Action::new(MH_DO_TIMER) }
    }

    /// The session failed: `MH_FAIL_...` with words for the person.
    pub fn fail(code: i32, words: &str) -> Self {
        Action { code, text: String::from(words), ..Action::new(MH_DO_FAIL) }
    }

    fn put(&self, sink: &mut mh_sink) -> i32 {
        let action = mh_action {
            struct_size: size_of::<mh_action>() as u32,
            kind: self.kind,
            token: self.token,
            arg: self.arg,
            arg2: self.arg2,
            handle: self.handle,
            flags: self.flags,
            code: self.code,
            value: if self.value.is_empty() { mh_bytes { p: core::ptr::null(), n: 0 } } else { bytes(&self.value) },
            text: if self.text.is_empty() { mh_str { p: core::ptr::null(), n: 0 } } else { text(&self.text) },
        };
        match sink.act {
            // SAFETY: the host copies it before it returns.
            Some(act) => unsafe { act(sink.ctx, &action) },
            None => MH_E_ARG,
        }
    }
}

/// What comes of one event: records first, then actions, however small the host's sink is (rule R13).
#[derive(Default)]
pub struct Output {
    records: Vec<Record>,
    actions: Vec<Action>,
    next_record: usize,
    next_action: usize,
    pub(crate) status: i32,
}

impl Output {
    /// Hands a record over.
    pub fn record(&mut self, record: Record) {
        self.records.push(record);
    }

    /// Asks for an action.
    pub fn act(&mut self, action: Action) {
        self.actions.push(action);
    }

    /// Says that the meter's bytes were refused; the session goes on.
    pub fn refuse_bytes(&mut self) {
        self.status = MH_E_PROTOCOL;
    }

    pub(crate) fn is_pending(&self) -> bool {
        self.next_record < self.records.len() || self.next_action < self.actions.len()
    }

    /// Hands over as much as there is room for; the rest goes with `MH_EV_CONTINUE`.
    pub(crate) fn drain(&mut self, sink: &mut mh_sink) -> i32 {
        while let Some(record) = self.records.get(self.next_record) {
            if record.put(sink) == MH_E_FULL {
                return MH_E_FULL;
            }
            self.next_record += 1;
        }
        while let Some(action) = self.actions.get(self.next_action) {
            let status = action.put(sink);
            if status != MH_OK {
                return status;
            }
            self.next_action += 1;
        }
        let status = self.status;
        *self = Output::default();
        status
    }
}
