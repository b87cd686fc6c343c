/* SPDX-License-Identifier: Apache-2.0 */
/* Who waits for an operation's end by bus.idle or bus.expect has the interrupt. */
#include <string.h>

#include "checks.h"
#include "generated/mf_modexp_regs.h"
#include "generated/mf_rsa_farm_regs.h"
#include "generated/mf_rsa_regs.h"
#include "modfab.h"
#include "modfab_farm.h"
#include "modfab_rsa.h"

enum { kBytes = 0xA000, kDone = 1 };

static uint32_t memory[kBytes / 4];
static uint32_t irq_status, irq_enable, ctrl, starting; /* offsets; the commands that start */
static uint32_t wanted;                                 /* IRQ_ENABLE at each start */
static int cleared, starts;

static int read_memory(void *context, uint32_t offset, uint32_t *value) {
  (void)context;
  *value = memory[offset / 4];
  return 0;
}

static int write_memory(void *context, uint32_t offset, uint32_t value) {
  (void)context;
  if (offset == irq_status) cleared = value == kDone;
  if (offset == irq_enable && value == kDone) CHECK(cleared); /* of an older cause */
  if (offset == ctrl && (value & starting) != 0) {
    CHECK(cleared && memory[irq_enable / 4] == wanted);
    cleared = 0;
    ++starts;
  }
  memory[offset / 4] = value;
  return 0;
}

static void nothing(void *context) { (void)context; }

static void expect_nothing(void *context, const modfab_span_t *spans, size_t num_spans) {
  (void)context;
  (void)spans;
  (void)num_spans;
}

static void set(uint32_t offset, uint32_t value) { memory[offset / 4] = value; }

/* `how` is 0 for a core that is polled, 1 with bus.idle, 2 with bus.expect. */
static void prepare(modfab_bus_t *bus, int how) {
  bus->idle = how == 1 ? nothing : NULL;
  bus->expect = how == 2 ? expect_nothing : NULL;
  wanted = how == 0 ? 0 : kDone;
  cleared = starts = 0;
}

static const uint32_t ZERO[2] = {0, 0}, ONE[2] = {1, 0};
static const modfab_rsa_key_t KEY = {ONE, ONE, ONE, ONE, ONE, NULL, ONE, 2};

static void check_modexp(int how) {
  modfab_t core;
  uint32_t result[2];
  memset(memory, 0, sizeof memory);
  set(offsetof(mf_modexp_t, regs.ID), MF_MODEXP__REGS__ID__MAGIC_reset);
  set(offsetof(mf_modexp_t, regs.VERSION),
      MF_MODEXP__REGS__VERSION__MAJOR_reset << MF_MODEXP__REGS__VERSION__MAJOR_bp);
  set(offsetof(mf_modexp_t, regs.NUM_BITS), 64);
  set(offsetof(mf_modexp_t, regs.EXP_BITS_MAX), 64);
  irq_status = offsetof(mf_modexp_t, regs.IRQ_STATUS);
  irq_enable = offsetof(mf_modexp_t, regs.IRQ_ENABLE);
  ctrl = offsetof(mf_modexp_t, regs.CTRL);
  starting = MF_MODEXP__REGS__CTRL__START_bm;
  CHECK(modfab_open(&core, read_memory, write_memory, NULL, NULL) == MODFAB_OK);
  prepare(&core.bus, how);
  CHECK(modfab_powmod(&core, ONE, ONE, ONE, result, NULL) == MODFAB_OK && starts == 1);
  CHECK(memory[irq_enable / 4] == wanted);
}

/* Memory tells no refusal: the driver has to. */
static void check_selftest_with_a_key(modfab_rsa_t *core) {
  set(offsetof(mf_rsa_t, regs.KEYS), 1u << MF_RSA__REGS__KEYS__VALID_bp); /* the other context's */
  CHECK(modfab_rsa_selftest(core, NULL) == MODFAB_BUS_ERROR && starts == 7);
  core->contexts = 1;
  CHECK(modfab_rsa_selftest(core, NULL) == MODFAB_OK && starts == 8);
  set(offsetof(mf_rsa_t, regs.STATUS), MF_RSA__REGS__STATUS__KEY_VALID_bm);
  CHECK(modfab_rsa_selftest(core, NULL) == MODFAB_BUS_ERROR && starts == 8);
}

