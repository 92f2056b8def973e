"""Forms of random claims: each makes one from a random source, true or, if `broken`, false, by how it is made."""
