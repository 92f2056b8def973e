(** What encloses powers with rational exponents, and logarithms to base 2. *)

From Coq Require Import Reals ZArith QArith Qreals Lra Lia Bool.
From Roofproof Require Import Meaning Polynomials Between.
Local Open Scope R_scope.

(** Powers with rational exponents: the ends of what encloses the base, raised, and their roots to thirty digits. *)
Definition qpow (a : Q) (n : positive) : Q := Z.pow (Qnum a) (Zpos n) # Pos.pow (Qden a) n.

Lemma qpow_ok a n : Q2R (qpow a n) = Q2R a ^ Pos.to_nat n.
Proof.
  destruct a as [p q]. unfold qpow, Q2R. cbn [Qnum Qden]. rewrite Rpow_mult_distr, pow_inv.
  rewrite Pos2Z.inj_pow, !pow_IZR, positive_nat_Z. reflexivity.
Qed.

Lemma pow_strict x y n : 0 <= x -> x < y -> x ^ Pos.to_nat n < y ^ Pos.to_nat n.
Proof.
  intros A B. destruct (Pos2Nat.is_succ n) as [k ->]. simpl. pose proof (pow_incr x y k ltac:(lra)).
  pose proof (pow_lt y k ltac:(lra)). pose proof (pow_le x k A). nra.
Qed.

Lemma pow_back x y n : 0 <= y -> x ^ Pos.to_nat n <= y ^ Pos.to_nat n -> x <= y.
Proof. intros Y P. destruct (Rle_lt_dec x y) as [L|L]; [exact L|]. pose proof (pow_strict y x n Y L). lra. Qed.

Fixpoint whole_root (bits : nat) (n x found : Z) : Z :=
  match bits with
  | O => found
  | S b => let more := (found + 2 ^ Z.of_nat b)%Z in whole_root b n x (if (more ^ n <=? x)%Z then more else found)
  end.

Definition nth_root (up : bool) (a : Q) (n : positive) : Q :=
  match n with xH => a | _ =>
  let root x := whole_root (Z.to_nat (Z.log2 x / Zpos n + 1)) (Zpos n) x 0 in
  let p := root (Qnum a) in let q := root (Zpos (Qden a)) in
  if ((p ^ Zpos n =? Qnum a) && (q ^ Zpos n =? Zpos (Qden a)))%Z then p # Z.to_pos q
  else (root (Qnum a * fine ^ Zpos n / Zpos (Qden a)) + if up then 1 else 0)%Z # Z.to_pos fine
  end.

Definition raised_by (e : Z) (a : Q) : Q := match e with Z0 => 1%Q | Zpos m | Zneg m => qpow a m end.

Lemma raised_by_ok x e a b :
  0 < Q2R a -> Q2R a <= x <= Q2R b -> Q2R (raised_by e a) <= Rpower x (IZR (Z.abs e)) <= Q2R (raised_by e b).
Proof.
  intros A X. assert (P : 0 < x) by lra. destruct e as [|k|k]; simpl Z.abs; cbn [raised_by].
  - rewrite Rpower_O, Q2R_1 by exact P. lra.
  - rewrite !qpow_ok, <- (positive_nat_Z k), <- INR_IZR_INZ, Rpower_pow by exact P. split; apply pow_incr; lra.
  - rewrite !qpow_ok, <- (positive_nat_Z k), <- INR_IZR_INZ, Rpower_pow by exact P. split; apply pow_incr; lra.
Qed.

(** What encloses the n-th root, where it does. *)
Definition rooted_by (n : positive) (a : between) : option between :=
  let l := nth_root false (fst a) n in let u := nth_root true (snd a) n in
  if qpos l && qle (qpow l n) (fst a) && qle (snd a) (qpow u n) && qpos u then Some (l, u) else None.

