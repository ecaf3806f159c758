/* One Glucose Measurement (Glucose Service 1.0, 3.1) into mg/dL, as a plugin would do it: the same source for ctypes, for a
 * wasm host, and as an Extism plugin (with -DEXTISM). No host checks what it gives. */
#include <stdint.h>

#if defined(__wasm__)
#define EXPORT(name) __attribute__((export_name(#name)))
#else
#define EXPORT(name) __attribute__((visibility("default")))
#endif

static double scaled(double number, int exponent) {
  for (; exponent > 0; exponent--) number *= 10;
  for (; exponent < 0; exponent++) number /= 10;
  return number;
}

/* Returns 0 and the concentration in mg/dL, or -1. */
EXPORT(decode_value) int32_t decode_value(const uint8_t *bytes, uint32_t count, double *concentration) {
  if (count < 10) return -1;
  uint8_t flags = bytes[0];
  uint32_t place = 10u + ((flags & 1) ? 2u : 0u);
  if (!(flags & 2) || count < place + 3) return -1;
  uint16_t raw = (uint16_t)(bytes[place] | bytes[place + 1] << 8);
  int mantissa = raw & 0x0fff, exponent = raw >> 12;
  if (mantissa >= 0x07fe && mantissa <= 0x0802) return -1;
  if (mantissa >= 0x0800) mantissa -= 0x1000;
  if (exponent >= 8) exponent -= 16;
  *concentration = scaled(mantissa, exponent + 5);
  return 0;
}

#if defined(__wasm__)
static uint8_t room[64];
static double result;
EXPORT(value_room) uint8_t *value_room(void) { return room; }
EXPORT(value_result) double *value_result(void) { return &result; }
#endif

#ifdef EXTISM
#define HOST(name) __attribute__((import_module("extism:host/env"), import_name(#name)))
HOST(input_length) uint64_t input_length(void);
HOST(input_load_u8) uint8_t input_load_u8(uint64_t place);
HOST(alloc) uint64_t alloc(uint64_t count);
HOST(store_u64) void store_u64(uint64_t place, uint64_t value);
HOST(output_set) void output_set(uint64_t place, uint64_t count);

EXPORT(decode) int32_t decode(void) {
  uint64_t count = input_length();
  if (count > sizeof room) return 1;
  for (uint64_t i = 0; i < count; i++) room[i] = input_load_u8(i);
  if (decode_value(room, (uint32_t)count, &result)) return 1;
  union {
    double number;
    uint64_t bits;
  } value = {result};
  uint64_t place = alloc(8);
  store_u64(place, value.bits);
  output_set(place, 8);
  return 0;
}
#endif
