#include "record.h"

#include "number.h"

mh_record aandd_record(void) {
  mh_record record = {.kind = MH_KIND_MEASUREMENT,
                      .device_seq = MH_SEQ_NONE,
                      .utc_offset_s = MH_OFFSET_UNKNOWN,
                      .ident_class = MH_IDENT_LIVE};
  return record;
}

void aandd_put_time(mh_record *record, const uint8_t *time_bytes, uint8_t *ident, uint16_t *ident_len) {
  if (time_bytes == NULL) return;
  if (!aandd_time(time_bytes, &record->t_us)) {
    record->flags |= MH_REC_CLOCK_SUSPECT;
    return;
  }
  record->time_kind = MH_TIME_CIVIL;
  record->end_us = record->t_us;
  record->ident_class = MH_IDENT_STORED;
  for (uint32_t i = 0; i < AANDD_TIME_LENGTH; i++) ident[(*ident_len)++] = time_bytes[i];
}
