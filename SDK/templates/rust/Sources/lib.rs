//! The bundle's tables and its one exported function.
#![cfg_attr(not(test), no_std)]

extern crate alloc;

mod measurement;
mod session;

use meterhost_driver::abi::{MH_CAP_CONNECT, MH_CAP_DECODE};

#[cfg(not(test))]
meterhost_driver::runtime!();

// Id, version and vendor must agree with fragment.json.
meterhost_driver::driver!(
    "org.example.template-meter",
    "0.1.0",
    "Template Vendor",
    MH_CAP_CONNECT | MH_CAP_DECODE,
    session::Transfer,
    session::Values
);