Lemma rooted_by_ok n z a b : 0 < z -> inside (z ^ Pos.to_nat n) a -> rooted_by n a = Some b -> inside z b.
Proof.
  unfold rooted_by, inside. intros P Z. generalize (nth_root false (fst a) n) (nth_root true (snd a) n). intros l u.
  destruct (qpos l && qle (qpow l n) (fst a) && qle (snd a) (qpow u n) && qpos u) eqn:E; [|discriminate].
  intros H. injection H as <-. repeat (apply andb_prop in E; destruct E as [E ?]).
  repeat match goal with H : qle _ _ = true |- _ => apply qle_ok in H | H : qpos _ = true |- _ => apply qpos_ok in H end.
  rewrite !qpow_ok in *. cbn [fst snd]. split; apply (pow_back _ _ n); lra.
Qed.

Definition powered (a b : between) : option between :=
  let e := Qred (fst b) in
  if Qeq_bool (fst b) (snd b) && qpos (fst a) && Z.leb (Z.abs (Qnum e)) 5000 && Pos.leb (Qden e) 5000
  then match rooted_by (Qden e) (raised_by (Qnum e) (fst a), raised_by (Qnum e) (snd a)) with
       | Some r => match Qnum e with Zneg _ => inverse r | _ => Some r end
       | None => None
       end
  else None.

Lemma powered_ok x y a b c : inside x a -> inside y b -> powered a b = Some c -> inside (Rpower x y) c.
Proof.
  unfold powered. intros X Y. destruct (_ && _ && _ && _) eqn:E; [|discriminate].
  repeat (apply andb_prop in E; destruct E as [E ?]). apply Qeq_bool_iff, Qeq_eqR in E. clear H H0. apply qpos_ok in H1.
  unfold inside in X, Y. assert (V : y = Q2R (Qred (fst b))) by (rewrite Q2R_red; lra).
  destruct (Qred (fst b)) as [m n]. cbn [Qnum Qden]. unfold Q2R in V. cbn [Qnum Qden] in V.
  assert (N : 0 < IZR (Zpos n)) by now apply IZR_lt.
  pose proof (raised_by_ok x m _ _ H1 X) as W.
  destruct (rooted_by n _) as [r|] eqn:R; [|discriminate].
  apply (rooted_by_ok n (Rpower x (IZR (Z.abs m) * / IZR (Zpos n)))) in R.
  - destruct m as [|k|k]; intros G; simpl Z.abs in R; try (injection G as <-; rewrite V; exact R).
    apply (inverse_ok _ _ _ R) in G. rewrite V, <- Pos2Z.opp_pos, opp_IZR, <- Ropp_mult_distr_l, Rpower_Ropp. exact G.
  - apply exp_pos.
  - rewrite <- Rpower_pow, Rpower_mult, INR_IZR_INZ, positive_nat_Z by apply exp_pos.
    rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. exact W.
Qed.

(** Logarithms: each square of what is left gives one more binary digit. Numbers are integers over [2 ^ places]. *)
Definition places : Z := 160.
Definition one_ : Z := (2 ^ places)%Z.

Definition holds (x : R) (a : Z * Z) : Prop := IZR (fst a) <= x * IZR one_ <= IZR (snd a).

Definition coarse (n : nat) (a : Z * Z) : option (Z * Z) :=
  if (one_ <=? fst a)%Z && (snd a <=? 2 * one_)%Z
  then Some (0%Z, if (snd a <=? one_)%Z then 0%Z else (2 ^ Z.of_nat n)%Z) else None.

Definition squared (more : Z) (a : Z * Z) : Z * Z :=
  (Z.shiftr (fst a * fst a) (places + more), (Z.shiftr (snd a * snd a) (places + more) + 1)%Z).

Definition digit (d : Z) (n : nat) (a : Z * Z) : Z * Z :=
  ((d * 2 ^ Z.of_nat n + fst a)%Z, (d * 2 ^ Z.of_nat n + snd a)%Z).

Fixpoint digits (n : nat) (a : Z * Z) : option (Z * Z) :=
  match n with
  | O => coarse 0 a
  | S m =>
      let s := squared 0 a in
      if (fst a <=? 0)%Z then None
      else if (snd a <=? one_)%Z then coarse n a
      else if (2 * one_ <=? fst s)%Z then option_map (digit 1 m) (digits m (squared 1 a))
      else if (snd s <=? 2 * one_)%Z then option_map (digit 0 m) (digits m s)
      else coarse n a
  end.

