(** The rule about limits: a fraction of polynomials tends to zero where every monomial above is dominated below. *)

From Coq Require Import Reals List ZArith QArith Qreals Lra Lia Bool.
From Roofproof Require Import Meaning Polynomials Signs.
Import ListNotations.
Local Open Scope R_scope.

Definition grows (xs : list positive) (a : term * positive) : bool :=
  match fst a with Var n => member n xs | _ => false end.

Definition growing (xs : list positive) (m : mono) : mono := filter (grows xs) m.
Definition still (xs : list positive) (m : mono) : mono := filter (fun a => negb (grows xs a)) m.

Fixpoint exponent (x : term) (m : mono) : N :=
  match m with
  | [] => 0
  | (y, i) :: m => if same x y then Npos i else exponent x m
  end.

Fixpoint quotient (a b : mono) : mono :=
  match a with
  | [] => []
  | (x, i) :: a => match (Npos i - exponent x b)%N with N0 => quotient a b | Npos k => (x, k) :: quotient a b end
  end.

(** n has no smaller a power of any growing name than m, a larger one of some. *)
Definition dominates (xs : list positive) (n m : mono) : bool :=
  let r := quotient (growing xs n) (growing xs m) in
  match r with [] => false | _ => true end && forallb (grows xs) r &&
  match mcmp (mmul (growing xs m) r) (growing xs n) with Datatypes.Eq => true | _ => false end.

Definition dominated (xs : list positive) (m : mono) (q : poly) : bool :=
  existsb (fun t => qpos (snd t) && dominates xs (fst t) m) q.

Definition all_over (names : list positive) (p : poly) : bool := forallb (fun t => over names (fst t)) p.

(** Positive far out. *)
Definition far_positive (xs names : list positive) (q : poly) : bool :=
  all_over names q && existsb (fun t => qpos (snd t)) q && forallb (fun t => qpos (snd t) || dominated xs (fst t) q) q.

Definition limit (a : term) (xs : list positive) (b : term) (names : list positive) : bool :=
  let '(n, d, divisors) := normal (minus a b) in
  far_positive xs names d && forallb (far_positive xs names) divisors &&
  all_over names n && forallb (fun t => dominated xs (fst t) d) n.

