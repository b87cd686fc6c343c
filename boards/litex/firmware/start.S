/* SPDX-License-Identifier: Apache-2.0 */
/* Reset vector: clears .bss, calls main, stops. Interrupts stay off; main polls the pending ones. */
    .section .text.start
    .globl _start
_start:
    la sp, stack_top
    la t0, bss_begin
    la t1, bss_end
1:  bgeu t0, t1, 2f
    sw zero, 0(t0)
    addi t0, t0, 4
    j 1b
2:  call main
3:  j 3b
