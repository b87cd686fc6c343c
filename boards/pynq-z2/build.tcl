# SPDX-License-Identifier: Apache-2.0
# Vivado project of the PYNQ-Z2 overlay: block design, bitstream, hardware description.
#
#   vivado -mode batch -source boards/pynq-z2/build.tcl -tclargs FOLDER ?MHZ?
#
# FOLDER was filled by prepare.py, which also says which core it is; the results are FOLDER/modfab.bit
# and FOLDER/modfab.hwh.

if {[llength $argv] < 1} {
  error "Expected the folder that prepare.py has filled; run prepare.py and give its folder."
}
set here [file dirname [file normalize [info script]]]
set folder [file normalize [lindex $argv 0]]
set mhz [expr {[llength $argv] > 1 ? [lindex $argv 1] : 50}]
set address 0x43C00000
set entropy_address 0x43C10000
set range 0x10000

if {![file exists $folder/sources.f]} {
  error "There is no sources.f in $folder; run prepare.py first."
}
set list_file [open $folder/sources.f]
set sources [split [string trim [read $list_file]] "\n"]
close $list_file
set core_file [open $folder/core]
set rsa [expr {[string trim [read $core_file]] eq "rsa"}]
close $core_file
set module [expr {$rsa ? "mf_pynq_z2_rsa" : "mf_pynq_z2"}]

# ---- project ----
create_project modfab_pynq_z2 $folder/vivado -part xc7z020clg400-1 -force
add_files -norecurse $sources
add_files -norecurse $here/$module.v
if {$rsa} { add_files -norecurse $here/mf_pynq_entropy.v }
add_files -fileset constrs_1 -norecurse $here/[expr {$rsa ? "pynq_z2_rsa" : "pynq_z2"}].xdc
update_compile_order -fileset sources_1

# ---- block design: the processing system, the core, an interrupt controller as PYNQ wants it ----
create_bd_design modfab
set ps7 [create_bd_cell -type ip -vlnv xilinx.com:ip:processing_system7 ps7]
apply_bd_automation -rule xilinx.com:bd_rule:processing_system7 \
  -config {make_external "FIXED_IO, DDR" Master "Disable" Slave "Disable"} $ps7
# Memory and pins of the processing system are set up by the PYNQ image at boot, not from here.
set_property -dict [list \
  CONFIG.PCW_USE_M_AXI_GP0 1 \
  CONFIG.PCW_USE_FABRIC_INTERRUPT 1 \
  CONFIG.PCW_IRQ_F2P_INTR 1 \
  CONFIG.PCW_EN_CLK0_PORT 1 \
  CONFIG.PCW_EN_RST0_PORT 1 \
  CONFIG.PCW_FPGA0_PERIPHERAL_FREQMHZ $mhz] $ps7

create_bd_cell -type module -reference $module modfab_0
set intc [create_bd_cell -type ip -vlnv xilinx.com:ip:axi_intc intc_0]
set_property CONFIG.C_IRQ_CONNECTION 1 $intc
set bus [create_bd_cell -type ip -vlnv xilinx.com:ip:smartconnect bus_0]
set_property -dict [list CONFIG.NUM_SI 1 CONFIG.NUM_MI [expr {$rsa ? 3 : 2}]] $bus
create_bd_cell -type ip -vlnv xilinx.com:ip:proc_sys_reset reset_0

# Connect the first pin to all others.
proc wire {source args} {
  foreach sink $args {
    connect_bd_net [get_bd_pins $source] [get_bd_pins $sink]
  }
}
connect_bd_intf_net [get_bd_intf_pins ps7/M_AXI_GP0] [get_bd_intf_pins bus_0/S00_AXI]
connect_bd_intf_net [get_bd_intf_pins bus_0/M00_AXI] [get_bd_intf_pins modfab_0/s_axi]
connect_bd_intf_net [get_bd_intf_pins bus_0/M01_AXI] [get_bd_intf_pins intc_0/s_axi]
wire ps7/FCLK_CLK0 ps7/M_AXI_GP0_ACLK bus_0/aclk reset_0/slowest_sync_clk \
  modfab_0/s_axi_aclk intc_0/s_axi_aclk
wire ps7/FCLK_RESET0_N reset_0/ext_reset_in
wire reset_0/peripheral_aresetn bus_0/aresetn modfab_0/s_axi_aresetn intc_0/s_axi_aresetn
wire modfab_0/irq_o intc_0/intr
wire intc_0/irq ps7/IRQ_F2P
create_bd_port -dir O led_o
connect_bd_net [get_bd_pins modfab_0/led_o] [get_bd_ports led_o]
if {$rsa} {
  create_bd_port -dir O alarm_led_o
  connect_bd_net [get_bd_pins modfab_0/alarm_led_o] [get_bd_ports alarm_led_o]
  create_bd_cell -type module -reference mf_pynq_entropy entropy_0
  connect_bd_intf_net [get_bd_intf_pins bus_0/M02_AXI] [get_bd_intf_pins entropy_0/s_axi]
  connect_bd_intf_net [get_bd_intf_pins entropy_0/m_axis] [get_bd_intf_pins modfab_0/s_axis_rnd]
  wire ps7/FCLK_CLK0 entropy_0/s_axi_aclk
  wire reset_0/peripheral_aresetn entropy_0/s_axi_aresetn
}

# ---- address map ----
assign_bd_address
set segment [get_bd_addr_segs ps7/Data/SEG_modfab_0_reg0]
set_property range $range $segment
set_property offset $address $segment
if {$rsa} {
  set segment [get_bd_addr_segs ps7/Data/SEG_entropy_0_reg0]
  set_property range $range $segment
  set_property offset $entropy_address $segment
}
validate_bd_design
save_bd_design

# ---- implementation ----
set wrapper [make_wrapper -files [get_files modfab.bd] -top]
add_files -norecurse $wrapper
set_property top modfab_wrapper [current_fileset]
launch_runs impl_1 -to_step write_bitstream
wait_on_run impl_1
if {[get_property PROGRESS [get_runs impl_1]] ne "100%"} {
  error "Vivado did not finish the bitstream; see the log of impl_1 in $folder/vivado."
}
set slack [get_property STATS.WNS [get_runs impl_1]]
if {$slack < 0} {
  error "The design misses $mhz MHz by $slack ns; give a lower frequency as the second argument."
}

# ---- what PYNQ loads ----
set made $folder/vivado/modfab_pynq_z2
file copy -force $made.runs/impl_1/modfab_wrapper.bit $folder/modfab.bit
file copy -force $made.gen/sources_1/bd/modfab/hw_handoff/modfab.hwh $folder/modfab.hwh
puts "modfab.bit and modfab.hwh are in $folder; worst slack $slack ns at $mhz MHz."
