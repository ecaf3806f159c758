/* Names, samples, refusals and counts. Nothing changes here before the sink has taken it: what did not fit is asked for
 * again (rule R13). */
#include "output.h"

#include <string.h>

static const mh_str nothing = {NULL, 0};

static int32_t put_name(mh_import_sink *sink, uint16_t kind, uint16_t quantity, uint32_t index, mh_str text) {
  mh_import_name name;
  memset(&name, 0, sizeof name);
  name.kind = kind;
  name.quantity = quantity;
  name.index = index;
  return mh_import_add_name(sink, &name, text, nothing, nothing);
}

static int32_t name_type(output *to, mh_import_sink *sink, uint32_t type) {
  if (to->type_index[type] != 0) return MH_OK;
  const int32_t status = put_name(sink, MH_NAME_TYPE, line_types[type].quantity, to->n_types, line_types[type].text);
  if (status == MH_OK) to->type_index[type] = ++to->n_types;
  return status;
}

static int32_t name_unit(output *to, mh_import_sink *sink, uint32_t unit) {
  if (to->unit_index[unit] != 0) return MH_OK;
  const int32_t status = put_name(sink, MH_NAME_UNIT, 0, to->n_units, line_units[unit]);
  if (status == MH_OK) to->unit_index[unit] = ++to->n_units;
  return status;
}

/* The index of a device, with its name put out when it is new. The last of all indices is for the rest. */
static int32_t name_device(output *to, mh_import_sink *sink, mh_str device, uint32_t *index) {
  static const mh_str rest = {"other devices", 13};
  for (*index = 0; *index < to->n_devices; *index += 1)
    if (to->device_bytes[*index] == device.n && memcmp(to->device[*index], device.p, device.n) == 0) return MH_OK;
  if (to->n_devices == DEVICES_MAX) {
    *index = DEVICES_MAX - 1;
    return MH_OK;
  }
  if (to->n_devices == DEVICES_MAX - 1) device = rest;
  const int32_t status = put_name(sink, MH_NAME_SOURCE, 0, to->n_devices, device);
  if (status != MH_OK) return status;
  memcpy(to->device[to->n_devices], device.p, device.n);
  to->device_bytes[to->n_devices++] = (uint8_t)device.n;
  return MH_OK;
}

/* An instant is wanted when it lies in the window, an interval when a part of it does. */
static int is_wanted(const output *to, const line *from) {
  if (!to->is_wanted[from->type] || from->start_us >= to->until_us) return 0;
  return from->end_us > to->since_us || from->start_us >= to->since_us;
}

static int32_t put_sample(output *to, mh_import_sink *sink, const line *from, uint64_t place) {
  mh_import_sample sample;
  memset(&sample, 0, sizeof sample);
  int32_t status = name_unit(to, sink, from->unit);
  if (status == MH_OK) status = name_device(to, sink, from->device, &sample.source);
  if (status != MH_OK) return status;
  sample.start_us = from->start_us;
  sample.end_us = from->end_us;
  sample.mantissa = from->mantissa;
  sample.exponent = from->exponent;
  sample.flags = MH_SAMPLE_HAS_VALUE;
  sample.utc_offset_s = from->utc_offset_s;
  sample.type = to->type_index[from->type] - 1;
  sample.unit = to->unit_index[from->unit] - 1;
  sample.place = place;
  return mh_import_add_sample(sink, &sample, nothing, nothing);
}

int32_t output_line(output *to, mh_import_sink *sink, const line *from, uint64_t place) {
  if (from->device.n > DEVICE_MAX_BYTES) return output_refusal(to, sink, MH_REFUSED_TOO_LONG, from->type, place);
  int32_t status = name_type(to, sink, from->type);
  if (status == MH_OK && from->type != LINE_OTHER && is_wanted(to, from)) status = put_sample(to, sink, from, place);
  if (status == MH_OK) to->counts[from->type] += 1;
  return status;
}

int32_t output_refusal(output *to, mh_import_sink *sink, uint32_t reason, uint32_t type, uint64_t place) {
  if (type == LINE_TYPES) return mh_import_add_refusal(sink, reason, MH_IMPORT_NO_INDEX, place);
  const int32_t status = name_type(to, sink, type);
  return status == MH_OK ? mh_import_add_refusal(sink, reason, to->type_index[type] - 1, place) : status;
}

int32_t output_counts(output *to, mh_import_sink *sink) {
  for (uint32_t type = 0; type < LINE_TYPES; type++) {
    if (to->counts[type] == 0) continue;
    const int32_t status = mh_import_add_count(sink, to->type_index[type] - 1, to->counts[type]);
    if (status != MH_OK) return status;
    to->counts[type] = 0;
  }
  return MH_OK;
}