static void check_rsa(int how) {
  modfab_rsa_t core;
  uint32_t result[2];
  memset(memory, 0, sizeof memory);
  set(offsetof(mf_rsa_t, regs.ID), MF_RSA__REGS__ID__MAGIC_reset);
  set(offsetof(mf_rsa_t, regs.VERSION),
      MF_RSA__REGS__VERSION__MAJOR_reset << MF_RSA__REGS__VERSION__MAJOR_bp | 3);
  set(offsetof(mf_rsa_t, regs.CONTEXT), 2u << MF_RSA__REGS__CONTEXT__COUNT_bp);
  set(offsetof(mf_rsa_t, regs.PRIME_BITS), 32);
  set(offsetof(mf_rsa_t, regs.STATUS), MF_RSA__REGS__STATUS__RESULT_VALID_bm);
  irq_status = offsetof(mf_rsa_t, regs.IRQ_STATUS);
  irq_enable = offsetof(mf_rsa_t, regs.IRQ_ENABLE);
  ctrl = offsetof(mf_rsa_t, regs.CTRL);
  starting = MF_RSA__REGS__CTRL__KEY_bm | MF_RSA__REGS__CTRL__START_PRIVATE_bm |
             MF_RSA__REGS__CTRL__START_PUBLIC_bm | MF_RSA__REGS__CTRL__TEST_bm |
             MF_RSA__REGS__CTRL__CHANGE_bm;
  CHECK(modfab_rsa_open(&core, read_memory, write_memory, NULL, NULL) == MODFAB_OK);
  prepare(&core.bus, how);
  CHECK(modfab_rsa_selftest(&core, NULL) == MODFAB_OK && starts == 1);
  CHECK(modfab_rsa_choose(&core, 1, NULL) == MODFAB_OK && starts == 2);
  CHECK(modfab_rsa_load_key(&core, &KEY, NULL) == MODFAB_OK && starts == 3);
  CHECK(modfab_rsa_start(&core, MODFAB_RSA_PUBLIC, ONE) == MODFAB_OK && starts == 4);
  CHECK(modfab_rsa_private(&core, ZERO, result, NULL) == MODFAB_OK && starts == 6);
  CHECK(modfab_rsa_public(&core, ONE, result, NULL) == MODFAB_OK && starts == 7);
  check_selftest_with_a_key(&core);
}

/* The farm has more causes, and the program chooses them. */
static void check_farm(int how) {
  modfab_farm_t farm;
  memset(memory, 0, sizeof memory);
  set(offsetof(mf_rsa_farm_t, regs.ID), MF_RSA_FARM__REGS__ID__MAGIC_reset);
  set(offsetof(mf_rsa_farm_t, regs.VERSION),
      MF_RSA_FARM__REGS__VERSION__MAJOR_reset << MF_RSA_FARM__REGS__VERSION__MAJOR_bp);
  set(offsetof(mf_rsa_farm_t, regs.CAPABILITY), 0x08010203);
  set(offsetof(mf_rsa_farm_t, regs.PRIME_BITS), 32);
  irq_status = offsetof(mf_rsa_farm_t, regs.IRQ_STATUS);
  irq_enable = offsetof(mf_rsa_farm_t, regs.IRQ_ENABLE);
  ctrl = offsetof(mf_rsa_farm_t, regs.CTRL);
  starting = MF_RSA_FARM__REGS__CTRL__KEY_bm;
  CHECK(modfab_farm_open(&farm, read_memory, write_memory, NULL, NULL) == MODFAB_OK);
  prepare(&farm.bus, how);
  set(irq_enable, MODFAB_FARM_IRQ_FAULT);
  if (how == 0) wanted = MODFAB_FARM_IRQ_FAULT;
  CHECK(modfab_farm_load_key(&farm, &KEY, NULL) == MODFAB_OK && starts == 1);
  CHECK(memory[irq_enable / 4] == MODFAB_FARM_IRQ_FAULT);
  set(offsetof(mf_rsa_farm_t, regs.STATUS), 2u << MF_RSA_FARM__REGS__STATUS__ERROR_bp);
  CHECK(modfab_farm_load_key(&farm, &KEY, NULL) == MODFAB_RSA_KEY && starts == 2);
  CHECK(memory[irq_enable / 4] == MODFAB_FARM_IRQ_FAULT);
}

int main(void) {
  for (int how = 0; how < 3; ++how) {
    check_modexp(how);
    check_rsa(how);
    check_farm(how);
  }
  printf("%d failures\n", failures);
  return failures != 0;
}
