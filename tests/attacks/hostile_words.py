"""Material for hostile input: fragments known to cause failures, and valid texts of each kind."""

NASTY = [
    "", " ", "\n", "\r\n", "\t", "\0", "\x1b[31m", "\x7f", "\u202e", "\ufeff", "\U0001f600", "В", "٣", "²³", "½",
    "\udc80", "%s%n%x", "{0.__class__}", "{{7*7}}", "${HOME}", "$(touch pwned)", "`touch pwned`", "; touch pwned",
    "__import__('os').system('touch pwned')", "open('pwned','w').write('x')", "().__class__.__base__", "lambda: 0",
    "exec('1')", "import os", "None", "True", "self", "oo", "zoo", "nan", "inf", "Infinity", "I", "E", "S", "pi",
    "0", "00", "-0", "1", "-1", "0.0", ".5", "5.", "1e60", "1e-60", "1e61", "1e999999999", "1e-999999999", "1E+",
    "9" * 60, "9" * 5_000, "0x10", "1_000", "1/0", "0/0", "0^0", "0^-1", "2^64", "2^65", "2^2^2^2^2", "x^x^x",
    "10^-64", "(-1)^(1/2)", "sqrt(-1)", "log2(0)", "log(-1)", "floor(1/0)", "1/(x - x)", "x/x", "(x - y)/(y - x)",
    "()", "(", ")", "[", "]", "{", "}", "((((((((", "]]]]]]]]", "(" * 250, "-" * 250, "sqrt(" * 60, "[" * 250, "{" * 60,
    "max(", "min(1)", "max()", "abs()", ",,", ";;", "::", "@", "@@", "->", "=>", "<=>", "==", "!=", "~=", "<<", ">>",
    "and", "or", "not", "not not", "=", "'", '"', "'''", '"""', "\\", "\\\\", "#", "&", "$", "$$", "^", "_", "^^", "__",
    r"\frac{1}{0}", r"\frac12", r"\frac{", r"\sqrt[0]{x}", r"\sqrt[-1]{x}", r"\input{/etc/passwd}", r"\write18{ls}",
    r"\def\a{\a\a}\a", r"\newcommand{\a}{\a}", r"\begin{matrix}", r"\left(", r"\right", r"\text{", r"\mathrm{}",
    r"\big\big", r"x_", r"x_{y_{z}}", r"x^{y^{z}}", "%", "\\%", "|x|", "||", r"\lfloor x", r"\verb|x|", r"\char`\^^M",
    "[[claim]]", "[a.b.c]", ".a" * 60, "a = 1\na = 1", "1979-05-27T07:32:00Z", "99:99:99", "inf = inf", "x = [[[[",
    "flops(", "intensity(matmul)", "ridge(h100-sxm, bf16)", "compute_bound(matmul, tpu-v5e)", "threshold(matmul)",
    "smallest(n, n > 10^50)", "largest(n, n^2 < 2)", "argmin(x + 1/x, x)", "minimum(x^2 - x, x)", "limit(1/x)",
    "solve(x^2 == 2, x)", "sum(k, k, 1, n)", "sum(k, k, 1, 10^9)", "increasing(x^2, x)", "degree(x^9, x)", "GB/s",
    "bf16[B,D]", "fp128[X]", "int8[1]", "bf16[]", "z:bf16[999999999*N]", "1 TFLOP/s", "1e40 GB/s", "-1 B/s",
    "--help", "--", "-x", "--chip", "--at=", "D=0", "D=" + "9" * 29, "N -> oo", "N -> 0", "D, F >> B", "x ~ y^12 -> oo",
]  # fmt: skip

# --- valid texts -----------------------------------------------------------------------------------

