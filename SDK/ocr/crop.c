#include <string.h>

#include "reader.h"

static int32_t floor_of(double value) {
  int32_t whole = (int32_t)value;
  return whole > value ? whole - 1 : whole;
}

static int32_t clamp(int32_t value, int32_t most) { return value < 0 ? 0 : value > most ? most : value; }

/* What makes one output value of an axis: `count` inputs from `first`, the first and the last of them in parts. */
typedef struct segment_taps {
  int32_t first, count;
  double head, tail, whole;
} segment_taps;

/* Areas where the axis shrinks, two neighbours where it grows; `index` counts output values. */
static segment_taps taps_of(double start, double scale, uint32_t index) {
  segment_taps taps;
  if (scale >= 1) {
    double from = start + index * scale, to = start + (index + 1) * scale;
    taps.first = floor_of(from);
    int32_t last = floor_of(to);
    if (last == to && last > taps.first) last--;
    taps.count = last - taps.first + 1;
    taps.whole = 1 / scale;
    taps.head = ((to < taps.first + 1 ? to : taps.first + 1) - from) / scale;
    taps.tail = (to - last) / scale;
  } else {
    double centre = start + (index + .5) * scale - .5;
    taps.first = floor_of(centre);
    taps.count = 2;
    taps.whole = 0;
    taps.tail = centre - taps.first;
    taps.head = 1 - taps.tail;
  }
  return taps;
}

static double weight_of(const segment_taps *taps, int32_t k) {
  return k == 0 ? taps->head : k == taps->count - 1 ? taps->tail : taps->whole;
}

/* The columns of the picture that a view sees. */
static void span_of(const segment_picture *picture, const segment_view *view, int32_t *from, int32_t *to) {
  *from = clamp(floor_of(view->x) - 1, picture->width - 1);
  *to = clamp(floor_of((double)view->x + view->width) + 2, picture->width - 1);
}

static void cut_upright(const segment_picture *picture, const segment_view *view, uint32_t height, uint32_t columns,
                        float *line, float *out) {
  double down = (double)view->height / height, across = (double)view->width / columns;
  int32_t from, to;
  span_of(picture, view, &from, &to);
  for (uint32_t y = 0; y < height; y++, out += columns) {
    memset(line + from, 0, (size_t)(to - from + 1) * sizeof(float));
    segment_taps rows = taps_of(view->y, down, y);
    for (int32_t k = 0; k < rows.count; k++) {
      const uint8_t *pixels = picture->pixels + (size_t)clamp(rows.first + k, picture->height - 1) * picture->stride;
      float weight = (float)weight_of(&rows, k);
      for (int32_t x = from; x <= to; x++) line[x] += weight * (float)pixels[x];
    }
    for (uint32_t x = 0; x < columns; x++) {
      segment_taps taps = taps_of(view->x, across, x);
      float sum = 0;
      for (int32_t k = 0; k < taps.count; k++)
        sum += (float)weight_of(&taps, k) * line[clamp(taps.first + k, picture->width - 1)];
      out[x] = sum;
    }
  }
}

/* Between four pixels. */
static double between(const segment_picture *picture, double x, double y) {
  int32_t x0 = floor_of(x), y0 = floor_of(y), right = picture->width - 1, bottom = picture->height - 1;
  double fx = x - x0, fy = y - y0;
  const uint8_t *upper = picture->pixels + (size_t)clamp(y0, bottom) * picture->stride;
  const uint8_t *lower = picture->pixels + (size_t)clamp(y0 + 1, bottom) * picture->stride;
  int32_t a = clamp(x0, right), b = clamp(x0 + 1, right);
  double up = upper[a] * (1 - fx) + upper[b] * fx, low = lower[a] * (1 - fx) + lower[b] * fx;
  return up * (1 - fy) + low * fy;
}

/* A turned view: each value is the mean of points on a grid inside its cell, about one a pixel. */
typedef struct segment_turned {
  double down, across, sine, cosine, middle_x, middle_y;
  int32_t points;
} segment_turned;

static segment_turned turned_of(const segment_view *view, uint32_t height, uint32_t columns) {
  double a = view->angle, down = (double)view->height / height, across = (double)view->width / columns;
  double larger = down > across ? down : across;
  return (segment_turned){.down = down,
                          .across = across,
                          .sine = a - a * a * a / 6,
                          .cosine = 1 - a * a / 2 + a * a * a * a / 24,
                          .middle_x = view->x + view->width / 2.0,
                          .middle_y = view->y + view->height / 2.0,
                          .points = larger <= 1 ? 1 : larger >= 5 ? 6 : (int32_t)larger + 1};
}

