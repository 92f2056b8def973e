"""The proved statements of a course's slides, as theorems that Coq checks."""

from collections.abc import Iterator
from contextlib import suppress

from roofproof.claims.verifying import in_coq
from roofproof.errors import RoofproofError
from roofproof.export.coq import of_threshold
from roofproof.export.slides.course_claims import judged, refuted
from roofproof.export.slides.course_operations import worked
from roofproof.proofs.replay.coq.files import FileContents
from roofproof.teach.course import Course


def of_course(course: Course) -> Iterator[FileContents]:
    """Yield the thresholds that a course derives, the claims that it proves, and the errata that it refutes.

    >>> from roofproof.teach.course_file import course_of
    >>> outline = '''[course]
    ... title = "One product // 一个乘积"
    ... subtitle = "An example // 例"
    ... [chips]
    ... v5e = "tpu-v5e"
    ... [operations]
    ... product = { op = "matmul", for = "B", chip = "v5e" }
    ... [errata]
    ... ridge = "all-about-rooflines S2-73"
    ... [[slide]]
    ... title = "Nothing yet // 尚无"
    ... show = "Text. // 文字。"
    ... '''
    >>> for each in of_course(course_of(outline, "one.toml")):
    ...     print(f"{each.name}: {each.says[:54]}")
    product_tpu-v5e_for_B: product is compute-bound on tpu-v5e for B > 197000*D*F
    S2-73: claim S2-73 (L270, question 5, against L92) is refuted

    Raises RoofproofError if the deck of the course cannot be made.
    """
    for name, work in worked(course, {}).items():
        if work.chip is None:
            continue
        with suppress(RoofproofError):  # the chip lacks a spec, so its slides are left out as well
            if (proved := work.study.proved) is not None:
                yield of_threshold(proved, name)
    for says in course.claims.values():
        yield in_coq(*judged(says))
    for text in course.errata.values():
        yield from (in_coq(*each) for each in refuted(*text.split(" ", 1)))
