"""The commands and their arguments, in the notation of a usage line.

An OP may be optional (?), repeated at least once (+), or repeated any number of times (*). An option may be repeatable
(*), required (!), or shown only by --help-all (~). It may take one of several {words}. The tables are Python because
parsing TOML takes longer than `--help`.
"""

REMOVED = {
    "editor": "`roofproof verify`",
    "site --without-docs": "`roofproof site`",
    **dict.fromkeys(
        ("traffic stencil5", "traffic stencil7", "traffic stencil27"), "`roofproof derive blocked-stencil`"
    ),
    "traffic attention-core": "`roofproof derive attention-core`",
    "traffic flash-attention": "`roofproof derive flash-attention`",
    "time --store": "`roofproof time --workers N`",
    "audit FILE.py:NAME": "`roofproof audit MODULE:NAME`, which runs it, or the formula, `roofproof audit '2*M*N*K'`",
    "audit FILE.yaml:NAME": "the formula, `roofproof audit '2*M*N*K'`",
    "grade --jobs": "`--workers`",
    "derive --plot": "`--rows`, which has the lines in numbers",
    "derive --to": "`--json` or `--latex`",
    "exercises --code": "an operation that the bank writes as an expression",
    "calibrate --kind": "a fit of products: `roofproof calibrate TIMES --chip CHIP`",
    "calibrate --plot": "`roofproof calibrate --this-machine -o FILE.toml`",
    "calibrate --times": "a table of your own, and `roofproof time --measured TABLE`",
    "time --report": "`--json`, or `roofproof derive OP --chip CHIP --for SIZE`",
    "exercises --to anki": "`--to gift`, or `--to myst`",
}
"""Removed commands and options of 0.3 and their replacements, reported for one version."""

ALIASES = {
    "check": "grade",
    "bound": "traffic",
    "ops": "show",
    "chips": "show",
    "latex-package": "tools latex",
    "quarto-filter": "tools quarto",
    "table": "derive --as table",
    "atlas": "derive --as list",
    "floors": "time",
    "validate": "time --summary",
    "fit": "calibrate",
    "measure": "calibrate --this-machine",
}
"""The names of commands in 0.3, accepted for one version, and their new names."""

OPTION_ALIASES = {
    "floors": {"--times": "--measured"},
    "derive": {"--against": "--faster-than"},
    "grade": {"--against": "--faster-than"},
    "check": {"--against": "--faster-than"},
}
"""The names of options in 0.3 and their new names, by command."""

GROUPS = {
    "Derive": ("derive", "trace", "traffic", "sweep"),
    "Time": ("time", "calibrate"),
    "Verify text": ("verify", "draft", "audit"),
    "Teach": ("grade", "exercises", "slides"),
    "Look up": ("show", "plot", "site"),
    "Connect": ("mcp", "tools"),
}
"""The groups of `roofproof --help`, each with its commands."""

EXAMPLES = {
    "derive": (
        "roofproof derive matmul --chip h100-sxm --for B --at D=4096,F=4096",
        "roofproof derive matmul gated-ffn --chip tpu-v5e,h100-sxm --for B",
    ),
    "trace": (
        "roofproof trace block.py:gated --shapes 'x:bf16[B,D], w:bf16[D,F]' --chip tpu-v5e --for B",
        "roofproof trace model.py:Model --shapes 'd=D, x:bf16[B,D]' --rows",
    ),
    "traffic": (
        "roofproof traffic matmul --memory 228KiB --at B=4096,D=4096,F=4096",
        "roofproof traffic matmul --chip h100-sxm",
    ),
    "sweep": (
        "roofproof sweep matmul --chip tpu-v5e --over B=1:4096 --at D=4096,F=4096 -o sweep.csv",
        "roofproof sweep matmul --over B=64:512:64 --at D=4096,F=4096 --quantity intensity",
    ),
    "time": (
        "roofproof time matmul --chip h100-sxm --at B=512,D=4096,F=4096 --measured '24 us'",
        "roofproof time --chip h100-sxm --measured times.csv",
    ),
    "calibrate": (
        "roofproof calibrate times.csv --chip h100-sxm -o fitted.toml",
        "roofproof calibrate --this-machine -o machine.toml",
    ),
    "verify": ("roofproof verify chapter.claims.toml", "roofproof verify chapter.md --report errata.md"),
    "draft": (
        "roofproof draft chapter.md -o chapter.claims.toml",
        "roofproof draft chapter.tex -o draft.claims.toml --json",
    ),
    "audit": (
        "roofproof audit '2*M*N*K' --op matmul --names M=B,N=F,K=D",
        "roofproof audit mypackage.cost:matmul_flops --op matmul",
    ),
    "grade": (
        "roofproof grade --op matmul --chip tpu-v5e --for B --at D=4096,F=4096 --answer 'B > 120'",
        "roofproof grade --answers answers.csv --exercises course.toml -o grades.csv",
    ),
    "exercises": ("roofproof exercises", "roofproof exercises rooflines --variants 20 --to gift -o quiz"),
    "slides": (
        "roofproof slides matmul --chip tpu-v5e --for B --at D=4096,F=4096 -o deck.tex",
        "roofproof slides --course rooflines --lang zh -o course.pdf",
    ),
    "show": ("roofproof show matmul", "roofproof show h100-sxm"),
    "plot": (
        "roofproof plot matmul --chip tpu-v5e --at B=512,D=4096,F=4096 -o roofline.svg",
        "roofproof plot matmul --chip tpu-v5e --kind threshold --for B --across D --at F=D -o threshold.pdf",
    ),
    "site": ("roofproof site public", "roofproof site public --op matmul --chip tpu-v5e --without-engine"),
    "mcp": ("roofproof mcp", "roofproof mcp --skill"),
    "tools": ("roofproof tools latex .", "roofproof tools quarto ."),
}
"""Two examples for each command, printed below its options."""