Lemma log2_monotone x y : 0 < x -> x <= y -> log2 x <= log2 y.
Proof.
  intros X [L| ->]; [|lra]. unfold log2. assert (ln 2 > ln 1) by (apply ln_increasing; lra). rewrite ln_1 in *.
  apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|]. left. now apply ln_increasing.
Qed.

Lemma log2_1 : log2 1 = 0.
Proof. unfold log2. rewrite ln_1. lra. Qed.

Lemma ln_2 : ln 2 > 0.
Proof. assert (ln 2 > ln 1) by (apply ln_increasing; lra). now rewrite ln_1 in *. Qed.

Lemma log2_2 : log2 2 = 1.
Proof. unfold log2. pose proof ln_2. field. lra. Qed.

Lemma log2_mult x y : 0 < x -> 0 < y -> log2 (x * y) = log2 x + log2 y.
Proof. intros X Y. unfold log2. pose proof ln_2. rewrite ln_mult by assumption. field. lra. Qed.

Lemma one_positive : 0 < IZR one_.
Proof. now apply IZR_lt. Qed.

Definition told (n : nat) (x : R) (b : Z * Z) : Prop := IZR (fst b) <= log2 x * 2 ^ n <= IZR (snd b).

Lemma two_pow n : IZR (2 ^ Z.of_nat n) = 2 ^ n.
Proof. now rewrite pow_IZR. Qed.

Lemma coarse_ok n x a b : holds x a -> coarse n a = Some b -> told n x b.
Proof.
  unfold coarse, holds, told. intros X. destruct ((one_ <=? fst a)%Z && (snd a <=? 2 * one_)%Z) eqn:E; [|discriminate].
  intros H. injection H as <-. apply andb_prop in E. destruct E as [E1 E2]. apply Z.leb_le, IZR_le in E1, E2.
  rewrite mult_IZR in E2. pose proof one_positive as U. set (u := IZR one_) in *.
  assert (1 <= x <= 2) as [L M] by (split; apply Rmult_le_reg_r with u; lra).
  pose proof (log2_monotone 1 x ltac:(lra) L) as A. pose proof (log2_monotone x 2 ltac:(lra) M) as B. rewrite log2_1 in A. rewrite log2_2 in B.
  pose proof (pow_lt 2 n ltac:(lra)). cbn [fst snd]. destruct (Z.leb_spec (snd a) one_) as [F|F].
  - apply IZR_le in F. fold u in F. assert (x = 1) as -> by (apply Rle_antisym; [apply Rmult_le_reg_r with u; lra|lra]).
    rewrite log2_1. lra.
  - rewrite two_pow. split; nra.
Qed.

Lemma shifted z k : (0 <= k)%Z -> IZR (Z.shiftr z k) * IZR (2 ^ k) <= IZR z < (IZR (Z.shiftr z k) + 1) * IZR (2 ^ k).
Proof.
  intros K. rewrite Z.shiftr_div_pow2 by exact K. assert (P : (0 < 2 ^ k)%Z) by (apply Z.pow_pos_nonneg; lia).
  pose proof (Z.mul_div_le z _ P) as L. pose proof (Z.mul_succ_div_gt z _ P) as G. apply IZR_le in L. apply IZR_lt in G.
  rewrite mult_IZR in L, G. rewrite succ_IZR in G. lra.
Qed.

