from roofproof.proofs.derivation import Derivation as Derivation
from roofproof.proofs.kernel.kernel import Theorem as Theorem
from roofproof.proofs.known import ByCounterexample as ByCounterexample, ByExactValue as ByExactValue
from roofproof.proofs.known import ByKernel as ByKernel, ByOracle as ByOracle, BySamples as BySamples
from roofproof.proofs.known import Figure as Figure, Known as Known, Model as Model, Unproved as Unproved
from roofproof.proofs.known import Unwarranted as Unwarranted
from roofproof.proofs.provers.critical_size import ProvedThreshold as ProvedThreshold, threshold as threshold
from roofproof.proofs.provers.discrete_proofs import ProvedDiscrete as ProvedDiscrete, prove_discrete as prove_discrete
from roofproof.proofs.provers.specialize import instance as instance
from roofproof.proofs.provers.monotone_proofs import ProvedMonotone as ProvedMonotone, prove_degree as prove_degree
from roofproof.proofs.provers.monotone_proofs import prove_independent as prove_independent
from roofproof.proofs.provers.monotone_proofs import prove_monotone as prove_monotone
from roofproof.proofs.provers.optimum_proofs import ProvedExtremum as ProvedExtremum, prove_extremum as prove_extremum
from roofproof.proofs.provers.times import partition as partition
from roofproof.proofs.provers.statements import Refuted as Refuted
from roofproof.proofs.provers.thresholds import certify as certify
from roofproof.proofs.search.tactics import prove as prove
from roofproof.proofs.statement import Statement as Statement
