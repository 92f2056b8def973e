(** Statements about numbers, decided: terms are enclosed between rationals, and formulas are true, false or open. *)

From Coq Require Import Reals List ZArith QArith Qreals Lra Lia Bool Classical_Prop.
From Roofproof Require Import Meaning Polynomials Between Powers.
Import ListNotations.
Local Open Scope R_scope.

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
  | Power a b => two powered a b
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
  - simpl. now apply (powered_ok _ _ x y).
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
