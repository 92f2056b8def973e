from roofproof.times.estimates import Demands as Demands, demands as demands, fit as fit
from roofproof.times.problems import Problem as Problem, read_problems as read_problems
from roofproof.times.records import minimum_time_records as minimum_time_records
from roofproof.times.tables import Times as Times, read_times as read_times
from roofproof.times.validation import Validation as Validation, validate as validate
from roofproof.times.verdicts import minimum as minimum