Lemma squared_ok x a more : (0 <= more)%Z -> (0 < fst a)%Z -> holds x a -> holds (x * x / IZR (2 ^ more)) (squared more a).
Proof.
  unfold holds, squared. intros M P X. cbn [fst snd]. apply IZR_lt in P.
  assert (K : (0 <= places + more)%Z) by (unfold places; lia).
  pose proof (shifted (fst a * fst a) _ K) as A. pose proof (shifted (snd a * snd a) _ K) as B.
  rewrite Z.pow_add_r in A, B by (unfold places; lia). fold one_ in A, B. rewrite !mult_IZR in A, B. rewrite plus_IZR.
  assert (T : 0 < IZR (2 ^ more)) by (apply IZR_lt, Z.pow_pos_nonneg; lia).
  pose proof one_positive as U. set (u := IZR one_) in *. set (t := IZR (2 ^ more)) in *.
  set (p := IZR (Z.shiftr _ _)) in *. set (q := IZR (Z.shiftr (snd a * snd a) _)) in *.
  set (l := IZR (fst a)) in *. set (h := IZR (snd a)) in *. set (y := x * u) in *.
  assert (E : x * x / t * u = y * y / (u * t)) by (unfold y; field; lra). rewrite E.
  assert (V : 0 < u * t) by now apply Rmult_lt_0_compat.
  split.
  - apply Rmult_le_reg_r with (u * t); [exact V|]. replace (y * y / (u * t) * (u * t)) with (y * y) by (field; lra). nra.
  - apply Rmult_le_reg_r with (u * t); [exact V|]. replace (y * y / (u * t) * (u * t)) with (y * y) by (field; lra). nra.
Qed.

Lemma digit_ok d n x y a : log2 x = / 2 * (IZR d + log2 y) -> told n y a -> told (S n) x (digit d n a).
Proof.
  unfold told, digit. intros E T. cbn [fst snd]. rewrite !plus_IZR, !mult_IZR, two_pow, E. simpl.
  replace (/ 2 * (IZR d + log2 y) * (2 * 2 ^ n)) with (IZR d * 2 ^ n + log2 y * 2 ^ n) by field. lra.
Qed.

Lemma digits_ok n : forall x a b, holds x a -> digits n a = Some b -> told n x b.
Proof.
  induction n as [|n IH]; intros x a b X; cbn [digits].
  - now apply coarse_ok.
  - destruct (Z.leb_spec (fst a) 0) as [P|P]; [discriminate|].
    destruct (snd a <=? one_)%Z; [now apply coarse_ok|].
    assert (0 < x).
    { unfold holds in X. apply IZR_lt in P. apply Rmult_lt_reg_r with (IZR one_); [exact one_positive|lra]. }
    assert (0 < x * x) by nra.
    destruct (2 * one_ <=? fst (squared 0 a))%Z; [|destruct (snd (squared 0 a) <=? 2 * one_)%Z; [|now apply coarse_ok]].
    + destruct (digits n _) as [d|] eqn:D; [|discriminate]. intros H1. injection H1 as <-.
      apply (IH (x * x / IZR (2 ^ 1))) in D; [|apply squared_ok; [lia|exact P|exact X]].
      change (told (S n) x (digit 1 n d)). apply digit_ok with (2 := D).
      assert (T : log2 (x * x) = log2 2 + log2 (x * x / IZR (2 ^ 1))).
      { change (IZR (2 ^ 1)) with 2. rewrite <- log2_mult by lra. f_equal. field. }
      rewrite log2_mult, log2_2 in T by assumption. lra.
    + destruct (digits n _) as [d|] eqn:D; [|discriminate]. intros H1. injection H1 as <-.
      apply (IH (x * x / IZR (2 ^ 0))) in D; [|apply squared_ok; [lia|exact P|exact X]].
      change (told (S n) x (digit 0 n d)). apply digit_ok with (2 := D).
      assert (T : log2 (x * x / IZR (2 ^ 0)) = log2 x + log2 x).
      { change (IZR (2 ^ 0)) with 1. rewrite <- log2_mult by assumption. f_equal. field. }
      lra.
Qed.

(** A power of two is taken out first. *)
Definition two_to (k : Z) : R := Rpower 2 (IZR k).

Lemma two_to_whole k : (0 <= k)%Z -> two_to k = IZR (2 ^ k).
Proof.
  intros K. unfold two_to. replace (IZR k) with (INR (Z.to_nat k)) by (rewrite INR_IZR_INZ, Z2Nat.id by lia; reflexivity).
  rewrite Rpower_pow, pow_IZR, Z2Nat.id by (lra || lia). reflexivity.
