from roofproof.claims.answers.grade import Grade as Grade
from roofproof.claims.answers.grade import grade as grade
from roofproof.claims.answers.question import Question as Question
from roofproof.claims.language.book import read_book as read_book
from roofproof.claims.values import value as value
from roofproof.claims.verifying import verify as verify
