use alloc::vec::Vec;

use crate::abi::*;
use crate::Refusal;

/// Borrows what the host lends for a call (rule R6).
///
/// # Safety
/// `first` leads to `count` values, or `count` is 0.
pub(crate) unsafe fn lent<'a, T>(first: *const T, count: u64) -> &'a [T] {
    if count == 0 || first.is_null() {
        &[]
    } else {
        core::slice::from_raw_parts(first, count as usize)
    }
}

pub(crate) fn text(words: &str) -> mh_str {
    mh_str { p: words.as_ptr(), n: words.len() as u64 }
}

pub(crate) fn bytes(content: &[u8]) -> mh_bytes {
    mh_bytes { p: content.as_ptr(), n: content.len() as u64 }
}

impl mh_uuid {
    /// A Bluetooth SIG 16-bit id as a full UUID.
    pub const fn short(id: u16) -> Self {
        let (high, low) = ((id >> 8) as u8, id as u8);
        mh_uuid { b: [0, 0, high, low, 0, 0, 0x10, 0, 0x80, 0, 0, 0x80, 0x5f, 0x9b, 0x34, 0xfb] }
    }
}

/// What the host does for a driver, within a call.
#[derive(Clone, Copy)]
pub struct Host<'a> {
    table: &'a mh_host,
    peer: u64,
}

impl<'a> Host<'a> {
    pub(crate) fn new(table: &'a mh_host, peer: u64) -> Self {
        Host { table, peer }
    }

    /// The host's own table, for what this type does not offer.
    pub fn table(&self) -> &'a mh_host {
        self.table
    }

    /// A line for the log: never a health value, token or key (rule R16).
    pub fn log(&self, level: i32, line: &str) {
        if let Some(log) = self.table.log {
            // SAFETY: the words are borrowed for the call.
            unsafe { log(self.table.ctx, level, text(line)) }
        }
    }

    /// A stored value; `None` where there is none.
    pub fn load(&self, key: &str) -> Result<Option<Vec<u8>>, Refusal> {
        let Some(get) = self.table.kv_get else { return Err(Refusal(MH_E_UNSUPPORTED)) };
        let mut value = Vec::new();
        value.resize(MH_VALUE_MAX as usize, 0);
        let mut size = value.len() as u64;
        // SAFETY: the host writes `size` bytes at most.
        match unsafe { get(self.table.ctx, self.peer, text(key), value.as_mut_ptr(), &mut size) } {
            MH_OK => {
                value.truncate(size as usize);
                Ok(Some(value))
            }
            MH_E_NOT_FOUND => Ok(None),
            status => Err(Refusal(status)),
        }
    }

    /// Stores a value together with the records of the event (rule R25); an empty one removes the key.
    pub fn store(&self, key: &str, value: &[u8]) -> Result<(), Refusal> {
        let Some(set) = self.table.kv_set else { return Err(Refusal(MH_E_UNSUPPORTED)) };
        // SAFETY: both are borrowed for the call.
        match unsafe { set(self.table.ctx, self.peer, text(key), bytes(value)) } {
            MH_OK => Ok(()),
            status => Err(Refusal(status)),
        }
    }

    /// Random bytes, the only ones that a driver may use (rule R8).
    pub fn random(&self, out: &mut [u8]) -> Result<(), Refusal> {
        let Some(random) = self.table.random else { return Err(Refusal(MH_E_UNSUPPORTED)) };
        // SAFETY: the host writes as many bytes as there are.
        match unsafe { random(self.table.ctx, out.as_mut_ptr(), out.len() as u64) } {
            MH_OK => Ok(()),
            status => Err(Refusal(status)),
        }
    }
}

/// What a session begins with (rule R9).
#[derive(Clone, Copy)]
pub struct Opening<'a>(pub &'a mh_open);

impl Opening<'_> {
    /// Why there is a session: `MH_PURPOSE_...`.
    pub fn purpose(&self) -> u32 {
        self.0.purpose
    }

    /// A number that the registry or the caller gives (`MH_PARAM_...`); `None` where none was given.
    pub fn parameter(&self, name: u32) -> Option<i64> {
        // SAFETY: the host lends as many as it says.
        let all = unsafe { lent(self.0.params, u64::from(self.0.n_params)) };
        all.iter()
            .find(|one| u32::from(one.name) == name && u32::from(one.r#type) == MH_PARAM_TYPE_INTEGER)
            .map(|one| one.i)
    }
}

/// One fact (rule R10).
#[derive(Clone, Copy)]
pub struct Event<'a>(pub &'a mh_event);

impl<'a> Event<'a> {
    /// Which fact: `MH_EV_...`.
    pub fn kind(&self) -> u32 {
        self.0.kind
    }

    /// Of what the session asked for: the token of the action that this answers.
    pub fn token(&self) -> u64 {
        self.0.token
    }

    /// 0, or the ATT error code, a security level, a reason.
    pub fn status(&self) -> i32 {
        self.0.status
    }

    /// The characteristic that it is about.
    pub fn handle(&self) -> u16 {
        self.0.handle
    }

    /// The bytes that came.
    pub fn value(&self) -> &'a [u8] {
        // SAFETY: the host lends as many as it says.
        unsafe { lent(self.0.value.p, self.0.value.n) }
    }

    /// The handle of a characteristic of a service, both of the Bluetooth SIG or a vendor's.
    pub fn characteristic(&self, service: mh_uuid, characteristic: mh_uuid) -> Option<u16> {
        // SAFETY: the host lends as many as it says.
        let services = unsafe { lent(self.0.services, u64::from(self.0.n_services)) };
        let all = unsafe { lent(self.0.characteristics, u64::from(self.0.n_characteristics)) };
        all.iter()
            .find(|one| {
                one.uuid.b == characteristic.b
                    && services.get(one.service_index as usize).is_some_and(|of| of.uuid.b == service.b)
            })
            .map(|one| one.handle)
    }
}