Qed.

Lemma two_to_below k : (0 <= - k)%Z -> two_to k = / IZR (2 ^ (- k)).
Proof.
  intros K. rewrite <- (two_to_whole (- k) K). unfold two_to. rewrite opp_IZR, Rpower_Ropp. symmetry. apply Rinv_inv.
Qed.

(** What is left of p / q without 2 ^ k, in integers over [one_], below and above. *)
Definition rest (k : Z) (a : Q) : Z :=
  if (0 <=? k)%Z then (Qnum a * one_ / (Zpos (Qden a) * 2 ^ k))%Z else (Qnum a * one_ * 2 ^ (- k) / Zpos (Qden a))%Z.

Lemma divided p q : (0 < q)%Z -> IZR (p / q) <= IZR p / IZR q < IZR (p / q) + 1.
Proof.
  intros K. pose proof (Z.mul_div_le p _ K) as L. pose proof (Z.mul_succ_div_gt p _ K) as G. apply IZR_le in L. apply IZR_lt in G.
  rewrite mult_IZR in L, G. rewrite succ_IZR in G. apply IZR_lt in K.
  assert (E : IZR p / IZR q * IZR q = IZR p) by (field; lra). split.
  - apply Rmult_le_reg_r with (IZR q); lra.
  - apply Rmult_lt_reg_r with (IZR q); lra.
Qed.

Lemma rest_ok k a : IZR (rest k a) <= Q2R a / two_to k * IZR one_ < IZR (rest k a) + 1.
Proof.
  destruct a as [p q]. unfold rest. cbn [Qnum Qden]. assert (Q : (0 < Zpos q)%Z) by reflexivity.
  assert (N : IZR (Zpos q) <> 0) by now apply not_0_IZR. unfold Q2R. cbn [Qnum Qden].
  destruct (Z.leb_spec 0 k) as [L|L].
  - assert (P : (0 < 2 ^ k)%Z) by (apply Z.pow_pos_nonneg; lia). rewrite two_to_whole by exact L.
    pose proof (divided (p * one_) (Zpos q * 2 ^ k) ltac:(lia)) as D. rewrite !mult_IZR in D. apply IZR_lt in P.
    replace (IZR p * / IZR (Zpos q) / IZR (2 ^ k) * IZR one_) with (IZR p * IZR one_ / (IZR (Zpos q) * IZR (2 ^ k)));
      [exact D|field; split; lra || assumption].
  - assert (P : (0 < 2 ^ (- k))%Z) by (apply Z.pow_pos_nonneg; lia). rewrite two_to_below by lia.
    pose proof (divided (p * one_ * 2 ^ (- k)) (Zpos q) Q) as D. rewrite !mult_IZR in D. apply IZR_lt in P.
    replace (IZR p * / IZR (Zpos q) / / IZR (2 ^ (- k)) * IZR one_) with (IZR p * IZR one_ * IZR (2 ^ (- k)) / IZR (Zpos q));
      [exact D|field; split; lra || assumption].
Qed.

Definition exactly (k : Z) (a : Q) : bool :=
  if (0 <=? k)%Z then (Qnum a =? Zpos (Qden a) * 2 ^ k)%Z else (Qnum a * 2 ^ (- k) =? Zpos (Qden a))%Z.

Definition kept (k : Z) (a : between) : Z * Z := (rest k (fst a), if exactly k (snd a) then one_ else (rest k (snd a) + 1)%Z).

Lemma exactly_ok k a : exactly k a = true -> Q2R a / two_to k = 1.
Proof.
  destruct a as [p q]. unfold exactly, Q2R. cbn [Qnum Qden]. assert (N : 0 < IZR (Zpos q)) by now apply IZR_lt.
  destruct (Z.leb_spec 0 k) as [L|L]; intros E; apply Z.eqb_eq in E.
  - rewrite two_to_whole, E, mult_IZR by exact L. assert (0 < IZR (2 ^ k)) by (apply IZR_lt, Z.pow_pos_nonneg; lia). field. lra.
  - rewrite two_to_below, <- E, mult_IZR by lia. assert (0 < IZR (2 ^ (- k))) by (apply IZR_lt, Z.pow_pos_nonneg; lia).
    rewrite <- E, mult_IZR in N. assert (IZR p <> 0) by nra. field. lra.
