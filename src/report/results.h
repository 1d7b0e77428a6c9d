/* results.h: what writing and reading results.json share. */
#ifndef MRWI_REPORT_RESULTS_H
#define MRWI_REPORT_RESULTS_H

#define MRWI_RESULTS_FILE   "results.json"
#define MRWI_RESULTS_SCHEMA 1

/* The names of mrw_subject and mrw_emptiness in files. */
#define MRWI_SUBJECTS    3
#define MRWI_EMPTINESSES 4
extern const char *const mrwi_subject_tokens[MRWI_SUBJECTS];
extern const char *const mrwi_empty_tokens[MRWI_EMPTINESSES];

/* --shard takes no more. */
#define MRWI_MAX_SHARDS 100000

#endif