STATUS = {
    "verify": "0 if all claims are as expected, 1 if not, 2 if one cannot be read",
    "time": "1 if a measured time is below its minimum",
}
"""The exit statuses of commands that use more than 0 (an answer) and 2 (unusable input)."""

_CHIP = "NAME[@VARIANT], FILE.toml, or specs such as 'bf16=1.97e14 FLOP/s, hbm=820 GB/s'"
_SHARE = "find the size that keeps this share of the calibrated peak, such as 0.8 or '80 %%'"
_CORNER = "with --share: combine compute and memory time by max, sum or root-sum-square"
_WORKERS = "processes on this machine (1), or tcp://HOST:PORT of a Dask scheduler"
_COQ = "write the proved results as theorems for Coq"
_SMTLIB = "write the proved results as SMT-LIB 2 files"
_JSON = "print one JSON object of exact strings"
_NAME = "a name for the operation, such as an einsum (repeatable: one for each OP, in order)"
_DOCUMENT = "with --latex: write a document, .tex or .pdf"
_ONLY = "only the rows with this label (repeatable)"
_COLUMN = "a column with another name: a size, or time=COLUMN (repeatable)"
_LANG = "language: en (the default) or zh"
_EINSUM = "'bf16[B,D], bf16[D,F] -> bf16[B,F]'"

_TRACED = {
    "--unrolled SIZE ~": "the size that sets the number of unrolled layers, 'N' or 'N=32'",
    "--traffic {fused,kernels,unfused,least}": "the bytes to count: fused (the default), kernels, unfused or least",
    "--links AXIS=LINK": "JAX under shard_map: the link of each axis of the mesh, model=nvlink",
    "--rows": "add FLOPs and bytes of each source line",
}
"""The options for traced code, which `derive` accepts too."""
_HIDDEN = {"--shapes SHAPES ~": "traced code: see `roofproof trace`"} | {
    f"{name.removesuffix(' ~')} ~": f"traced code: {about}" for name, about in _TRACED.items()
}