Section Limit.
  Variables (e : positive -> R) (xs names : list positive).
  Hypothesis positive_still : forall n, member n names = true -> member n xs = false -> e n > 0.

  (** Points that differ from e in the growing names only, which are above M. *)
  Definition far (M : R) (d : positive -> R) : Prop :=
    (forall n, member n xs = false -> d n = e n) /\ (forall n, member n xs = true -> d n > M).

  Lemma far_names M d : M >= 1 -> far M d -> forall n, member n names = true -> d n > 0.
  Proof.
    intros L [A B] n N. destruct (member n xs) eqn:X; [specialize (B n X); lra|].
    rewrite (A n X). now apply positive_still.
  Qed.

  Lemma far_less M K d : M >= K -> far M d -> far K d.
  Proof. intros L [A B]. split; [exact A|]. intros n X. specialize (B n X). lra. Qed.

  Lemma mval_split d m : mval d m = mval d (growing xs m) * mval d (still xs m).
  Proof.
    induction m as [|[x i] m IH]; simpl; [ring|]. unfold growing, still in *. simpl.
    destruct (grows xs (x, i)); simpl; rewrite IH; ring.
  Qed.

  Lemma over_still m : over names m = true -> over names (still xs m) = true.
  Proof.
    unfold over, still. rewrite !forallb_forall. intros H a I. apply filter_In in I. now apply H.
  Qed.

  Lemma over_growing m : over names m = true -> over names (growing xs m) = true.
  Proof.
    unfold over, growing. rewrite !forallb_forall. intros H a I. apply filter_In in I. now apply H.
  Qed.

  Lemma still_fixed M d m : far M d -> over names m = true -> mval d (still xs m) = mval e (still xs m).
  Proof.
    intros [A _] O. induction m as [|[x i] m IH]; [reflexivity|]. simpl in O. apply andb_prop in O. destruct O as [O1 O2].
    unfold still in *. simpl. destruct (grows xs (x, i)) eqn:G; simpl; [now apply IH|]. rewrite (IH O2). f_equal. f_equal.
    destruct x; try discriminate. unfold grows in G. simpl in G. simpl. now apply A.
  Qed.

  Lemma still_positive m : over names m = true -> mval e (still xs m) > 0.
  Proof.
    induction m as [|[x i] m IH]; simpl; [lra|]. intros O. apply andb_prop in O. destruct O as [O1 O2].
    unfold still in *. simpl. destruct (grows xs (x, i)) eqn:G; simpl; [now apply IH|].
    apply Rmult_lt_0_compat; [|now apply IH]. apply pow_lt. destruct x; try discriminate. simpl.
    unfold grows in G. simpl in G. now apply positive_still.
  Qed.

  Lemma power_grows M d r : M >= 1 -> far M d -> forallb (grows xs) r = true ->
    mval d r >= 1 /\ (r <> [] -> mval d r >= M).
  Proof.
    intros L [_ B]. induction r as [|[x i] r IH]; simpl; intros G; [split; [lra|congruence]|].
    apply andb_prop in G. destruct G as [G1 G2]. destruct (IH G2) as [R1 _].
    unfold grows in G1. destruct x; try discriminate. simpl in *. specialize (B n G1).
    assert (P : d n ^ Pos.to_nat i >= M).
    { destruct (Pos2Nat.is_succ i) as [k ->]. simpl. assert (d n ^ k >= 1) by (apply Rle_ge, pow_R1_Rle; lra). nra. }
    split; intros; nra.
  Qed.

  Lemma dominates_ok n m : over names n = true -> over names m = true -> dominates xs n m = true ->
    exists K, K > 0 /\ forall M d, M >= 1 -> far M d -> M * mval d m <= K * mval d n.
  Proof.
    intros N O D. unfold dominates in D. set (r := quotient (growing xs n) (growing xs m)) in D.
    apply andb_prop in D. destruct D as [D D3]. apply andb_prop in D. destruct D as [D1 D2].
    destruct (mcmp (mmul (growing xs m) r) (growing xs n)) eqn:C; try discriminate. apply mcmp_ok in C.
    pose proof (still_positive m O) as Pm. pose proof (still_positive n N) as Pn.
    exists (mval e (still xs m) / mval e (still xs n)). split; [now apply Rdiv_lt_0_compat|]. intros M d L H.
    rewrite (mval_split d m), (mval_split d n), (still_fixed M d m), (still_fixed M d n), <- C, mmul_ok by assumption.
    destruct (power_grows M d r L H D2) as [_ R]. assert (Q : mval d r >= M) by (apply R; now destruct r).
    assert (G : mval d (growing xs m) > 0) by (apply (over_ok d names); [now apply (far_names M)|now apply over_growing]).
    replace (mval e (still xs m) / mval e (still xs n) * (mval d (growing xs m) * mval d r * mval e (still xs n)))
      with (mval d r * (mval d (growing xs m) * mval e (still xs m))) by (field; lra).
    apply Rmult_le_compat_r; [nra|lra].
  Qed.

  (** The positive part of a polynomial, and the rest. *)
  Definition top (q : poly) : poly := filter (fun t => qpos (snd t)) q.
  Definition rest (q : poly) : poly := filter (fun t => negb (qpos (snd t))) q.

  Lemma top_rest d q : pval d q = pval d (top q) + pval d (rest q).
  Proof. induction q as [|[m c] q IH]; simpl; [ring|]. unfold top, rest in *. destruct (qpos c); simpl; rewrite IH; ring. Qed.

  Lemma top_ok M d q m c : M >= 1 -> far M d -> all_over names q = true -> In (m, c) q -> qpos c = true ->
    pval d (top q) >= Q2R c * mval d m /\ Q2R c * mval d m > 0.
  Proof.
    intros L H O. induction q as [|[n b] q IH]; simpl; intros I C; [contradiction|].
    unfold all_over in O. simpl in O. apply andb_prop in O. destruct O as [O1 O2]. unfold top in *. simpl.
    assert (T : pval d (top q) >= 0).
    { apply (sums_positive d names (far_names M d L H)); unfold top; rewrite forallb_forall; intros t J;
        apply filter_In in J; destruct J as [J1 J2]; auto. now apply (proj1 (forallb_forall _ _) O2). }
    unfold top in T. destruct I as [I|I].
    - injection I as -> ->. rewrite C. simpl. pose proof (over_ok d names (far_names M d L H) m O1).
      pose proof (qpos_ok _ C). assert (Q2R c * mval d m > 0) by now apply Rmult_gt_0_compat. lra.
    - destruct (IH O2 I C) as [A B]. split; [|exact B]. destruct (qpos b) eqn:Z; simpl; [|exact A].
      pose proof (over_ok d names (far_names M d L H) n O1). pose proof (qpos_ok _ Z).
      assert (Q2R b * mval d n > 0) by now apply Rmult_gt_0_compat. lra.
  Qed.

  Lemma dominated_ok m q : all_over names q = true -> over names m = true -> dominated xs m q = true ->
    exists K, K > 0 /\ forall M d, M >= 1 -> far M d -> M * mval d m <= K * pval d (top q).
  Proof.
    intros Q O D. apply existsb_exists in D. destruct D as ([n c] & I & D). simpl in D. apply andb_prop in D.
    destruct D as [C D]. assert (N : over names n = true) by exact (proj1 (forallb_forall _ _) Q _ I).
    destruct (dominates_ok n m N O D) as (K & Kp & B). pose proof (qpos_ok _ C) as Cp.
    exists (K / Q2R c). split; [now apply Rdiv_lt_0_compat|]. intros M d L H.
    destruct (top_ok M d q n c L H Q I C) as [T _]. specialize (B M d L H).
    apply Rle_trans with (1 := B). replace (K * mval d n) with (K / Q2R c * (Q2R c * mval d n)) by (field; lra).
    apply Rmult_le_compat_l; [apply Rlt_le, Rdiv_lt_0_compat; lra|lra].
  Qed.

  Lemma small_ok q : all_over names q = true -> existsb (fun t => qpos (snd t)) q = true -> forall p,
    all_over names p = true -> forallb (fun t => dominated xs (fst t) q) p = true ->
    exists K, K > 0 /\ forall M d, M >= 1 -> far M d -> M * Rabs (pval d p) <= K * pval d (top q).
  Proof.
    intros Q X. apply existsb_exists in X. destruct X as ([x c] & Ix & Cx). simpl in Cx.
    induction p as [|[m a] p IH]; cbn [all_over forallb fst]; intros O D.
    - exists 1. split; [lra|]. intros M d L H. simpl. rewrite Rabs_R0. destruct (top_ok M d q x c L H Q Ix Cx). lra.
    - unfold all_over in O. simpl in O. apply andb_prop in O, D. destruct O as [O1 O2], D as [D1 D2].
      destruct (IH O2 D2) as (K & Kp & B). destruct (dominated_ok m q Q O1 D1) as (J & Jp & C).
      exists (Rabs (Q2R a) * J + K). split; [pose proof (Rabs_pos (Q2R a)); nra|]. intros M d L H.
      specialize (B M d L H). specialize (C M d L H). simpl.
      pose proof (over_ok d names (far_names M d L H) m O1) as P.
      pose proof (Rabs_triang (Q2R a * mval d m) (pval d p)) as T.
      rewrite Rabs_mult, (Rabs_pos_eq (mval d m)) in T by lra. pose proof (Rabs_pos (Q2R a)).
      assert (Rabs (Q2R a) * (M * mval d m) <= Rabs (Q2R a) * (J * pval d (top q))) by now apply Rmult_le_compat_l.
      assert (M * Rabs (Q2R a * mval d m + pval d p) <= M * (Rabs (Q2R a) * mval d m + Rabs (pval d p)))
        by (apply Rmult_le_compat_l; lra).
      lra.
  Qed.

  Lemma far_positive_ok q : far_positive xs names q = true ->
    exists K, K >= 1 /\ forall d, far K d -> pval d q > 0 /\ pval d (top q) <= 2 * pval d q.
  Proof.
    unfold far_positive. intros H. apply andb_prop in H. destruct H as [H D]. apply andb_prop in H. destruct H as [O X].
    assert (R1 : all_over names (rest q) = true).
    { unfold all_over, rest. rewrite forallb_forall. intros t I. apply filter_In in I.
      now apply (proj1 (forallb_forall _ _) O). }
    assert (R2 : forallb (fun t => dominated xs (fst t) q) (rest q) = true).
    { unfold rest. rewrite forallb_forall. intros t I. apply filter_In in I. destruct I as [I1 I2].
      apply (proj1 (forallb_forall _ _) D) in I1. apply negb_true_iff in I2. now rewrite I2 in I1. }
    destruct (small_ok q O X (rest q) R1 R2) as (K & Kp & B).
    exists (2 * K + 1). split; [lra|]. intros d F. specialize (B (2 * K + 1) d ltac:(lra) F).
    apply existsb_exists in X. destruct X as ([x c] & Ix & Cx). simpl in Cx.
    assert (L : 2 * K + 1 >= 1) by lra. destruct (top_ok _ d q x c L F O Ix Cx) as [T1 T2].
    set (t := pval d (top q)) in *. rewrite top_rest. fold t.
    assert (Y : 2 * Rabs (pval d (rest q)) <= t).
    { apply Rmult_le_reg_l with K; [lra|]. pose proof (Rabs_pos (pval d (rest q))). nra. }
    assert (- pval d (rest q) <= Rabs (pval d (rest q))) by (rewrite <- Rabs_Ropp; apply Rle_abs). split; lra.
  Qed.

  Lemma all_far_positive qs : forallb (far_positive xs names) qs = true ->
    exists K, K >= 1 /\ forall d, far K d -> nonzero d qs.
  Proof.
    induction qs as [|q qs IH]; simpl; intros H; [exists 1; split; [lra|constructor]|].
    apply andb_prop in H. destruct H as [H1 H2]. destruct (IH H2) as (K & Kp & B).
    destruct (far_positive_ok q H1) as (J & Jp & C). exists (Rmax K J). pose proof (Rmax_l K J). pose proof (Rmax_r K J).
    split; [lra|]. intros d F. constructor.
    - destruct (C d) as [P _]; [apply (far_less (Rmax K J)); [lra|exact F]|lra].
    - apply B. apply (far_less (Rmax K J)); [lra|exact F].
  Qed.
