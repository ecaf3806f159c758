use alloc::boxed::Box;
use core::mem::{offset_of, size_of};

use crate::abi::*;
use crate::decode::{decode, Decoder};
use crate::facts::{Event, Host, Opening};
use crate::output::Output;
use crate::Refusal;

/// One session with one meter: a state machine that is told facts and asks for actions.
pub trait Session: Sized {
    /// Begins. `MH_E_UNSUPPORTED` to a purpose that it does not serve.
    fn open(host: &Host, opening: &Opening) -> Result<Self, Refusal>;

    /// Takes one fact of this version of the contract, also after it has finished or failed. An error ends the session, and nothing of
    /// the event is taken.
    fn event(&mut self, host: &Host, event: &Event, output: &mut Output) -> Result<(), Refusal>;
}

/// A session as the host holds it.
struct Held<S> {
    host: *const mh_host,
    peer: u64,
    session: S,
    output: Output,
}

/// The four functions of a driver of meters in the air.
pub const fn bluetooth<S: Session, D: Decoder>() -> mh_bluetooth {
    mh_bluetooth {
        struct_size: size_of::<mh_bluetooth>() as u32,
        reserved: 0,
        open: Some(open::<S>),
        event: Some(event::<S>),
        close: Some(close::<S>),
        decode: Some(decode::<D>),
    }
}

unsafe extern "C" fn open<S: Session>(
    host: *const mh_host, opening: *const mh_open, out: *mut *mut mh_session,
) -> i32 {
    if host.is_null() || opening.is_null() || out.is_null() {
        return MH_E_ARG;
    }
    if ((*opening).struct_size as usize) < offset_of!(mh_open, params) + size_of::<*const mh_param>() {
        return MH_E_ARG;
    }
    let (table, facts) = (&*host, &*opening);
    match S::open(&Host::new(table, facts.peer), &Opening(facts)) {
        Ok(session) => {
            let held = Held { host, peer: facts.peer, session, output: Output::default() };
            *out = Box::into_raw(Box::new(held)).cast();
            MH_OK
        }
        Err(refusal) => refusal.0,
    }
}

unsafe extern "C" fn event<S: Session>(
    session: *mut mh_session, event: *const mh_event, sink: *mut mh_sink,
) -> i32 {
    if session.is_null() || event.is_null() || sink.is_null() {
        return MH_E_ARG;
    }
    let (held, event, sink) = (&mut *session.cast::<Held<S>>(), &*event, &mut *sink);
    let whole = offset_of!(mh_event, n_characteristics) + size_of::<u32>();
    if (event.struct_size as usize) < whole || (sink.struct_size as usize) < size_of::<mh_sink>() {
        return MH_E_ARG;
    }
    if event.kind == MH_EV_CONTINUE {
        return if held.output.is_pending() { held.output.drain(sink) } else { MH_OK };
    }
    // A new fact before the last one's output is taken would mix two units.
    if held.output.is_pending() {
        return MH_E_ARG;
    }
    // A later minor's, or the draft's of resumed links.
    if event.kind > MH_EV_CONTINUE || event.kind == MH_EV_DISCONNECTED + 1 {
        return MH_E_UNSUPPORTED;
    }
    let host = Host::new(&*held.host, held.peer);
    match held.session.event(&host, &Event(event), &mut held.output) {
        Ok(()) => held.output.drain(sink),
        Err(refusal) => {
            held.output = Output::default();
            refusal.0
        }
    }
}

unsafe extern "C" fn close<S: Session>(session: *mut mh_session) {
    if !session.is_null() {
        drop(Box::from_raw(session.cast::<Held<S>>()));
    }
}