LATEX = [
    r"B > \frac{R}{1 - R(1/D + 1/F)}", r"\frac{BDF}{BD+DF+BF}", r"B \geq 240", r"B_{\text{crit}} = 240",
    r"B > \dfrac{R D F}{D F - R (D + F)}", r"\max(B, D) \le \sqrt{D F}", r"$B > 2 \cdot 10^{2}$", r"\lceil B/2 \rceil",
    r"D \gg B \Rightarrow I \approx B", r"\left\lfloor \frac{D}{2} \right\rfloor", r"|x| \leq 1", r"\sqrt[3]{BDF}",
]  # fmt: skip
SHARDED = [
    "X[B_X, D_Y] · W[D_Y, F] → Z[B_X, F]", "A[I, J_X] * B[J_X, K] -> C[I, K] {U_X}", "A[I_X, J] -> A[I, J]",
    "x:bf16[B, D_X] * w:int8[D_X, F] -> z:bf16[B, F] @ bf16", "A[I_XY, J] · B[J, K] → C[I_X, K_Y]",
]  # fmt: skip
REGIMES = [
    "D, F >> B", "N -> oo", "L >> d >> r", "D ~ F >> B", "L ~ d^2 >> r", "F = 4 D -> oo", "x -> 0", "B << C << D",
    "D ≫ B", "D, F = 3 * D ~ E ** 2 >> B",
]  # fmt: skip
GAPS = [
    "<< half | number(4) >>", "half is << half >>, n is << n * n + half / 3 >>", "<< v5e >> and << v5e.name >>",
    "<% for each in (1, half, n) %>\nat << each | number(4) >>\n<% endfor %>", "<< best('bf16', v5e) >>",
    "<% if several.a == several.b %>\nsame\n<% endif %>", "<< v5e.rate('hbm').value | number(3) >>",
    "<< text >> \\alpha",
    "<% for a in (1, 2) %>\n<% for b in (a, n) %>\n<< a - b >>\n<% endfor %>\n<% endfor %>", "<< matmul.flops >>",
]  # fmt: skip
FIGURES = [
    "bf16=1.97e14 FLOP/s, hbm=820 GB/s", "int8=394 TOP/s, bf16=197 TFLOPS, hbm=819 GB/s, ici=90 GB/s, pcie=16 GiB/s",
    "fp16=1.2 PFLOP/s, dram=48 Gbit/s, capacity-hbm=16 GiB, ici-latency=1 us", "tpu-v5e@scaling-book", "h100-sxm",
]  # fmt: skip
COMMANDS = [
    "derive matmul --chip tpu-v5e --for B --at D=4096,F=4096", "derive matmul --for B --regime 'D, F >> B' --json",
    "derive 'bf16[B,D], bf16[D,F] -> bf16[B,F]' --chip 'bf16=197 TFLOP/s, hbm=819 GB/s'", "derive softmax --json",
    "derive matmul --chip h100-sxm --for F --multiple-of 128 --at B=64,D=8192", "derive stream-copy --chip x.toml",
    "derive matmul --chip tpu-v5e --for B --smtlib out", "verify x.toml --workers 1",
    "derive matmul --chip tpu-v5e --for B --certificate out",
    "verify x.toml --json --workers=1", "verify x.toml --only a --workers 1 --report out",
    "grade --op matmul --chip tpu-v5e --for B --answer 'B > 240'",
    "grade --op matmul --chip tpu-v5e --for B --regime 'D, F >> B' --answer 'B > 120' --json", "show operations",
    "show mat", "show chips", "grade --op matmul --answer '2BDF' --asks flops",
    r"grade --op matmul --answer '\frac{BDF}{BD+DF+BF}'",
    "show h100", "audit math:gcd --op matmul", "audit nowhere:f --op matmul --quantity bytes", "--help", "--version",
    "audit math:gcd --op matmul --quantity time:hbm --chip h100-sxm",
    "derive --help", "derive matmul --chip tpu-v5e --for B --oracle z3", "derive fft --for N",
    "derive attention --chip h100-sxm --for S --at d=128",
    "grade --op matmul --chip tpu-v5e --for B --answer never --at D=4096,F=4096",
    "table matmul softmax --for B --chip tpu-v5e --chip h100-sxm --at D=4096,F=4096",
    "table matmul --for B --chip tpu-v5e --markdown --regime 'D, F >> B'",
    "table matmul --for B --chip tpu-v5e --latex -o out.tex --lang zh",
    "derive matmul --chip tpu-v5e --for B --latex",
    "sweep matmul --chip tpu-v5e --over B=1:64:8 --at D=4096,F=4096 --quantity attainable",
    "sweep dot --over N=1:20 --quantity flops -o out.csv",
    "sweep matmul --over B=1:4 --over D=1:4 --at F=8 -o out.npz",
    "plot matmul --chip tpu-v5e --at B=64,D=4096,F=4096 -o out.svg",
    "plot matmul --chip tpu-v5e --kind threshold --for B --across D --at F=4096 -o out.tex",
    "plot matmul --chip h100-sxm --kind time --at B=1,D=2,F=3 -o out.tex --lang zh",
    "atlas matmul --chip tpu-v5e --for B --json", "atlas matmul:int8 --chip tpu-v5e --at D=4096,F=4096",
]  # fmt: skip

# Shapes of function arguments, with conditions on the sizes after `@`.
SHAPES = [
    "x:bf16[B,L,d], params.w1:bf16[d,4*F], cache[0]:bf16[B,S,k/2], heads=8@k even; 128 divides L; S >= 2; F = 3*d",
    "x:fp32[N,M]@N < M; N > 2", "a.b[0].c:int8[2*P+1,Q], n=k@P odd; Q | P",
]  # fmt: skip

# Questions as TOML, and answers to them as CSV.
QUESTIONS = [
    '[[question]]\nid = "q1"\nop = "matmul"\nchip = "tpu-v5e"\nfor = "B"\nat = "D=4096,F=4096"\n\n'
    '[[question]]\nid = "q2"\nop = "matmul"\nasks = "bytes"\n',
    '[[question]]\nid = "a"\nop = "dot"\nasks = "time"\nchip = "bf16=1 TFLOP/s, hbm=1 TB/s"\nat = "N=8"\n'
    'tolerance = "5%"\n',
]
ANSWERS = [
    'student,question,answer\nAda,q1,B > 272.6\n李,q2,"2BD,\n+ 2DF"\n\n,,\nBob,q2,2BD + 2DF\n',
    "question,answer\r\nq1,B > 200\r\nq2,never\r\n",
]
