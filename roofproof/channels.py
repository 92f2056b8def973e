"""The names of memory levels, links and other traits of chips, shared by all packages."""

from typing import Final

LEVELS: Final = {
    "hbm": "memory soldered to the accelerator, of whatever kind (HBM, GDDR, LPDDR)",
    "dram": "main memory shared with the rest of the machine",
    "cpu-dram": "memory of the host processor in the same package",
    "l1": "first-level cache, one for each SM or core",
    "l2": "second-level cache",
    "l3": "last-level cache (Infinity Cache, system-level cache)",
    "smem": "memory that a kernel manages, one for each SM, CU or core (shared memory, LDS, SBUF)",
    "l1-smem": "the array that L1 and shared memory of an SM divide: more than a kernel can allocate",
    "tmem": "tensor memory, one for each SM: accumulators of the matrix unit",
    "psum": "accumulators of the matrix unit, one for each core",
    "vmem": "vector memory of a TPU core",
    "cmem": "memory that the cores of a TPU share",
    "sram": "memory on the chip that is its main store",
    "registers": "register file, one for each SM, CU or core",
}
"""Memory levels. Each may have a capacity (B), a total over all cores (B), and a bandwidth for the whole chip (B/s)."""

LINKS: Final = (
    "ici", "nvlink", "nvlink-c2c", "dcn", "pcie", "xgmi", "xgmi-link", "neuronlink", "nic", "dma",
    "infiniband", "ethernet", "cxl",
)  # fmt: skip
"""Links, in bytes per second per direction unless the convention differs. NAME-latency is in seconds."""

BETWEEN_CHIPS: Final = tuple(link for link in LINKS if link not in ("nvlink-c2c", "dma", "cxl"))
"""Links whose traffic depends on the algorithm: another may send less, use both directions, or sum in the switch."""

RENAMED: Final = {"lds": "smem", "tensor-memory": "tmem"}
"""Other names of memory levels."""

TRAITS: Final = {
    "sms": "count",  # SMs, CUs, or cores
    "clock-boost": "Hz",
    "clock-base": "Hz",
    "clock-tensor": "Hz",  # of the matrix unit, if it differs
    "tdp": "W",
}
"""Specs that no work of an operation is divided by, with their units."""
