"""The roofline: what an operation demands over what a chip supplies.

intensities       arithmetic intensity: FLOPs per byte that crosses a channel
ridges            the ridge point of a chip: peak FLOP/s over bytes/s, the intensity at which the two times are equal
times             time of an operation on a chip
engines           the engines of a chip: formats that share one, whose times add up
floors            what no run beats: seconds with cold or warm caches, and what that takes for granted
own_format        an operation in a format that a chip computes in, where none was asked for
compute_bound     the condition that makes an operation compute-bound, as inequalities between times
missing_rates  engines of which a chip has no figure, and what it would take for them to matter
critical_size     the critical size: where an operation becomes compute-bound, solved for one of its dimensions
partition         which resource takes longest
memory_fit        does it fit: blocks against on-chip memory, bytes against that of a chip
allowed_sizes     what the conditions of an operation leave of one size
energy            joules an operation and joules a byte, with a balance point of their own
share             a share of the peak that is to be kept, and what an estimate of the time makes of it
keeping           from which intensity it is kept: the estimate of a chip, and the ridge point that it comes to
estimates         estimates of a time by calibrated ceilings: its seconds, the share kept, that with the start in it
waves             blocks of a tiled operation over the SMs of a chip
communication     collectives and sharded layers on a chip: times, and where compute hides the links
other_sources     what an answer would be with the figures of other sources: does it depend on the choice?
"""
