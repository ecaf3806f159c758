#include "output.h"

void fo_ask(fo_output *output, mh_action action) {
  if (output->n_queue < FO_QUEUE) output->queue[output->n_queue++] = action;
}

void fo_timer(fo_output *output, uint64_t token, uint64_t nanoseconds) {
  fo_ask(output, (mh_action){.kind = MH_DO_TIMER, .token = token, .arg = nanoseconds});
}

void fo_finish(fo_output *output) { fo_ask(output, (mh_action){.kind = MH_DO_FINISH}); }

void fo_fail(fo_output *output, int32_t code, int32_t subcode, const char *why) {
  mh_str text = {why, __builtin_strlen(why)};
  fo_ask(output, (mh_action){.kind = MH_DO_FAIL, .code = code, .arg = (uint32_t)subcode, .text = text});
}

int fo_is_pending(const fo_output *output) { return output->owed != FO_OWES_NOTHING || output->next < output->n_queue; }

int32_t fo_drain(fo_output *output, mh_sink *sink) {
  if (output->owed != FO_OWES_NOTHING) {
    if (fo_value_emit(&output->value, output->owed == FO_OWES_PROGRESS, sink) == MH_E_FULL) return MH_E_FULL;
    output->owed = FO_OWES_NOTHING;
  }
  while (output->next < output->n_queue) {
    int32_t status = mh_sink_act(sink, output->queue[output->next]);
    if (status != MH_OK) return status;
    output->next++;
  }
  output->next = output->n_queue = 0;
  return output->status;
}
