(** What encloses a number between two rationals: under signs, square roots, and to whole numbers. *)

From Coq Require Import Reals List ZArith QArith Qreals Lra Lia Bool.
From Roofproof Require Import Meaning Polynomials.
Import ListNotations.
Local Open Scope R_scope.

Definition between := (Q * Q)%type.
Definition inside (x : R) (b : between) : Prop := Q2R (fst b) <= x <= Q2R (snd b).

Definition qle (a b : Q) : bool := Qle_bool a b.
Definition qmin (a b : Q) : Q := if qle a b then a else b.
Definition qmax (a b : Q) : Q := if qle a b then b else a.

Lemma qle_ok a b : qle a b = true -> Q2R a <= Q2R b.
Proof. intros H. now apply Qle_Rle, Qle_bool_iff. Qed.

Lemma qmin_ok a b : Q2R (qmin a b) <= Q2R a /\ Q2R (qmin a b) <= Q2R b.
Proof.
  unfold qmin. destruct (qle a b) eqn:E; [apply qle_ok in E; lra|]. split; [|lra].
  apply Qle_Rle. destruct (Qlt_le_dec b a) as [L|L]; [now apply Qlt_le_weak|]. apply Qle_bool_iff in L.
  unfold qle in E. congruence.
Qed.

Lemma qmax_ok a b : Q2R a <= Q2R (qmax a b) /\ Q2R b <= Q2R (qmax a b).
Proof.
  unfold qmax. destruct (qle a b) eqn:E; [apply qle_ok in E; lra|]. split; [lra|].
  apply Qle_Rle. destruct (Qlt_le_dec b a) as [L|L]; [now apply Qlt_le_weak|]. apply Qle_bool_iff in L.
  unfold qle in E. congruence.
Qed.

Definition times (a b : between) : between :=
  let p := qmul (fst a) (fst b) in let q := qmul (fst a) (snd b) in
  let r := qmul (snd a) (fst b) in let s := qmul (snd a) (snd b) in
  (qmin (qmin p q) (qmin r s), qmax (qmax p q) (qmax r s)).

Lemma line_ok a b x y : a <= x <= b -> (a * y <= x * y \/ b * y <= x * y) /\ (x * y <= a * y \/ x * y <= b * y).
Proof. intros H. destruct (Rle_dec 0 y); split; (left; nra) || (right; nra). Qed.

Lemma times_ok x y a b : inside x a -> inside y b -> inside (x * y) (times a b).
Proof.
  unfold inside, times. cbn [fst snd]. intros X Y.
  set (p := qmul (fst a) (fst b)). set (q := qmul (fst a) (snd b)).
  set (r := qmul (snd a) (fst b)). set (s := qmul (snd a) (snd b)).
  pose proof (qmin_ok p q). pose proof (qmin_ok r s). pose proof (qmin_ok (qmin p q) (qmin r s)).
  pose proof (qmax_ok p q). pose proof (qmax_ok r s). pose proof (qmax_ok (qmax p q) (qmax r s)).
  assert (P : Q2R p = Q2R (fst a) * Q2R (fst b)) by apply qmul_ok.
  assert (Q : Q2R q = Q2R (fst a) * Q2R (snd b)) by apply qmul_ok.
  assert (R : Q2R r = Q2R (snd a) * Q2R (fst b)) by apply qmul_ok.
  assert (S : Q2R s = Q2R (snd a) * Q2R (snd b)) by apply qmul_ok.
  destruct (line_ok _ _ _ y X) as [L U].
  destruct (line_ok _ _ _ (Q2R (fst a)) Y) as [L1 U1]. destruct (line_ok _ _ _ (Q2R (snd a)) Y) as [L2 U2].
  rewrite (Rmult_comm (Q2R (fst b))), (Rmult_comm (Q2R (snd b))), (Rmult_comm y) in L1, U1.
  rewrite (Rmult_comm (Q2R (fst b))), (Rmult_comm (Q2R (snd b))), (Rmult_comm y) in L2, U2.
  split; [destruct L, L1, L2; lra|destruct U, U1, U2; lra].
Qed.

Definition inverse (a : between) : option between :=
  if qpos (fst a) || qneg (snd a) then Some (Qred (/ snd a), Qred (/ fst a)) else None.

Lemma Q2R_nonzero a : Q2R a <> 0 -> ~ (a == 0)%Q.
Proof. intros N E. apply N. rewrite (Qeq_eqR _ _ E). unfold Q2R. simpl. lra. Qed.

Lemma inverse_ok x a b : inside x a -> inverse a = Some b -> inside (/ x) b.
Proof.
  unfold inside, inverse. intros X. destruct (qpos (fst a) || qneg (snd a)) eqn:E; [|discriminate].
  intros H. injection H as <-. cbn [fst snd]. rewrite !Q2R_red. apply orb_prop in E. destruct E as [E|E].
  - apply qpos_ok in E. rewrite !Q2R_inv by (apply Q2R_nonzero; lra). split; apply Rinv_le_contravar; lra.
  - apply qneg_ok in E. rewrite !Q2R_inv by (apply Q2R_nonzero; lra).
    assert (W : forall u v, u <= v -> v < 0 -> / v <= / u).
    { intros u v U V. apply Ropp_le_cancel. rewrite <- !Rinv_opp. apply Rinv_le_contravar; lra. }
    split; apply W; lra.
