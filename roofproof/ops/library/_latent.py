"""The steps of latent attention (MLA) in a layer, with a symbol for every size."""

from dataclasses import replace

from roofproof.ops.combine import fuse
from roofproof.ops.library.attention import latent_attention
from roofproof.ops.notation.typed_einsum import einsum
from roofproof.ops.operation import Operation


def latent(x: str, w: str, cache: str, decode: bool, *, low_rank: bool = True) -> tuple[Operation, ...]:
    """Return its steps: expanded to heads where many queries come, in the latent space where one does.

    Queries come from a latent space of their own where they are of `low_rank`.
    """
    query = [einsum(f"x:{x}[T,d], w_q:{w}[d,e_q] -> q:{x}[T,e_q] @ {x}", "query")]
    if low_rank:
        query = [
            einsum(f"x:{x}[T,d], w_q_down:{w}[d,c_q] -> cq:{x}[T,c_q] @ {x}", "query down"),
            einsum(f"cq:{x}[T,c_q], w_q_up:{w}[c_q,e_q] -> q:{x}[T,e_q] @ {x}", "query up"),
        ]
    query.append(einsum(f"x:{x}[T,d], w_kv_down:{w}[d,e_c] -> ckv:{cache}[T,e_c] @ {x}", "latent down"))
    out = einsum(f"heads:{x}[T,u], w_o:{w}[u,z] -> attended:{x}[T,z] @ {x}", "output")
    if decode:
        absorb = einsum(f"qn:{x}[T,h,k], w_k_up:{w}[h,k,c] -> qc:{x}[T,h,c] @ {x}", "query into latent")
        expand = einsum(f"oc:{x}[T,h,c], w_v_up:{w}[h,c,v] -> ov:{x}[T,h,v] @ {x}", "latent to values")
        core = replace(latent_attention(x, cache), name="core")
        return (*query, absorb, core, expand, out)
    up = einsum(f"latent:{cache}[T,c], w_kv_up:{w}[c,e_kv] -> kv:{x}[T,e_kv] @ {x}", "latent up")
    scores = einsum(f"qs:{x}[B,h,L,e_k], keys:{x}[B,h,S,e_k] -> s:{x}[B,h,L,S] @ {x}", "scores")
    values = einsum(f"s:{x}[B,h,L,S], values:{x}[B,h,S,v] -> o:{x}[B,h,L,v] @ {x}", "values")
    return (*query, up, fuse(scores, values, "s", name="core"), out)
