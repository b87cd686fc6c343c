/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client_frames PATH SECONDS PATIENCE OPERATION SIZE...: sends fields of so many bytes to what listens
 * at a path; prints the status and the bytes of the answer's fields. With `late` before these words
 * it sends nothing before the other end has closed; with `slow` an hour goes by with each connection.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "check.h"
#include "modfab_client.h"

enum { MAX_BYTES = 65536, MAX_SIZES = 8 };

static int late, slow;
static time_t gone_by;

int __real_clock_gettime(clockid_t which, struct timespec *now);
int __wrap_clock_gettime(clockid_t which, struct timespec *now);

int __wrap_clock_gettime(clockid_t which, struct timespec *now) {
  const int failed = __real_clock_gettime(which, now);
  now->tv_sec += gone_by;
  return failed;
}

int __real_getsockopt(int link, int level, int name, void *value, socklen_t *size);
int __wrap_getsockopt(int link, int level, int name, void *value, socklen_t *size);

/* The client asks who listens between connecting and sending. */
int __wrap_getsockopt(int link, int level, int name, void *value, socklen_t *size) {
  struct pollfd closed = {link, 0, 0};
  CHECK((fcntl(link, F_GETFD) & FD_CLOEXEC) != 0); /* programs that are started get no connection */
  if (late) CHECK(poll(&closed, 1, -1) == 1);
  if (slow) gone_by += 3600;
  return __real_getsockopt(link, level, name, value, size);
}

int main(int count, char **words) {
  static uint8_t bytes[MAX_BYTES];
  static mf_answer_t answer;
  mf_field_t fields[MAX_SIZES];
  mf_client_t client;
  size_t num_fields = 0;
  late = count > 1 && strcmp(words[1], "late") == 0;
  slow = count > 1 && strcmp(words[1], "slow") == 0;
  if (late || slow) {
    --count;
    ++words;
  }
  CHECK(count >= 5 && count <= 5 + MAX_SIZES);
  CHECK(snprintf(client.path, sizeof client.path, "%s", words[1]) < MF_PATH_BYTES);
  client.timeout_s = (unsigned)atoi(words[2]);
  client.patience_s = (unsigned)atoi(words[3]);
  for (int i = 5; i < count; ++i) {
    fields[num_fields].data = bytes;
    fields[num_fields].size = (size_t)atoi(words[i]);
    CHECK(fields[num_fields++].size <= MAX_BYTES);
  }
  const mf_operation_t operation = (mf_operation_t)atoi(words[4]);
  printf("%d", (int)mf_client_ask(&client, operation, fields, num_fields, &answer));
  for (size_t i = 0; i < answer.count; ++i) printf(" %zu", answer.fields[i].size);
  printf("\n");
  return 0;
}
