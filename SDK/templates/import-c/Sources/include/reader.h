/* Reading an export, a piece at a time. */
#ifndef READER_H
#define READER_H

#include <meterhost/draft/import.h>

int32_t reader_open(const mh_import_open *opening, mh_talk **out);
int32_t reader_event(mh_talk *talk, const mh_talk_event *event, mh_import_sink *sink);
void reader_close(mh_talk *talk);

#endif
