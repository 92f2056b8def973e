(** Statements about numbers, decided: terms are enclosed between rationals, and formulas are true, false or open. *)

From Coq Require Import Reals List ZArith QArith Qreals Lra Lia Bool Classical_Prop.
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

(** Logarithms of powers of two. *)
Definition logged (a : between) : option between :=
  match fst a with
  | Zpos p # q =>
      let k := (Z.log2 (Zpos p) - Z.log2 (Zpos q))%Z in
      let power := if (0 <=? k)%Z then (2 ^ k # 1)%Q else Qred (1 # Z.to_pos (2 ^ - k)) in
      if (Qeq_bool (fst a) power && Qeq_bool (snd a) power && Z.leb (Z.abs k) 4000)%bool then Some (integral k) else None
  | _ => None
  end.

Lemma Q2R_power k : (0 <= k)%Z -> Q2R (2 ^ k # 1) = 2 ^ Z.to_nat k.
Proof. intros K. rewrite Q2R_whole, pow_IZR. f_equal. now rewrite Z2Nat.id. Qed.

Lemma logged_ok x a b : inside x a -> logged a = Some b -> inside (log2 x) b.
Proof.
  unfold logged, inside. intros X. destruct (fst a) as [[|p|p] q] eqn:F; try discriminate. rewrite <- F in *.
  set (k := (Z.log2 (Zpos p) - Z.log2 (Zpos q))%Z). cbv zeta.
  set (power := if (0 <=? k)%Z then (2 ^ k # 1)%Q else Qred (1 # Z.to_pos (2 ^ - k))).
  destruct (Qeq_bool (fst a) power && Qeq_bool (snd a) power && Z.leb (Z.abs k) 4000) eqn:E; [|discriminate].
  intros H. injection H as <-. apply andb_prop in E. destruct E as [E _]. apply andb_prop in E. destruct E as [E1 E2].
  apply Qeq_bool_iff in E1, E2. apply Qeq_eqR in E1, E2. rewrite E1, E2 in X.
  assert (V : x = Rpower 2 (IZR k)).
  { assert (x = Q2R power) as -> by lra. unfold power. destruct (Z.leb_spec 0 k) as [L|L].
    - rewrite Q2R_power, <- Rpower_pow, INR_IZR_INZ, Z2Nat.id by (lra || lia). reflexivity.
    - rewrite Q2R_red. unfold Q2R. simpl (Qnum _). simpl (Qden _).
      rewrite Z2Pos.id by (apply Z.pow_pos_nonneg; lia).
      replace (IZR k) with (- IZR (- k)) by (rewrite opp_IZR; ring). rewrite Rpower_Ropp.
      replace (IZR (- k)) with (INR (Z.to_nat (- k))) by (rewrite INR_IZR_INZ, Z2Nat.id by lia; reflexivity).
      rewrite Rpower_pow by lra. rewrite pow_IZR, Z2Nat.id by lia. ring. }
  assert (L : log2 x = IZR k).
  { rewrite V. unfold log2, Rpower. rewrite ln_exp. field.
    assert (ln 2 > ln 1) by (apply ln_increasing; lra). rewrite ln_1 in *. lra. }
  rewrite L. simpl. rewrite Q2R_whole. lra.
Qed.

Fixpoint enclosed (v : list Q) (t : term) : option between :=
  let two (f : between -> between -> option between) a b :=
    match enclosed v a, enclosed v b with Some x, Some y => f x y | _, _ => None end in
  let one f a := match enclosed v a with Some x => f x | None => None end in
  match t with
  | Num p q => Some (p # q, p # q)%Q
  | Var n => (fix at_ l n {struct l} := match l with
      | [] => Some (1%Q, 1%Q)
      | x :: l => match n with xH => Some (x, x) | _ => at_ l (Pos.pred n) end end) v n
  | Add a b => two (fun x y => Some (qadd (fst x) (fst y), qadd (snd x) (snd y))) a b
  | Mul a b => two (fun x y => Some (times x y)) a b
  | Div a b => two (fun x y => option_map (times x) (inverse y)) a b
  | Pow a n => one (fun x => Some (raised x n)) a
  | Max a b => two (fun x y => Some (qmax (fst x) (fst y), qmax (snd x) (snd y))) a b
  | Min a b => two (fun x y => Some (qmin (fst x) (fst y), qmin (snd x) (snd y))) a b
  | Sqrt a => one rooted a
  | Floor a => one floored a
  | Ceil a => one (fun x => option_map opposite (floored (opposite x))) a
  | Log2 a => one logged a
  | Power _ _ => None
  end.

(** A rational as a theorem writes it. *)
Definition number (q : Q) : R :=
  match q with
  | p # 1 => IZR p
  | p # q => IZR p / IZR (Zpos q)
  end.

Lemma number_ok q : number q = Q2R q.
Proof. destruct q as [p [q|q|]]; try reflexivity. unfold Q2R. simpl. lra. Qed.

Lemma enclosed_ok v t : forall b, enclosed v t = Some b -> inside (value (env (map number v)) t) b.
Proof.
  induction t; cbn [enclosed]; intros c H; try discriminate;
    try (destruct (enclosed v t1) as [x|]; [|discriminate]; specialize (IHt1 _ eq_refl));
    try (destruct (enclosed v t2) as [y|]; [|discriminate]; specialize (IHt2 _ eq_refl));
    try (destruct (enclosed v t) as [x|]; [|discriminate]; specialize (IHt _ eq_refl)).
  - injection H as <-. rewrite Num_ok. unfold inside. simpl. lra.
  - simpl. revert n H. induction v as [|q v IH]; simpl; intros n H.
    + injection H as <-. unfold inside. simpl. rewrite Q2R_1. lra.
    + destruct n; try (now apply IH). injection H as <-. rewrite number_ok. unfold inside. simpl. lra.
  - injection H as <-. unfold inside in *. simpl. rewrite !qadd_ok. lra.
  - injection H as <-. simpl. now apply times_ok.
  - destruct (inverse y) as [z|] eqn:I; [|discriminate]. injection H as <-. simpl. apply times_ok; [assumption|].
    now apply (inverse_ok _ y).
  - injection H as <-. simpl. now apply raised_ok.
  - injection H as <-. unfold inside in *. simpl. pose proof (qmax_ok (fst x) (fst y)).
    pose proof (qmax_ok (snd x) (snd y)). split; [|apply Rmax_lub; lra].
    unfold qmax. destruct (qle (fst x) (fst y)); [apply Rle_trans with (2 := Rmax_r _ _)|apply Rle_trans with (2 := Rmax_l _ _)]; lra.
  - injection H as <-. unfold inside in *. simpl. pose proof (qmin_ok (fst x) (fst y)).
    pose proof (qmin_ok (snd x) (snd y)). split; [apply Rmin_glb; lra|].
    unfold qmin. destruct (qle (snd x) (snd y)); [apply Rle_trans with (1 := Rmin_l _ _)|apply Rle_trans with (1 := Rmin_r _ _)]; lra.
  - simpl. now apply (rooted_ok _ x).
  - simpl. now apply (floored_ok _ x).
  - destruct (floored (opposite x)) as [z|] eqn:I; [|discriminate]. injection H as <-. simpl. rewrite ceil_floor.
    apply opposite_ok. apply (floored_ok _ (opposite x)); [now apply opposite_ok|exact I].
  - simpl. now apply (logged_ok _ x).
Qed.

(** * Formulas *)

Definition both (a b : option bool) : option bool :=
  match a, b with
  | Some true, Some true => Some true
  | Some false, _ | _, Some false => Some false
  | _, _ => None
  end.

Definition no (a : option bool) : option bool := option_map negb a.

Definition strictly (b : between) : option bool :=
  if qpos (fst b) then Some true else if qle (snd b) 0 then Some false else None.

Fixpoint decided (v : list Q) (f : formula) : option bool :=
  let difference a b := enclosed v (minus a b) in
  match f with
  | Gt a b => match difference a b with Some d => strictly d | None => None end
  | Ge a b => match difference b a with Some d => no (strictly d) | None => None end
  | Eq a b =>
      match difference a b with
      | Some d => if qpos (fst d) || qneg (snd d) then Some false
                  else if qzero (fst d) && qzero (snd d) then Some true else None
      | None => None
      end
  | Int a =>
      match enclosed v a with
      | Some (x, y) => if Qeq_bool x y then Some (Pos.eqb (Qden (Qred x)) 1) else None
      | None => None
      end
  | Tends _ _ _ => None
  | Yes => Some true
  | No => Some false
  | Not f => no (decided v f)
  | And f g => both (decided v f) (decided v g)
  | Or f g => no (both (no (decided v f)) (no (decided v g)))
  | Imp f g => no (both (decided v f) (no (decided v g)))
  | Iff f g => match decided v f, decided v g with Some a, Some b => Some (Bool.eqb a b) | _, _ => None end
  end.

Definition agrees (b : option bool) (p : Prop) : Prop :=
  match b with Some true => p | Some false => ~ p | None => True end.

Lemma no_ok b p : agrees b p -> agrees (no b) (~ p).
Proof. destruct b as [[]|]; simpl; tauto. Qed.

Lemma both_ok a b p q : agrees a p -> agrees b q -> agrees (both a b) (p /\ q).
Proof. destruct a as [[]|], b as [[]|]; simpl; tauto. Qed.

Lemma agrees_iff b p q : (p <-> q) -> agrees b p -> agrees b q.
Proof. destruct b as [[]|]; simpl; tauto. Qed.

Lemma strictly_ok x b : inside x b -> agrees (strictly b) (x > 0).
Proof.
  unfold strictly, inside. intros I. destruct (qpos (fst b)) eqn:P; [apply qpos_ok in P; simpl; lra|].
  destruct (qle (snd b) 0) eqn:L; [apply qle_ok in L; rewrite Q2R_0 in L; simpl; lra|exact Logic.I].
Qed.

Lemma whole_ok x : Pos.eqb (Qden (Qred x)) 1 = true <-> integer (Q2R x).
Proof.
  rewrite Pos.eqb_eq. split.
  - intros E. exists (Qnum (Qred x)). rewrite <- Q2R_red. destruct (Qred x) as [p q]. simpl in *. subst. apply Q2R_whole.
  - intros [k K]. rewrite <- Q2R_whole in K. apply eqR_Qeq in K. rewrite (Qred_complete _ _ K).
    unfold Qred. pose proof (Z.ggcd_correct_divisors k 1) as D. pose proof (Z.ggcd_gcd k 1) as G.
    destruct (Z.ggcd k 1) as [g [a b]]. simpl in *. destruct D as [_ D]. rewrite Z.gcd_1_r in G. subst g.
    rewrite Z.mul_1_l in D. now subst b.
Qed.

Lemma decided_ok v f : agrees (decided v f) (meaning (env (map number v)) f).
Proof.
  induction f; cbn [decided meaning]; try exact I.
  - destruct (enclosed v (minus a b)) as [d|] eqn:E; [|exact I]. apply enclosed_ok in E. rewrite minus_ok in E.
    apply (agrees_iff _ (value (env (map number v)) a - value (env (map number v)) b > 0)); [split; intros; lra|now apply strictly_ok].
  - destruct (enclosed v (minus b a)) as [d|] eqn:E; [|exact I]. apply enclosed_ok in E. rewrite minus_ok in E.
    apply (agrees_iff _ (~ (value (env (map number v)) b - value (env (map number v)) a > 0))); [split; intros; lra|].
    now apply no_ok, strictly_ok.
  - destruct (enclosed v (minus a b)) as [d|] eqn:E; [|exact I]. apply enclosed_ok in E. rewrite minus_ok in E.
    unfold inside in E. destruct (qpos (fst d) || qneg (snd d)) eqn:N.
    + apply orb_prop in N. destruct N as [N|N]; [apply qpos_ok in N|apply qneg_ok in N]; simpl; lra.
    + destruct (qzero (fst d) && qzero (snd d)) eqn:Z; [|exact I]. apply andb_prop in Z. destruct Z as [Z1 Z2].
      apply qzero_ok in Z1, Z2. simpl. lra.
  - destruct (enclosed v a) as [[x y]|] eqn:E; [|exact I]. apply enclosed_ok in E. unfold inside in E. simpl in E.
    destruct (Qeq_bool x y) eqn:Q; [|exact I]. apply Qeq_bool_iff in Q. apply Qeq_eqR in Q.
    replace (value (env (map number v)) a) with (Q2R x) by lra. pose proof (whole_ok x) as W.
    destruct (Pos.eqb (Qden (Qred x)) 1); simpl; [now apply W|]. intros K. apply W in K. discriminate.
  - exact (fun H => H).
  - now apply no_ok.
  - now apply both_ok.
  - apply (agrees_iff _ (~ (~ meaning (env (map number v)) f1 /\ ~ meaning (env (map number v)) f2))).
    + pose proof (no_ok _ _ IHf1) as A. pose proof (no_ok _ _ IHf2) as B.
      destruct (Classical_Prop.classic (meaning (env (map number v)) f1)); tauto.
    + apply no_ok, both_ok; now apply no_ok.
  - apply (agrees_iff _ (~ (meaning (env (map number v)) f1 /\ ~ meaning (env (map number v)) f2))).
    + destruct (Classical_Prop.classic (meaning (env (map number v)) f2)); tauto.
    + apply no_ok, both_ok; [assumption|now apply no_ok].
  - destruct (decided v f1) as [[]|], (decided v f2) as [[]|]; simpl in *; tauto.
Qed.

Definition true_at (v : list Q) (f : formula) : bool := match decided v f with Some true => true | _ => false end.

(** What is decided to be true at a point is true there. *)
Theorem true_at_ok v f : true_at v f = true -> meaning (env (map number v)) f.
Proof. unfold true_at. pose proof (decided_ok v f). destruct (decided v f) as [[]|]; try discriminate. auto. Qed.

Fixpoint from (others : list Q) (first : Z) (count : nat) (f : formula) : bool :=
  match count with
  | O => true
  | S k => true_at (others ++ [first # 1]%Q) f && from others (Z.succ first) k f
  end.

(** What is decided to be true at each of some integers is true of every integer there. *)
Theorem every_integer others first last f : from others first (Z.to_nat (last - first + 1)) f = true ->
  forall x : R, integer x -> x >= IZR first -> IZR last >= x -> meaning (env (map number others ++ [x])) f.
Proof.
  intros H x [k ->] A B. apply Rge_le in A, B. apply le_IZR in A, B.
  set (count := Z.to_nat (last - first + 1)) in H. assert (C : (k < first + Z.of_nat count)%Z) by (unfold count; lia).
  clearbody count. clear B. revert first H A C.
  induction count as [|count IH]; intros first H A C; [lia|]. simpl in H. apply andb_prop in H. destruct H as [H1 H2].
  destruct (Z.eq_dec k first) as [->|N].
  - apply true_at_ok in H1. rewrite map_app in H1. exact H1.
  - apply (IH (Z.succ first)); [exact H2|lia|lia].
Qed.
