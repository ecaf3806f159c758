use core::mem::{offset_of, size_of};

use crate::abi::*;
use crate::facts::text;

/// The note that names the contract's version; without it the host refuses the bundle (rule R20).
#[repr(C, align(4))]
pub struct Note(mh_note);

impl Note {
    /// The note of this version of the contract.
    pub const fn new() -> Self {
        Note(mh_note {
            owner_size: 10,
            description_size: 12,
            r#type: MH_NOTE_TYPE,
            owner: *b"MeterHost\0\0\0",
            abi_major: MH_ABI_MAJOR as u16,
            abi_minor: MH_ABI_MINOR as u16,
            layout_hash_low: MH_LAYOUT_HASH as u32,
            layout_hash_high: (MH_LAYOUT_HASH >> 32) as u32,
        })
    }
}

impl Default for Note {
    fn default() -> Self {
        Note::new()
    }
}

/// The bundle's tables, which the host reads for the life of the process.
pub struct Tables(mh_driver);

// SAFETY: nothing in them ever changes.
unsafe impl Sync for Tables {}

impl Tables {
    /// The tables of one driver: id, version and vendor as in its fragment, what it can do (`MH_CAP_...`), its functions.
    pub const fn new(
        id: &'static str, version: &'static str, vendor: &'static str, capabilities: u32,
        bluetooth: &'static mh_bluetooth,
    ) -> Self {
        Tables(mh_driver {
            struct_size: size_of::<mh_driver>() as u32,
            abi_major: MH_ABI_MAJOR as u16,
            abi_minor: MH_ABI_MINOR as u16,
            layout_hash: MH_LAYOUT_HASH,
            capabilities: capabilities as u64,
            id: mh_str { p: id.as_ptr(), n: id.len() as u64 },
            version: mh_str { p: version.as_ptr(), n: version.len() as u64 },
            vendor: mh_str { p: vendor.as_ptr(), n: vendor.len() as u64 },
            bluetooth,
            functions: core::ptr::null(),
            n_functions: 0,
            extension: None,
        })
    }
}

/// Answers the host's question for the driver at `index` (rules R1, R4).
///
/// # Safety
/// As the contract says (`mh_driver_entry`).
pub unsafe fn enter(
    tables: &'static Tables, host: *const mh_host, index: u32, out: *mut *const mh_driver, why_not: *mut mh_str,
) -> i32 {
    if host.is_null() || out.is_null() {
        return MH_E_ARG;
    }
    // Every minor of the same major: all of the first minor's table has to be there.
    let whole = offset_of!(mh_host, extension) + size_of::<*const u8>();
    if u32::from((*host).abi_major) != MH_ABI_MAJOR || ((*host).struct_size as usize) < whole {
        if !why_not.is_null() {
            *why_not = text(REFUSAL);
        }
        return MH_REFUSED;
    }
    if index != 0 {
        return MH_END;
    }
    *out = &tables.0;
    MH_OK
}

const REFUSAL: &str = "this bundle speaks another contract than this host; update the older of the two";

/// A bundle with one driver: its note, its tables and the one function that it exports.
///
/// `driver!(id, version, vendor, capabilities, SessionType, DecoderType)`
#[macro_export]
macro_rules! driver {
    ($id:expr, $version:expr, $vendor:expr, $capabilities:expr, $session:ty, $decoder:ty) => {
        #[used]
        #[link_section = ".note.meterhost"]
        static NOTE: $crate::Note = $crate::Note::new();

        static BLUETOOTH: $crate::abi::mh_bluetooth = $crate::bluetooth::<$session, $decoder>();
        static TABLES: $crate::Tables =
            $crate::Tables::new($id, $version, $vendor, $capabilities, &BLUETOOTH);

        /// # Safety
        /// The host calls it as the contract says.
        #[no_mangle]
        pub unsafe extern "C" fn mh_driver_entry(
            host: *const $crate::abi::mh_host, index: u32, out: *mut *const $crate::abi::mh_driver,
            why_not: *mut $crate::abi::mh_str,
        ) -> i32 {
            $crate::enter(&TABLES, host, index, out, why_not)
        }
    };
}
