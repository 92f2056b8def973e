(** Polynomials in terms, with rational coefficients: their arithmetic, their signs, and terms as fractions of them. *)

From Coq Require Import Reals List ZArith QArith Qreals Lra Lia Bool.
From Roofproof Require Import Meaning.
Import ListNotations.
Local Open Scope R_scope.

(** * Terms are compared *)

Definition tag (t : term) : positive :=
  match t with
  | Num _ _ => 1 | Var _ => 2 | Add _ _ => 3 | Mul _ _ => 4 | Div _ _ => 5 | Pow _ _ => 6 | Max _ _ => 7
  | Min _ _ => 8 | Sqrt _ => 9 | Floor _ => 10 | Ceil _ => 11 | Log2 _ => 12 | Power _ _ => 13
  end%positive.

Definition lex (c d : comparison) : comparison := match c with Datatypes.Eq => d | _ => c end.

Fixpoint cmp (a b : term) : comparison :=
  match a, b with
  | Num p q, Num r s => lex (Z.compare p r) (Pos.compare q s)
  | Var n, Var m => Pos.compare n m
  | Add x y, Add u v | Mul x y, Mul u v | Div x y, Div u v | Max x y, Max u v | Min x y, Min u v
  | Power x y, Power u v => lex (cmp x u) (cmp y v)
  | Pow x n, Pow u m => lex (cmp x u) (Nat.compare n m)
  | Sqrt x, Sqrt u | Floor x, Floor u | Ceil x, Ceil u | Log2 x, Log2 u => cmp x u
  | _, _ => Pos.compare (tag a) (tag b)
  end.

Definition same (a b : term) : bool := match cmp a b with Datatypes.Eq => true | _ => false end.

Lemma lex_eq c d : lex c d = Datatypes.Eq -> c = Datatypes.Eq /\ d = Datatypes.Eq.
Proof. destruct c; simpl; intuition discriminate. Qed.

Lemma cmp_eq a : forall b, cmp a b = Datatypes.Eq -> a = b.
Proof.
  induction a; destruct b; simpl; intros H; try discriminate H;
    try (apply lex_eq in H; destruct H as [H1 H2]);
    repeat match goal with
    | H : Z.compare _ _ = _ |- _ => apply Z.compare_eq in H
    | H : Pos.compare _ _ = _ |- _ => apply Pos.compare_eq in H
    | H : Nat.compare _ _ = _ |- _ => apply Nat.compare_eq in H
    | IH : forall b, cmp ?a b = _ -> _, H : cmp ?a _ = _ |- _ => apply IH in H
    end; subst; reflexivity.
Qed.

Lemma same_eq a b : same a b = true -> a = b.
Proof. unfold same. destruct (cmp a b) eqn:H; try discriminate. intros _. now apply cmp_eq. Qed.

(** * Coefficients *)

Definition qadd (a b : Q) : Q :=
  match a, b with
  | p # 1, r # 1 => (p + r) # 1
  | _, _ => Qred (a + b)
  end.

Definition qmul (a b : Q) : Q :=
  match a, b with
  | p # 1, r # 1 => (p * r) # 1
  | _, _ => Qred (a * b)
  end.

Definition qzero (a : Q) : bool := match a with 0 # _ => true | _ => false end.
Definition qpos (a : Q) : bool := match a with Zpos _ # _ => true | _ => false end.
Definition qneg (a : Q) : bool := match a with Zneg _ # _ => true | _ => false end.

Lemma Q2R_red a : Q2R (Qred a) = Q2R a.
Proof. apply Qeq_eqR, Qred_correct. Qed.

Lemma qadd_ok a b : Q2R (qadd a b) = Q2R a + Q2R b.
Proof.
  destruct a as [p [q|q|]], b as [r [s|s|]]; unfold qadd; rewrite ?Q2R_red, ?Q2R_plus; try reflexivity.
  unfold Q2R; simpl. rewrite plus_IZR. lra.
