(** What follows by truth table. *)

From Coq Require Import Reals List ZArith Lra Lia Bool Classical_Prop.
From Roofproof Require Import Meaning Polynomials Arithmetic.
Import ListNotations.
Local Open Scope R_scope.

Inductive prop := T | F | At (n : positive) | Neg (p : prop) | Both (p q : prop) | Either (p q : prop)
  | If (p q : prop) | Same (p q : prop).

Fixpoint atoms (f : formula) (found : list formula) : list formula :=
  match f with
  | Yes | No => found
  | Not f => atoms f found
  | And f g | Or f g | Imp f g | Iff f g => atoms g (atoms f found)
  | Ge a b => if existsb (equal (Gt b a)) found then found else Gt b a :: found
  | f => if existsb (equal f) found then found else f :: found
  end.

Fixpoint find (f : formula) (l : list formula) (n : positive) : option positive :=
  match l with
  | [] => None
  | g :: l => if equal f g then Some n else find f l (Pos.succ n)
  end.

Definition neg p := match p with T => F | F => T | _ => Neg p end.
Definition both p q := match p, q with F, _ | _, F => F | T, _ => q | _, T => p | _, _ => Both p q end.
Definition either p q := match p, q with T, _ | _, T => T | F, _ => q | _, F => p | _, _ => Either p q end.
Definition implies p q := match p, q with F, _ | _, T => T | T, _ => q | _, F => neg p | _, _ => If p q end.
Definition iff_ p q := match p, q with T, _ => q | _, T => p | F, _ => neg q | _, F => neg p | _, _ => Same p q end.

Fixpoint skeleton (l : list formula) (f : formula) : option prop :=
  let two (c : prop -> prop -> prop) f g :=
    match skeleton l f, skeleton l g with Some p, Some q => Some (c p q) | _, _ => None end in
  match f with
  | Yes => Some T
  | No => Some F
  | Not f => option_map neg (skeleton l f)
  | And f g => two both f g
  | Or f g => two either f g
  | Imp f g => two implies f g
  | Iff f g => two iff_ f g
  | Ge a b => option_map (fun n => Neg (At n)) (find (Gt b a) l 1)
  | f => option_map At (find f l 1)
  end.

Fixpoint says (v : positive -> Prop) (p : prop) : Prop :=
  match p with
  | T => True
  | F => False
  | At n => v n
  | Neg p => ~ says v p
  | Both p q => says v p /\ says v q
  | Either p q => says v p \/ says v q
  | If p q => says v p -> says v q
  | Same p q => says v p <-> says v q
  end.

(** p with a truth value for an atom. *)
Fixpoint given (n : positive) (b : prop) (p : prop) : prop :=
  match p with
  | T => T | F => F
  | At m => if Pos.eqb n m then b else p
  | Neg p => neg (given n b p)
  | Both p q => both (given n b p) (given n b q)
  | Either p q => either (given n b p) (given n b q)
  | If p q => implies (given n b p) (given n b q)
  | Same p q => iff_ (given n b p) (given n b q)
  end.

Fixpoint first (p : prop) : option positive :=
  match p with
  | T | F => None
  | At n => Some n
  | Neg p => first p
  | Both p q | Either p q | If p q | Same p q => match first p with None => first q | found => found end
  end.

Fixpoint tautology (steps : nat) (p : prop) : bool :=
  match p, steps with
  | T, _ => true
  | F, _ | _, O => false
  | _, S k =>
      match first p with
      | Some n => tautology k (given n T p) && tautology k (given n F p)
      | None => false
      end
  end.

Definition table (premises : list formula) (goal : formula) : bool :=
  let whole := fold_right Imp goal premises in
  let l := atoms whole [] in
  match skeleton l whole with
  | Some p => tautology (S (S (length l))) p
  | None => false
  end.

Lemma neg_ok v p : says v (neg p) <-> ~ says v p.
Proof. destruct p; simpl; tauto. Qed.
Lemma both_ok v p q : says v (both p q) <-> says v p /\ says v q.
Proof. destruct p, q; simpl; tauto. Qed.
Lemma either_ok v p q : says v (either p q) <-> says v p \/ says v q.
Proof. destruct p, q; simpl; tauto. Qed.
Lemma implies_ok v p q : says v (implies p q) <-> (says v p -> says v q).
Proof. destruct p, q; simpl; tauto. Qed.
Lemma iff_ok v p q : says v (iff_ p q) <-> (says v p <-> says v q).
Proof. destruct p, q; simpl; tauto. Qed.

