"""No claim takes ten seconds, even next to four busy processes."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import roofproof.claims

BOOKS = sorted((Path(roofproof.claims.__file__).parent / "textbooks").glob("*.toml"))
HARD = """
x^x > x/2
log2(x - y) < x
4^n/2^n == 2^n
sqrt(x + 1) + sqrt(x + 2) + sqrt(y + 3) > sqrt(x + y + 6)
a^4 + b^4 + c^4 + d^4 >= 4 a b c d
x^7 y + y^7 z + z^7 x >= x y z (x^5 + y^5 + z^5)/7 - 1/1000
for all a, b: exists c, d: a c < b d and c > d and c d > a b
smallest(n, floor(n/7) > 10^30) == 7
B > 120 > 119 > 118 > 117 > 116
max(a, b, c, d) + min(a, b, c, d) <= a + b + c + d
ceil(n/7) + ceil(n/11) + ceil(n/13) >= n/3
compute_bound(attention, tpu-v5e) <=> L > 240
""".strip().splitlines()
LIMIT = 10  # seconds of wall-clock time


@pytest.mark.long
def test_no_claim_takes_ten_seconds_beside_four_busy_processes(tmp_path: Path) -> None:
    said = "".join(f"[[claim]]\nid = 'hard-{k}'\nsays = '''{text}'''\n" for k, text in enumerate(HARD))
    (tmp_path / "hard.toml").write_text(said)
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(4)]
    try:
        words = ["verify", "--workers", "1", "--json", *map(str, BOOKS), str(tmp_path / "hard.toml")]
        done = subprocess.run([sys.executable, "-m", "roofproof", *words], capture_output=True, text=True)
    finally:
        for process in busy:
            process.kill()
    claims = json.loads(done.stdout)["claims"]
    assert len(claims) == 321 + len(HARD)
    print(max((c["seconds"], c["id"]) for c in claims))
    assert not [(c["seconds"], c["id"]) for c in claims if c["seconds"] >= LIMIT]
