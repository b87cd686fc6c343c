# SPDX-License-Identifier: Apache-2.0
# The clock comes from the processing system, which brings its own constraint.
set_property -dict {PACKAGE_PIN R14 IOSTANDARD LVCMOS33} [get_ports led_o] ;# LD0
set_false_path -to [get_ports led_o]
set_property -dict {PACKAGE_PIN P14 IOSTANDARD LVCMOS33} [get_ports alarm_led_o] ;# LD1
set_false_path -to [get_ports alarm_led_o]
