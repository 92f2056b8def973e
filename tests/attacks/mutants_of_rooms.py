"""The changes that `mutation.py` makes to the packages around the core: audit, atlas, site, Coq, drafts, teaching."""

# group, file, original text, replacement text
OF_ROOMS = (
    # audit: skipped sizes, values that differ or change, a difference reported as agreement
    ("audit", "audit/whole_numbers.py", 'if found.how != "symbols":', "if True:"),
    ("audit", "audit/whole_numbers.py", "    if again != value:", "    if False:"),
    ("audit", "audit/whole_numbers.py", "for n in named for d in (-1, 0, 1)} - {0})", "for n in named for d in (0,)})"),
    ("audit", "audit/whole_numbers.py", "(said * NEAR if inexact else 0)", "said * NEAR"),
    ("audit", "audit/audits.py", 'verdict = "different" if apart else "near"', 'verdict = "near"'),
    ("audit", "audit/audits.py", "if abs(value - mine) > mine * NEAR and", "if value - mine > mine * NEAR and"),
    ("audit", "audit/audits.py", "    refuse_unsteady(function, symbols, first)\n", ""),
    ("audit", "apart.py", 'or said.get("number") != number', ""),
    # atlas: a symbolic proof reported for a chip, chips with different counts grouped, a format twice, a hidden error
    ("links", "ops/network/collectives.py", "(chips * over.with_all_links.links(chips))",
     "over.with_all_links.links(chips)"),
    ("atlas", "derive/on_chips.py", "open_ = not needed <= {self.unknown.name", "open_ = needed <= {self.unknown.name"),
    ("atlas", "derive/on_chips.py", 'needed = {s.name for case in cases for s in case.symbols} - {',
     "needed = set() & {"),
    ("atlas", "derive/on_chips.py", "else derivation_at(self.proved.symbolic, row.ridges)",
     "else self.proved.symbolic"),
    ("atlas", "derive/on_chips.py", "groups.setdefault((*counted.compute.items(), *shared)", "groups.setdefault(()"),
    ("atlas", "derive/roofline/own_format.py", "and op.demands not in [w.demands for w in written.values()]", ""),
    ("atlas", "derive/atlas.py", 'return AtlasPart(text, x, tuple(lines), str(problem))',
     "return AtlasPart(text, x, tuple(lines))"),
    ("atlas", "derive/atlas.py", "sized and (row.exact or not found.by_rule)", "sized"),
    # export/site: limits on questions, unrequested hints, lost conditions and escapes
    ("site", "export/site/answers.py", "    if len(payload) > MOST:", "    if False:"),
    ("site", "export/site/answers.py", "            if not isinstance(value, str):", "            if False:"),
    ("site", "export/site/web_exercises.py", '    refuse_unknown("exercise file", name, shipped())', "    pass"),
    ("site", "export/site/web_exercises.py", "    if len(text) > LONGEST:", "    if False:"),
    ("site", "export/site/web_exercises.py", "if not (seed.isascii() and seed.isdigit() and", "if not ("),
    ("site", "export/site/web_exercises.py", 'asked["lang"]), made.asked)[:hint]', 'asked["lang"]), made.asked)'),
    ("site", "export/to_html.py", "when = () if case.when == sympy.true else", "when = () if True else"),
    ("site", "export/to_html.py", "else escape(text)", "else Markup(text)"),
    ("site", "export/latex/leaves.py", 'style.lang != "en" and "$" not in what.text', "True"),
    # proofs/replay/coq: other relations, reversed implications, the other rounding
    ("coq", "proofs/replay/coq/data.py", '">=": "Ge"', '">=": "Gt"'),
    ("coq", "proofs/replay/coq/data.py", '"floor": "Floor", "ceil": "Ceil"', '"floor": "Ceil", "ceil": "Floor"'),
    ("coq", "proofs/replay/coq/data.py", "made = (LOGIC[head], other, made)", "made = (LOGIC[head], made, other)"),
    ("coq", "proofs/replay/coq/library/Checker.v", "branch hs said f s && covered hs said g branches",
     "branch hs said f s"),
    ("coq", "proofs/replay/coq/theorems.py", '("and", *stated.given, stated.goal) if stated.somewhere',
     "stated.goal if True"),
    # claims/draft: a label read as a power, a word as a factor, values from another sentence
    ("draft", "claims/draft.py", '"^" in (last.kind, before.kind if last.text == "{" else "")', "False"),
    ("draft", "claims/draft.py", "last.kind in _ENDS or", "False or"),
    ("draft", "claims/draft.py", "if sentence[m] == sentence[k] and m != k", "if m != k"),
    # teach: a hint that reveals the answer, repeated parameters, a formula with unsafe TeX
    ("teach", "teach/variants.py", "    _refuse_hints(made)\n", ""),
    ("teach", "teach/variants.py", "        if each not in seen:\n", "        if True:\n"),
    ("teach", "teach/formulas.py", "if macro.name not in MACROS:", "if not macro.name:"),
    ("teach", "teach/formulas.py", 'if put_to and node in ("", "^", "_", "\'"):', 'if put_to and not node:'),
    # trace/work.py: complex products counted as real ones
    ("trace", "trace/work.py", "8 * many", "2 * many"),
)  # fmt: skip