Qed.

Lemma qmul_ok a b : Q2R (qmul a b) = Q2R a * Q2R b.
Proof.
  destruct a as [p [q|q|]], b as [r [s|s|]]; unfold qmul; rewrite ?Q2R_red, ?Q2R_mult; try reflexivity.
  unfold Q2R; simpl. rewrite mult_IZR. lra.
Qed.

Lemma qzero_ok a : qzero a = true -> Q2R a = 0.
Proof. destruct a as [[|p|p] q]; simpl; intros H; try discriminate. unfold Q2R; simpl. lra. Qed.

Lemma inv_pos q : 0 < / IZR (Zpos q).
Proof. apply Rinv_0_lt_compat, IZR_lt. reflexivity. Qed.

Lemma qpos_ok a : qpos a = true -> Q2R a > 0.
Proof.
  destruct a as [[|p|p] q]; simpl; intros H; try discriminate.
  unfold Q2R; simpl. apply Rmult_lt_0_compat; [now apply IZR_lt | apply inv_pos].
Qed.

Lemma qneg_ok a : qneg a = true -> Q2R a < 0.
Proof.
  destruct a as [[|p|p] q]; simpl; intros H; try discriminate.
  unfold Q2R; simpl. assert (IZR (Zneg p) < 0) by now apply IZR_lt. pose proof (inv_pos q). nra.
Qed.

(** * Monomials: terms with exponents, in order *)

Definition mono := list (term * positive).

Fixpoint mcmp (a b : mono) : comparison :=
  match a, b with
  | [], [] => Datatypes.Eq
  | [], _ => Lt
  | _, [] => Datatypes.Gt
  | (x, i) :: a, (y, j) :: b =>
      match cmp x y with
      | Lt => Datatypes.Gt
      | Datatypes.Gt => Lt
      | Datatypes.Eq => lex (Pos.compare i j) (mcmp a b)
      end
  end.

Fixpoint mmul (a : mono) : mono -> mono :=
  fix go (b : mono) : mono :=
    match a, b with
    | [], _ => b
    | _, [] => a
    | (x, i) :: a', (y, j) :: b' =>
        match cmp x y with
        | Lt => (x, i) :: mmul a' b
        | Datatypes.Gt => (y, j) :: go b'
        | Datatypes.Eq => (x, (i + j)%positive) :: mmul a' b'
        end
    end.

Definition poly := list (mono * Q).

Fixpoint padd (p : poly) : poly -> poly :=
  fix go (q : poly) : poly :=
    match p, q with
    | [], _ => q
    | _, [] => p
    | (m, a) :: p', (n, b) :: q' =>
        match mcmp m n with
        | Datatypes.Gt => (m, a) :: padd p' q
        | Lt => (n, b) :: go q'
        | Datatypes.Eq => let c := qadd a b in if qzero c then padd p' q' else (m, c) :: padd p' q'
        end
    end.

Definition pscale (m : mono) (c : Q) (p : poly) : poly :=
  if qzero c then [] else map (fun t => (mmul m (fst t), qmul c (snd t))) p.

Fixpoint pmul (p q : poly) : poly :=
  match p with
  | [] => []
  | (m, c) :: p => padd (pscale m c q) (pmul p q)
  end.

Definition one : poly := [([], 1%Q)].
Definition pneg (p : poly) : poly := pscale [] (-1)%Q p.
Definition zero (p : poly) : bool := match p with [] => true | _ => false end.
Definition pequal (p q : poly) : bool := zero (padd p (pneg q)).
Definition atom (t : term) : poly := [([(t, 1%positive)], 1%Q)].
Definition const (c : Q) : poly := if qzero c then [] else [([], c)].

Fixpoint ppow (p : poly) (n : nat) : poly :=
  match n with
  | O => one
  | S n => pmul (ppow p n) p
  end.

