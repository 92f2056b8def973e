#!/usr/bin/env python3
"""Write questions/python.jsonl, about the public Python names, and questions/traces.jsonl, about traced functions."""

import json
from pathlib import Path
from typing import Any

from traced import SHAPES

HERE = Path(__file__).resolve().parent
AT = {"D": 4096, "F": 4096}
EINSUM = "x:bf16[B,D], w:int8[D,F] -> z:fp32[B,F]"
TWO = "flops bf16 = 2 B D F; flops exp = B F; bytes hbm = 2 B D + 2 D F + 2 B F"
EDGE = "bf16=200 TFLOP/s, exp=4 TFLOP/s, hbm=800 GB/s, ici=90 GB/s"
BOOK = """[[claim]]
id = "third"
says = "1/3 < 0.34"
[[claim]]
id = "bytes"
says = "bytes(matmul) == B D + D F + B F"
expect = "refuted"
[[claim]]
id = "rule"
says = "intensity(matmul) ~= B"
regime = "D, F >> B"
expect = "approximate"
"""
PAGE = "The ridge is <!-- claim: ridge(tpu-v5e, bf16) ~= 240.5 -->240.5 FLOP/B<!-- /claim -->.\n"

ASKED: dict[str, list[dict[str, Any]]] = {
    "op": [
        *({"text": t} for t in ("matmul", "flash-attention", EINSUM, TWO, "fft", "convolution:stride=2")),
        {"text": "softmax:fp16"}, {"text": 3}, {"text": "matmull"}, {"text": "bf16[B,D"}, {"text": {"op": "gated-ffn"}},
    ],
    "chip": [{"text": t} for t in ("v5e", "mi300x", EDGE, {"chip": "t4"}, 5, "h1000", "bf16=2")],
    "Chip": [
        {"chip": "h100-sxm", "kind": "peak", "resource": "fp64"},
        {"chip": "tpu-v5e", "kind": "rate", "resource": "ici"},
        {"chip": "h100-sxm", "kind": "capacity", "resource": "smem"}, {"chip": EDGE, "kind": "peak", "resource": "hbm"},
        {"chip": "tpu-v5e", "kind": "bandwidth", "resource": "nvlink"},
    ],
    "error": [{"name": name} for name in ("RoofproofError", "WrongType", "MissingFigure", "Undecided")],
    "Operation": [{"name": "nothing"}, {"name": 3}, {"name": "own", "compute": {"bf16": "B"}}],
    "Regime": [{"text": t} for t in ("D, F >> B", "N -> oo", "D ~ F >> B")] + [{"text": 3}, {"text": "D >> D"}],
    "threshold": [
        {"op": "matmul", "chip": "tpu-v5e", "unknown": "B", "at": AT},
        {"op": {"op": "matmul"}, "chip": {"chip": "tpu-v5e"}, "unknown": {"symbol": "B"}, "at": "D=1000,F=3000"},
        {"op": "matmul", "chip": None, "unknown": "B"},
        {"op": "matmul", "chip": "h100-sxm", "unknown": "D", "at": {"F": 8192}, "regime": "F >> B"},
        {"op": "matmul:int8", "chip": "h100-sxm", "unknown": "B", "at": AT, "multiple_of": 128},
        {"op": "matmul", "chip": "h100-sxm", "unknown": "B", "at": AT, "share": "80 %"},
        {"op": "matmul", "chip": "h100-sxm", "unknown": "B", "at": AT, "share": {"share": "9/10"}, "corner": "sum"},
        {"op": "matmul", "chip": "tpu-v5e", "unknown": "B", "regime": {"regime": "D, F >> B"}},
        {"op": TWO, "chip": EDGE, "unknown": "B", "at": AT},
        {"op": "flash-attention", "chip": "h100-sxm", "unknown": "L"}, {"op": "dot", "chip": "a10", "unknown": "N"},
        {"op": "lu:fp64", "chip": "a100-80gb-sxm", "unknown": "N"}, {"op": "matmul", "chip": 5, "unknown": "B"},
        {"op": "matmul:fp8", "chip": "tpu-v5e", "unknown": "B"}, {"op": "matmul", "chip": "tpu-v5e", "unknown": "Q"},
        {"op": "matmul", "chip": None, "unknown": "B", "at": {"D": 1.5}},
    ],
    "intensity": [
        {"op": "matmul"}, {"op": EINSUM}, {"op": "dot"}, {"op": "all-reduce"}, {"op": "matmul", "channel": "ici"},
        {"op": "matmul", "channel": 3},
    ],
    "limit": [
        {"of": "B*D/(B+D)", "regime": "D -> oo"}, {"of": {"intensity": "matmul"}, "regime": "D, F >> B"},
        {"of": "intensity(matmul:int8)", "regime": "F >> D"}, {"of": "sqrt(n^2 + 6 n) - n", "regime": "n -> oo"},
        {"of": {"op": "gated-ffn"}, "regime": {"regime": "D, F >> B"}}, {"of": "log2(n)/n", "regime": "n -> oo"},
        {"of": "B", "regime": 3}, {"of": "B", "regime": "x >> y >> x"}, {"of": 2.5, "regime": "N -> oo"},
    ],
    "ridge": [
        {"chip": EDGE, "compute": "bf16"}, {"chip": "tpu-v5e", "compute": "int8"},
        {"chip": "h100-sxm", "compute": "fp64", "channel": "l2"}, {"chip": "tpu-v5e", "compute": "fp8"},
        {"chip": "tpu-v5e", "compute": None},
    ],
    "time": [{"op": "matmul", "chip": "h100-sxm"}, {"op": TWO, "chip": EDGE}, {"op": "all-gather", "chip": "tpu-v5e"},
             {"op": "matmul:fp8", "chip": "tpu-v5e"}],
    "lower": [{"op": "gated-ffn", "chip": "tpu-v5e"}, {"op": TWO, "chip": EDGE}, {"op": "matmul", "chip": 3}],
    "upper": [{"op": "gated-ffn", "chip": "tpu-v5e"}, {"op": TWO, "chip": EDGE}],
    "sequential": [{"op": "attention", "chip": "tpu-v5e"}, {"op": TWO, "chip": EDGE}],
    "attainable": [
        {"peak": "1.2 TFLOP/s", "bandwidth": "48 GB/s", "intensity": 15},
        {"peak": 8, "bandwidth": None, "intensity": 9},
        {"peak": "989 TFLOP/s", "bandwidth": "3.35 TB/s", "intensity": {"intensity": "matmul"}},
        {"peak": 10, "bandwidth": {"symbol": "W"}, "intensity": "B/2"},
    ],
    "bound": [
        {"op": "matmul"}, {"op": "matmul", "memory": "4 KiB"}, {"op": "matmul", "chip": "h100-sxm", "level": "smem"},
        {"op": EINSUM, "memory": 65536, "at": {"B": 64, "D": 512, "F": 512}}, {"op": "matmul", "memory": 2.5},
        {"op": "matmul", "memory": "h100-sxm"},
    ],
    "floors": [
        {"what": "matmul:fp16", "chip": "h100-sxm", "at": {"B": 16, "D": 4096, "F": 4096}},
        {"what": ["matmul", "softmax", "gated-ffn"], "chip": "tpu-v5e"}, {"what": {"op": "dot"}, "chip": EDGE},
        {"what": "matmul:fp32", "chip": "a100-80gb-sxm", "at": AT, "tf32": False}, {"what": 3, "chip": "tpu-v5e"},
        {"what": "matmul", "chip": "tpu-v5e", "caches": "lukewarm"},
    ],
    "sweep": [
        {"op": "dot", "over": {"N": {"range": [1, 5]}}},
        {"op": "matmul", "over": {"B": [1, 64, 1024], "D": [512]}, "chips": ["tpu-v5e", "h100-sxm"], "at": {"F": 2048},
         "quantities": ["intensity", "lower"]},
        {"op": "dot", "over": 3},
    ],
    "evaluate": [
        {"what": "matmul", "sizes": {"B": [1, 1024], "D": 1024, "F": 1024}, "quantity": "intensity"},
        {"what": {"symbol": "x"}, "sizes": {"x": [1, 2, 3]}}, {"what": "dot", "sizes": {"N": 1}, "quantity": 3},
        {"what": "matmul", "sizes": {"B": [7, 9], "D": 64, "F": 64}, "quantity": "upper", "chips": "tpu-v5e"},
        {"what": "dot", "sizes": {"N": [3]}, "quantity": "flops", "exact": True},
    ],
    "judge": [
        {"says": "2 x <= x^2 + 1", "given": "x > 0"}, {"says": "intensity(matmul) ~= B", "regime": "D, F >> B"},
        {"says": "bytes(matmul) == B D + D F + B F"}, {"says": "ridge(tpu-v5e, bf16) ~= 240"},
        {"says": "sqrt(x - 3) >= 0"}, {"says": "x^x > x/2"}, {"says": "2 x <="}, {"says": 3},
        {"says": "compute_bound(matmul, tpu-v5e) <=> B > 240", "given": "D == 4096; F == 4096"},
    ],
    "verify": [{"book": BOOK}, {"book": BOOK, "only": ["rule"]}, {"book": BOOK, "page": PAGE, "workers": 2},
               {"book": BOOK, "only": "rule"}, {"book": "[[claim]]"}, {"book": BOOK, "only": ["nothing"]}],
    "check": [
        {"op": "matmul", "chip": "tpu-v5e", "unknown": "B", "answer": "B > 240", "regime": "D, F >> B", "asks": "rule"},
        {"op": "matmul", "answer": "2BDF", "asks": "flops"}, {"op": "matmul", "answer": "2BD + 2DF", "asks": "bytes"},
        {"op": "matmul", "chip": "tpu-v5e", "unknown": "B", "answer": "至少 273", "at": AT},
        {"op": "matmul", "chip": "tpu-v5e", "unknown": {"symbol": "B"}, "answer": "B > 120", "at": "D=4096,F=4096"},
        {"op": "matmul", "chip": "tpu-v5e", "unknown": "B", "answer": "about 250", "at": AT, "tolerance": "10 %"},
        {"op": "matmul", "answer": 3, "asks": "flops"}, {"op": "matmul", "answer": "2BDF", "asks": "price"},
    ],
    "Known": [{"op": "matmul", "chip": "tpu-v5e", "unknown": "B"}, {"op": "dot", "chip": None, "unknown": "N"}],
}  # fmt: skip
FILES = [
    {"file": "gated.py", "name": "gated", "shapes": "x:bf16[B,D], w_gate:bf16[D,F], w_up:bf16[D,F], w_down:bf16[F,D]"},
    {"file": "gated_module.py", "name": "Gated", "shapes": "d=D, f=F, x:bf16[B,D]"},
    {"file": "reference_problem.py", "name": "Model", "shapes": "in_features=D, out_features=256, x:fp32[B,D]"},
]
INSTALLED = {"gated.py": ["jax"], "gated_module.py": ["torch"], "reference_problem.py": ["torch"]}
LAYERS = "tokens:int64[B,L], layers=2"


