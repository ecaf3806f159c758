use crate::abi::*;
use crate::facts::{lent, Opening};
use crate::output::Record;
use crate::Refusal;

/// One captured value.
pub struct Slice<'a> {
    /// Its bytes.
    pub bytes: &'a [u8],
    /// The characteristic's Bluetooth SIG id, or the registry's number of a vendor's.
    pub characteristic: u16,
    /// `MH_SLICE_...`: the bytes are something else than the characteristic's value.
    pub flags: u16,
    /// When it arrived, microseconds since 1970-01-01T00:00Z.
    pub time: i64,
}

/// Reads single values without a session (rule R14): pure, of its arguments only.
pub trait Decoder {
    /// The record of a value. `MH_E_NO_VALUE`, `MH_E_PROTOCOL` or `MH_E_UNSUPPORTED` where there is none.
    fn decode(opening: &Opening, slice: &Slice) -> Result<Record, Refusal>;
}

/// The contract's `decode`.
///
/// # Safety
/// As the contract says (`mh_bluetooth.decode`).
pub unsafe extern "C" fn decode<D: Decoder>(
    opening: *const mh_open, arena: mh_bytes, slices: *mut mh_slice, count: u64, sink: *mut mh_sink, done: *mut u64,
) -> i32 {
    if opening.is_null() || (slices.is_null() && count != 0) || sink.is_null() || done.is_null() {
        return MH_E_ARG;
    }
    let (opening, sink) = (Opening(&*opening), &mut *sink);
    if (sink.struct_size as usize) < core::mem::size_of::<mh_sink>() {
        return MH_E_ARG;
    }
    let content = lent(arena.p, arena.n);
    *done = 0;
    while *done < count {
        let slice = &mut *slices.add(*done as usize);
        let Some(bytes) = content.get(slice.off as usize..slice.off as usize + slice.len as usize) else {
            return MH_E_ARG;
        };
        let one = Slice { bytes, characteristic: slice.characteristic, flags: slice.flags, time: slice.t_us };
        let before = sink.n_records;
        let status = match D::decode(&opening, &one) {
            Ok(record) => record.put(sink),
            Err(refusal) => refusal.0,
        };
        if status == MH_E_FULL {
            return MH_E_FULL;
        }
        slice.status = status;
        slice.first_record = before as u32;
        slice.n_records = (sink.n_records - before) as u32;
        *done += 1;
    }
    MH_OK
}
