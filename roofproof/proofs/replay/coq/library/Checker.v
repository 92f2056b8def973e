(** The checker of certificates, and the theorem that what it accepts is true.

    A certificate is a list of steps. Each names the rule, earlier steps (1 is the one before, 2 the one before that),
    and by their places in a list of formulas what it assumes and what it concludes. *)

From Coq Require Import Reals List ZArith Lra Lia Bool.
From Roofproof Require Import Meaning Polynomials Signs Arithmetic TruthTables Functions Limits.
Import ListNotations.
Local Open Scope R_scope.

Inductive rule :=
  | Assume | Propositional | Square | Trichotomy | Logarithm | Exponential | Rising | Integral | Gap | Discharge | Cases
  | Arith (sum : list summand) (names : list positive) (multiplier : term)
  | Define (parts : nat) (t : term)
  | Limits (names : list positive)
  | Instantiate (values : list (positive * term)).

Record step := Step { by_rule : rule; premises : list positive; hypotheses : list positive; conclusion : positive }.

Definition integers (fs : list formula) : list term :=
  flat_map (fun f => match f with Int t => [t] | _ => [] end) fs.

(** Rules that assume what their premises assume, and perhaps more: [has] tells what is assumed. *)
Definition follows (has : formula -> bool) (r : rule) (given : list formula) (said : formula) : bool :=
  let positive t := has (Gt t nought) in
  match r, given, said with
  | Assume, [], _ => has said
  | Propositional, _, _ => table given said
  | Arith sum names k, _, _ => forallb (fun n => positive (Var n)) names && arithmetic said given names sum k
  | Square, [], Ge (Mul a b) (Num 0 1) => same a b
  | Trichotomy, [], Or (Gt a b) (Or (Eq c d) (Gt f g)) => same a c && same a g && same b d && same b f
  | Define k t, [], _ => match defined k t with Some f => equal f said | None => false end
  | Logarithm, [Eq a b], Eq (Log2 c) d => same a c && same d (log_of b) && positive a && forallb positive (inside b)
  | Exponential, [Eq a b], Eq (Power x c) d => same a c && same d (power_of x b) && positive x
  | Rising, [Gt a b], Gt (Log2 c) (Log2 d) => same a c && same b d && positive b
  | Rising, [Gt a b], Gt (Power x c) (Power y d) => same x y && same a c && same b d && has (Gt x unit)
  | Integral, _, Int t => whole (integers given) t
  | Gap, [Gt a b; Int d], Ge c (Add f (Num 1 1)) => same a c && same b f && gap a b d
  | Limits names, [], Tends a xs b => forallb (fun n => member n xs || positive (Var n)) names && limit a xs b names
  | _, _, _ => false
  end.

Lemma member_in n l : member n l = true <-> In n l.
Proof.
  induction l as [|m l IH]; simpl; [split; [discriminate|contradiction]|]. destruct (Pos.eqb_spec n m) as [->|N].
  - split; auto.
  - rewrite IH. split; [auto|]. intros [->|I]; [congruence|exact I].
Qed.

Ltac parts_of_and := repeat match goal with
  | H : _ && _ = true |- _ => apply andb_prop in H; destruct H
  | H : same _ _ = true |- _ => apply same_eq in H
  end.

Lemma follows_ok e has r given said : (forall f, has f = true -> meaning e f) -> Forall (meaning e) given ->
  follows has r given said = true -> meaning e said.
