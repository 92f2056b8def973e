"""The changes that `mutation.py` makes to code readers, measured times, the store, and limits of rounded values."""

# group, file, original text, replacement text
OF_READING = (
    # trace/dead.py, parts.py: needed loop iterations dropped, the wrong end kept, dead work counted
    ("needs", "trace/dead.py", "if turns.backwards else box[0].last + 1)", "if turns.backwards else box[0].last)"),
    ("needs", "trace/dead.py", "Digit(expand(turns.count - count) if turns.backwards else ZERO, count)",
     "Digit(ZERO, count)"),
    ("needs", "trace/dead.py", "{engine: n * left.count / turns.count for", "{engine: n for"),
    ("needs", "trace/parts.py", "        begin = expand(begin + length)", "        begin = expand(length)"),
    ("needs", "trace/parts.py", "start=expand(length - 1 - digit.last)", "start=expand(length - digit.last)"),
    # times: caches assumed cold by default, the last rounds taken as the best, the unit of a cell dropped
    ("times", "times/verdicts.py", "sure=floor(op, chip, WARM", "sure=floor(op, chip, COLD"),
    ("times", "times/verdicts.py", "for part in found.sure if part.name != MEMORY", "for part in found.sure"),
    ("times", "times/measure.py", "top = sorted(rates)[-rounds:]", "top = rates[-rounds:]"),
    ("times", "times/tables.py", "Fraction(found[1]) * (own or unit or 1)", "Fraction(found[1]) * (unit or 1)"),
    # proofs/replay/places.py: an oversized file read completely, a folder trimmed to nothing or never
    ("store", "proofs/replay/store_folder.py", "content = file.read(most)", "content = file.read()"),
    ("store", "proofs/replay/store_folder.py", "            if size <= most:\n", "            if size <= 0:\n"),
    ("store", "proofs/replay/store_folder.py", "            if size <= most:\n", "            if True:\n"),
    # audit/formulas.py: the wrong branch, `and` for `or`, a comparison that excludes its end
    ("reading", "audit/formulas.py", "body if self._holds(self.value(test)) else orelse",
     "orelse if self._holds(self.value(test)) else body"),
    ("reading", "audit/formulas.py", "if self._holds(found) != isinstance(sign, ast.And):",
     "if self._holds(found) == isinstance(sign, ast.And):"),
    ("reading", "audit/formulas.py", "lambda gap: gap.is_nonpositive", "lambda gap: gap.is_negative"),
    # proofs/asymptotics/rounding.py: the wrong side of a rounded value
    ("far out", "proofs/asymptotics/rounding.py", '-1 if head == "floor" else 1, 1)',
     '1 if head == "floor" else -1, 1)'),
    # names from files: line breaks, and terminal control sequences
    ("names", "errors.py", 'lambda sign: ascii(sign[0])[1:-1], text).split())',
     'lambda sign: ascii(sign[0])[1:-1], text).split(" "))'),
    ("names", "toml.py", "            _refuse_control(table, where)\n", "            pass\n"),
    ("names", "claims/language/book.py", '_SHOWN = ("id", "source", "reason")', '_SHOWN = ("source", "reason")'),
)  # fmt: skip
