/* DRAFT: taking up a session whose link outlived its driver (rule R15). No driver has needed it yet, so it is not part
 * of the frozen contract; the id carries the word draft, and driver.h does not include this file (rule R4). */
#ifndef METERHOST_RESUME_H
#define METERHOST_RESUME_H

#include "../bluetooth.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of mh_driver.extension. */
#define MH_EXT_RESUME_DRAFT "meterhost.resume/1-draft"

/* value: the last snapshot; the link is still up. */
#define MH_EV_RESUME_DRAFT 16u

typedef struct mh_resume_draft {
  uint32_t struct_size;
  uint32_t reserved;
  /* The session's state. In: *n is the room in buf. Out: the length. */
  int32_t (*snapshot)(mh_session *session, uint8_t *buf, uint64_t *n);
} mh_resume_draft;

#ifdef __cplusplus
}
#endif
#endif
