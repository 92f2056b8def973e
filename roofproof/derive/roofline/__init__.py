"""The roofline model: the demands of an operation over the rates of a chip.

intensities       arithmetic intensity: FLOPs per byte over a memory level or link
ridges            the ridge point of a chip: peak FLOP/s over bytes/s, the intensity at which the two times are equal
times             time of an operation on a chip
engines           the compute units of a chip, and formats that share one, whose times add up
floors            the minimum time in seconds with cold or warm caches, and its assumptions
own_format        library operations in a number format that a chip supports, if none was requested
compute_bound     the condition that makes an operation compute-bound, as inequalities between times
missing_rates     compute units for which a chip has no spec, and the rates at which they would matter
critical_size     the threshold at which an operation becomes compute-bound, solved for one of its dimensions
partition         regions of sizes by the resource that takes longest
memory_fit        memory requirements: blocks in on-chip memory, tensors in the main memory of chips
allowed_sizes     the values of one size that the conditions of an operation allow
energy            joules per operation and joules per byte, with their own balance point
share             a share of the peak to keep, and its form in an estimate of the time
keeping           the intensity that keeps a share: the estimate of a chip, and its ridge point
estimates         estimated times from calibrated rates, the share of the peak kept, and the startup time
waves             blocks of a tiled operation over the SMs of a chip
communication     collectives and sharded layers on a chip: times, and hiding communication behind compute
other_sources     answers with the specs of other sources, to see if they depend on the choice
"""
