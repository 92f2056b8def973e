"""Forms of random claims. Each makes a claim that is true by construction, or false if `broken`."""
