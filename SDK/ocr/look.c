#include <string.h>

#include "reader.h"

/* The network's word for a cell that must not be believed. */
#define DOUBT '?'

static float *steps_of(const segment_reader *reader, uint32_t slot) {
  const segment_network *network = &reader->network;
  return reader->probabilities + (size_t)slot * network->steps * (network->n_characters + 1);
}

float segment_contrast_in(segment_reader *reader, const segment_picture *picture, const segment_view *view) {
  if (!(view->width > 0) || !(view->height > 0)) return 0;
  const segment_network *network = &reader->network;
  uint32_t columns = segment_columns(network, view), n = network->height * columns;
  segment_cut(picture, view, network->height, columns, reader->line, reader->crop);
  float low = segment_percentile(reader->crop, n, .03);
  return segment_percentile(reader->crop, n, .97) - low;
}

float segment_saturated_in(segment_reader *reader, const segment_picture *picture, const segment_view *view) {
  if (!(view->width > 0) || !(view->height > 0)) return 0;
  uint32_t height = reader->network.height, columns = segment_columns(&reader->network, view), saturated = 0;
  segment_cut(picture, view, height, columns, reader->line, reader->crop);
  for (uint32_t i = 0; i < height * columns; i++) saturated += reader->crop[i] >= SEGMENT_SATURATED;
  return (float)saturated / (float)(height * columns);
}

uint32_t segment_class_of(const segment_network *network, char character) {
  for (uint32_t i = 0; i < network->n_characters; i++)
    if (network->characters[i] == character) return i + 1;
  return 0;
}

int segment_look_at(segment_reader *reader, const segment_picture *picture, const segment_view *view, uint32_t slot,
                    segment_look *look) {
  const segment_network *network = &reader->network;
  float *steps = steps_of(reader, slot);
  memset(look, 0, sizeof *look);
  look->view = *view;
  look->slot = slot;
  look->columns = segment_columns(network, view);
  segment_cut(picture, view, network->height, look->columns, reader->line, reader->crop);
  uint32_t width = segment_normalise(network, reader->crop, look->columns, 0, reader->scratch, &look->low, &look->high);
  uint32_t classes = network->n_characters + 1;
  look->steps = segment_network_run(network, reader->kernel, width, steps);
  segment_softmax(steps, look->steps, classes);
  if (look->steps == 0 || !segment_greedy(steps, classes, segment_class_of(network, DOUBT), look)) {
    look->steps = look->length = 0;
    return 0;
  }
  look->probability = segment_look_again(reader, look, look);
  return 1;
}

float segment_place_of(const segment_network *network, const segment_look *look, uint32_t index) {
  float step = (float)network->width / (float)network->steps;
  float column = ((float)look->first[index] + (float)look->last[index] + 1) / 2 * step;
  return look->view.x + look->view.width * column / (float)look->columns;
}

float segment_look_again(const segment_reader *reader, const segment_look *look, const segment_look *other) {
  if (look->steps == 0) return 0;
  return (float)segment_text_probability(steps_of(reader, look->slot), look->steps, reader->network.n_characters + 1,
                                         other->classes, other->length);
}
