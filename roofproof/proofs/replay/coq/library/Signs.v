(** The signs of polynomials, and comparisons with their denominators cleared. *)

From Coq Require Import Reals List ZArith QArith Qreals Lra Lia Bool.
From Roofproof Require Import Meaning Polynomials.
Import ListNotations.
Local Open Scope R_scope.

Fixpoint member (n : positive) (names : list positive) : bool :=
  match names with
  | [] => false
  | m :: names => if Pos.eqb n m then true else member n names
  end.

Definition over (names : list positive) (m : mono) : bool :=
  forallb (fun a => match fst a with Var n => member n names | _ => false end) m.

(** [Gt]: positive, [Lt]: negative, [Eq]: not known, by the coefficients alone where the names are positive. *)
Definition sign (p : poly) (names : list positive) : comparison :=
  if zero p then Datatypes.Eq
  else if forallb (fun t => over names (fst t)) p then
    if forallb (fun t => qpos (snd t)) p then Datatypes.Gt
    else if forallb (fun t => qneg (snd t)) p then Lt else Datatypes.Eq
  else Datatypes.Eq.

(** c with p = c q. *)
Definition multiple (p q : poly) : option Q :=
  match p, q with
  | (m, a) :: _, (n, b) :: _ =>
      let c := Qred (a / b) in
      match mcmp m n with
      | Datatypes.Eq => if pequal p (pscale [] c q) then Some c else None
      | _ => None
      end
  | _, _ => None
  end.

Fixpoint among (p : poly) (signs : list poly) : comparison :=
  match signs with
  | [] => Datatypes.Eq
  | q :: signs =>
      match multiple p q with
      | Some c => if qpos c then Datatypes.Gt else if qneg c then Lt else among p signs
      | None => among p signs
      end
  end.

Definition known (names : list positive) (signs : list poly) (p : poly) : comparison :=
  match sign p names with
  | Datatypes.Eq => among p signs
  | c => c
  end.

Definition told (c : comparison) : bool := match c with Datatypes.Eq => false | _ => true end.

(** A polynomial with the sign of a - b, where everything that is divided by has a known sign. *)
Definition cleared (a b : term) (names : list positive) (signs : list poly) : option poly :=
  let '(n, d, x) := normal (minus a b) in
  if forallb (fun p => told (known names signs p)) x then
    match known names signs d with
    | Datatypes.Gt => Some n
    | Lt => Some (pneg n)
    | Datatypes.Eq => Some (pmul n d)
    end
  else None.

Section Signs.
  Variables (e : positive -> R) (names : list positive) (signs : list poly).
  Hypothesis positive_names : forall n, member n names = true -> e n > 0.
  Hypothesis positive_signs : Forall (fun p => pval e p > 0) signs.

  Lemma over_ok m : over names m = true -> mval e m > 0.
  Proof.
    induction m as [|[x i] m IH]; simpl; [lra|]. intros H. apply andb_prop in H. destruct H as [H K].
    destruct x; try discriminate. apply Rmult_lt_0_compat; [|now apply IH]. now apply pow_lt, positive_names.
  Qed.

  Lemma sums_positive p : forallb (fun t => over names (fst t)) p = true ->
    forallb (fun t => qpos (snd t)) p = true -> pval e p >= 0 /\ (p <> [] -> pval e p > 0).
  Proof.
    induction p as [|[m c] p IH]; simpl; intros H K; [split; [lra|congruence]|].
    apply andb_prop in H, K. destruct H as [H1 H2], K as [K1 K2]. destruct (IH H2 K2) as [G _].
    apply over_ok in H1. apply qpos_ok in K1. assert (Q2R c * mval e m > 0) by now apply Rmult_lt_0_compat.
    split; intros; lra.
  Qed.

  Lemma sums_negative p : forallb (fun t => over names (fst t)) p = true ->
    forallb (fun t => qneg (snd t)) p = true -> pval e p <= 0 /\ (p <> [] -> pval e p < 0).
  Proof.
    induction p as [|[m c] p IH]; simpl; intros H K; [split; [lra|congruence]|].
    apply andb_prop in H, K. destruct H as [H1 H2], K as [K1 K2]. destruct (IH H2 K2) as [G _].
    apply over_ok in H1. apply qneg_ok in K1. assert (Q2R c * mval e m < 0) by nra.
    split; intros; lra.
  Qed.

  Lemma sign_ok p : match sign p names with
    Datatypes.Gt => pval e p > 0 | Lt => pval e p < 0 | Datatypes.Eq => True end.
  Proof.
    unfold sign. destruct p as [|t p]; [exact I|]. simpl (zero _).
    destruct (forallb (fun t => over names (fst t)) (t :: p)) eqn:F; [|exact I].
    destruct (forallb (fun t => qpos (snd t)) (t :: p)) eqn:P.
    - apply sums_positive; auto. discriminate.
    - destruct (forallb (fun t => qneg (snd t)) (t :: p)) eqn:N; [|exact I]. apply sums_negative; auto. discriminate.
  Qed.

  Lemma multiple_ok p q c : multiple p q = Some c -> pval e p = Q2R c * pval e q.
  Proof.
    unfold multiple. destruct p as [|[m a] p], q as [|[n b] q]; try discriminate.
    destruct (mcmp m n); try discriminate.
    destruct (pequal ((m, a) :: p) (pscale [] (Qred (a / b)) ((n, b) :: q))) eqn:P; [|discriminate].
    intros H. injection H as <-. apply pequal_ok with (e := e) in P. rewrite P, pscale_ok. simpl. ring.
  Qed.

  Lemma among_ok p : match among p signs with
    Datatypes.Gt => pval e p > 0 | Lt => pval e p < 0 | Datatypes.Eq => True end.
  Proof.
    induction positive_signs as [|q s Q S IH]; simpl; [exact I|].
    destruct (multiple p q) eqn:M; [|exact (IH S)]. apply multiple_ok in M.
    destruct (qpos q0) eqn:P; [apply qpos_ok in P; nra|].
    destruct (qneg q0) eqn:N; [apply qneg_ok in N; nra|exact (IH S)].
  Qed.

  Lemma known_ok p : match known names signs p with
    Datatypes.Gt => pval e p > 0 | Lt => pval e p < 0 | Datatypes.Eq => True end.
  Proof. unfold known. pose proof (sign_ok p). destruct (sign p names); [apply among_ok|exact H|exact H]. Qed.

  Lemma told_nonzero x : forallb (fun p => told (known names signs p)) x = true -> nonzero e x.
  Proof.
    intros F. apply Forall_forall. intros p I. apply (proj1 (forallb_forall _ _) F) in I. pose proof (known_ok p).
    destruct (known names signs p); [discriminate|lra|lra].
  Qed.

  Lemma cleared_ok a b p : cleared a b names signs = Some p ->
    exists k, k > 0 /\ pval e p = k * (value e a - value e b).
  Proof.
    unfold cleared. destruct (normal (minus a b)) as [[n d] x] eqn:N.
    destruct (forallb (fun p => told (known names signs p)) x) eqn:F; [|discriminate].
    destruct (normal_ok e _ _ _ _ N (told_nonzero _ F)) as [D E]. rewrite minus_ok in E.
    pose proof (known_ok d) as K. destruct (known names signs d); intros H; injection H as <-.
    - exists (pval e d * pval e d). rewrite pmul_ok, E. split; [nra|ring].
    - exists (- pval e d). rewrite pneg_ok, E. split; [lra|ring].
    - exists (pval e d). rewrite E. split; [lra|ring].
  Qed.
End Signs.