(** The values of these at a point. *)
Section At.
  Variable e : positive -> R.

  Fixpoint mval (m : mono) : R :=
    match m with
    | [] => 1
    | (x, i) :: m => value e x ^ Pos.to_nat i * mval m
    end.

  Fixpoint pval (p : poly) : R :=
    match p with
    | [] => 0
    | (m, c) :: p => Q2R c * mval m + pval p
    end.

  Lemma mcmp_ok a : forall b, mcmp a b = Datatypes.Eq -> a = b.
  Proof.
    induction a as [|[x i] a IH]; intros [|[y j] b]; simpl; try discriminate; auto.
    destruct (cmp x y) eqn:C; try discriminate. apply cmp_eq in C. intros H. apply lex_eq in H. destruct H as [H K].
    apply Pos.compare_eq in H. apply IH in K. now subst.
  Qed.

  Lemma mmul_cons x i a y j b : mmul ((x, i) :: a) ((y, j) :: b) =
    match cmp x y with
    | Lt => (x, i) :: mmul a ((y, j) :: b)
    | Datatypes.Gt => (y, j) :: mmul ((x, i) :: a) b
    | Datatypes.Eq => (x, (i + j)%positive) :: mmul a b
    end.
  Proof. reflexivity. Qed.

  Lemma mmul_ok a : forall b, mval (mmul a b) = mval a * mval b.
  Proof.
    induction a as [|[x i] a IH]; intros b.
    - destruct b; simpl; lra.
    - induction b as [|[y j] b IHb]; [simpl; lra|].
      rewrite mmul_cons. destruct (cmp x y) eqn:C; cbn [mval].
      + apply cmp_eq in C. subst y. rewrite IH, Pos2Nat.inj_add, pow_add. ring.
      + rewrite IH. cbn [mval]. ring.
      + rewrite IHb. cbn [mval]. ring.
  Qed.

  Lemma padd_cons m a p n b q : padd ((m, a) :: p) ((n, b) :: q) =
    match mcmp m n with
    | Datatypes.Gt => (m, a) :: padd p ((n, b) :: q)
    | Lt => (n, b) :: padd ((m, a) :: p) q
    | Datatypes.Eq => let c := qadd a b in if qzero c then padd p q else (m, c) :: padd p q
    end.
  Proof. reflexivity. Qed.

  Lemma padd_ok p : forall q, pval (padd p q) = pval p + pval q.
  Proof.
    induction p as [|[m a] p IH]; intros q.
    - destruct q; simpl; lra.
    - induction q as [|[n b] q IHq]; [simpl; lra|].
      rewrite padd_cons. destruct (mcmp m n) eqn:C; cbv zeta.
      + apply mcmp_ok in C. subst n. destruct (qzero (qadd a b)) eqn:Z; cbn [pval].
        * apply qzero_ok in Z. rewrite qadd_ok in Z. rewrite IH.
          transitivity ((Q2R a + Q2R b) * mval m + (pval p + pval q)); [rewrite Z|]; ring.
        * rewrite qadd_ok, IH. ring.
      + cbn [pval]. rewrite IHq. cbn [pval]. ring.
      + cbn [pval]. rewrite IH. cbn [pval]. ring.
  Qed.

  Lemma pscale_ok m c p : pval (pscale m c p) = Q2R c * mval m * pval p.
  Proof.
    unfold pscale. destruct (qzero c) eqn:Z.
    - apply qzero_ok in Z. rewrite Z. simpl. ring.
    - induction p as [|[n b] p IH]; simpl; [ring|]. rewrite IH, mmul_ok, qmul_ok. ring.
  Qed.

  Lemma pmul_ok p q : pval (pmul p q) = pval p * pval q.
  Proof. induction p as [|[m c] p IH]; simpl; [ring|]. rewrite padd_ok, pscale_ok, IH. ring. Qed.

  Lemma Q2R_1 : Q2R 1 = 1.
  Proof. unfold Q2R. simpl. lra. Qed.

  Lemma one_ok : pval one = 1.
  Proof. simpl. rewrite Q2R_1. ring. Qed.

  Lemma pneg_ok p : pval (pneg p) = - pval p.
  Proof. unfold pneg. rewrite pscale_ok. simpl. unfold Q2R. simpl. lra. Qed.

  Lemma zero_ok p : zero p = true -> pval p = 0.
  Proof. destruct p; [reflexivity|discriminate]. Qed.

  Lemma pequal_ok p q : pequal p q = true -> pval p = pval q.
  Proof. unfold pequal. intros H. apply zero_ok in H. rewrite padd_ok, pneg_ok in H. lra. Qed.

  Lemma atom_ok t : pval (atom t) = value e t.
  Proof. simpl. rewrite Q2R_1. ring. Qed.

  Lemma const_ok c : pval (const c) = Q2R c.
  Proof. unfold const. destruct (qzero c) eqn:Z; simpl; [symmetry; now apply qzero_ok|ring]. Qed.

  Lemma ppow_ok p n : pval (ppow p n) = pval p ^ n.
  Proof. induction n as [|n IH]; simpl; [exact one_ok|]. rewrite pmul_ok, IH. ring. Qed.
