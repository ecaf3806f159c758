/* The memory: start, clock, every slot of every ring, perhaps the clock again, end.
 *
 * The rings are not in the order of time and there is no cursor: every slot is read every time, and the host knows what it has
 * by the names of the readings. So nothing depends on the monitor's own pointers and counters, which are left alone. */
#include <string.h>

#include "record.h"
#include "state.h"

/* No two zones of the world are further apart: a clock that differs by more shows a wrong time. */
#define ZONES_APART_S (26 * 3600)

static void send(mh_session *session) {
  omron_wait(session, OMRON_PATIENCE);
  uint32_t width = session->n_channels > 1 ? OMRON_CHANNEL_WIDTH : OMRON_WRITE_MAX;
  for (uint32_t i = 0; i * width < session->n_question && i < session->n_channels; i++) {
    uint32_t left = session->n_question - i * width, n = left < width ? left : width;
    omron_write(session, session->to_meter[i], session->channel_answers, session->question + i * width, n);
  }
}

static void ask(mh_session *session, uint16_t type, uint16_t address, uint8_t size, const uint8_t *data) {
  session->attempts = 1;
  session->n_question = omron_build(type, address, size, data, session->question);
  omron_forget_pieces(&session->pieces);
  send(session);
}

void omron_ask_again(mh_session *session) {
  session->attempts++;
  omron_forget_pieces(&session->pieces);
  send(session);
}

void omron_open_memory(mh_session *session) {
  session->phase = OMRON_STARTING;
  ask(session, OMRON_START, 0, 0x10, NULL);
}

void omron_conclude(mh_session *session) {
  if (session->damaged == 0)
    omron_finish(session);
  else
    omron_fail(session, MH_FAIL_METER_ERROR, session->damaged,
               "The monitor's memory holds readings that are damaged. All others were taken; compare with its display.");
}

void omron_end_memory(mh_session *session) {
  session->phase = OMRON_ENDING;
  ask(session, OMRON_END, 0, 0, NULL);
}

static void ask_ring(mh_session *session) {
  const omron_layout *layout = session->layout;
  uint32_t left = (uint32_t)(layout->slots - session->slot), most = layout->block / layout->record_size;
  uint32_t n = session->is_one_by_one ? 1 : left < most ? left : most;
  session->n_slots = (uint8_t)n;
  uint16_t address = (uint16_t)(layout->start[session->user] + session->slot * layout->record_size);
  ask(session, OMRON_READ, address, (uint8_t)(n * layout->record_size), NULL);
}

static void start_rings(mh_session *session) {
  session->phase = OMRON_RINGS;
  session->user = session->slot = 0;
  session->is_one_by_one = 0;
  ask_ring(session);
}

static int64_t local_us(const mh_session *session, const mh_event *event) {
  return event->unix_us + session->utc_offset_us;
}

static void last_slot_read(mh_session *session, const mh_event *event) {
  const omron_layout *layout = session->layout;
  uint8_t block[OMRON_CLOCK_MAX];
  if (!session->sets_clock || !session->trusts_host_clock || !session->has_clock) {
    omron_end_memory(session);
  } else if (layout->clock_write == 0) {
    omron_log(session, MH_LOG_WARNING, "how this model's clock is set is not known; set it with its buttons");
    omron_end_memory(session);
  } else if (omron_set_clock(layout, session->clock, local_us(session, event), block)) {
    session->phase = OMRON_SETTING;
    ask(session, OMRON_WRITE, layout->clock_write, layout->clock_size, block);
  } else {
    omron_end_memory(session);
  }
}

static void next_slots(mh_session *session, const mh_event *event) {
  const omron_layout *layout = session->layout;
  uint32_t users = omron_users(layout);
  session->slot = (uint8_t)(session->slot + session->n_slots);
  omron_ask(session, (mh_action){.kind = MH_DO_PROGRESS,
                                 .arg = (uint64_t)session->user * layout->slots + session->slot,
                                 .arg2 = (uint64_t)users * layout->slots});
  if (session->slot >= layout->slots) {
    session->slot = 0;
    session->is_one_by_one = 0;
    session->user++;
  }
  if (session->user < users)
    ask_ring(session);
  else
    last_slot_read(session, event);
}

