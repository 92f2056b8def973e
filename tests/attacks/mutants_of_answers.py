"""The changes that `mutation.py` makes to code that uses proofs: replay, steps, exercises, courses, slides."""

# group, file, original text, replacement text
OF_ANSWERS = (
    # proofs/replay: the second checker
    ("replay", "proofs/replay/checker.py", 'need(relation != "=" and (not m or m.sign(names, []) > 0),',
     'need(relation != "=",'),
    ("replay", "proofs/replay/checker.py", "need(all(signs),", "need(True,"),
    ("replay", "proofs/replay/checker.py", "and strict and total == scale * goal", "and strict"),
    ("replay", "proofs/replay/checker.py", 'strict = strict or (bool(m) and kinds <= {">"})', "strict = True"),
    ("replay", "proofs/replay/checker.py", 'return given | {(">", t, ZERO) for t in (a, *inside)}', "return given"),
    ("replay", "proofs/replay/checker.py", 'return given | {(">", base, ZERO)}', "return given"),
    ("replay", "proofs/replay/checker.py", '(">", x[0], UNIT) if x else', '(">", x[0], ZERO) if x else'),
    ("replay", "proofs/replay/checker.py", "min(s) >= 0 and max(s) > 0", "max(s) > 0"),
    ("replay", "proofs/replay/checker.py", "return frozenset(substituted(h, values) for h in given)", "return given"),
    ("replay", "proofs/replay/checker.py", "[] if a == c == f and b == d == e:", "[] if a == c == f:"),
    ("replay", "proofs/replay/checker.py", "atoms <= whole and all", "all"),
    ("replay", "proofs/replay/checker.py", "union(*(hs - {f} for f", "union(*(frozenset[Tree]() for f"),
    ("replay", "proofs/replay/checker.py", "premises[0][0].union(*(hs", "frozenset[Tree]().union(*(hs"),
    ("replay", "proofs/replay/checker.py", " and {*ends} == {c}:", ":"),
    # proofs/steps: a line without a warrant, a line that follows from itself, a factor of any sign
    ("steps", "proofs/steps/step.py", "if not said or said != due or", "if not said or"),
    ("steps", "proofs/steps/step.py",
     "follows = Formula(link, substitute(before.formula, dict(put)), after.formula)",
     "follows = Formula(link, after.formula, after.formula)"),
    ("steps", "proofs/steps/step.py", 'return (Formula(">", what, ZERO), *(Formula("=", new, Term("*", what, old)) for',
     'return (Formula(">=", what, what), *(Formula("=", new, Term("*", what, old)) for'),
    # teach: a distractor that is right or repeats another, a key that should not be asked for
    ("teach", "teach/distractors.py", 'if graded.grade != "wrong" or not explained or', "if not explained or"),
    ("teach", "teach/distractors.py", "_alike(key, asked.key, asked)", "False"),
    ("teach", "teach/variants.py", "if empty and not exercise.never", "if False"),
    ("teach", "teach/variants.py", "_refused(asked.key, exercise) or unproved(asked)", "_refused(asked.key, exercise)"),
    # formula/latex.py: ambiguous text is accepted
    ("latex", "formula/latex.py", "if not set(word) <= set(declared):", "if False:"),
    ("latex", "formula/latex.py", "            _refuse_two(one, two)", "            pass"),
    ("latex", "formula/latex.py", 'inside[0].text == "T" and "T" not in', 'inside[0].text == "T" and "T" in'),
    ("latex", "formula/latex.py", "self.last.text.isdigit() and all(map(str.isdigit, numbers))", "False"),
    ("latex", "formula/latex.py", "            before.append(where)", "            pass"),
    ("latex", "formula/latex.py", "if number and text in _LARGE:", "if False:"),
    ("latex", "formula/latex.py", "    _refuse_indexed(tree)\n    return tree", "    return tree"),
    # claims/draft: money read as a formula, pi defined as a name, a dropped unit after a formula
    ("draft", "claims/draft.py", "text[found.end() : found.end() + 1].isdigit() or", "False or"),
    ("draft", "claims/draft.py", 'if name != "pi" and', "if"),
    ("draft", "claims/draft.py", "if unit and known and", "if False and"),
    # several compute units and memory levels
    ("engines", "derive/roofline/compute_bound.py", "else sympy.Or(*parts, **how)", "else sympy.And(*parts, **how)"),
    ("engines", "derive/roofline/compute_bound.py", "else sympy.And(*every, **how)", "else sympy.Or(*every, **how)"),
    # claims/judge/read_back.py: the hypotheses of a theorem, the sign of a name
    ("read-back", "claims/judge/read_back.py", 'if h not in own and h[0] != "int"]', "if False]"),
    ("read-back", "claims/judge/read_back.py", 'domain.sign != "positive"', 'domain.sign == "positive"'),
    # claims/judge/quantified.py: a negation that keeps its quantifier or premise, lost conditions
    ("quantified", "claims/judge/quantified.py",
     'there = (quantifier == "exists") == (true != denied)', 'there = quantifier == "exists"'),
    ("quantified", "claims/judge/quantified.py", "self.part(premise, not true, denied)",
     "self.part(premise, true, denied)"),
    ("quantified", "claims/judge/quantified.py", "joined(sympy.And, [*inner, held])", "held"),
    ("quantified", "claims/judge/quantified.py", "joined(sympy.And, [*outer, never])", "never"),
    # claims/judge: an undefined part treated as defined, a witness out of its range
    ("words", "claims/judge/definedness.py", "needs = [need for need in needs if need in there]", "needs = []"),
    ("quantified", "claims/judge/witnesses.py", "sympy.Ge(value, 1 if symbol.is_positive else 0,",
     "sympy.Ge(value, 0,"),
    # slides: a wrong relative error, an abbreviation that no slide explains
    ("shown", "export/explain/slides.py", "off = substitute(found.leading_value / c.intensity - 1, self.there)",
     "off = substitute(found.leading_value / c.intensity, self.there)"),
    ("shown", "export/naming.py", "rows=(*rows[:first], *told, *rows[first:])", "rows=tuple(rows)"),
    # the store: the content of a seal, the check of a seal, kept and deleted entries
    ("store", "proofs/replay/store.py", "        said = json.dumps([self.version, question])",
     "        said = json.dumps([self.version])"),
    ("store", "proofs/replay/store.py", "if not hmac.compare_digest(seal, self._seal(question, body)):",
     "if len(seal) != 64:"),
    ("store", "proofs/replay/store.py", 'return f"{self.version}/', 'return f"one/'),
    ("store", "proofs/replay/store.py", "os.link(file.name, path)", "os.link(file.name, path.with_suffix('.new'))"),
    ("store", "proofs/replay/store_folder.py", "            if size <= most:\n", "            if size < 0:\n"),
    ("store", "claims/verdict_cache.py", "any(type(k.warrant) not in CHECKED for k in known.values()):", "False:"),
    ("store", "claims/language/book.py", "json.dumps([source, shared, own, files], default=str)",
     "json.dumps([source, shared, own], default=str)"),
    ("store", "claims/verifying.py", 'store.put(question, data) if files_unchanged(files) else ""',
     "store.put(question, data)"),
    # export/slides/filling.py: forbidden attributes, methods, operators and syntax in a gap, a loop that repeats
    ("course", "export/slides/filling.py", 'isinstance(obj, self.open) and not attribute.startswith("_"):',
     "isinstance(obj, self.open):"),
    ("course", "export/slides/filling.py", "if attribute in METHODS or not isinstance(found, MethodType):", "if True:"),
    ("course", "export/slides/filling.py", "if not isinstance(left, int | Expr) or", "if"),
    ("course", "export/slides/filling.py", 'if [sign.op for sign in signs] not in (["eq"], ["ne"]):', "if False:"),
    ("course", "export/slides/filling.py", "if not isinstance(node, READ):", "if False:"),
    ("course", "export/slides/filling.py", "if one not in every[:n]]", "if True]"),
)  # fmt: skip