Lemma find_ok f l : forall k n, find f l k = Some n -> exists m, place l m = Some f /\ Pos.pred_N n = (Pos.pred_N k + Pos.pred_N m)%N.
Proof.
  induction l as [|g l IH]; simpl; intros k n H; [discriminate|]. destruct (equal f g) eqn:E.
  - injection H as <-. apply equal_eq in E. subst. exists 1%positive. split; [reflexivity|]. simpl. lia.
  - apply IH in H. destruct H as (m & M & H). exists (Pos.succ m). split; [|lia].
    destruct (Pos.succ m) eqn:Z; [rewrite <- Z, Pos.pred_succ; exact M|rewrite <- Z, Pos.pred_succ; exact M|lia].
Qed.

Lemma find_first f l n : find f l 1 = Some n -> place l n = Some f.
Proof.
  intros H. apply find_ok in H. destruct H as (m & M & H). replace n with m; [exact M|].
  destruct n, m; simpl in H; lia.
Qed.

Definition valuation (e : positive -> R) (l : list formula) (n : positive) : Prop :=
  match place l n with Some f => meaning e f | None => False end.

Lemma skeleton_ok e l f : forall p, skeleton l f = Some p -> (says (valuation e l) p <-> meaning e f).
Proof.
  assert (A : forall f p, option_map At (find f l 1) = Some p -> (says (valuation e l) p <-> meaning e f)).
  { intros g p H. destruct (find g l 1) eqn:E; [|discriminate]. injection H as <-. simpl. unfold valuation.
    rewrite (find_first _ _ _ E). reflexivity. }
  induction f; intros p; simpl; intros H; try (apply A in H; exact H);
    try (destruct (skeleton l f1) as [p1|]; [|discriminate]; destruct (skeleton l f2) as [p2|]; [|discriminate];
         injection H as <-; rewrite ?both_ok, ?either_ok, ?implies_ok, ?iff_ok;
         specialize (IHf1 _ eq_refl); specialize (IHf2 _ eq_refl); tauto).
  - destruct (find (Gt b a) l 1) eqn:E; [|discriminate]. injection H as <-. simpl. unfold valuation.
    rewrite (find_first _ _ _ E). simpl. split; [apply Rnot_gt_ge|intros G L; lra].
  - injection H as <-. reflexivity.
  - injection H as <-. reflexivity.
  - destruct (skeleton l f) as [p1|]; [|discriminate]. injection H as <-. simpl. rewrite neg_ok.
    specialize (IHf _ eq_refl). tauto.
Qed.

Lemma given_ok v n b p : (says v b <-> v n) -> (says v (given n b p) <-> says v p).
Proof.
  intros B. induction p; simpl; rewrite ?neg_ok, ?both_ok, ?either_ok, ?implies_ok, ?iff_ok; try tauto.
  destruct (Pos.eqb n n0) eqn:E; [|reflexivity]. apply Pos.eqb_eq in E. now subst.
Qed.

Lemma tautology_ok v k : forall p, tautology k p = true -> says v p.
Proof.
  induction k as [|k IH]; intros p H; [destruct p; try discriminate; exact I|].
  assert (G : p = T \/ exists n, tautology k (given n T p) && tautology k (given n F p) = true).
  { destruct p; simpl in H; try discriminate; [now left|..]; right;
      match type of H with match ?o with _ => _ end = true => destruct o as [n|]; [now exists n|discriminate] | _ => idtac end.
    now exists n. }
  destruct G as [->|[n G]]; [exact I|]. apply andb_prop in G. destruct G as [G1 G2]. apply IH in G1, G2.
  destruct (classic (v n)) as [V|V].
  - apply (given_ok v n T); [simpl; tauto|exact G1].
  - apply (given_ok v n F); [simpl; tauto|exact G2].
Qed.

Lemma chain_ok e premises goal : meaning e (fold_right Imp goal premises) -> Forall (meaning e) premises -> meaning e goal.
Proof. induction premises as [|f fs IH]; simpl; intros H P; [exact H|]. inversion P. subst. apply IH; auto. Qed.

Lemma table_ok e premises goal : Forall (meaning e) premises -> table premises goal = true -> meaning e goal.
Proof.
  unfold table. intros P H. destruct (skeleton _ _) as [p|] eqn:S; [|discriminate].
  apply (tautology_ok (valuation e (atoms (fold_right Imp goal premises) []))) in H.
  apply (skeleton_ok e) in S. apply S in H. now apply chain_ok in H.
Qed.