static void ring_answered(mh_session *session, const omron_frame *frame, const mh_event *event) {
  uint32_t due = (uint32_t)session->n_slots * session->layout->record_size;
  if (frame->has_data && frame->n == due) {
    memcpy(session->block, frame->data, due);
    session->records_user = session->user;
    session->records_slot = session->slot;
    session->next_record = 0;
    session->n_records = session->n_slots;
    next_slots(session, event);
  } else if (frame->has_data) {
    session->status = MH_E_PROTOCOL;
  } else if (frame->code == 0 && session->attempts < OMRON_ATTEMPTS) {
    /* An answer without bytes and without a reason: it may have been cut. */
    omron_ask_again(session);
  } else if (session->n_slots > 1) {
    /* A block with one slot that was never written is refused as a whole: slot by slot, then. */
    session->is_one_by_one = 1;
    ask_ring(session);
  } else {
    next_slots(session, event);
  }
}

static void clock_answered(mh_session *session, const omron_frame *frame, const mh_event *event) {
  const omron_layout *layout = session->layout;
  int64_t shown = 0;
  enum omron_clock_state state = OMRON_CLOCK_BLANK;
  if (frame->has_data && frame->n != layout->clock_size) {
    session->status = MH_E_PROTOCOL;
    return;
  }
  if (frame->has_data) state = omron_read_clock(layout, frame->data, &shown);
  if (!frame->has_data && layout->is_probed) {
    omron_fail(session, MH_FAIL_NOT_PAIRED, frame->code, "The monitor does not open its memory. Pair it again.");
    return;
  }
  if (state == OMRON_CLOCK_WRONG || (state == OMRON_CLOCK_BLANK && layout->is_probed)) {
    omron_fail(session, MH_FAIL_UNSUPPORTED_METER, 0,
               "The monitor's memory is not laid out as that of this model. Nothing was read; check which model it is.");
    return;
  }
  if (state != OMRON_CLOCK_BLANK) {
    memcpy(session->clock, frame->data, layout->clock_size);
    session->has_clock = 1;
  }
  if (state == OMRON_CLOCK_SET) {
    int64_t ahead = shown - local_us(session, event);
    session->clock_offset_s = (ahead + (ahead < 0 ? -500000 : 500000)) / 1000000;
    session->tells_clock = 1;
    if (session->trusts_host_clock &&
        (session->clock_offset_s > ZONES_APART_S || session->clock_offset_s < -ZONES_APART_S))
      session->record_flags = MH_REC_CLOCK_SUSPECT;
  }
  start_rings(session);
}

static void started(mh_session *session, const omron_frame *frame) {
  if (!frame->has_data && frame->code != 0) {
    omron_fail(session, MH_FAIL_NOT_PAIRED, frame->code, "The monitor does not open its memory. Pair it again.");
  } else if (session->purpose == MH_PURPOSE_PAIR) {
    omron_end_memory(session);
  } else {
    session->phase = OMRON_CLOCK;
    omron_ask(session, (mh_action){.kind = MH_DO_READY});
    ask(session, OMRON_READ, session->layout->clock_read, session->layout->clock_size, NULL);
  }
}

static void clock_is_set(mh_session *session, const omron_frame *frame) {
  /* The clock is right from here on: said a second time. */
  if (frame->has_data || frame->code == 0) {
    session->clock_offset_s = 0;
    session->tells_clock = 1;
  } else {
    omron_log(session, MH_LOG_WARNING, "the monitor did not take the time");
  }
  omron_end_memory(session);
}

void omron_memory_answered(mh_session *session, const omron_frame *frame, const mh_event *event) {
  uint16_t asked = (uint16_t)(session->question[1] << 8 | session->question[2]);
  uint16_t address = (uint16_t)(session->question[3] << 8 | session->question[4]);
  if (frame->type == (OMRON_ANSWER | OMRON_END) && session->phase != OMRON_ENDING) {
    omron_fail(session, MH_FAIL_METER_ERROR, frame->code,
               "The monitor refused to go on. Press its Bluetooth button and read it again.");
    return;
  }
  /* Every answer names its question: one that comes late, or twice, is of another address. */
  if (frame->type != (OMRON_ANSWER | asked) || (asked != OMRON_START && frame->address != address)) return;
  switch (session->phase) {
    case OMRON_STARTING: started(session, frame); break;
    case OMRON_CLOCK: clock_answered(session, frame, event); break;
    case OMRON_RINGS: ring_answered(session, frame, event); break;
    case OMRON_SETTING: clock_is_set(session, frame); break;
    case OMRON_ENDING: omron_conclude(session); break;
    default: break;
  }
}