Proof.
  intros Has Given. unfold follows. destruct r; intros H.
  - destruct given; [now apply Has|discriminate].
  - now apply (table_ok e given).
  - destruct given; [|discriminate]. destruct said; try discriminate. destruct a; try discriminate.
    destruct b as [[|?|?] [?|?|]| | | | | | | | | | | |]; try discriminate. apply same_eq in H. subst. simpl.
    pose proof (Rle_0_sqr (value e a2)). unfold Rsqr in *. lra.
  - destruct given; [|discriminate]. destruct said; try discriminate. destruct said1; try discriminate.
    destruct said2; try discriminate. destruct said2_1; try discriminate. destruct said2_2; try discriminate.
    parts_of_and. subst. simpl. destruct (Rtotal_order (value e a1) (value e b1)) as [L|[L|L]]; auto.
  - destruct given as [|[] [|]]; try discriminate. destruct said; try discriminate. destruct a0; try discriminate.
    parts_of_and. subst. inversion Given as [|? ? G _]. subst. simpl in *.
    destruct (log_ok e b) as [P L].
    { apply Forall_forall. intros t I. apply (Has (Gt t nought)). now apply (proj1 (forallb_forall _ _) H0). }
    rewrite <- L. now rewrite <- G.
  - destruct given as [|[] [|]]; try discriminate. destruct said; try discriminate. destruct a0; try discriminate.
    parts_of_and. subst. inversion Given as [|? ? G _]. subst. simpl in *. rewrite G.
    apply power_ok. now apply (Has (Gt a0_1 nought)).
  - destruct given as [|[] [|]]; try discriminate. inversion Given as [|? ? G _]. subst. simpl in G.
    destruct said; try discriminate. destruct a0; try discriminate; destruct b0; try discriminate; parts_of_and; subst.
    + apply Has in H0. simpl in *. now apply rising_log.
    + apply Has in H0. simpl in *. now apply Rpower_lt.
  - destruct said; try discriminate; destruct given; try discriminate; simpl; refine (whole_ok e _ _ _ H);
      apply Forall_forall; intros t I; apply in_flat_map in I; destruct I as (u & I & J);
      destruct u; try contradiction; destruct J as [->|[]]; exact (proj1 (Forall_forall _ _) Given _ I).
  - destruct given as [|[] [|[] [|]]]; try discriminate. inversion Given as [|? ? G K]. subst. inversion K. subst.
    destruct said; try discriminate. destruct b0; try discriminate.
    destruct b0_2 as [[|[?|?|]|?] [?|?|]| | | | | | | | | | | |]; try discriminate. parts_of_and. subst.
    simpl in *. eapply gap_ok; eauto.
  - discriminate.
  - discriminate.
  - destruct given; apply andb_prop in H; destruct H as [N A];
      (eapply arithmetic_ok; [|exact Given|exact A]); intros n I; apply member_in in I;
      apply (Has (Gt (Var n) nought)); exact (proj1 (forallb_forall _ _) N n I).
  - destruct given; [|discriminate]. destruct (defined parts t) eqn:D; [|discriminate]. apply equal_eq in H. subst.
    now apply (defined_ok e parts t).
  - destruct given; [|discriminate]. destruct said; try discriminate. apply andb_prop in H. destruct H as [N L].
    apply (limit_ok e a names0 b names); [|exact L]. intros n I X. apply member_in in I.
    pose proof (proj1 (forallb_forall _ _) N n I) as P. simpl in P. rewrite X in P. now apply (Has (Gt (Var n) nought)).
  - discriminate.
Qed.

