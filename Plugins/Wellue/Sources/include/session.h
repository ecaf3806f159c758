/* One session with an oximeter: subscribe, greet it if it wants that, ask for its live values once a second until they have
 * settled, finish. */
#ifndef WELLUE_SESSION_H
#define WELLUE_SESSION_H

#include <meterhost/driver.h>

int32_t wellue_open(const mh_host *host, const mh_open *opening, mh_session **out);
int32_t wellue_event(mh_session *session, const mh_event *event, mh_sink *sink);
void wellue_close(mh_session *session);

#endif
