(** Two rules on their own: what follows by arithmetic from comparisons, and what follows by truth table. *)

From Coq Require Import Reals List ZArith QArith Qreals Lra Lia Bool Classical_Prop.
From Roofproof Require Import Meaning Polynomials.
Import ListNotations.
Local Open Scope R_scope.

(** * Formulas are compared *)

Fixpoint listed (a b : list positive) : bool :=
  match a, b with
  | [], [] => true
  | x :: a, y :: b => Pos.eqb x y && listed a b
  | _, _ => false
  end.

Fixpoint equal (f g : formula) : bool :=
  match f, g with
  | Gt a b, Gt c d | Ge a b, Ge c d | Eq a b, Eq c d => same a c && same b d
  | Int a, Int c => same a c
  | Tends a xs b, Tends c ys d => same a c && listed xs ys && same b d
  | Yes, Yes | No, No => true
  | Not f, Not g => equal f g
  | And f g, And h k | Or f g, Or h k | Imp f g, Imp h k | Iff f g, Iff h k => equal f h && equal g k
  | _, _ => false
  end.

Lemma listed_eq a : forall b, listed a b = true -> a = b.
Proof.
  induction a as [|x a IH]; intros [|y b]; simpl; try discriminate; auto. intros H. apply andb_prop in H.
  destruct H as [H K]. apply Pos.eqb_eq in H. apply IH in K. now subst.
Qed.

Lemma equal_eq f : forall g, equal f g = true -> f = g.
Proof.
  induction f; destruct g; simpl; intros H; try discriminate H; try reflexivity;
    repeat match goal with
    | H : _ && _ = true |- _ => apply andb_prop in H; destruct H
    | H : same _ _ = true |- _ => apply same_eq in H
    | H : listed _ _ = true |- _ => apply listed_eq in H
    | IH : forall g, equal ?f g = true -> _, H : equal ?f _ = true |- _ => apply IH in H
    end; subst; reflexivity.
Qed.

(** * Lists are read by place: 1 is the first *)

Section Place.
  Variable A : Type.
  Fixpoint place (l : list A) (n : positive) {struct l} : option A :=
    match l with
    | [] => None
    | x :: l => match n with xH => Some x | _ => place l (Pos.pred n) end
    end.

  Fixpoint places (l : list A) (ns : list positive) : option (list A) :=
    match ns with
    | [] => Some []
    | n :: ns => match place l n, places l ns with Some x, Some xs => Some (x :: xs) | _, _ => None end
    end.

  Lemma place_all (P : A -> Prop) l : Forall P l -> forall n x, place l n = Some x -> P x.
  Proof.
    induction 1 as [|y l Y F IH]; simpl; intros n x; [discriminate|].
    destruct n; try apply IH. intros H. injection H as <-. exact Y.
  Qed.

  Lemma places_all (P : A -> Prop) l : Forall P l -> forall ns xs, places l ns = Some xs -> Forall P xs.
  Proof.
    intros F ns. induction ns as [|n ns IH]; simpl; intros xs; [intros H; injection H as <-; constructor|].
    destruct (place l n) eqn:N; [|discriminate]. destruct (places l ns); [|discriminate].
    intros H. injection H as <-. constructor; [now apply (place_all P l F n)|now apply IH].
  Qed.
End Place.
Arguments place {A}. Arguments places {A}.

(** * Arithmetic *)

Inductive relation := More | NoLess | Equal.

Definition compared (f : formula) : option (relation * term * term) :=
  match f with
  | Gt a b => Some (More, a, b)
  | Ge a b => Some (NoLess, a, b)
  | Eq a b => Some (Equal, a, b)
  | No => Some (More, Num 0 1, Num 0 1)
  | _ => None
  end.

Definition holds (r : relation) (x : R) : Prop :=
  match r with More => x > 0 | NoLess => x >= 0 | Equal => x = 0 end.

Lemma compared_ok e f r a b : compared f = Some (r, a, b) -> (meaning e f <-> holds r (value e a - value e b)).
Proof. destruct f; intros H; inversion H; subst; simpl; split; intros; try contradiction; lra. Qed.

Definition fact := (relation * poly)%type.

(** Premises as polynomials; a strict one settles the sign of denominators after it. *)
Fixpoint facts (fs : list formula) (names : list positive) (signs : list poly) : option (list fact * list poly) :=
  match fs with
  | [] => Some ([], signs)
  | f :: fs =>
      match compared f with
      | Some (r, a, b) =>
          match cleared a b names signs with
          | Some p =>
              match facts fs names (match r with More => signs ++ [p] | _ => signs end) with
              | Some (found, signs) => Some ((r, p) :: found, signs)
              | None => None
              end
          | None => None
          end
      | None => None
      end
  end.

