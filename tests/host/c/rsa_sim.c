/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The C driver of the RSA core on the simulated core. Reads commands and answers each in a line:
 *   k P Q DP DQ QI E_BITS E   load a key; "-" for E when E_BITS is 0
 *   d P Q D E_BITS E          the same, the core derives DP, DQ, QI
 *   n N E_BITS E              load n and e alone
 *   s MESSAGE, v MESSAGE      private, public operation
 *   i MESSAGE                 private with modfab_rsa_start, the interrupt and modfab_rsa_result
 *   g                         let the core make a key; the result is n
 *   l, z, t, f                lock, zeroize, self-test, number of faults (as the cycles)
 *   x CONTEXT, w, y           choose a context, erase it, the chosen one and 16 times those with a key
 * Numbers are hexadecimal. Answers: status, result, cycles.
 */
#include "modfab_rsa.h"
#include "sim_key.h"

/* N E_BITS E, n in the place of p. */
static int read_public(size_t num_words, modfab_rsa_key_t *key) {
  unsigned e_bits;
  if (!number(parts[0], num_words) || scanf("%u", &e_bits) != 1 || !number(parts[5], num_words))
    return 0;
  memset(key, 0, sizeof *key);
  key->p = parts[0];
  key->e = parts[5];
  key->e_bits = e_bits;
  return 1;
}

static modfab_status_t with_interrupt(modfab_rsa_t *core, Core *simulation, uint32_t *result,
                                      uint64_t *cycles) {
  modfab_status_t status = modfab_rsa_irq_enable(core, 1);
  if (status == MODFAB_OK) status = modfab_rsa_start(core, MODFAB_RSA_PRIVATE, parts[6]);
  if (status != MODFAB_OK) return status;
  if (modfab_rsa_busy(core) != MODFAB_BUSY || modfab_rsa_lock(core) != MODFAB_BUSY ||
      modfab_rsa_result(core, result, NULL) != MODFAB_BUSY ||
      modfab_rsa_start(core, MODFAB_RSA_PUBLIC, parts[6]) != MODFAB_BUSY)
    return MODFAB_UNKNOWN;
  if (!mf_wait(simulation, 1u << 30)) return MODFAB_TIMEOUT;
  status = modfab_rsa_result(core, result, cycles);
  if (!mf_wait(simulation, 0)) return MODFAB_UNKNOWN; /* high until cleared */
  if (modfab_rsa_irq_clear(core) != MODFAB_OK || mf_wait(simulation, 0)) return MODFAB_UNKNOWN;
  return status;
}

int main(void) {
  char command;
  modfab_rsa_t core;
  Core *simulation = open_simulation();
  modfab_status_t status =
      modfab_rsa_open(&core, read_register, write_register, run_clock, simulation);
  printf("%d %lu %lu %u %u %u\n", (int)status, (unsigned long)core.prime_bits,
         (unsigned long)core.min_prime_bits, core.engine, core.sequencer, core.blinding);
  while (scanf(" %c", &command) == 1) {
    uint32_t result[kMaxWords] = {0}, faults = 0, chosen = 0, valid = 0;
    unsigned context = 0;
    uint64_t cycles = 0;
    modfab_rsa_key_t key;
    if (strchr("svi", command) != NULL && !number(parts[6], modfab_rsa_words(&core))) return 2;
    if (command == 'x' && scanf("%u", &context) != 1) return 2;
    if (command == 'n' && !read_public(modfab_rsa_words(&core), &key)) return 2;
    if (strchr("kd", command) != NULL && !read_key(core.prime_bits, command == 'd', &key)) return 2;
    switch (command) {
      case 'k':
      case 'd': status = modfab_rsa_load_key(&core, &key, &cycles); break;
      case 'n':
        status = modfab_rsa_load_public(&core, key.p, key.e, key.e_bits, &cycles);
        break;
      case 's': status = modfab_rsa_private(&core, parts[6], result, &cycles); break;
      case 'v': status = modfab_rsa_public(&core, parts[6], result, &cycles); break;
      case 'i': status = with_interrupt(&core, simulation, result, &cycles); break;
      case 'g': status = modfab_rsa_generate_key(&core, result, &cycles); break;
      case 'l': status = modfab_rsa_lock(&core); break;
      case 't': status = modfab_rsa_selftest(&core, &cycles); break;
      case 'x': status = modfab_rsa_choose(&core, context, &cycles); break;
      case 'w': status = modfab_rsa_erase(&core); break;
      case 'y':
        status = modfab_rsa_contexts(&core, &chosen, &valid);
        cycles = chosen + 16 * valid;
        break;
      case 'z': status = modfab_rsa_zeroize(&core); break;
      default: status = modfab_rsa_faults(&core, &faults); cycles = faults;
    }
    printf("%d ", (int)status);
    print_words(result, modfab_rsa_words(&core));
    printf(" %llu\n", (unsigned long long)cycles);
  }
  mf_close(simulation);
  return 0;
}
