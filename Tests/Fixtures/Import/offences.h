/* What lines.c does wrong, by the number of the source's name; a part of it. */

static const mh_str no_text = {NULL, 0};

/* A name of each kind, and a sample of nothing yet. */
static mh_import_sample begin(mh_import_sink *sink) {
  put_name(sink, MH_NAME_TYPE, MH_QTY_STEPS, 0, text("steps"));
  put_name(sink, MH_NAME_TYPE, MH_QTY_SLEEP, 1, text("sleep"));
  put_name(sink, MH_NAME_SOURCE, 0, 0, text("Phone"));
  put_name(sink, MH_NAME_UNIT, 0, 0, text("count"));
  put_name(sink, MH_NAME_KEY, 0, 0, text("line:note"));
  mh_import_sample sample;
  memset(&sample, 0, sizeof sample);
  sample.end_us = SECOND;
  sample.mantissa = 1;
  sample.flags = MH_SAMPLE_HAS_VALUE;
  sample.utc_offset_s = MH_IMPORT_NO_OFFSET;
  return sample;
}

static void spoil(mh_import_sample *sample, int offence) {
  switch (offence) {
    case TYPE: sample->type = 2; break;
    case SOURCE: sample->source = 1; break;
    case UNIT: sample->unit = 1; break;
    case EXPONENT: sample->exponent = MH_IMPORT_EXPONENT_MAX + 1; break;
    case BACKWARDS: sample->end_us = -1; break;
    case NO_FLAG: sample->flags = 0; break;
    case YEAR: sample->start_us = INT64_MIN; break;
    case FLAG: sample->flags |= 0x8000; break;
    case WORD: sample->type = 1; break;
    case PART: sample->flags |= MH_SAMPLE_PART; break;
    case OFFSET: sample->utc_offset_s = MH_IMPORT_OFFSET_MAX + 1; break;
    default: break;
  }
}

/* A wrong sample, or a right one with something wrong beside it. */
static int32_t put_wrong(mh_import_sink *sink, int offence) {
  mh_import_sample sample = begin(sink);
  spoil(&sample, offence);
  mh_import_add_sample(sink, &sample, no_text, text("1"));
  const mh_import_attribute note = {.unit = MH_IMPORT_NO_INDEX};
  mh_import_add_attribute(sink, &note, text("note"));
  mh_import_sample *const slot = &sink->samples[sink->n_samples - 1];
  switch (offence) {
    case NAME_GAP: put_name(sink, MH_NAME_TYPE, 0, 5, text("gap")); break;
    case NAME_KIND: put_name(sink, 77, 0, 0, text("kind")); break;
    case NAME_EMPTY: put_name(sink, MH_NAME_UNIT, 0, 1, no_text); break;
    case TEXT_BEYOND: slot->id_len = (uint32_t)sink->n_arena + 1; break;
    case TEXT_FAR: slot->text_off = UINT32_MAX; break;
    case TEXT_LONG:
      sink->n_arena = MH_IMPORT_TEXT_MAX + 1;
      slot->text_len = MH_IMPORT_TEXT_MAX + 1;
      break;
    case ATTRIBUTES: slot->n_attributes = UINT32_MAX; break;
    case LEFT_OVER: slot->n_attributes = 0; break;
    case COUNT_TYPE: mh_import_add_count(sink, 2, 1); break;
    case COUNT_ZERO:
      mh_import_add_count(sink, 0, 1);
      sink->counts[0].count = 0;
      break;
    case REASON: mh_import_add_refusal(sink, 99, 0, 0); break;
    case EXPORTED: sink->exported_us = INT64_MAX; break;
    case SINK_FLAGS: sink->flags = 0x80; break;
    case COUNTS: sink->n_attributes = UINT64_MAX; break;
    default: break;
  }
  return act(sink, MH_TALK_DONE, 0, 0, NULL);
}

static int32_t commit_offence(mh_talk *talk, mh_import_sink *sink) {
  switch (talk->offence) {
    case FULL: return MH_E_FULL;
    case FULL_FOREVER:
      mh_import_add_refusal(sink, MH_REFUSED_FORM, MH_IMPORT_NO_INDEX, 0);
      return MH_E_FULL;
    case SAMPLES:
      while (mh_import_add_sample(sink, &(mh_import_sample){.end_us = 1}, no_text, no_text) == MH_OK) {
      }
      return MH_E_FULL;
    case STATUS: return 77;
    case BEHIND: return act(sink, MH_TALK_PULL, UINT64_MAX - PIECE, PIECE, NULL);
    case SILENT: return MH_OK;
    case AGAIN: return act(sink, MH_TALK_PULL, 0, MH_TALK_CHUNK_MAX, NULL);
    case SPIN:
      for (volatile unsigned turns = 0;; turns++) {
      }
    case ABORT: abort();
    case ACKNOWLEDGES:
      return act(sink, MH_TALK_ACKNOWLEDGE, 1, 0, NULL) == MH_E_UNSUPPORTED ? act(sink, MH_TALK_DONE, 0, 0, NULL)
                                                                         : MH_E_ARG;
    case GIVES_UP: return MH_E_MEMORY;
    default: return put_wrong(sink, talk->offence);
  }
}
