/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Client of the daemon `modfab serve`. A connection for each request and no state that changes, so
 * threads need no care, nor forks between requests. The frames are described in docs/openssl.md.
 */
#ifndef MODFAB_CLIENT_H
#define MODFAB_CLIENT_H

#include <stddef.h>
#include <stdint.h>

enum {
  MF_PATH_BYTES = 108,
  MF_ANSWER_BYTES = 8192, /* the longest answer that this client takes */
  MF_MAX_FIELDS = 64
};

typedef enum {
  MF_OP_KEYS = 1,
  MF_OP_PUBLIC = 2,
  MF_OP_PRIVATE = 3,
  MF_OP_PRIVATE_WITH = 4,
  MF_OP_REJECTION = 5
} mf_operation_t;

/* 0 to 6 as the daemon answers them, the others found here. */
typedef enum {
  MF_OK = 0,
  MF_BAD_REQUEST = 1,
  MF_NO_KEY = 2,
  MF_REFUSED = 3,
  MF_DEVICE = 4,
  MF_BUSY = 5,
  MF_STOPPING = 6,
  MF_AWAY = 100,     /* nobody listens at this path */
  MF_PROTOCOL = 101, /* what answers does not speak the protocol */
  MF_FOREIGN = 102,  /* what listens belongs to another user, or the socket may not be used */
  MF_BROKEN = 103,   /* no connection, or it broke */
  MF_LATE = 104      /* no answer within timeout_s; not asked again */
} mf_status_t;

typedef struct {
  const uint8_t *data;
  size_t size;
} mf_field_t;

typedef struct {
  uint8_t bytes[MF_ANSWER_BYTES]; /* holds a result: cleanse it after use */
  mf_field_t fields[MF_MAX_FIELDS];
  size_t count;
} mf_answer_t;

typedef struct {
  char path[MF_PATH_BYTES];
  unsigned timeout_s;  /* for an answer; 0 waits for ever */
  unsigned patience_s; /* how long a daemon that is away, stopping or busy is asked again; begins
                          with the first failure */
} mf_client_t;

/* Ask and wait. The fields of the answer point into it; of more than MF_MAX_FIELDS, the first. */
mf_status_t mf_client_ask(const mf_client_t *client, mf_operation_t operation,
                          const mf_field_t *fields, size_t count, mf_answer_t *answer);

/* A sentence in English; never NULL. */
const char *mf_client_message(mf_status_t status);

#endif