End At.

(** * Terms as fractions *)

(** Numerator, denominator, and the numerator of everything that is divided by. *)
Fixpoint normal (t : term) : poly * poly * list poly :=
  match t with
  | Num p q => (const (Qred (p # q)), one, [])
  | Add a b =>
      let '(n, d, x) := normal a in
      let '(m, k, y) := normal b in
      if pequal d k then (padd n m, d, x ++ y) else (padd (pmul n k) (pmul m d), pmul d k, x ++ y)
  | Mul a b =>
      let '(n, d, x) := normal a in
      let '(m, k, y) := normal b in
      (pmul n m, pmul d k, x ++ y)
  | Div a b =>
      let '(n, d, x) := normal a in
      let '(m, k, y) := normal b in
      (pmul n k, pmul d m, x ++ y ++ [m])
  | Pow a i =>
      let '(n, d, x) := normal a in
      (ppow n i, ppow d i, x)
  | _ => (atom t, one, [])
  end.

Definition nonzero (e : positive -> R) (ps : list poly) : Prop := Forall (fun p => pval e p <> 0) ps.

Lemma Num_ok e p q : value e (Num p q) = Q2R (p # q).
Proof.
  unfold Q2R. simpl. destruct q; try reflexivity. replace (/ 1) with 1 by lra. ring.
Qed.

Lemma normal_ok e t : forall n d x, normal t = (n, d, x) -> nonzero e x ->
  pval e d <> 0 /\ pval e n = value e t * pval e d.
Proof.
  induction t; intros m d x H Z; cbn [normal] in H;
    try (injection H as <- <- <-; rewrite atom_ok, one_ok; split; [lra|ring]).
  - assert (m = const (Qred (p # q)) /\ d = one /\ x = []) as (-> & -> & ->) by (repeat split; congruence).
    rewrite const_ok, one_ok, Q2R_red, Num_ok. split; [lra|ring].
  - destruct (normal t1) as [[n1 d1] x1] eqn:N1, (normal t2) as [[n2 d2] x2] eqn:N2.
    assert (Zs : nonzero e x1 /\ nonzero e x2).
    { destruct (pequal d1 d2); injection H as <- <- <-; now apply Forall_app in Z. }
    destruct Zs as [Z1 Z2]. destruct (IHt1 _ _ _ eq_refl Z1) as [D1 E1]. destruct (IHt2 _ _ _ eq_refl Z2) as [D2 E2].
    destruct (pequal d1 d2) eqn:P; injection H as <- <- <-.
    + apply pequal_ok with (e := e) in P. split; [exact D1|]. rewrite padd_ok, E1, E2. simpl. rewrite <- P. ring.
    + rewrite padd_ok, !pmul_ok, E1, E2. simpl. split; [now apply Rmult_integral_contrapositive_currified|ring].
  - destruct (normal t1) as [[n1 d1] x1] eqn:N1, (normal t2) as [[n2 d2] x2] eqn:N2. injection H as <- <- <-.
    apply Forall_app in Z. destruct Z as [Z1 Z2].
    destruct (IHt1 _ _ _ eq_refl Z1) as [D1 E1]. destruct (IHt2 _ _ _ eq_refl Z2) as [D2 E2].
    rewrite !pmul_ok, E1, E2. simpl. split; [now apply Rmult_integral_contrapositive_currified|ring].
  - destruct (normal t1) as [[n1 d1] x1] eqn:N1, (normal t2) as [[n2 d2] x2] eqn:N2. injection H as <- <- <-.
    apply Forall_app in Z. destruct Z as [Z1 Z2]. apply Forall_app in Z2. destruct Z2 as [Z2 Z3].
    inversion Z3 as [|? ? Z4]. subst.
    destruct (IHt1 _ _ _ eq_refl Z1) as [D1 E1]. destruct (IHt2 _ _ _ eq_refl Z2) as [D2 E2].
    rewrite !pmul_ok. split; [now apply Rmult_integral_contrapositive_currified|].
    rewrite E1. rewrite E2 in *. simpl. field. intros K. apply Z4. rewrite K. ring.
  - destruct (normal t) as [[n1 d1] x1] eqn:N1. injection H as <- <- <-.
    destruct (IHt _ _ _ eq_refl Z) as [D1 E1]. rewrite !ppow_ok, E1. simpl.
    split; [now apply pow_nonzero|]. now rewrite Rpow_mult_distr.
Qed.

Definition minus (a b : term) : term := Add a (Mul (Num (-1) 1) b).

Lemma minus_ok e a b : value e (minus a b) = value e a - value e b.
Proof. simpl. ring. Qed.

(** The polynomial that a term is, where it divides by numbers only. *)
Definition constant (p : poly) : bool := match p with [([], c)] => negb (qzero c) | _ => false end.

Definition plain (t : term) : option poly :=
  let '(n, d, x) := normal t in
  if forallb constant x then
    match d with
    | [([], c)] => if qzero c then None else Some (pscale [] (Qred (/ c)) n)
    | _ => None
    end
  else None.

Lemma nonzero_Q c : qzero c = false -> Q2R c <> 0.
Proof.
  destruct c as [[|p|p] q] eqn:E; simpl; intros H; try discriminate.
  - apply Rgt_not_eq. now apply qpos_ok.
  - apply Rlt_not_eq. now apply qneg_ok.
Qed.

Lemma constant_ok e p : constant p = true -> pval e p <> 0.
Proof.
  destruct p as [|[[|m] c] [|]]; simpl; try discriminate. intros H.
  assert (Q2R c <> 0) by (apply nonzero_Q; now destruct (qzero c)). lra.
Qed.

Lemma plain_ok e t p : plain t = Some p -> pval e p = value e t.
Proof.
  unfold plain. destruct (normal t) as [[n d] x] eqn:N. destruct (forallb constant x) eqn:F; [|discriminate].
  destruct d as [|[[|m] c] [|]]; try discriminate. destruct (qzero c) eqn:C; [discriminate|].
  intros H. injection H as <-. destruct (normal_ok e t _ _ _ N) as [D E].
  - apply Forall_forall. intros q I. apply constant_ok. now apply (proj1 (forallb_forall _ _) F).
  - rewrite pscale_ok, Q2R_red, E. simpl. pose proof (nonzero_Q _ C) as K.
    rewrite Q2R_inv; [|intros Y; apply K; now rewrite (Qeq_eqR _ _ Y); unfold Q2R; simpl; lra]. field. exact K.
Qed.