Definition equation (f : fact) : bool := match fst f with Equal => true | _ => false end.
Definition strict (f : fact) : bool := match fst f with More => true | _ => false end.
Definition nonnegative (p : poly) (names : list positive) : bool :=
  zero p || match sign p names with Datatypes.Gt => true | _ => false end.

Definition summand := (term * list positive)%type.

(** The sum of multipliers times products of facts, whether it is known to be non-negative, and positive. *)
Fixpoint summed (goal : relation) (found : list fact) (names : list positive) (sum : list summand)
  : option (poly * bool) :=
  match sum with
  | [] => Some ([], false)
  | (m, chosen) :: sum =>
      match plain m, places found chosen, summed goal found names sum with
      | Some p, Some fs, Some (total, some) =>
          let product := fold_left pmul (map snd fs) p in
          if existsb equation fs then Some (padd product total, some)
          else match goal with
               | Equal => None
               | _ => if nonnegative p names
                      then Some (padd product total, some || (negb (zero p) && forallb strict fs)) else None
               end
      | _, _, _ => None
      end
  end.

Definition arithmetic (goal : formula) (premises : list formula) (names : list positive) (sum : list summand)
  (multiplier : term) : bool :=
  match compared goal, facts premises names [] with
  | Some (r, a, b), Some (found, signs) =>
      match cleared a b names signs, plain multiplier, summed r found names sum with
      | Some g, Some k, Some (total, some) =>
          match sign k names with
          | Datatypes.Gt => match r with More => some | _ => true end && pequal total (pmul k g)
          | _ => false
          end
      | _, _, _ => false
      end
  | _, _ => false
  end.

