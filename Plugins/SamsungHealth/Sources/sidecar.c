/* Whether texts without a zone are UTC or the local clock's: apps have written both. A sidecar of a row says in milliseconds since
 * 1970 when the row begins, so it settles that for the whole export; without one they are UTC. */
#include "include/samsung.h"

#include <string.h>

/* A series begins with its row or a little later, and zones are an hour apart, or half of one. */
#define SLACK_US (15 * 60 * MH_SECOND_US)

/* The next part of a path: what lies before its slash. */
static mh_str next_part(const char **at, const char *end) {
  const char *p = *at, *slash = p < end ? memchr(p, '/', (size_t)(end - p)) : NULL;
  *at = slash == NULL ? end : slash + 1;
  return (mh_str){p, (uint64_t)((slash == NULL ? end : slash) - p)};
}

void samsung_keep_sidecar(mh_talk *talk, const mh_entry *entry, const mh_entry_name *name) {
  const char *at = name->text, *end = name->text + name->n;
  mh_str part = {NULL, 0};
  while (at < end && !(part.n == 5 && memcmp(part.p, "jsons", 5) == 0)) part = next_part(&at, end);
  const mh_str table_name = next_part(&at, end);
  next_part(&at, end);
  const mh_str file = next_part(&at, end);
  const samsung_table table = samsung_table_of(table_name.p, table_name.n);
  const char *dot = file.n > 0 ? memchr(file.p, '.', file.n) : NULL;
  if (table == TABLE_NONE || dot == NULL || !mh_entry_is_readable(entry)) return;
  uint32_t n = 0;
  for (uint32_t i = 0; i < talk->n_sidecars; i++) n += talk->sidecars[i].table == table;
  sidecar *kept = &talk->sidecars[talk->n_sidecars];
  if (n == SIDECARS_OF_TABLE || talk->n_sidecars == SIDECARS_MAX || (size_t)(dot - file.p) > sizeof kept->id) return;
  kept->entry = *entry;
  kept->table = table;
  kept->n_id = (uint32_t)(dot - file.p);
  memcpy(kept->id, file.p, kept->n_id);
  talk->n_sidecars += 1;
}

static mh_step next_sidecar(mh_talk *talk) {
  talk->at_sidecar += 1;
  talk->is_sidecar_open = 0;
  return MH_STEP_ON;
}

/* The first `start_time` of the sidecar. 1: it is found; -1: there is none; 0: more is needed. */
static int scan_start(mh_talk *talk) {
  const uint8_t *at = talk->window, *end = talk->window + talk->n_window;
  mh_decimal number;
  while (at < end) {
    const mh_json_token token = mh_json_next(&talk->json, &at, end);
    const mh_json *json = &talk->json;
    if (token == MH_JSON_BAD) return -1;
    if (token == MH_JSON_NUMBER && talk->is_start_next)
      return mh_decimal_read(json->text, json->length, MH_DECIMAL_EXPONENT, &number) &&
                     mh_moment_of_number(number, &talk->sidecar_us)
                 ? 1
                 : -1;
    talk->is_start_next = token == MH_JSON_KEY && json->length == 10 && memcmp(json->text, "start_time", 10) == 0;
  }
  return 0;
}

static mh_step find_start(mh_talk *talk) {
  if (!talk->is_sidecar_open) {
    const mh_entry *entry = &talk->sidecars[talk->at_sidecar].entry;
    if (!mh_opened_start(&talk->opened, &talk->reader.source, entry)) return next_sidecar(talk);
    mh_json_start(&talk->json);
    talk->is_start_next = 0;
    talk->is_sidecar_open = 1;
  }
  uint32_t n = 0;
  const mh_piece piece = mh_opened_read(&talk->opened, &talk->reader.source, talk->window, sizeof talk->window, &n);
  talk->n_window = n;
  const int found = scan_start(talk);
  if (found > 0) {
    talk->at_sidecar_table = 0;
    talk->is_sidecar_open = 0;
    return MH_STEP_ON;
  }
  if (found == 0 && piece == MH_PIECE_PULL) return MH_STEP_PULL;
  return found == 0 && piece == MH_PIECE_SOME ? MH_STEP_ON : next_sidecar(talk);
}

static int64_t distance(int64_t a, int64_t b) { return a > b ? a - b : b - a; }

/* The row of the sidecar: 1: it has settled what its texts mean; 0: it is another, or says nothing. */
static int is_settled(mh_talk *talk) {
  const sidecar *beside = &talk->sidecars[talk->at_sidecar];
  const mh_str id = samsung_text(talk, DATAUUID), text = samsung_text(talk, START_TIME);
  mh_moment moment;
  int32_t offset_s = 0;
  if (id.n != beside->n_id || memcmp(id.p, beside->id, id.n) != 0) return 0;
  if (!samsung_offset(talk, &offset_s) || offset_s == 0) return 0;
  if (text.n == 0 || !mh_moment_read(text.p, text.n, &moment) || moment.has_zone || moment.is_day) return 0;
  const int64_t from_utc = distance(talk->sidecar_us, moment.us);
  const int64_t from_local = distance(talk->sidecar_us, moment.us - offset_s * MH_SECOND_US);
  if (from_utc == from_local || (from_utc > SLACK_US && from_local > SLACK_US)) return 0;
  talk->is_local = from_local < from_utc;
  return 1;
}

/* Reads the tables that may have the row of the sidecar. */
static mh_step find_row(mh_talk *talk) {
  const samsung_table wanted = talk->sidecars[talk->at_sidecar].table;
  if (!talk->is_sidecar_open) {
    while (talk->at_sidecar_table < talk->n_entries && talk->tables[talk->at_sidecar_table] != wanted)
      talk->at_sidecar_table += 1;
    if (talk->at_sidecar_table == talk->n_entries) {
      talk->at_sidecar_table = SIDECAR_UNREAD;
      return next_sidecar(talk);
    }
    samsung_begin_table(talk, &talk->entries[talk->at_sidecar_table], wanted);
    talk->is_sidecar_open = 1;
  }
  mh_step step;
  if (samsung_next_row(talk, &step) && samsung_is_data(talk, 0) && is_settled(talk)) {
    talk->at_sidecar = talk->n_sidecars;
    return MH_STEP_ON;
  }
  if (step != MH_STEP_DONE) return step;
  talk->at_sidecar_table += 1;
  talk->is_sidecar_open = 0;
  return MH_STEP_ON;
}

mh_step samsung_settle(mh_talk *talk) {
  if (talk->at_sidecar == talk->n_sidecars) return MH_STEP_DONE;
  return talk->at_sidecar_table == SIDECAR_UNREAD ? find_start(talk) : find_row(talk);
}
