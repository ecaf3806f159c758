/* Asking for an action through a sink. For authors of C and C++ drivers; the host does not need it. */
#ifndef METERHOST_SINK_H
#define METERHOST_SINK_H

#include "bluetooth.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Asks the host for an action. */
static inline int32_t mh_sink_act(mh_sink *sink, mh_action action) {
  action.struct_size = (uint32_t)sizeof(mh_action);
  return sink->act(sink->ctx, &action);
}

#ifdef __cplusplus
}
#endif
#endif
