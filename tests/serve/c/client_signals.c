/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client_signals PATH SECONDS: asks the daemon of a socket for its keys, once, with so many seconds
 * of patience, while a signal comes every two milliseconds. Prints a dot for each signal, then the
 * status and the number of keys.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

#include "check.h"
#include "modfab_client.h"

static void print_dot(int number) {
  (void)number;
  if (write(STDOUT_FILENO, ".", 1) != 1) _exit(2);
}

int main(int count, char **words) {
  const struct itimerval often = {{0, 2000}, {0, 2000}}, never = {{0, 0}, {0, 0}};
  struct sigaction action = {.sa_handler = print_dot, .sa_flags = SA_RESTART};
  static mf_answer_t answer;
  mf_client_t client = {.patience_s = 0};
  CHECK(count == 3);
  CHECK(snprintf(client.path, sizeof client.path, "%s", words[1]) < MF_PATH_BYTES);
  client.timeout_s = (unsigned)atoi(words[2]);
  CHECK(sigaction(SIGALRM, &action, NULL) == 0);
  CHECK(setitimer(ITIMER_REAL, &often, NULL) == 0);
  const mf_status_t status = mf_client_ask(&client, MF_OP_KEYS, NULL, 0, &answer);
  CHECK(setitimer(ITIMER_REAL, &never, NULL) == 0);
  printf(" %d %zu\n", (int)status, answer.count);
  return 0;
}
