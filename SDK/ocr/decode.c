#include <string.h>

#include "reader.h"

/* e to the power of x for x <= 0, to a float's precision. */
static double power(double x) {
  if (x < -80) return 0;
  /* x = k ln 2 + r with |r| <= ln 2 / 2; the series to the tenth power of r. */
  int32_t k = (int32_t)(x * 1.4426950408889634 - .5);
  double r = x - k * 0.6931471805599453, term = 1, sum = 1;
  for (int32_t i = 1; i <= 10; i++) {
    term *= r / i;
    sum += term;
  }
  uint64_t bits = (uint64_t)(1023 + k) << 52;
  double scale;
  memcpy(&scale, &bits, sizeof scale);
  return sum * scale;
}

void segment_softmax(float *steps, uint32_t n_steps, uint32_t classes) {
  for (uint32_t t = 0; t < n_steps; t++, steps += classes) {
    float most = steps[0];
    for (uint32_t c = 1; c < classes; c++) most = steps[c] > most ? steps[c] : most;
    double powers[SEGMENT_CLASSES_MAX], sum = 0;
    for (uint32_t c = 0; c < classes; c++) sum += powers[c] = power((double)steps[c] - most);
    for (uint32_t c = 0; c < classes; c++) steps[c] = (float)(powers[c] / sum);
  }
}

/* The character that a cell of `doubt` would be if it were one: the most probable one over its steps. */
static void guess(const float *step, uint32_t classes, uint32_t doubt, float *sums, segment_look *look, uint32_t at) {
  uint32_t best = doubt == 1 ? 2 : 1;
  for (uint32_t c = 1; c < classes; c++) {
    if (c == doubt) continue;
    sums[c] += step[c];
    if (sums[c] > sums[best]) best = c;
  }
  look->classes[at] = (uint8_t)best;
  if (step[best] > look->characters[at]) look->characters[at] = step[best];
}

int segment_greedy(const float *probabilities, uint32_t classes, uint32_t doubt, segment_look *look) {
  uint32_t before = 0, n = 0;
  float sums[SEGMENT_CLASSES_MAX];
  for (uint32_t t = 0; t < look->steps; t++, probabilities += classes) {
    uint32_t best = 0;
    for (uint32_t c = 1; c < classes; c++)
      if (probabilities[c] > probabilities[best]) best = c;
    if (best != 0 && best != before) {
      if (n == SEGMENT_TEXT_MAX) return 0;
      look->classes[n] = (uint8_t)best;
      look->first[n] = (uint8_t)t;
      look->characters[n++] = 0;
      memset(sums, 0, sizeof sums);
    }
    if (best != 0) look->last[n - 1] = (uint8_t)t;
    if (best != 0 && best == doubt && classes > 2) {
      look->doubt = 1;
      guess(probabilities, classes, doubt, sums, look, n - 1);
    } else if (best != 0 && probabilities[best] > look->characters[n - 1]) {
      look->characters[n - 1] = probabilities[best];
    }
    before = best;
  }
  look->length = n;
  return 1;
}

double segment_text_probability(const float *probabilities, uint32_t steps, uint32_t classes, const uint8_t *text,
                                uint32_t length) {
  /* States: blank, first character, blank, second character, ... blank. */
  double now[2 * SEGMENT_TEXT_MAX + 1] = {0}, scale = 1;
  uint32_t states = 2 * length + 1;
  for (uint32_t t = 0; t < steps; t++, probabilities += classes) {
    if (t == 0) {
      now[0] = probabilities[0];
      if (states > 1) now[1] = probabilities[text[0]];
      continue;
    }
    double sum = 0;
    for (uint32_t s = states; s-- > 0;) {
      double reach = now[s] + (s > 0 ? now[s - 1] : 0);
      uint32_t sign = s % 2 == 1 ? text[s / 2] : 0;
      if (s % 2 == 1 && s > 1 && text[s / 2 - 1] != sign) reach += now[s - 2];
      now[s] = reach * probabilities[sign];
      sum += now[s];
    }
    if (!(sum > 1e-200)) return 0;
    /* Kept far from what a double cannot hold. */
    for (uint32_t s = 0; s < states; s++) now[s] /= sum;
    scale *= sum;
    if (scale < 1e-200) return 0;
  }
  double last = now[states - 1] + (states > 1 ? now[states - 2] : 0);
  double found = last * scale;
  return found > 1 ? 1 : found;
}