End Limit.

Lemma member_cons n m xs : member n (m :: xs) = (if Pos.eqb n m then true else member n xs).
Proof. reflexivity. Qed.

Lemma beyond_far M (P : (positive -> R) -> Prop) xs : forall e, (forall d, far e xs M d -> P d) -> beyond M xs e P.
Proof.
  induction xs as [|n xs IH]; simpl; intros e H.
  - apply H. split; [reflexivity|discriminate].
  - intros x X. apply IH. intros d [A B]. apply H. split; intros m; rewrite member_cons.
    + intros E. destruct (Pos.eqb m n) eqn:N; [discriminate|]. rewrite (A m E). unfold put. now rewrite N.
    + destruct (member m xs) eqn:E; [intros _; now apply B|]. destruct (Pos.eqb m n) eqn:N; [|discriminate].
      intros _. rewrite (A m E). unfold put. now rewrite N.
Qed.

Lemma limit_ok e a xs b names : (forall n, member n names = true -> member n xs = false -> e n > 0) ->
  limit a xs b names = true -> meaning e (Tends a xs b).
Proof.
  intros N. unfold limit. destruct (normal (minus a b)) as [[n q] divisors] eqn:E. intros H.
  apply andb_prop in H. destruct H as [H H4]. apply andb_prop in H. destruct H as [H H3].
  apply andb_prop in H. destruct H as [H1 H2].
  destruct (far_positive_ok e xs names N q H1) as (K1 & L1 & B1).
  destruct (all_far_positive e xs names N divisors H2) as (K2 & L2 & B2).
  unfold far_positive in H1. apply andb_prop in H1. destruct H1 as [H1 _]. apply andb_prop in H1. destruct H1 as [O X].
  destruct (small_ok e xs names N q O X n H3 H4) as (K3 & L3 & B3). simpl. intros eps Eps.
  set (M := Rmax (Rmax K1 K2) (2 * K3 / eps + 1)). exists M.
  pose proof (Rmax_l (Rmax K1 K2) (2 * K3 / eps + 1)). pose proof (Rmax_r (Rmax K1 K2) (2 * K3 / eps + 1)).
  pose proof (Rmax_l K1 K2). pose proof (Rmax_r K1 K2). fold M in H, H0. apply beyond_far. intros d F.
  destruct (B1 d) as [P T]; [apply (far_less e xs M); [lra|exact F]|].
  assert (Z : nonzero d divisors) by (apply B2, (far_less e xs M); [lra|exact F]).
  destruct (normal_ok d _ _ _ _ E Z) as [D V]. rewrite minus_ok in V.
  specialize (B3 M d ltac:(lra) F). rewrite V, Rabs_mult, (Rabs_pos_eq (pval d q)) in B3 by lra.
  set (y := Rabs (value d a - value d b)) in *.
  assert (G : M * eps > 2 * K3).
  { assert (Y : 2 * K3 / eps * eps = 2 * K3) by (field; lra). nra. }
  destruct (Rlt_or_le y eps) as [W|W]; [exact W|exfalso].
  assert (M * (y * pval d q) >= M * eps * pval d q) by (assert (0 < M) by lra; assert (0 < M * pval d q) by nra; nra).
  nra.
Qed.