Section Arithmetic.
  Variables (e : positive -> R) (names : list positive).
  Hypothesis positive_names : forall n, member n names = true -> e n > 0.

  Definition true_fact (f : fact) : Prop := holds (fst f) (pval e (snd f)).

  Lemma holds_scaled r k x : k > 0 -> holds r x -> holds r (k * x).
  Proof. destruct r; simpl; intros; [apply Rmult_gt_0_compat; auto|nra|subst; ring]. Qed.

  Lemma facts_ok fs : forall signs found out, Forall (fun p => pval e p > 0) signs ->
    Forall (meaning e) fs -> facts fs names signs = Some (found, out) ->
    Forall true_fact found /\ Forall (fun p => pval e p > 0) out.
  Proof.
    induction fs as [|f fs IH]; simpl; intros signs found out S F H.
    - injection H as <- <-. split; [constructor|exact S].
    - inversion F as [|? ? F1 F2]. subst.
      destruct (compared f) as [[[r a] b]|] eqn:C; [|discriminate]. apply (proj1 (compared_ok e _ _ _ _ C)) in F1.
      destruct (cleared a b names signs) as [p|] eqn:P; [|discriminate].
      destruct (cleared_ok e names signs positive_names S _ _ _ P) as (k & K & V).
      assert (T : true_fact (r, p)) by (unfold true_fact; simpl; rewrite V; now apply holds_scaled).
      assert (S2 : Forall (fun p => pval e p > 0) (match r with More => signs ++ [p] | _ => signs end)).
      { destruct r; auto. apply Forall_app. split; auto. }
      destruct (facts fs names _) as [[more signs2]|] eqn:G; [|discriminate]. injection H as <- <-.
      destruct (IH _ _ _ S2 F2 G). split; auto.
  Qed.

  Lemma product_ok fs : forall p, pval e (fold_left pmul fs p) = fold_left Rmult (map (pval e) fs) (pval e p).
  Proof. induction fs as [|q fs IH]; simpl; intros p; [reflexivity|]. now rewrite IH, pmul_ok. Qed.

  Lemma product_zero fs : forall x, x = 0 \/ existsb equation fs = true -> Forall true_fact fs ->
    fold_left Rmult (map (pval e) (map snd fs)) x = 0.
  Proof.
    induction fs as [|[r p] fs IH]; simpl; intros x H F; [destruct H; [auto|discriminate]|].
    inversion F as [|? ? F1 F2]. subst. apply IH; [|exact F2]. destruct H as [->|H]; [left; ring|].
    apply orb_prop in H. destruct H as [H|H]; [|now right]. left.
    unfold equation in H. unfold true_fact in F1. simpl in *. destruct r; try discriminate. simpl in F1. rewrite F1. ring.
  Qed.

  Lemma product_sign fs : forall x, x >= 0 -> existsb equation fs = false -> Forall true_fact fs ->
    fold_left Rmult (map (pval e) (map snd fs)) x >= 0 /\
    (x > 0 -> forallb strict fs = true -> fold_left Rmult (map (pval e) (map snd fs)) x > 0).
  Proof.
    induction fs as [|[r p] fs IH]; simpl; intros x X H F; [split; intros; lra|].
    inversion F as [|? ? F1 F2]. subst. apply orb_false_iff in H. destruct H as [H1 H2].
    unfold true_fact in F1. unfold equation in H1. unfold strict at 1. simpl in *.
    assert (Y : x * pval e p >= 0) by (destruct r; simpl in *; try discriminate; nra).
    destruct (IH _ Y H2 F2) as [A B]. split; [exact A|]. intros X1 S.
    apply andb_prop in S. destruct S as [S1 S2]. apply B; [|exact S2]. destruct r; simpl in *; try discriminate. nra.
  Qed.

  Lemma summed_ok goal found sum : Forall true_fact found -> forall total some,
    summed goal found names sum = Some (total, some) ->
    match goal with
    | Equal => pval e total = 0
    | _ => pval e total >= 0 /\ (some = true -> pval e total > 0)
    end.
  Proof.
    intros F. induction sum as [|[m chosen] sum IH]; cbn [summed]; intros total some H.
    { injection H as <- <-. destruct goal; simpl; try split; intros; try discriminate; lra. }
    destruct (plain m) as [p|] eqn:P; [|discriminate]. destruct (places found chosen) as [fs|] eqn:C; [|discriminate].
    destruct (summed goal found names sum) as [[t s]|] eqn:R; [|discriminate]. specialize (IH _ _ eq_refl).
    pose proof (places_all _ _ _ F _ _ C) as G. cbv zeta in H. destruct (existsb equation fs) eqn:E.
    - injection H as <- <-. rewrite padd_ok, product_ok, product_zero; auto. rewrite Rplus_0_l. exact IH.
    - destruct (match goal with Equal => true | _ => false end) eqn:Q; [destruct goal; discriminate|].
      assert (H' : (if nonnegative p names then Some (padd (fold_left pmul (map snd fs) p) t,
        s || negb (zero p) && forallb strict fs) else None) = Some (total, some)) by (destruct goal; try discriminate; exact H).
      clear H. destruct (nonnegative p names) eqn:N; [|discriminate]. injection H' as <- <-.
      assert (X : pval e p >= 0 /\ (zero p = false -> pval e p > 0)).
      { unfold nonnegative in N. pose proof (sign_ok e names positive_names p) as S.
        destruct (zero p) eqn:Z; [apply zero_ok with (e := e) in Z; split; [lra|discriminate]|].
        simpl in N. destruct (sign p names); try discriminate. split; intros; lra. }
      destruct X as [X1 X2]. destruct (product_sign fs _ X1 E G) as [A B].
      assert (Y : pval e t >= 0 /\ (s = true -> pval e t > 0)) by (destruct goal; [exact IH|exact IH|discriminate]).
      destruct Y as [Y1 Y2].
      assert (pval e (padd (fold_left pmul (map snd fs) p) t) >= 0 /\
        (s || negb (zero p) && forallb strict fs = true -> pval e (padd (fold_left pmul (map snd fs) p) t) > 0)) as K.
      { rewrite padd_ok, product_ok. split; [lra|]. intros O. apply orb_prop in O. destruct O as [O|O].
        - specialize (Y2 O). lra.
        - apply andb_prop in O. destruct O as [O1 O2]. apply negb_true_iff in O1.
          specialize (B (X2 O1) O2). lra. }
      destruct goal; [exact K|exact K|discriminate].
  Qed.

  Lemma arithmetic_ok goal premises sum k : Forall (meaning e) premises ->
    arithmetic goal premises names sum k = true -> meaning e goal.
  Proof.
    unfold arithmetic. intros F H. destruct (compared goal) as [[[r a] b]|] eqn:C; [|discriminate].
    destruct (facts premises names []) as [[found signs]|] eqn:G; [|discriminate].
    destruct (facts_ok _ _ _ _ (Forall_nil _) F G) as [T S].
    destruct (cleared a b names signs) as [g|] eqn:L; [|discriminate].
    destruct (plain k) as [p|] eqn:P; [|discriminate].
    destruct (summed r found names sum) as [[total some]|] eqn:M; [|discriminate].
    pose proof (sign_ok e names positive_names p) as Sp. destruct (sign p names); try discriminate.
    apply andb_prop in H. destruct H as [H1 H2]. apply pequal_ok with (e := e) in H2. rewrite pmul_ok in H2.
    destruct (cleared_ok e names signs positive_names S _ _ _ L) as (c & K & V).
    pose proof (summed_ok _ _ _ T _ _ M) as Z. apply (proj2 (compared_ok e _ _ _ _ C)).
    rewrite H2, V in Z. assert (Y : pval e p * c > 0) by now apply Rmult_gt_0_compat.
    set (d := value e a - value e b) in *. replace (pval e p * (c * d)) with ((pval e p * c) * d) in Z by ring.
    destruct r; simpl.
    - destruct Z as [_ Z]. specialize (Z H1). nra.
    - destruct Z as [Z _]. nra.
    - apply Rmult_integral in Z. destruct Z; lra.
  Qed.
End Arithmetic.

(** * Truth tables *)

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