def questions() -> dict[str, list[dict[str, Any]]]:
    """Return the questions by the name of their file."""
    python = [
        {"id": f"python/{name}/{k}", "call": name, "args": args}
        for name, asked in ASKED.items()
        for k, args in enumerate(asked)
    ]
    models = [
        {"file": f"models/{p.name}", "shapes": LAYERS} for p in sorted((HERE.parents[1] / "examples/models").glob("*"))
    ]
    kernels = [each | {"traffic": "kernels"} for each in (*FILES, models[4])]
    traces = [
        {"id": f"trace/{by}/{function}/{traffic}", "call": "trace", "needs": [by],
         "args": {"by": by, "function": function, "traffic": traffic}}
        for by in ("jax", "torch")
        for function in SHAPES
        for traffic in ("fused", "kernels", "unfused")
    ] + [
        {"id": f"trace/{args['file']}/{args.get('traffic', 'fused')}", "call": "model",
         "needs": INSTALLED.get(args["file"], ["torch", "transformers"]), "args": args}
        for args in (*FILES, *models, *kernels)
    ]  # fmt: skip
    return {"python": python, "traces": traces}


if __name__ == "__main__":
    for name, found in questions().items():
        text = "".join(json.dumps(q, ensure_ascii=False, sort_keys=True) + "\n" for q in found)
        (HERE / "questions" / f"{name}.jsonl").write_text(text, encoding="utf-8")
        print(f"{name}: {len(found)} questions")
