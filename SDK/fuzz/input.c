/* Taking an input apart. */
#include <string.h>

#include "fuzz.h"

int fuzz_has_more(const fuzz_input *from) { return from->at < from->n; }

uint8_t fuzz_byte(fuzz_input *from) { return from->at < from->n ? from->p[from->at++] : 0; }

uint16_t fuzz_u16(fuzz_input *from) {
  uint16_t low = fuzz_byte(from);
  return (uint16_t)(low | fuzz_byte(from) << 8);
}

mh_bytes fuzz_bytes(fuzz_input *from) {
  uint64_t n = fuzz_byte(from);
  if (n > from->n - from->at) n = from->n - from->at;
  mh_bytes bytes = {from->p + from->at, n};
  from->at += n;
  return bytes;
}

/* The host hands over UTF-8 only (rule R6). */
static mh_str text(fuzz_input *from) {
  mh_bytes bytes = fuzz_bytes(from);
  mh_str empty = {NULL, 0}, str = {(const char *)bytes.p, bytes.n};
  return bench_is_utf8(bytes.p, bytes.n) ? str : empty;
}

static void store_key(bench *bench, fuzz_input *from) {
  mh_bytes name = fuzz_bytes(from), value = fuzz_bytes(from);
  char key[MH_KEY_MAX + 1] = {0};
  if (name.n == 0 || name.n > MH_KEY_MAX || memchr(name.p, 0, name.n) != NULL) return;
  memcpy(key, name.p, name.n);
  bench_store(bench, key, value.p, value.n);
}

void fuzz_open_facts(bench *bench, fuzz_facts *facts, uint8_t options, fuzz_input *from) {
  mh_open *opening = bench_opening(bench);
  opening->security = options & FUZZ_ENCRYPTED ? MH_SECURITY_ENCRYPTED : MH_SECURITY_NONE;
  opening->clock_trust = options & FUZZ_NO_TRUST ? MH_CLOCK_UNKNOWN : MH_CLOCK_SYNCHRONISED;
  if ((options & FUZZ_FACTS) == 0) return;
  opening->n_params = fuzz_byte(from) % (FUZZ_PARAMS_MAX + 1);
  opening->params = facts->params;
  for (uint32_t i = 0; i < opening->n_params; i++) {
    mh_param param = {.name = fuzz_u16(from), .type = MH_PARAM_TYPE_INTEGER};
    param.i = fuzz_u16(from);
    facts->params[i] = param;
  }
  opening->manufacturer = text(from);
  opening->model = text(from);
  opening->name = opening->advertised_name = text(from);
  for (uint32_t i = fuzz_byte(from) % 4; i > 0; i--) store_key(bench, from);
}
