(** What follows by arithmetic from comparisons; formulas compared, and lists read by place. *)

From Coq Require Import Reals List ZArith QArith Qreals Lra Lia Bool.
From Roofproof Require Import Meaning Polynomials Signs.
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
