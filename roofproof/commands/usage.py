"""The commands and what they take, as a usage line writes them.

An OP may be left out (?), there may be several (+), or any number (*); an option may be given once, or again (*), or
must be given (!), and takes one of the {words} listed. It is Python because to read TOML takes longer than `--help`.
"""

REMOVED = {
    "editor": "`roofproof verify`",
    "site --without-docs": "`roofproof site`",
    "check --jobs": "`--workers`",
    "derive --to": "`--json` or `--latex`",
    "exercises --code": "an operation that the bank writes as an expression",
    "exercises --to anki": "`--to gift`, or `--to myst`",
}
"""What 0.3 had, a command or one of its options, and what to use instead; said for one version."""

COMMANDS: dict[str, tuple[str, dict[str, str]]] = {
    "derive": (
        "derive and prove where an operation is compute-bound",
        {
            "OP": (
                "a library name, 'bf16[B,D], bf16[D,F] -> bf16[B,F]', 'x[B, D_n] * w[D_n, F] -> z[B, F]', FILE.toml, "
                "an operation of one's own, FILE.py:NAME, a JAX function or a PyTorch module that is traced, or "
                "config.json:decode, a pass of a published model"
            ),
            "--chip CHIP": "NAME[@VARIANT], FILE.toml or 'bf16=1.97e14 FLOP/s, hbm=820 GB/s'",
            "--for DIM": "the dimension to solve for",
            "--shapes SHAPES": "of a function: 'x:bf16[B,L,d], params.w1:bf16[d,F], cache[0]:bf16[B,S,k], heads=8'",
            "--where CONDITIONS": "conditions on the sizes: 'k even; 128 divides L; h = g*r'",
            "--unrolled SIZE": "of a function: the size that says how many layers Python unrolls, 'N' or 'N=32'",
            "--traffic {fused,kernels,unfused,least}": "of a function: what moves (fused by default)",
            "--links AXIS=LINK,...": "of a function: the link of each axis of its mesh, 'model=nvlink, data=dcn'",
            "--rows": "of a function: what each line of the code computes and moves",
            "--plot FILE": "with --rows and all sizes: the lines under the roofs of the chip, .svg, .pdf, .png or .tex",
            "--level l2": "count the bytes over this memory level alone",
            "--regime REGIME": "'D, F >> B', 'L >> d >> r', 'D ~ F >> B', 'F = 4 D -> oo'",
            "--at D=4096,F=4096 *": "sizes for the integer answer",
            "--multiple-of 128": "let the integer answer be a multiple",
            "--against OP": "of a collective: where it takes less time than this one, starts and bytes",
            "--share 0.8": "with --for: where this share of the calibrated peak is kept, as in 0.8 or '80 %%'",
            "--corner {max,sum,root}": "with --share: take the figures as reached in full, two times made one so",
            "--steps": "show the proof line by line, with the reason for each",
            "--oracle {z3}": "the solver that is asked where the proof kernel finds no proof",
            "--smtlib DIR": "write what was proved as SMT-LIB 2 files",
            "--certificate DIR": "write what the proof kernel proved, as data",
            "--coq DIR": "write what was proved as theorems that Coq checks",
            "--json": "print a JSON record of exact strings",
            "--latex": "print LaTeX for pasting",
            "--part frames": "with --latex: a frame of Beamer for each part, for a deck of your own",
            "-o FILE": "with --latex: a document, .tex or .pdf",
            "--lang en|zh": "the language of text and LaTeX, en by default",
        },
    ),
    "bound": (
        "bound what any schedule of a product moves with a memory, and give the tile that comes near",
        {
            "OP": (
                "a library name, or 'bf16[B,D], bf16[D,F] -> bf16[B,F]', of any number of tensors; or stencil5, "
                "stencil7, stencil27, attention-core, flash-attention"
            ),
            "--memory M": "the bytes of the memory, such as 228KiB",
            "--chip CHIP": "NAME[@VARIANT], FILE.toml or figures: the memory of a level of it, and its ridge point",
            "--level smem": "which level; by default the on-chip level that holds most",
            "--at D=4096,F=4096 *": "sizes for numbers",
            "--plot FILE": "draw what moves against the memory, .svg, .pdf, .png or .tex; all sizes are given",
            "--for DIM": "with --plot and a chip: a map of this size against the memory",
            "--coq DIR": "write what was proved as theorems that Coq checks, the lemma with them",
            "--relax": "take an index such as P + R - 1 of a convolution as one loop, which is named",
            "--json": "print a JSON record of exact strings",
            "--latex": "print LaTeX for pasting",
            "-o FILE": "with --latex: a document, .tex or .pdf",
            "--lang en|zh": "the language of text and LaTeX, en by default",
        },
    ),
    "table": (
        "compare the critical sizes of operations on many chips",
        {
            "OP+": "library names, or 'bf16[B,D], bf16[D,F] -> bf16[B,F]'",
            "--chip CHIP *": "NAME[@VARIANT], FILE.toml or figures (repeatable), or all",
            "--for DIM !": "solve for this one",
            "--regime REGIME": "the regime of the rule of thumb, such as 'D, F >> B'",
            "--at D=4096,F=4096 *": "the other sizes",
            "--share 0.8": "where this share of the calibrated peak is kept, as in 0.8 or '80 %%'",
            "--corner {max,sum,root}": "with --share: take the figures as reached in full, two times made one so",
            "--markdown": "print a table in Markdown, its formula for KaTeX",
            "--latex": "print LaTeX for pasting (booktabs, siunitx)",
            "-o FILE": "with --latex: a document, .tex or .pdf",
            "--lang en|zh": "the language of text and LaTeX, en by default",
        },
    ),
    "verify": (
        "judge every claim of a textbook: exit 0 if all are as expected, 1 if not, 2 if one cannot be used",
        {
            "FILE+": "books of claims in TOML, or pages with claims: .md, .qmd, .rst, .tex",
            "--only ID *": "judge this claim only (repeatable)",
            "--report FILE": "write an errata sheet: .md, .tex or .pdf",
            "--lang LANG": "en (the default) or zh, of the verdicts and the errata sheet",
            "--smtlib DIR": "write what was proved as SMT-LIB 2 files",
            "--coq DIR": "write what was proved as theorems that Coq checks",
            "--store DIR": "keep what was proved in a folder, and check it in later runs instead of searching",
            "--steps": "print the steps behind each claim, with the reason for each",
            "--read-back": "print each claim as it was read, and its theorems, in the claim language",
            "--workers N": "processes on this machine (one a core), or tcp://HOST:PORT of a Dask scheduler",
            "--values": "of a page in LaTeX: write beside it what roofproof.sty reads",
            "--json": "print one JSON object",
        },
    ),
    "latex-package": (
        "write roofproof.sty, by which a document in LaTeX shows what was checked",
        {"DIR": "the folder of the document"},
    ),
    "quarto-filter": (
        "write roofproof.lua, a filter by which Quarto and Pandoc show what was checked",
        {"DIR": "the folder of the document"},
    ),
    "draft": (
        "turn the formulas of a chapter into draft claims, each beside its place, and list what could not be read",
        {
            "CHAPTER": "a chapter in Markdown (.md) or TeX (.tex)",
            "-o FILE !": "the book to write, which must not be there yet: chapter.claims.toml",
            "--json": "print a JSON record of the counts and of what was not read",
        },
    ),
    "check": (
        "grade a student's answer, or a file of answers",
        {
            "--op OP": "a library name, or a typed einsum",
            "--chip CHIP": "NAME[@VARIANT], FILE.toml or figures",
            "--for DIM": "the dimension the answer is about",
            "--regime REGIME": "the regime the exercise allows, such as 'D, F >> B'",
            "--at D=4096,F=4096 *": "sizes the exercise gives",
            "--asks ASKS": (
                "threshold (the default with --for), smallest, largest, rule; intensity (the default "
                "without), flops, bytes, time, ridge, memory, bound; share, of the FLOPs of another operation"
            ),
            "--of OP": "the operation of which a share is asked",
            "--against OP": "of a collective: the one than which it is to be faster, of a threshold",
            "--share 0.8": "of a threshold: where this share of the calibrated peak is kept, once started",
            "--corner {max,sum,root}": "with --share: take the figures as reached in full, two times made one so",
            "--tolerance T": "digits (the default), exact, a share such as 2%%, or 'order of magnitude'",
            "--answer ANSWER": "such as 'B > 120', in words, plain text or LaTeX",
            "--lang LANG": "en (the default) or zh",
            "--hint N": "1 where to look, 2 which quantity, 3 which step, 4 the solution",
            "--reveal": "show the right answer, and the steps to it",
            "--coq DIR": "write what was proved as theorems that Coq checks",
            "--json": "print one JSON object",
            "--answers FILE.csv": "many answers: columns question and answer; others are kept",
            "--exercises BOOK.toml": (
                "the questions of --answers: [[question]] with id, op and the options above as keys"
            ),
            "--workers N": "of --answers: processes on this machine (1), or tcp://HOST:PORT of a Dask scheduler",
            "-o FILE.csv": "the grades; a summary stands beside it, as FILE.md and FILE.svg",
        },
    ),
    "exercises": (
        "write a bank of exercises in many variants, with keys that are proved; without a book, list those there are",
        {
            "BOOK?": "a TOML file of exercises, or the name of one listed",
            "--variants N": "of each exercise (1)",
            "--seed N": "which of them, and in which order (0)",
            "--to FORMAT *": "gift, latex, myst, prairielearn or stack (repeatable: a folder each)",
            "--workers N": "processes on this machine (1), or tcp://HOST:PORT of a Dask scheduler",
            "-o DIR": "the folder to write",
            "--lang LANG": "en (the default) or zh",
        },
    ),
    "audit": (
        "compare a Python function of sizes, or a formula, with the derived FLOPs, bytes or time",
        {
            "FUNCTION": "MODULE:FUNCTION, which is run; FILE.py:CLASS.METHOD, FILE.yaml:NAME or '2*M*N*K', which are "
            "read; or a list of formulas, FILE.toml",
            "--op OP": "a library name, or a typed einsum",
            "--names M=B,N=F *": "what the names of a formula stand for, in dimensions",
            "--quantity QUANTITY": "flops (the default), bytes, lower, upper, or time:memory",
            "--seconds N": "stop the function after so long (60)",
            "--chip CHIP": "for times: NAME[@VARIANT], FILE.toml or figures",
            "--json": "with a list: print one JSON list",
        },
    ),
    "atlas": (
        "list where operations are compute-bound on every chip, in every number format, each one proved",
        {
            "OP*": "library names or typed einsums",
            "--all": "the whole library, which takes minutes",
            "--chip CHIP *": "NAME[@VARIANT], FILE.toml or figures; every chip by default",
            "--for DIM *": "a dimension to solve for; else all",
            "--at D=4096,F=4096 *": "sizes for the integer answers",
            "--share 0.8": "where this share of the calibrated peak is kept, as in 0.8 or '80 %%'",
            "--corner {max,sum,root}": "with --share: take the figures as reached in full, two times made one so",
            "--workers N": "processes on this machine (1), or tcp://HOST:PORT of a Dask scheduler",
            "--coq DIR": "write what was proved as theorems that Coq checks",
            "--json": "print one JSON object",
        },
    ),
    "sweep": (
        "evaluate an operation over ranges of sizes and over chips, as a table of numbers",
        {
            "OP": "a library name, or 'bf16[B,D], bf16[D,F] -> bf16[B,F]'",
            "--chip CHIP *": "NAME[@VARIANT], FILE.toml or figures (repeatable)",
            "--over B=1:4096 *": "a range, last included; B=1:4096:64 in steps of 64 (repeatable)",
            "--at D=4096,F=4096 *": "the sizes that stay",
            "--quantity QUANTITY *": "flops, bytes, intensity, attainable, lower, upper, time:memory (repeatable)",
            "-o FILE": "FILE.csv, .npz or .parquet; else CSV here",
            "--workers N": "processes on this machine, threads:N, or tcp://HOST:PORT of a Dask scheduler",
        },
    ),
    "fit": (
        "find calibrated ceilings of a chip from a table of measured times, with the error on times held out",
        {
            "TIMES": "CSV or TSV with a header: sizes by name, and a column of times such as median_us",
            "--chip CHIP !": "NAME[@VARIANT], FILE.toml or figures",
            "--op OP": "what was timed; products of fp16 where the columns are m, n and k",
            "--only gpu=h100 *": "rows with this label alone (repeatable)",
            "--corner {max,sum,root}": "how two times make one; by default whichever fits best",
            "--kind KIND": "of what moves bytes alone: its name, such as rms-norm; the column operation by default",
            "--source TEXT": "where the table is from, for the file written; its name by default",
            "-o FILE.toml": "a chip file with the figures of the chip and the ceilings found",
            "--json": "print one JSON object",
        },
    ),
    "measure": (
        "measure this machine's own roofs: peaks by several kernels, bandwidths by level, as a chip file",
        {
            "--device {cpu,cuda,jax}": "this processor (the default), a GPU through PyTorch, the accelerator of JAX",
            "--quick": "short runs: what a smoke test takes, not figures to keep",
            "-o FILE.toml !": "the chip file to write",
            "--times DIR": "tables of times, too: a loop whose traffic is known, along its depth, and a matrix product",
            "--plot FILE": "bandwidth over the working set, .svg, .pdf, .png or .tex",
            "--lang LANG": "en (the default) or zh, of the picture",
            "--json": "print one JSON object",
        },
    ),
    "validate": (
        "hold floor and estimate against a table of measured times: exit 1 where a time lies below its floor",
        {
            "TIMES": "CSV or TSV: sizes by name, a column of times such as median_us; or what a profiler wrote",
            "--chip CHIP !": "NAME[@VARIANT], FILE.toml or figures; calibrated ceilings make the estimate",
            "--op OP": "what was timed; products of fp16 where the columns are m, n and k",
            "--only gpu=h100 *": "rows with this label alone (repeatable)",
            "--cold": "the caches were flushed before each run: all bytes come from the main memory",
            "--ceilings CHIP": "estimate by the calibrated ceilings of this chip, as `fit -o` wrote them for another",
            "--plot FILE": "measured points over the roof, .svg, .pdf, .png or .tex",
            "--corner {max,sum,root}": "estimate by the figures as reached in full, the times of all made one so",
            "--report FILE": "predicted threshold against measured crossover, shape by shape: .md, .tex or .pdf",
            "--lang LANG": "en (the default) or zh, of picture and report",
            "--json": "print one JSON object",
        },
    ),
    "floors": (
        "tell what no run of each problem can beat, and which measured times lie below: exit 1 where one does",
        {
            "PATH*": (
                "an operation, FILE.py:NAME, a problem file FILE.py (class Model, get_inputs, get_init_inputs), a "
                "folder of these, or a manifest of problems, FILE.toml or .csv; none where the table of times says it"
            ),
            "--chip CHIP !": "NAME[@VARIANT], FILE.toml or figures",
            "--times FILE": "CSV, TSV or JSON: sizes by name, problem or operation, and a time such as median_us",
            "--only gpu=h100 *": "of --times: rows with this label alone (repeatable)",
            "--cold": "every byte crosses the main memory (the default without --times)",
            "--warm": "what the last cache holds need not cross it (the default with --times)",
            "--no-tf32": "products of fp32 are not done in tf32",
            "--as-written": "of code: a time below its FLOPs is impossible, though another program may do fewer",
            "--at B=16,D=4096 *": "sizes of the problems",
            "--shapes SHAPES": "of a function: 'x:bf16[B,L,d], heads=8'",
            "--where CONDITIONS": "conditions on the sizes: 'k even; h = g*r'",
            "--workers N": "processes on this machine (1), or tcp://HOST:PORT of a Dask scheduler",
            "--store DIR": "keep what was traced: a run that was stopped goes on where it was",
            "--json": "print one JSON list, a record a problem",
        },
    ),
    "plot": (
        "draw rooflines, achieved FLOP/s, thresholds, maps of bounds or times: SVG, PDF, PNG or pgfplots",
        {
            "OP*": "library names, or 'bf16[B,D], bf16[D,F] -> bf16[B,F]'",
            "--chip CHIP *": "NAME[@VARIANT], FILE.toml or figures (repeatable)",
            "-o FILE": "FILE.svg, .pdf, .png or .tex (pgfplots)",
            "--kind KIND": "roofline, achieved, threshold, regions, time; by default roofline",
            "--for DIM": "the size that is solved for",
            "--across DIM": "the size to the right in threshold and regions",
            "--at D=4096,F=4096 *": "the other sizes, F=D for one equal to another; repeated, another dot or curve",
            "--share 0.8": "of roofline and threshold: the estimate too, and where it keeps this share of the peak",
            "--corner {max,sum,root}": "with --share: take the figures as reached in full, two times made one so",
            "--times FILE": "of roofline: measured times as points, a table or what a profiler wrote",
            "--only gpu=h100 *": "of --times: rows with this label alone (repeatable)",
            "--title TEXT": "the title, in place of what it shows",
            "--size CM": "how wide it is, in centimetres: .svg and .png",
            "--font NAME": "a font that is installed here: all but .tex",
            "--lang LANG": "en (the default) or zh",
        },
    ),
    "slides": (
        "make a deck for a lecture: Beamer, PDF, Quarto, PowerPoint or reveal.js, in English or Chinese",
        {
            "OP*": "library names, or 'bf16[B,D], bf16[D,F] -> bf16[B,F]'",
            "--course COURSE": "a whole course, such as rooflines, or FILE.toml; takes no OP",
            "--part PART": "deck (by default), frames, figure, formula, table; of a course handout, script or a sheet",
            "--chip CHIP *": "NAME[@VARIANT], FILE.toml or figures (repeatable); of a course, in place of its own",
            "-o FILE": "FILE.tex (Beamer), .pdf, .qmd, .pptx, .html; of figures .svg, .png",
            "--lang LANG": "en (the default) or zh",
            "--for DIM": "the size that is solved for",
            "--at D=4096,F=4096 *": "the other sizes",
            "--coq DIR": "write what was proved as theorems that Coq checks",
        },
    ),
    "site": (
        "write a static site: the atlas with its proofs, and pages on which the engine runs in the browser",
        {
            "DIR": "the folder to write, new or written before",
            "--op OP *": "of the library, or FILE.toml, for the atlas (repeatable); all of the library by default",
            "--chip CHIP *": "for the atlas (repeatable); all by default",
            "--workers N": "processes side by side; by default one a core",
            "--without-engine": "the pages for reading only, which need no download but that of KaTeX",
        },
    ),
    "mcp": (
        "answer the questions of agents by the Model Context Protocol, over standard input and output",
        {
            "--allow-trace": "let them trace functions, which runs the code of files on this machine",
            "--seconds N": "stop a question after so long (30); stopped is no verdict",
            "--skill": "print the skill file, which tells a model when to ask and how to read answers, and end",
        },
    ),
    "ops": ("list the operations known by name, or show one", {"name?": "a name, or part of one"}),
    "chips": ("list the chips, or show every figure of one", {"name?": "a name, or part of one"}),
}
