#include <string.h>

#include "network.h"

/* Every kernel adds a sum up in this order: bias, then block by block, row by row, column by column, channel by channel.
 * Vectors lie across outputs, never across the sum. */

static const float *weights_of(const segment_strip *strip) { return strip->weights + SEGMENT_GROUP; }

static uint32_t channels_of(const segment_strip *strip, uint32_t block) {
  uint32_t left = strip->inputs - block * SEGMENT_BLOCK;
  return left < SEGMENT_BLOCK ? left : SEGMENT_BLOCK;
}

void segment_kernel_plain(const segment_strip *strip) {
  uint32_t blocks = (strip->inputs + SEGMENT_BLOCK - 1) / SEGMENT_BLOCK;
  for (uint32_t x = 0; x < strip->width; x++) {
    float sums[SEGMENT_GROUP];
    memcpy(sums, strip->weights, sizeof sums);
    const float *w = weights_of(strip);
    for (uint32_t b = 0; b < blocks; b++) {
      uint32_t channels = channels_of(strip, b);
      for (uint32_t ky = 0; ky < strip->kernel_height; ky++)
        for (uint32_t kx = 0; kx < strip->kernel_width; kx++) {
          const float *in = strip->in + b * strip->block + ky * strip->row + (x + kx) * strip->step;
          for (uint32_t i = 0; i < channels; i++, w += SEGMENT_GROUP)
            for (uint32_t o = 0; o < SEGMENT_GROUP; o++) sums[o] += in[i] * w[o];
        }
    }
    memcpy(strip->out + (size_t)x * SEGMENT_GROUP, sums, sizeof sums);
  }
}

#if defined(__x86_64__)
/* Without "fma": there is no instruction that could round once instead of twice. */
#define SEGMENT_TARGET __attribute__((target("avx2")))
#define SEGMENT_LANES 8
#elif defined(__aarch64__)
#define SEGMENT_TARGET
#define SEGMENT_LANES 4
#endif

#ifdef SEGMENT_LANES

typedef float lanes __attribute__((vector_size(SEGMENT_LANES * sizeof(float)), aligned(4), may_alias));
#define VECTORS (SEGMENT_GROUP / SEGMENT_LANES)

/* One column's sums: each a vector of its own, so that the compiler keeps them in registers. */
#if SEGMENT_LANES == 8
#define DECLARE(k) lanes p##k = bias[0], q##k = bias[1]
#define TAKE lanes w0 = w[0], w1 = w[1]
#define ADD(k) v = in[(k)*step + i], p##k += w0 * v, q##k += w1 * v
#define STORE(k) out[(k)*VECTORS] = p##k, out[(k)*VECTORS + 1] = q##k
#else
#define DECLARE(k) lanes p##k = bias[0], q##k = bias[1], r##k = bias[2], s##k = bias[3]
#define TAKE lanes w0 = w[0], w1 = w[1], w2 = w[2], w3 = w[3]
#define ADD(k) v = in[(k)*step + i], p##k += w0 * v, q##k += w1 * v, r##k += w2 * v, s##k += w3 * v
#define STORE(k)                                                                                                       \
  out[(k)*VECTORS] = p##k, out[(k)*VECTORS + 1] = q##k, out[(k)*VECTORS + 2] = r##k, out[(k)*VECTORS + 3] = s##k
#endif

#define COLUMNS(NAME, EACH)                                                                                            \
  SEGMENT_TARGET static void NAME(const segment_strip *strip, uint32_t x) {                                            \
    const lanes *bias = (const lanes *)strip->weights, *w = (const lanes *)weights_of(strip);                          \
    uint32_t blocks = (strip->inputs + SEGMENT_BLOCK - 1) / SEGMENT_BLOCK;                                             \
    const size_t step = strip->step;                                                                                   \
    EACH(DECLARE);                                                                                                     \
    for (uint32_t b = 0; b < blocks; b++) {                                                                            \
      const uint32_t channels = channels_of(strip, b);                                                                 \
      for (uint32_t ky = 0; ky < strip->kernel_height; ky++)                                                           \
        for (uint32_t kx = 0; kx < strip->kernel_width; kx++) {                                                        \
          const float *in = strip->in + b * strip->block + ky * strip->row + (x + kx) * step;                          \
          for (uint32_t i = 0; i < channels; i++, w += VECTORS) {                                                      \
            float v;                                                                                                   \
            TAKE;                                                                                                      \
            EACH(ADD);                                                                                                 \
          }                                                                                                            \
        }                                                                                                              \
    }                                                                                                                  \
    lanes *out = (lanes *)(strip->out + (size_t)x * SEGMENT_GROUP);                                                    \
    EACH(STORE);                                                                                                       \
  }

#define ONE(M) M(0)
#define FOUR(M) M(0); M(1); M(2); M(3)
#define SIX(M) FOUR(M); M(4); M(5)

COLUMNS(one_column, ONE)
COLUMNS(four_columns, FOUR)
COLUMNS(six_columns, SIX)

SEGMENT_TARGET static void kernel_vector(const segment_strip *strip) {
  uint32_t x = 0;
  /* Six columns at once, and four where that leaves no rest. */
  while (strip->width - x >= 6 && (strip->width - x) % 4 != 0) six_columns(strip, x), x += 6;
  while (strip->width - x >= 16) six_columns(strip, x), six_columns(strip, x + 6), x += 12;
  for (; x + 4 <= strip->width; x += 4) four_columns(strip, x);
  for (; x < strip->width; x++) one_column(strip, x);
}

segment_kernel segment_kernel_best(void) {
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("avx2")) return segment_kernel_plain;
#endif
  return kernel_vector;
}

#else

segment_kernel segment_kernel_best(void) { return segment_kernel_plain; }

#endif
