// SPDX-License-Identifier: Apache-2.0
/// The rules of rtl/tb/mf_mul_contract.sv in its order; one of them is broken on purpose.
package mf_rules_pkg;
  typedef enum logic [4:0] {
    None,
    CommandIsHeld, InputIsHeld, OutputIsHeld, InputInLoad, OutputInStore,
    ProductLeavesLowSlots, ProductSlotsExist, FactorIsOne, LoadSlotExists, StoreSlotExists,
    BusyInCommand, IdleBecomesReady, ReadyOnLastCycle, IdleAfterLastCycle,
    NotReadyInWipe, WipeHasItsLength, WipeClearsStatus, OkAfterSetupOnly
  } rule_e;
endpackage
