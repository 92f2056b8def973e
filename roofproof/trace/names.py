"""Common names for primitives that the two frameworks name differently. All others have one name in both.

Each framework has its own table, as JAX and PyTorch use some names for different things (`max` of two arrays or of
one).
"""

from __future__ import annotations

from collections.abc import Mapping


def names_in(text: str) -> list[str]:
    """Return the names listed in a text.

    >>> names_in("exp tanh")
    ['exp', 'tanh']
    """
    return text.split()


def _table(text: str) -> dict[str, str]:
    """Return a mapping from the names of a framework to their names in the rules."""
    rows = (row.split(":") for row in text.split(";"))
    return {name: rule.strip() for rule, names in rows for name in names.split()}


OF_JAX = _table("""
    add: add_any; all: reduce_and; amax: reduce_max; amin: reduce_min; any: reduce_or; cat: concatenate;
    conj_physical: conj; contract: dot_general; convolution: conv_general_dilated; copy: convert_element_type copy_p;
    eq: eq_to; erfinv: erf_inv; free: random_wrap random_unwrap random_seed random_clone stack; grouped: ragged_dot
    ragged_dot_general; isfinite: is_finite; le: le_to; logical_and: and; logical_not: not; logical_or: or;
    logical_xor: xor; lt: lt_to; maximum: max; minimum: min; pow: integer_pow; power: pow; prod: reduce_prod
    reduce_xor; put_slices: scatter scatter-add scatter-sub scatter-mul scatter-min scatter-max; remainder: rem;
    sigmoid: logistic; sum: reduce_sum; take_slices: gather dynamic_slice; threefry: threefry2x32 random_split
    random_fold_in; topk: top_k approx_top_k; triangular: triangular_solve; where: select_n; window: reduce_window_sum
    reduce_window_max reduce_window_min select_and_scatter_add
""")
OF_TORCH = _table("""
    amax: max; amin: min; cholesky: linalg_cholesky_ex; copy: _to_copy clone contiguous convert_element_type; div:
    true_divide; embedding_bag: _embedding_bag _embedding_bag_forward_only; erfinv: erf_inv; fft: _fft_c2c _fft_r2c
    _fft_c2r; grouped: _grouped_mm _scaled_grouped_mm; index: _unsafe_index; index_put: _index_put_impl
    _unsafe_index_put; maximum: clamp_min fmax; minimum: clamp_max fmin; nll: nll_loss_forward nll_loss2d_forward;
    nll_gradient: nll_loss_backward nll_loss2d_backward; normed: native_layer_norm native_group_norm; pad:
    constant_pad_nd; product: mm bmm mv dot vdot addmm baddbmm addmv _int_mm _scaled_mm; put_over: slice_scatter
    select_scatter diagonal_scatter; scatter: index_add index_copy index_fill scatter_add scatter_reduce;
    searchsorted: bucketize; sign: sgn; sort: argsort kthvalue median; sub: rsub; sum: nansum; triangular:
    linalg_solve_triangular; var: std var_mean std_mean; window: max_pool2d_with_indices
    max_pool2d_with_indices_backward max_pool3d_with_indices avg_pool2d avg_pool2d_backward avg_pool3d
""")


def canonical(name: str, names: Mapping[str, str]) -> str:
    """Return the name of a primitive in the rules.

    >>> canonical("max", OF_JAX), canonical("max", OF_TORCH), canonical("exp", OF_JAX)
    ('maximum', 'amax', 'exp')
    """
    return names.get(name, name)
