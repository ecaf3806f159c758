#include "wire.h"

/* First bytes of a command: only hidden by the address, and encrypted too. */
#define PLAIN 0xdbu
#define ENCRYPTED 0xdcu

/* Neither has an owner: all that is bound to the scale uses them. */
static const uint8_t initial_key[HUAWEI_BLOCK] = {0x3d, 0xa2, 0x78, 0x4a, 0xfb, 0x87, 0xb1, 0x2a,
                                                  0x98, 0x0f, 0xde, 0x34, 0x56, 0x73, 0x21, 0x56};
static const uint8_t initial_counter[HUAWEI_BLOCK] = {0x4e, 0xf7, 0x64, 0x32, 0x2f, 0xda, 0x76, 0x32,
                                                      0x12, 0x3d, 0xeb, 0x87, 0x90, 0xfe, 0xa2, 0x19};
/* What openScale binds itself with, so that a scale that is bound to it answers here too. The byte before the slot makes the
 * exclusive or of all zero. */
static const uint8_t token_head[HUAWEI_TOKEN - 2] = {0x11, 0x22, 0x33, 0x44, 0x55};

#define SLOTS 10
/* Thirty years, 170 cm, a man by the scale's bit. */
#define AGE 30u
#define HEIGHT 170u

static uint8_t address_byte(const huawei_link *link, unsigned index) { return link->address[index % 6u]; }

static int read_address(const mh_open *opening, huawei_link *link) {
  uint32_t words[3] = {0, 0, 0};
  int is_given = 0;
  for (int i = 0; i < 6; i++) link->address[i] = opening->address[i];
  for (uint32_t i = 0; i < opening->n_params; i++) {
    const mh_param *param = &opening->params[i];
    if (param->type != MH_PARAM_TYPE_INTEGER || param->name < HUAWEI_PARAM_ADDRESS_HIGH ||
        param->name > HUAWEI_PARAM_ADDRESS_LOW)
      continue;
    words[param->name - HUAWEI_PARAM_ADDRESS_HIGH] = (uint32_t)param->i & 0xffffu;
    is_given = 1;
  }
  for (int i = 0; is_given && i < 6; i++) link->address[i] = (uint8_t)(words[i / 2] >> (i % 2 == 0 ? 8 : 0));
  int any = 0;
  for (int i = 0; i < 6; i++) any |= link->address[i];
  return any != 0;
}

int huawei_link_of(const mh_open *opening, huawei_link *link) {
  *link = (huawei_link){0};
  uint8_t slot = 1;
  if (!read_address(opening, link)) return 0;
  for (uint32_t i = 0; i < opening->n_params; i++) {
    const mh_param *param = &opening->params[i];
    if (param->type != MH_PARAM_TYPE_INTEGER) continue;
    if (param->name == HUAWEI_PARAM_CH100S) link->is_ch100s = param->i != 0;
    if (param->name == MH_PARAM_USER_SLOT && param->i >= 1 && param->i <= SLOTS) {
      slot = (uint8_t)param->i;
      link->has_slot = 1;
    }
  }
  uint8_t sum = slot;
  for (int i = 0; i < HUAWEI_TOKEN - 2; i++) {
    link->token[i] = token_head[i];
    sum ^= token_head[i];
  }
  link->token[5] = sum;
  link->token[6] = slot;
  uint8_t key[HUAWEI_BLOCK];
  for (unsigned i = 0; i < HUAWEI_BLOCK; i++)
    key[i] = !link->is_ch100s && i < HUAWEI_TOKEN ? link->token[i] ^ address_byte(link, i) : initial_key[i];
  huawei_encrypt(key, initial_counter, link->stream);
  return 1;
}

static uint8_t put(const huawei_link *link, uint8_t start, uint8_t length, enum huawei_command command,
                   const uint8_t *payload, uint8_t n, uint8_t *frame) {
  frame[0] = start;
  frame[1] = length;
  frame[2] = (uint8_t)command;
  for (unsigned i = 0; i < n; i++)
    frame[HUAWEI_HEAD + i] = payload[i] ^ address_byte(link, i) ^ (start == ENCRYPTED ? link->stream[i] : 0);
  return (uint8_t)(HUAWEI_HEAD + n);
}

uint8_t huawei_command_of(const huawei_link *link, enum huawei_command command, const uint8_t *payload, uint8_t n,
                          uint8_t *frame) {
  /* The CH100S does not count the command itself. */
  return put(link, PLAIN, (uint8_t)(n + (link->is_ch100s ? 0 : 1)), command, payload, n, frame);
}

uint8_t huawei_person_of(const huawei_link *link, uint16_t weight, uint8_t *frame) {
  uint8_t payload[HUAWEI_BLOCK] = {0};
  for (int i = 0; i < HUAWEI_TOKEN; i++) payload[i] = link->token[i];
  payload[7] = AGE;
  payload[8] = HEIGHT;
  payload[10] = (uint8_t)(weight & 0xffu);
  payload[11] = (uint8_t)(weight >> 8);
  /* No resistance is known. */
  payload[12] = payload[13] = 0xff;
  payload[14] = 0x1c;
  payload[15] = 0xe2;
  /* The last two are sent and not counted; the CH100S has none. */
  return put(link, ENCRYPTED, 14, HUAWEI_PERSON, payload, link->is_ch100s ? 14 : 16, frame);
}

uint8_t huawei_byte(const huawei_link *link, mh_bytes frame, uint8_t index) {
  if (frame.n <= (uint64_t)HUAWEI_HEAD + index) return 0;
  return frame.p[HUAWEI_HEAD + index] ^ address_byte(link, index);
}