COMMANDS: dict[str, tuple[str, dict[str, str]]] = {
    "derive": (
        "find where operations are compute-bound, on one chip or many, and prove it",
        {
            "OP*": (
                f"library names, einsums such as {_EINSUM}, FILE.toml, or config.json:decode (a pass of a published "
                "model)"
            ),
            "--chip CHIP *": f"{_CHIP}; several for a table: A,B or all",
            "--for DIM *": "the size to solve for",
            "--at D=4096,F=4096 *": "sizes, for the integer answer",
            "--regime REGIME": "limiting regime: 'D, F >> B', 'L >> d >> r', 'D ~ F >> B', 'F = 4 D -> oo'",
            "--where CONDITIONS": "conditions on the sizes: 'k even; 128 divides L; h = g*r'",
            "--multiple-of 128 ~": "round the integer answer up to a multiple of this number",
            "--level l2 ~": "count only the traffic of this memory level",
            "--share 0.8 ~": _SHARE,
            "--corner {max,sum,root} ~": _CORNER,
            "--faster-than OP ~": "collectives: find where OP is faster than this collective (latency and bandwidth)",
            "--full": "print each tensor, other published specs, every case and every proof",
            "--steps": "print the derivation line by line, with reasons",
            "--as {table,list} ~": "a table for one size, or a list of the thresholds for every size",
            "--all ~": "with --as list: the whole library (takes minutes)",
            "--workers N ~": f"with --as list: {_WORKERS}",
            "--oracle {z3} ~": "ask this solver if the proof checker finds no proof",
            "--smtlib DIR ~": _SMTLIB,
            "--certificate DIR ~": "write the proofs as data that can be checked again",
            "--coq DIR ~": _COQ,
            "--json": _JSON,
            "--latex": "print LaTeX for pasting",
            "--markdown ~": "several chips: print a Markdown table, with formulas for KaTeX",
            "--part PART ~": "with --latex: frames (a Beamer frame for each part), or formula (the threshold alone)",
            "-o FILE": _DOCUMENT,
            "--lang en|zh": _LANG,
            **_HIDDEN,
        },
    ),
    "trace": (
        "derive an operation from JAX or PyTorch code",
        {
            "OP": "FILE.py:NAME, a JAX function or a PyTorch module",
            "--shapes SHAPES": "'x:bf16[B,L,d], params.w1:bf16[d,F], cache[0]:bf16[B,S,k], heads=8'",
            **_TRACED,
            "--chip CHIP": _CHIP,
            "--for DIM": "the size to solve for",
            "--at D=4096,F=4096 *": "sizes, for the integer answer",
            "--where CONDITIONS": "conditions on the sizes: 'k even; 128 divides L; h = g*r'",
            "--full": "print each tensor, other published specs, every case and every proof",
            "--steps ~": "print the derivation line by line, with reasons",
            "--json": _JSON,
            "--lang en|zh": _LANG,
        },
    ),
    "traffic": (
        "give a lower bound on memory traffic, and a near-optimal tile",
        {
            "OP": f"a library name, or an einsum such as {_EINSUM}",
            "--memory M": "bytes of on-chip memory, such as 228KiB",
            "--chip CHIP": f"{_CHIP}: use its on-chip memory and its ridge point",
            "--level smem": "with --chip: the memory level (the largest on-chip level by default)",
            "--at D=4096,F=4096 *": "sizes, for numbers",
            "--plot FILE": "plot traffic against memory (.svg, .pdf, .png, .tex); needs all sizes",
            "--for DIM ~": "with --plot and --chip: map this size against the memory",
            "--coq DIR ~": f"{_COQ}, with the lemma",
            "--relax ~": "treat a combined index, such as P + R - 1 of a convolution, as one loop",
            "--json": _JSON,
            "--latex": "print LaTeX for pasting",
            "-o FILE": _DOCUMENT,
            "--lang en|zh": _LANG,
        },
    ),
    "verify": (
        "check every claim of a text",
        {
            "FILE+": "claims files (TOML), or pages with claims: .md, .qmd, .rst, .tex",
            "--only ID *": "check this claim only (repeatable)",
            "--report FILE": "write an errata report: .md, .tex or .pdf",
            "--lang en|zh": _LANG,
            "--smtlib DIR ~": _SMTLIB,
            "--coq DIR ~": _COQ,
            "--store DIR": "keep proofs in this folder, and check them in later runs instead of searching again",
            "--steps": "print the steps behind each claim, with reasons",
            "--read-back": "show how each claim was parsed, and the theorems behind it",
            "--workers N": ("processes on this machine (one for each core), or tcp://HOST:PORT of a Dask scheduler"),
            "--values ~": "for a LaTeX page: write the values that roofproof.sty reads next to it",
            "--json": _JSON,
        },
    ),
    "draft": (
        "list the formulas of a chapter as draft claims",
        {
            "CHAPTER": "a chapter in Markdown (.md) or TeX (.tex)",
            "-o FILE !": "the claims file to write, such as chapter.claims.toml; it must not exist yet",
            "--json": "print a JSON record of the counts and of the formulas without a claim",
        },
    ),
    "grade": (
        "grade a student's answer, or a file of answers",
        {
            "--op OP": f"a library name, an einsum such as {_EINSUM}, or FILE.toml",
            "--chip CHIP": _CHIP,
            "--for DIM": "the size that the answer is about",
            "--regime REGIME": "the regime that the question allows, such as 'D, F >> B'",
            "--at D=4096,F=4096 *": "the sizes that the question gives",
            "--asks ASKS": (
                "the quantity: threshold (the default with --for), smallest, largest, rule; intensity (the "
                "default without --for), limit (of the intensity), flops, bytes, time, ridge, memory, bound; "
                "share (of the FLOPs of another operation)"
            ),
            "--of OP ~": "with --asks share: the other operation",
            "--faster-than OP ~": "collectives: the collective that must be slower",
            "--share 0.8 ~": _SHARE,
            "--corner {max,sum,root} ~": _CORNER,
            "--tolerance T ~": "digits (the default), exact, a share such as 2%%, or 'order of magnitude'",
            "--answer ANSWER": "the answer in words, plain text or LaTeX, such as 'B > 120'",
            "--lang en|zh": _LANG,
            "--hint N ~": "1 where to look, 2 which quantity, 3 which step, 4 the solution",
            "--reveal": "show the right answer and its derivation",
            "--coq DIR ~": _COQ,
            "--json ~": _JSON,
            "--answers FILE.csv": "many answers: the columns question and answer are read, others are kept",
            "--exercises FILE.toml": (
                "the questions for --answers: [[question]] tables with id, op and the options above as keys"
            ),
            "--workers N ~": f"with --answers: {_WORKERS}",
            "-o FILE.csv": "write the grades to FILE.csv, and a summary to FILE.md and FILE.svg",
        },
    ),
    "exercises": (
        "generate exercise variants with proved answers",
        {
            "FILE?": "an exercise file (TOML), or the name of a built-in one; without it, the built-in ones are listed",
            "--variants N": "variants of each exercise (1)",
            "--seed N": "the seed of the variants and of their order (0)",
            "--to FORMAT *": "gift, latex, myst, prairielearn or stack (repeatable: one folder each)",
            "--workers N": _WORKERS,
            "-o DIR": "the folder to write",
            "--lang en|zh": _LANG,
        },
    ),
    "audit": (
        "compare a formula or a function with the derived counts",
        {
            "FUNCTION": (
                "a formula such as '2*M*N*K', MODULE:FUNCTION (roofproof runs it), or a list of formulas, FILE.toml"
            ),
            "--op OP": f"a library name, an einsum such as {_EINSUM}, or FILE.toml",
            "--names M=B,N=F *": "the sizes that the names of a formula stand for",
            "--quantity QUANTITY": "flops (the default), bytes, lower, upper, or time:memory",
            "--seconds N": "stop the function after this time (60)",
            "--chip CHIP": f"for times: {_CHIP}",
            "--json": "with a list: print one JSON list",
            "--lang en|zh": _LANG,
        },
    ),
    "sweep": (
        "evaluate an operation over ranges of sizes and over chips",
        {
            "OP": f"a library name, or an einsum such as {_EINSUM}",
            "--chip CHIP *": f"{_CHIP} (repeatable)",
            "--over B=1:4096 *": "a range, both ends included; B=1:4096:64 in steps of 64 (repeatable)",
            "--at D=4096,F=4096 *": "the sizes that stay fixed",
            "--quantity QUANTITY *": "flops, bytes, intensity, attainable, lower, upper, time:memory (repeatable)",
            "-o FILE": "write FILE.csv, .npz or .parquet; without it, print CSV",
            "--workers N": "processes on this machine, threads:N, or tcp://HOST:PORT of a Dask scheduler",
        },
    ),
    "time": (
        "compute minimum run times, and compare measured times with them",
        {
            "PATH*": (
                "an operation, FILE.py:NAME, a problem file FILE.py (class Model, get_inputs, get_init_inputs), a "
                "folder of these, or a list of problems, FILE.toml or .csv; omit it if the table of times names them"
            ),
            "--chip CHIP !": f"{_CHIP}; calibrated rates give an estimate",
            "--measured TIME": (
                "a time such as '14 us', or a table of times: CSV, TSV or JSON with sizes by name, problem or "
                "operation, and a time such as median_us; or a profiler's output"
            ),
            "--at B=16,D=4096 *": "sizes of the problems",
            "--only gpu=h100 *": f"with a table: {_ONLY}",
            "--column B=batch *": f"with a table: {_COLUMN}",
            "--cold": "the caches were flushed before each run: a time below that minimum is impossible",
            "--warm": "the minimum for warm caches: bytes in the last cache need not come from main memory",
            "--no-tf32 ~": "fp32 products do not run in tf32",
            "--as-written ~": "traced code: treat the FLOPs as written as a hard minimum",
            "--shapes SHAPES": "traced code: 'x:bf16[B,L,d], heads=8'",
            "--where CONDITIONS ~": "conditions on the sizes: 'k even; h = g*r'",
            "--ceilings CHIP ~": "with a table: estimate with the rates that `calibrate -o` wrote for another chip",
            "--corner {max,sum,root} ~": (
                "with a table: estimate with peak rates, and combine times by max, sum or root-sum-square"
            ),
            "--plot FILE": "with a table: plot the times on the roofline (.svg, .pdf, .png, .tex)",
            "--summary ~": "with a table: print the statistics alone",
            "--op OP ~": "the operation that was timed, as `validate` had it",
            "--workers N": _WORKERS,
            "--lang en|zh ~": _LANG,
            "--json": "print one JSON list, with a record for each problem",
        },
    ),
    "calibrate": (
        "fit peak and bandwidth to measured times, or measure this machine",
        {
            "TIMES?": "CSV or TSV with a header: sizes by name, and a column of times such as median_us",
            "--chip CHIP": _CHIP,
            "--op OP": "the operation that was timed; by default fp16 products with the columns m, n and k",
            "--only gpu=h100 *": _ONLY,
            "--column B=batch *": _COLUMN,
            "--corner {max,sum,root} ~": "combine compute and memory time in this way (the best fit by default)",
            "--source TEXT ~": "the source of the table, for the file written (its name by default)",
            "--this-machine": "benchmark this machine instead",
            "--device {cpu,cuda}": "with --this-machine: the processor by NumPy (the default), or a GPU by PyTorch",
            "--quick": "with --this-machine: short runs, for a test of the set-up only",
            "-o FILE.toml": "write a chip file with the specs of the chip and the fitted rates",
            "--json": _JSON,
            "--lang en|zh": _LANG,
        },
    ),
    "plot": (
        "plot rooflines, thresholds, regions or times",
        {
            "OP*": f"library names, or einsums such as {_EINSUM}",
            "--chip CHIP *": f"{_CHIP} (repeatable)",
            "-o FILE": "FILE.svg, .tex (pgfplots), .pdf or .png (by matplotlib)",
            "--kind KIND": "roofline (the default), achieved, threshold, regions, time",
            "--for DIM": "the size to solve for",
            "--across DIM": "threshold and regions: the size on the horizontal axis",
            "--at D=4096,F=4096 *": (
                "the other sizes, or F=D for a size equal to another; repeat it for another point or curve. "
                "A roofline takes usual sizes for the rest"
            ),
            "--share 0.8 ~": (
                "roofline and threshold: plot the estimate too, and mark where it reaches this share of the peak"
            ),
            "--corner {max,sum,root} ~": _CORNER,
            "--times FILE": "roofline: plot measured times from a table or a profiler's output",
            "--only gpu=h100 * ~": f"with --times: {_ONLY}",
            "--column B=batch * ~": f"with --times: {_COLUMN}",
            "--name NAME * ~": _NAME,
            "--title TEXT ~": "replace the title",
            "--size CM ~": "width in centimetres (.svg and .png)",
            "--font NAME ~": "an installed font (not for .tex)",
            "--lang en|zh": _LANG,
        },
    ),
    "slides": (
        "make a lecture deck, in English or Chinese",
        {
            "OP*": f"library names, or einsums such as {_EINSUM}",
            "--course COURSE": "a whole course, such as rooflines, or FILE.toml; takes no OP",
            "--part PART": (
                "deck (the default), frames, figure, formula, table; for a course handout, script or a sheet"
            ),
            "--chip CHIP *": f"{_CHIP} (repeatable); for a course, in place of its own",
            "-o FILE": "FILE.tex (Beamer), .pdf, .qmd, .pptx, .html; figures .svg, .png",
            "--lang en|zh": _LANG,
            "--for DIM": "the size to solve for",
            "--at D=4096,F=4096 *": "the other sizes",
            "--name NAME * ~": _NAME,
            "--coq DIR ~": _COQ,
        },
    ),
    "site": (
        "write a static site of thresholds, proofs and live pages",
        {
            "DIR": "the folder to write, new or written before",
            "--op OP *": ("an operation to list, by name or FILE.toml (repeatable); the whole library by default"),
            "--chip CHIP *": "a chip to list (repeatable); every chip by default",
            "--workers N": "processes (one for each core by default)",
            "--without-engine": "only the pages for reading, which download nothing but KaTeX",
        },
    ),
    "mcp": (
        "run an MCP server on standard input and output",
        {
            "--allow-trace": "let agents trace functions, which runs the code of files on this machine",
            "--seconds N": "time limit for each request, in seconds (default 30)",
            "--skill": (
                "print the skill file, which explains to a model when to ask and how to read answers, and exit"
            ),
        },
    ),
    "show": (
        "list the built-in operations and chips, or show one",
        {
            "NAME?": "a name, part of one, or words in English or Chinese; operations or chips for one list",
            "--lang en|zh": _LANG,
        },
    ),
    "tools": (
        "write the LaTeX or Quarto file that shows checked claims",
        {"TOOL": "latex (roofproof.sty) or quarto (roofproof.lua)", "DIR": "the folder of the document"},
    ),
}