Qed.

Fixpoint raised (a : between) (n : nat) : between :=
  match n with O => (1%Q, 1%Q) | S n => times a (raised a n) end.

Lemma raised_ok x a n : inside x a -> inside (x ^ n) (raised a n).
Proof.
  intros X. induction n as [|n IH]; [unfold inside; simpl; rewrite Q2R_1; lra|]. simpl. now apply times_ok.
Qed.

(** Square roots to thirty digits, exact where they are rational. *)
Definition fine : Z := (2 ^ 100)%Z.
Definition root (up : bool) (a : Q) : Q :=
  let p := (Qnum a * Zpos (Qden a))%Z in
  let s := Z.sqrt p in
  if Z.eqb (s * s) p then Qred (s # Qden a)
  else match (Qden a * Z.to_pos fine)%positive with d => Qred ((Z.sqrt (p * fine * fine) + if up then 1 else 0) # d) end.

Definition rooted (a : between) : option between :=
  let l := root false (fst a) in let u := root true (snd a) in
  if qle 0 l && qle (qmul l l) (fst a) && qle (snd a) (qmul u u) && qle 0 u && qle 0 (fst a) then Some (l, u) else None.

Lemma Q2R_0 : Q2R 0 = 0.
Proof. unfold Q2R. simpl. lra. Qed.

Lemma rooted_ok x a b : inside x a -> rooted a = Some b -> inside (sqrt x) b.
Proof.
  unfold inside, rooted. intros X. set (l := root false (fst a)). set (u := root true (snd a)).
  destruct (qle 0 l && qle (qmul l l) (fst a) && qle (snd a) (qmul u u) && qle 0 u && qle 0 (fst a)) eqn:E; [|discriminate].
  intros H. injection H as <-. cbn [fst snd]. repeat (apply andb_prop in E; destruct E as [E ?]).
  repeat match goal with H : qle _ _ = true |- _ => apply qle_ok in H end. rewrite ?qmul_ok, ?Q2R_0 in *.
  split.
  - rewrite <- (sqrt_square (Q2R l)) by lra. apply sqrt_le_1; nra.
  - rewrite <- (sqrt_square (Q2R u)) by lra. apply sqrt_le_1; nra.
Qed.

Definition down (a : Q) : Z := Z.div (Qnum a) (Zpos (Qden a)).

Lemma down_ok a : IZR (down a) <= Q2R a < IZR (down a) + 1.
Proof.
  destruct a as [p q]. unfold down, Q2R. simpl. pose proof (Z.mul_div_le p (Zpos q) ltac:(reflexivity)) as L.
  pose proof (Z.mul_succ_div_gt p (Zpos q) ltac:(reflexivity)) as U. set (k := (p / Zpos q)%Z) in *.
  apply IZR_le in L. apply IZR_lt in U. rewrite mult_IZR in L, U. rewrite succ_IZR in U.
  assert (0 < IZR (Zpos q)) by now apply IZR_lt. pose proof (inv_pos q).
  replace (IZR p * / IZR (Zpos q)) with (IZR k + (IZR p - IZR (Zpos q) * IZR k) * / IZR (Zpos q)) by (field; lra).
  assert (E : IZR (Zpos q) * / IZR (Zpos q) = 1) by (apply Rinv_r; lra).
  split; [nra|]. assert ((IZR p - IZR (Zpos q) * IZR k) * / IZR (Zpos q) < IZR (Zpos q) * / IZR (Zpos q)) by
    (apply Rmult_lt_compat_r; lra). lra.
Qed.

Lemma floor_between x k : IZR k <= x -> x < IZR k + 1 -> floor x = IZR k.
Proof.
  intros A B. unfold floor. f_equal. pose proof (base_Int_part x) as [C D].
  assert (IZR (Int_part x) < IZR (k + 1)) by (rewrite plus_IZR; lra).
  assert (IZR k < IZR (Int_part x + 1)) by (rewrite plus_IZR; lra).
  apply lt_IZR in H, H0. lia.
Qed.

Definition integral (k : Z) : between := (k # 1, k # 1)%Q.

Lemma Q2R_whole k : Q2R (k # 1) = IZR k.
Proof. unfold Q2R. simpl. lra. Qed.

Definition floored (a : between) : option between :=
  if Z.eqb (down (fst a)) (down (snd a)) then Some (integral (down (fst a))) else None.

Lemma floored_ok x a b : inside x a -> floored a = Some b -> inside (floor x) b.
Proof.
  unfold floored, inside. intros X. destruct (Z.eqb_spec (down (fst a)) (down (snd a))) as [E|]; [|discriminate].
  intros H. injection H as <-. pose proof (down_ok (fst a)). pose proof (down_ok (snd a)). rewrite <- E in *.
  rewrite (floor_between x (down (fst a))) by lra. simpl. rewrite Q2R_whole. lra.
Qed.

Definition opposite (a : between) : between := (Qopp (snd a), Qopp (fst a)).

Lemma opposite_ok x a : inside x a -> inside (- x) (opposite a).
Proof. unfold inside, opposite. cbn [fst snd]. rewrite !Q2R_opp. lra. Qed.

Lemma ceil_floor x : ceil x = - floor (- x).
Proof. unfold ceil, floor. apply opp_IZR. Qed.
