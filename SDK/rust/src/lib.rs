//! For authors of drivers in Rust: the contract of `SDK/include/meterhost`, and a session that needs no unsafe code.
//!
//! [`abi`] is the contract as it is. A driver implements [`Session`] and [`Decoder`], hands them to [`driver!`], and asks for
//! memory and an end of panics with [`runtime!`]. Bundles are `no_std`: Rust's own library asks the system for files and time, which
//! a driver has from the host (rules R7, R8).
#![no_std]

extern crate alloc;

#[allow(non_camel_case_types, missing_docs)]
pub mod abi;
mod calls;
mod decode;
mod entry;
mod facts;
mod heap;
mod output;

pub use calls::{bluetooth, Session};
pub use decode::{decode, Decoder, Slice};
pub use entry::{enter, Note, Tables};
pub use facts::{Event, Host, Opening};
pub use heap::LibcHeap;
pub use output::{Action, Output, Record};

/// A failure of a driver's function, as the contract's results say it: `MH_E_...`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal(pub i32);