Section Certificate.
  Variable formulas : list formula.

  Definition sequent := (list positive * positive)%type.

  (** Whether a formula is among those at some places. *)
  Definition among_places (hs : list positive) (f : formula) : bool :=
    existsb (fun h => match place formulas h with Some g => equal f g | None => false end) hs.

  Definition included (hs : list positive) (s : sequent) : bool := forallb (fun h => member h hs) (fst s).

  (** Whether something is concluded from what is assumed and a case, which may be a hypothesis, too. *)
  Definition branch (hs : list positive) (said case : formula) (s : sequent) : bool :=
    match place formulas (snd s) with Some c => equal c said | None => false end &&
    forallb (fun h => member h hs || match place formulas h with Some f => equal f case | None => false end) (fst s).

  (** Whether there is such a branch for each case of a disjunction, in turn. *)
  Fixpoint covered (hs : list positive) (said split : formula) (branches : list sequent) {struct branches} : bool :=
    match branches with
    | [] => false
    | [s] => branch hs said split s
    | s :: branches =>
        match split with Or f g => branch hs said f s && covered hs said g branches | _ => false end
    end.

  Definition correct (proved : list sequent) (s : step) : bool :=
    match places proved (premises s), place formulas (conclusion s) with
    | Some given, Some said =>
        match by_rule s, given with
        | Discharge, [(hs, c)] =>
            match said with Imp f g => branch (hypotheses s) g f (hs, c) | _ => false end
        | Cases, (hs, c) :: branches =>
            match place formulas c with
            | Some f => included (hypotheses s) (hs, c) && covered (hypotheses s) said f branches
            | None => false
            end
        | Instantiate values, [(hs, c)] =>
            match place formulas c with
            | Some f =>
                match replaced values f with
                | Some g => equal g said && forallb (fun h => match place formulas h with
                    | Some f => match replaced values f with
                                | Some g => among_places (hypotheses s) g
                                | None => false
                                end
                    | None => false
                    end) hs
                | None => false
                end
            | None => false
            end
        | r, _ =>
            match places formulas (map snd given) with
            | Some fs => forallb (included (hypotheses s)) given && follows (among_places (hypotheses s)) r fs said
            | None => false
            end
        end
    | _, _ => false
    end.

  Fixpoint run (proved : list sequent) (steps : list step) : option sequent :=
    match steps with
    | [] => match proved with s :: _ => Some s | [] => None end
    | s :: steps => if correct proved s then run ((hypotheses s, conclusion s) :: proved) steps else None
    end.

  Definition assumed (e : positive -> R) (hs : list positive) : Prop :=
    forall h f, In h hs -> place formulas h = Some f -> meaning e f.

  Definition valid (s : sequent) : Prop :=
    forall e, assumed e (fst s) -> forall f, place formulas (snd s) = Some f -> meaning e f.

  Lemma among_places_ok e hs f : assumed e hs -> among_places hs f = true -> meaning e f.
  Proof.
    intros A H. apply existsb_exists in H. destruct H as (h & I & H). destruct (place formulas h) eqn:P; [|discriminate].
    apply equal_eq in H. subst. now apply (A h).
  Qed.

  Lemma given_ok e hs given fs : Forall valid given -> forallb (included hs) given = true -> assumed e hs ->
    places formulas (map snd given) = Some fs -> Forall (meaning e) fs.
  Proof.
    intros V I A. revert fs. induction V as [|[k c] given V W IH]; simpl in *; intros fs H; [injection H as <-; constructor|].
    apply andb_prop in I. destruct I as [I1 I2]. destruct (place formulas c) eqn:P; [|discriminate].
    destruct (places formulas (map snd given)) eqn:Q; [|discriminate]. injection H as <-.
    constructor; [|now apply IH]. apply V; [|exact P]. intros h g J. apply A. apply member_in.
    exact (proj1 (forallb_forall _ _) I1 h J).
  Qed.

  Lemma branch_ok e hs said case s : assumed e hs -> valid s -> branch hs said case s = true ->
    meaning e case -> meaning e said.
  Proof.
    intros A V H F. unfold branch in H. apply andb_prop in H. destruct H as [E H].
    destruct (place formulas (snd s)) as [c|] eqn:C; [|discriminate]. apply equal_eq in E. subst c.
    apply (V e); [|exact C]. intros h g I L. apply (proj1 (forallb_forall _ _) H) in I. apply orb_prop in I.
    destruct I as [I|I]; [apply (A h); [now apply member_in|exact L]|]. rewrite L in I. apply equal_eq in I. now subst.
  Qed.

  Lemma covered_ok e hs said : assumed e hs -> forall branches split, Forall valid branches ->
    covered hs said split branches = true -> meaning e split -> meaning e said.
  Proof.
    intros A. induction branches as [|s branches IH]; intros split V H F; [discriminate|]. inversion V. subst.
    destruct branches as [|t branches]; [exact (branch_ok e hs said split s A H2 H F)|].
    destruct split; try discriminate. apply andb_prop in H. destruct H as [B C].
    destruct F as [F|F]; [exact (branch_ok e hs said split1 s A H2 B F)|exact (IH split2 H3 C F)].
  Qed.

  Lemma correct_ok proved s : Forall valid proved -> correct proved s = true -> valid (hypotheses s, conclusion s).
  Proof.
    intros V H e A said P. simpl in A, P. unfold correct in H. rewrite P in H.
    destruct (places proved (premises s)) as [given|] eqn:G; [|discriminate].
    pose proof (places_all _ _ _ V _ _ G) as W. clear V G.
    assert (Plain : match places formulas (map snd given) with
        | Some fs => forallb (included (hypotheses s)) given && follows (among_places (hypotheses s)) (by_rule s) fs said
        | None => false end = true -> meaning e said).
    { clear H. intros H. destruct (places formulas (map snd given)) as [fs|] eqn:Q; [|discriminate].
      apply andb_prop in H. destruct H as [H1 H2].
      refine (follows_ok e _ _ _ _ _ (given_ok e _ _ _ W H1 A Q) H2). intros f. now apply among_places_ok. }
    destruct (by_rule s); try (apply Plain; exact H).
    - destruct given as [|[hs c] [|]]; try (apply Plain; exact H). destruct said; try discriminate.
      inversion W as [|? ? V _]. subst. simpl. exact (branch_ok e (hypotheses s) said2 said1 (hs, c) A V H).
    - destruct given as [|[hs c] branches]; try (apply Plain; exact H).
      destruct (place formulas c) as [f|] eqn:C; [|discriminate]. apply andb_prop in H. destruct H as [I H].
      inversion W as [|? ? V U]. subst. refine (covered_ok e (hypotheses s) said A branches f U H _).
      apply V; [|exact C]. intros h g J. apply A. apply member_in. exact (proj1 (forallb_forall _ _) I h J).
    - destruct given as [|[hs c] [|]]; try (apply Plain; exact H).
      destruct (place formulas c) as [f|] eqn:C; [|discriminate]. destruct (replaced values f) as [g|] eqn:R; [|discriminate].
      apply andb_prop in H. destruct H as [E H]. apply equal_eq in E. subst g. inversion W as [|? ? V _]. subst.
      assert (T : through values e (fun n => value e (lookup values n))) by (intros n; reflexivity).
      apply (proj2 (replaced_ok _ _ _ _ T _ R)). apply V; [|exact C]. intros h g I L.
      apply (proj1 (forallb_forall _ _) H) in I. rewrite L in I. destruct (replaced values g) as [g'|] eqn:R'; [|discriminate].
      apply (proj1 (replaced_ok _ _ _ _ T _ R')). now apply among_places_ok with (hs := hypotheses s).
  Qed.

  Lemma run_ok steps : forall proved s, Forall valid proved -> run proved steps = Some s -> valid s.
  Proof.
    induction steps as [|t steps IH]; simpl; intros proved s V H.
    - destruct proved as [|p proved]; [discriminate|]. injection H as <-. now inversion V.
    - destruct (correct proved t) eqn:C; [|discriminate]. apply (IH _ _ (Forall_cons _ (correct_ok _ _ V C) V) H).
  Qed.

  (** Whether the last step says that the hypotheses imply the conclusion. *)
  Definition proves (steps : list step) (hs : list formula) (c : formula) : bool :=
    match run [] steps with
    | Some (ks, k) =>
        forallb (fun h => match place formulas h with Some f => existsb (equal f) hs | None => true end) ks &&
        match place formulas k with Some f => equal f c | None => false end
    | None => false
    end.
End Certificate.

Lemma all_ok e hs : all e hs -> forall f, In f hs -> meaning e f.
Proof. induction hs as [|g hs IH]; simpl; intros H f I; [contradiction|]. destruct H, I as [->|I]; auto. Qed.

(** What the checker accepts holds at every point. *)
Theorem sound formulas steps hs c : proves formulas steps hs c = true -> forall e, all e hs -> meaning e c.
Proof.
  unfold proves. destruct (run formulas [] steps) as [[ks k]|] eqn:R; [|discriminate]. intros H e A.
  apply andb_prop in H. destruct H as [H1 H2]. destruct (place formulas k) as [f|] eqn:P; [|discriminate].
  apply equal_eq in H2. subst f. refine (run_ok formulas steps [] _ (Forall_nil _) R e _ c P). intros h g I G.
  apply (proj1 (forallb_forall _ _) H1) in I. rewrite G in I. apply existsb_exists in I. destruct I as (g' & I & E).
  apply equal_eq in E. subst. now apply (all_ok e hs).
Qed.

(** For a name that a theorem assumes to be positive, and that its statement has not. *)
Lemma one_positive : 1 > 0.
Proof. exact Rlt_0_1. Qed.