static double turned_value(const segment_picture *picture, const segment_view *view, const segment_turned *turned, uint32_t x,
                           uint32_t y) {
  int32_t points = turned->points;
  double sum = 0;
  for (int32_t j = 0; j < points; j++)
    for (int32_t i = 0; i < points; i++) {
      double u = (x + (i + .5) / points) * turned->across - view->width / 2.0;
      double v = (y + (j + .5) / points) * turned->down - view->height / 2.0;
      sum += between(picture, turned->middle_x + u * turned->cosine - v * turned->sine - .5,
                     turned->middle_y + u * turned->sine + v * turned->cosine - .5);
    }
  return sum / (points * points);
}

static void cut_turned(const segment_picture *picture, const segment_view *view, uint32_t height, uint32_t columns,
                       float *out) {
  segment_turned turned = turned_of(view, height, columns);
  for (uint32_t y = 0; y < height; y++)
    for (uint32_t x = 0; x < columns; x++) *out++ = (float)turned_value(picture, view, &turned, x, y);
}

void segment_cut_bytes(const segment_picture *picture, const segment_view *view, uint32_t height, uint32_t columns,
                       uint8_t *out) {
  segment_turned turned = turned_of(view, height, columns);
  for (uint32_t y = 0; y < height; y++)
    for (uint32_t x = 0; x < columns; x++) *out++ = (uint8_t)(turned_value(picture, view, &turned, x, y) + .5);
}

void segment_cut(const segment_picture *picture, const segment_view *view, uint32_t height, uint32_t columns,
                 float *line, float *out) {
  if (view->angle == 0)
    cut_upright(picture, view, height, columns, line, out);
  else
    cut_turned(picture, view, height, columns, out);
}

uint32_t segment_columns(const segment_network *network, const segment_view *view) {
  double wanted = (double)view->width * network->height / view->height;
  /* Written so that not-a-number gives the fewest. */
  if (!(wanted >= SEGMENT_COLUMNS_MIN)) return SEGMENT_COLUMNS_MIN;
  if (wanted >= network->width) return network->width;
  /* To the nearest, halves to the even one, as Python rounds. */
  uint32_t columns = (uint32_t)(wanted + .5);
  if (columns == wanted + .5 && columns % 2 == 1) columns--;
  return columns;
}

/* The value that would stand at `rank` if the values were sorted (Hoare's selection). */
static float ranked(float *values, int32_t n, int32_t rank) {
  int32_t low = 0, high = n - 1;
  while (low < high) {
    float pivot = values[low + (high - low) / 2];
    int32_t i = low, j = high;
    while (i <= j) {
      while (values[i] < pivot) i++;
      while (values[j] > pivot) j--;
      if (i > j) break;
      float swapped = values[i];
      values[i++] = values[j];
      values[j--] = swapped;
    }
    if (rank <= j)
      high = j;
    else if (rank >= i)
      low = i;
    else
      break;
  }
  return values[rank];
}

float segment_percentile(float *values, uint32_t n, double part) {
  double place = part * (n - 1);
  uint32_t rank = (uint32_t)place;
  float lower = ranked(values, (int32_t)n, (int32_t)rank);
  if (rank + 1 >= n) return lower;
  /* What stands behind the rank is not less now. */
  float upper = values[rank + 1];
  for (uint32_t i = rank + 2; i < n; i++) upper = values[i] < upper ? values[i] : upper;
  return (float)(lower + (upper - lower) * (place - rank));
}

uint32_t segment_normalise(const segment_network *network, const float *crop, uint32_t columns, int full, float *scratch,
                           float *low, float *high) {
  uint32_t n = network->height * columns, width = full ? network->width : segment_network_width(network, columns);
  memcpy(scratch, crop, n * sizeof(float));
  *low = segment_percentile(scratch, n, .02);
  *high = segment_percentile(scratch, n, .98);
  float middle = (*low + *high) / 2, spread = *high - *low > 8 ? *high - *low : 8;
  size_t stride;
  float *input = segment_network_input(network, width, &stride), last = 0;
  for (uint32_t y = 0; y < network->height; y++, crop += columns) {
    float *row = input + y * stride;
    for (uint32_t x = 0; x < columns; x++) {
      float value = (crop[x] - middle) / spread * 2;
      row[x] = value < -2 ? -2 : value > 2 ? 2 : value;
    }
    last += row[columns - 1];
  }
  last /= (float)network->height;
  for (uint32_t y = 0; y < network->height; y++)
    for (uint32_t x = columns; x < width; x++) input[y * stride + x] = last;
  return width;
}
