/* One row a memory map. README.md names the source of every row; a row is data and the code knows no model. */
#include "layout.h"

/* Older monitors: service ecbe3980, words with their high byte first, records of 14 bytes. */
#define BIG_ENDIAN_ROW \
  .record_size = 14, .block = 56, .is_big_endian = 1, .lock = OMRON_LOCK_KEY, .has_cuff_bit = 1, .has_sum = 1
/* The next generation: the same service, low byte first, records of 16 bytes, which it gives one by one. */
#define KEYED_ROW                                                                                              \
  .record_size = 16, .block = 16, .lock = OMRON_LOCK_KEY, .is_numbered = 1, .clock_read = 0x003c, .clock_size = 16
/* The newest: service FE4A, one channel each way, low byte first. */
#define TOKEN_ROW \
  .lock = OMRON_LOCK_TOKEN, .clock_size = 16, .is_numbered = 1, .has_cuff_bit = 1, .has_sum = 1, .is_probed = 1

static const omron_layout rows[] = {
    [1] = {BIG_ENDIAN_ROW, .model = "HEM-7322T", .start = {0x02ac, 0x0824}, .slots = 100, .sure_slots = 100,
           .is_probed = 1, .clock_read = 0x0274, .clock_write = 0x029a, .clock_size = 10},
    [2] = {KEYED_ROW, .model = "HEM-7361T", .start = {0x0098, 0x06d8}, .slots = 100, .sure_slots = 100,
           .clock_write = 0x0080},
    [3] = {KEYED_ROW, .model = "HEM-7155T", .start = {0x0098, 0x0458}, .slots = 60, .sure_slots = 60,
           .clock_write = 0x0080, .other_service = 11},
    [4] = {KEYED_ROW, .model = "HEM-7150T", .start = {0x0098}, .slots = 60, .sure_slots = 60},
    [5] = {KEYED_ROW, .model = "HEM-7151T", .start = {0x0098}, .slots = 80, .sure_slots = 80},
    [6] = {BIG_ENDIAN_ROW, .model = "HEM-7600T", .start = {0x02ac}, .slots = 100, .sure_slots = 90,
           .is_probed = 1, .clock_read = 0x0274, .clock_write = 0x029a, .clock_size = 10},
    [7] = {BIG_ENDIAN_ROW, .model = "HEM-6232T", .start = {0x02e8, 0x0860}, .slots = 100, .sure_slots = 100,
           .is_probed = 1, .clock_read = 0x028c, .clock_size = 16, .is_numbered = 1, .is_movement_low = 1,
           .has_position_bit = 1},
    [8] = {BIG_ENDIAN_ROW, .model = "HEM-7530T", .start = {0x02e8}, .slots = 90, .sure_slots = 90,
           .clock_read = 0x028c, .clock_size = 16},
    [9] = {TOKEN_ROW, .model = "HEM-7142T2", .start = {0x02e8}, .slots = 14, .sure_slots = 14, .record_size = 14,
           .block = 14, .clock_read = 0x028c},
    [10] = {TOKEN_ROW, .model = "HEM-7146T2", .start = {0x02e8}, .slots = 30, .sure_slots = 30, .record_size = 14,
            .block = 14, .clock_read = 0x028c},
    [11] = {TOKEN_ROW, .model = "HEM-7155T (FE4A)", .start = {0x02e8, 0x06a8}, .slots = 60, .sure_slots = 60,
            .record_size = 16, .block = 16, .clock_read = 0x028c, .other_service = 3},
    [12] = {TOKEN_ROW, .model = "HEM-7380T1", .start = {0x01c4, 0x0804}, .slots = 100, .sure_slots = 100,
            .record_size = 16, .block = 16, .clock_read = 0x003c},
    [13] = {TOKEN_ROW, .model = "HEM-7188T1", .start = {0x01c4}, .slots = 30, .sure_slots = 30, .record_size = 16,
            .block = 16, .clock_read = 0x003c},
    [14] = {TOKEN_ROW, .model = "HEM-7196T1", .start = {0x01c4, 0x0584}, .slots = 60, .sure_slots = 60,
            .record_size = 16, .block = 16, .clock_read = 0x003c},
    [15] = {TOKEN_ROW, .model = "HEM-7382T1", .start = {0x080c, 0x0e4c}, .slots = 100, .sure_slots = 100,
            .record_size = 16, .block = 16, .clock_read = 0x0040},
    [16] = {TOKEN_ROW, .model = "HEM-7376T1", .start = {0x080c, 0x0bcc}, .slots = 60, .sure_slots = 60,
            .record_size = 16, .block = 16, .clock_read = 0x0040},
    [17] = {BIG_ENDIAN_ROW, .model = "HEM-6161T", .start = {0x02e8}, .slots = 30, .sure_slots = 30,
            .clock_read = 0x028c, .clock_size = 16},
};

const omron_layout *omron_layout_of(int64_t number) {
  if (number < 1 || number >= (int64_t)(sizeof rows / sizeof rows[0])) return NULL;
  return &rows[number];
}

const omron_layout *omron_layout_in(const mh_param *params, uint32_t n_params) {
  for (uint32_t i = 0; params != NULL && i < n_params; i++)
    if (params[i].name == OMRON_PARAM_LAYOUT && params[i].type == MH_PARAM_TYPE_INTEGER)
      return omron_layout_of(params[i].i);
  return NULL;
}

int omron_has_channels(const omron_layout *layout) { return layout->lock == OMRON_LOCK_KEY; }

uint32_t omron_users(const omron_layout *layout) { return layout->start[1] != 0 ? 2 : 1; }
