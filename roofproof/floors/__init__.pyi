from roofproof.floors.problems import Problem as Problem, problems as problems
from roofproof.floors.records import Record as Record, floors as floors
from roofproof.floors.verdicts import Verdict as Verdict
