/* The readings: which ones are asked for, and what of them is on disk.
 *
 * The cursor is the last reading that is on disk, as the meter sent it. It moves once, when as many readings have come
 * as the meter says: a gap that nobody saw cannot be passed over. That reading is asked for again: when another one
 * comes under its number, or none, it may be that the memory was cleared and has filled up past the cursor.
 */
#include <string.h>

#include "state.h"

#define CURSOR "user/cursor"

static uint16_t read_u16(const uint8_t *p) { return (uint16_t)(p[0] | p[1] << 8); }

static void ask_for_readings(mh_session *session) {
  uint16_t cursor = read_u16(session->start), first = cursor == 0 ? 1 : cursor;
  uint8_t bytes[] = {KEYED_REPORT, (uint8_t)first, (uint8_t)(first >> 8)};
  memcpy(session->cursor, session->start, KEYED_IDENTITY_LENGTH);
  session->arrived = 0;
  session->is_other_memory = 0;
  session->has_seen_cursor = cursor == 0;
  session->phase = KEYED_REPORTING;
  keyed_command(session, bytes, sizeof bytes);
}

void keyed_start_report(mh_session *session) {
  uint64_t n = KEYED_IDENTITY_LENGTH;
  int32_t status =
      session->host->kv_get(session->host->ctx, session->peer, keyed_text(CURSOR), session->start, &n);
  int is_there = status == MH_OK && n == KEYED_IDENTITY_LENGTH;
  /* A meter whose last number is behind the cursor was cleared: everything in it is new. */
  if (!is_there || read_u16(session->start) > session->info.last_sequence)
    memset(session->start, 0, KEYED_IDENTITY_LENGTH);
  ask_for_readings(session);
}

void keyed_received(mh_session *session, mh_bytes packet, mh_sink *sink) {
  if (session->phase != KEYED_REPORTING) return;
  uint8_t record[KEYED_RECORD_LENGTH];
  int32_t status = keyed_open_packet(session->crypto, session->peer, &session->info, packet, record);
  if (status == MH_E_NOT_FOUND) {
    keyed_fail(session, MH_FAIL_KEY_MISSING, 0, "The meter's key is not stored here any more. Pair the meter again.");
    return;
  }
  uint16_t sequence = read_u16(record), start = read_u16(session->start);
  if (status != MH_OK || sequence == 0) {
    keyed_fail(session, MH_FAIL_COMMUNICATION, 0, "A reading came damaged. What came before is kept; read again.");
    return;
  }
  keyed_listen(session);
  if (sequence <= start) {
    session->arrived++;
    if (sequence != start) return;
    if (memcmp(record, session->start, KEYED_IDENTITY_LENGTH) == 0)
      session->has_seen_cursor = 1;
    else
      session->is_other_memory = 1;
    return;
  }
  if (memcmp(record, session->cursor, KEYED_IDENTITY_LENGTH) == 0) return;
  session->arrived++;
  if (session->is_other_memory) return;
  if (sequence > read_u16(session->cursor)) memcpy(session->cursor, record, KEYED_IDENTITY_LENGTH);
  if (keyed_put_record(record, sink) == MH_E_FULL) {
    memcpy(session->waiting, record, sizeof record);
    session->is_waiting = 1;
  }
}

void keyed_reported(mh_session *session, mh_bytes answer) {
  if (answer.n < 3 || read_u16(answer.p + 1) != session->arrived) {
    keyed_fail(session, MH_FAIL_COMMUNICATION, 0, "Not as many readings came as the meter says. Read it again.");
    return;
  }
  /* What has gone as well is no proof that the rest is what was read: a meter that deletes what it was told is on disk has
   * nothing else to send. */
  if (session->is_other_memory || !session->has_seen_cursor) {
    memset(session->start, 0, KEYED_IDENTITY_LENGTH);
    ask_for_readings(session);
    return;
  }
  if (session->arrived == 0) {
    keyed_end(session, (mh_action){.kind = MH_DO_FINISH});
    return;
  }
  mh_bytes cursor = {session->cursor, KEYED_IDENTITY_LENGTH};
  if (session->host->kv_set(session->host->ctx, session->peer, keyed_text(CURSOR), cursor) != MH_OK) {
    keyed_fail(session, MH_FAIL_COMMUNICATION, 0, "The host does not keep the place in the meter's memory.");
    return;
  }
  /* The host sends this when every record before it is on disk (rule R25). */
  uint8_t bytes[] = {KEYED_ACKNOWLEDGE, session->cursor[0], session->cursor[1]};
  session->phase = KEYED_ACKNOWLEDGING;
  keyed_listen(session);
  keyed_command(session, bytes, sizeof bytes);
}
