from roofproof.claims.language.book import Book as Book, Claim as Claim, Unusable as Unusable, read_book as read_book
from roofproof.claims.language.environment import Environment as Environment
from roofproof.claims.language.environment import to_boolean as to_boolean, to_relation as to_relation
