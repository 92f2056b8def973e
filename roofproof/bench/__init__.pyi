from roofproof.bench.problems import Problem as Problem, read_problems as read_problems
from roofproof.bench.records import Record as Record, floors as floors
from roofproof.bench.verdicts import Verdict as Verdict