Qed.

Definition depth : nat := 80.
Definition logged (a : between) : option between :=
  match fst a with
  | Zpos p # q =>
      let guess := (Z.log2 (Zpos p) - Z.log2 (Zpos q))%Z in
      let k := if (one_ <=? rest guess (fst a))%Z then guess else (guess - 1)%Z in
      match digits depth (kept k a) with
      | Some d => Some (qadd (k # 1) (fst d # Pos.pow 2 80), qadd (k # 1) (snd d # Pos.pow 2 80))%Q
      | None => None
      end
  | _ => None
  end.

Lemma logged_ok x a b : inside x a -> logged a = Some b -> inside (log2 x) b.
Proof.
  unfold logged. intros X. destruct (fst a) as [[|p|p] q] eqn:F; try discriminate. rewrite <- F.
  generalize (if (one_ <=? rest (Z.log2 (Zpos p) - Z.log2 (Zpos q)) (fst a))%Z
              then (Z.log2 (Zpos p) - Z.log2 (Zpos q))%Z else (Z.log2 (Zpos p) - Z.log2 (Zpos q) - 1)%Z).
  intros k. destruct (digits depth (kept k a)) as [d|] eqn:D; [|discriminate]. intros H.
  assert (b = (qadd (k # 1) (fst d # Pos.pow 2 80), qadd (k # 1) (snd d # Pos.pow 2 80))%Q) as -> by congruence. clear H.
  assert (P : 0 < x). { unfold inside in X. rewrite F in X. assert (0 < Q2R (Zpos p # q)); [apply qpos_ok; reflexivity|lra]. }
  assert (K : 0 < two_to k) by apply exp_pos. pose proof (Rinv_0_lt_compat _ K) as K'. pose proof one_positive as U.
  apply (digits_ok _ (x / two_to k)) in D.
  - assert (E : log2 x = IZR k + log2 (x / two_to k)).
    { transitivity (log2 (two_to k * (x / two_to k))); [f_equal; field; lra|].
      rewrite log2_mult by (try assumption; apply Rdiv_lt_0_compat; assumption). f_equal.
      unfold log2, two_to, Rpower. rewrite ln_exp. pose proof ln_2. field. lra. }
    rewrite E. unfold inside, told, depth in *. cbn [fst snd]. rewrite !qadd_ok, Q2R_whole. unfold Q2R. cbn [Qnum Qden].
    rewrite Pos2Z.inj_pow. change 80%nat with (Z.to_nat 80) in D. rewrite <- (two_pow (Z.to_nat 80)), Z2Nat.id in D by lia.
    set (w := IZR (2 ^ 80)) in *. assert (W : 0 < w) by (apply IZR_lt, Z.pow_pos_nonneg; lia).
    assert (M : forall z, z * / w * w = z) by (intros z; field; lra).
    split; apply Rplus_le_compat_l; apply Rmult_le_reg_r with w; rewrite ?M; lra.
  - unfold inside, holds, kept in *. cbn [fst snd]. pose proof (rest_ok k (fst a)) as A. pose proof (rest_ok k (snd a)) as B.
    assert (L : Q2R (fst a) / two_to k * IZR one_ <= x / two_to k * IZR one_)
      by (apply Rmult_le_compat_r; [lra|]; apply Rmult_le_compat_r; lra).
    assert (G : x / two_to k * IZR one_ <= Q2R (snd a) / two_to k * IZR one_)
      by (apply Rmult_le_compat_r; [lra|]; apply Rmult_le_compat_r; lra).
    split; [lra|]. destruct (exactly k (snd a)) eqn:Y; [rewrite (exactly_ok _ _ Y) in G; lra|rewrite plus_IZR; lra].
Qed.
