from roofproof.claims.answers.student_answer import check_answer as check_answer
from roofproof.claims.language.book import read_book as read_book
from roofproof.claims.verifying import verify as verify
