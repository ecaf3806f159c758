/* The session of a TaiDoc meter: who it is, what its clock says, its memory, its clock set, off. */
#ifndef TAIDOC_SESSION_H
#define TAIDOC_SESSION_H

#include <meterhost/driver.h>

int32_t taidoc_open(const mh_host *host, const mh_open *opening, mh_session **out);
int32_t taidoc_event(mh_session *session, const mh_event *event, mh_sink *sink);
void taidoc_close(mh_session *session);

#endif
