(** The rules about functions: definitions, logarithms, powers, integers; and terms put in for names. *)

From Coq Require Import Reals List ZArith QArith Qreals Lra Lia Bool.
From Roofproof Require Import Meaning Polynomials Signs Arithmetic.
Import ListNotations.
Local Open Scope R_scope.

Definition nought : term := Num 0 1.
Definition unit : term := Num 1 1.

(** * What max, min, sqrt, floor, ceil and power are *)

Fixpoint conj (fs : list formula) : formula :=
  match fs with [] => Yes | [f] => f | f :: fs => And f (conj fs) end.
Fixpoint disj (fs : list formula) : formula :=
  match fs with [] => No | [f] => f | f :: fs => Or f (disj fs) end.

(** The parts of a maximum of k + 1 terms, nested to the left. *)
Fixpoint parts (max : bool) (k : nat) (t : term) : list term :=
  match k, t, max with
  | S k, Max a b, true | S k, Min a b, false => parts max k a ++ [b]
  | _, _, _ => [t]
  end.

Definition defined (k : nat) (t : term) : option formula :=
  match t with
  | Max _ _ => let ps := parts true k t in Some (conj (map (Ge t) ps ++ [disj (map (Eq t) ps)]))
  | Min _ _ => let ps := parts false k t in Some (conj (map (fun p => Ge p t) ps ++ [disj (map (Eq t) ps)]))
  | Sqrt a => Some (Imp (Ge a nought) (And (Eq (Mul t t) a) (Ge t nought)))
  | Floor a => Some (And (Int t) (And (Ge a t) (Gt (Add t unit) a)))
  | Ceil a => Some (And (Int t) (And (Ge t a) (Gt (Add a unit) t)))
  | Power a _ => Some (Imp (Gt a nought) (Gt t nought))
  | _ => None
  end.

Lemma conj_ok e fs : Forall (meaning e) fs -> meaning e (conj fs).
Proof. induction 1 as [|f [|g fs] F R IH]; simpl; auto. Qed.

Lemma disj_ok e f fs : In f fs -> meaning e f -> meaning e (disj fs).
Proof.
  induction fs as [|g [|h fs] IH]; simpl; intros I M; [contradiction| |].
  - destruct I as [->|[]]. exact M.
  - destruct I as [->|I]; [now left|right]. now apply IH.
Qed.

Lemma parts_max e k : forall t, (forall p, In p (parts true k t) -> value e t >= value e p) /\
  exists p, In p (parts true k t) /\ value e t = value e p.
Proof.
  induction k as [|k IH]; intros t.
  - simpl. split; [intros p [<-|[]]; lra|exists t; auto].
  - destruct t as [| | | | | |t1 t2|t1 t2| | | | |]; simpl;
      try (split; [intros u [<-|[]]; apply Rge_refl|eexists; split; [left; reflexivity|reflexivity]]).
    destruct (IH t1) as [G (q & Q & V)]. split.
    + intros u I. apply in_app_or in I. pose proof (Rmax_l (value e t1) (value e t2)).
      pose proof (Rmax_r (value e t1) (value e t2)). destruct I as [I|[<-|[]]]; [apply G in I|]; lra.
    + destruct (Rle_dec (value e t1) (value e t2)).
      * exists t2. split; [apply in_or_app; simpl; auto|now apply Rmax_right].
      * exists q. split; [apply in_or_app; auto|]. rewrite <- V. apply Rmax_left. lra.
Qed.

Lemma parts_min e k : forall t, (forall p, In p (parts false k t) -> value e p >= value e t) /\
  exists p, In p (parts false k t) /\ value e t = value e p.
Proof.
  induction k as [|k IH]; intros t.
  - simpl. split; [intros p [<-|[]]; lra|exists t; auto].
  - destruct t as [| | | | | |t1 t2|t1 t2| | | | |]; simpl;
      try (split; [intros u [<-|[]]; apply Rge_refl|eexists; split; [left; reflexivity|reflexivity]]).
    destruct (IH t1) as [G (q & Q & V)]. split.
    + intros u I. apply in_app_or in I. pose proof (Rmin_l (value e t1) (value e t2)).
      pose proof (Rmin_r (value e t1) (value e t2)). destruct I as [I|[<-|[]]]; [apply G in I|]; lra.
    + destruct (Rle_dec (value e t1) (value e t2)).
      * exists q. split; [apply in_or_app; auto|]. rewrite <- V. now apply Rmin_left.
      * exists t2. split; [apply in_or_app; simpl; auto|]. apply Rmin_right. lra.
Qed.

Lemma floor_ok x : integer (floor x) /\ x >= floor x /\ floor x + 1 > x.
Proof. unfold floor. pose proof (base_Int_part x). split; [now exists (Int_part x)|lra]. Qed.

Lemma ceil_ok x : integer (ceil x) /\ ceil x >= x /\ x + 1 > ceil x.
Proof.
  unfold ceil. pose proof (base_Int_part (- x)). split; [now exists (- Int_part (- x))%Z|]. rewrite opp_IZR. lra.
Qed.

Lemma defined_ok e k t f : defined k t = Some f -> meaning e f.
Proof.
  destruct t as [| | | | | |t1 t2|t1 t2| | | | |]; cbn [defined]; intros H; try discriminate.
  - assert (E : f = conj (map (Ge (Max t1 t2)) (parts true k (Max t1 t2)) ++
      [disj (map (Eq (Max t1 t2)) (parts true k (Max t1 t2)))])) by congruence. subst f.
    destruct (parts_max e k (Max t1 t2)) as [G (q & Q & V)]. apply conj_ok. apply Forall_app. split.
    + apply Forall_forall. intros g I. apply in_map_iff in I. destruct I as (p & <- & I). now apply G.
    + constructor; [|constructor]. apply (disj_ok e (Eq (Max t1 t2) q)); [now apply in_map|exact V].
  - assert (E : f = conj (map (fun p => Ge p (Min t1 t2)) (parts false k (Min t1 t2)) ++
      [disj (map (Eq (Min t1 t2)) (parts false k (Min t1 t2)))])) by congruence. subst f.
    destruct (parts_min e k (Min t1 t2)) as [G (q & Q & V)]. apply conj_ok. apply Forall_app. split.
    + apply Forall_forall. intros g I. apply in_map_iff in I. destruct I as (p & <- & I). now apply G.
    + constructor; [|constructor]. apply (disj_ok e (Eq (Min t1 t2) q)); [now apply in_map|exact V].
  - injection H as <-. simpl. intros P. split; [apply sqrt_sqrt; lra|]. apply Rle_ge, sqrt_pos.
  - injection H as <-. simpl. apply floor_ok.
  - injection H as <-. simpl. apply ceil_ok.
  - injection H as <-. simpl. intros _. apply exp_pos.
Qed.

(** * Logarithms of products as sums, powers of sums as products *)

Fixpoint log_of (t : term) : term :=
  match t with
  | Num 2 1 => unit
  | Mul a b => Add (log_of a) (log_of b)
  | Div a b => minus (log_of a) (log_of b)
  | Pow a n => Mul (Num (Z.of_nat n) 1) (log_of a)
  | Power a x => Mul x (log_of a)
  | Sqrt a => Mul (Num 1 2) (log_of a)
  | _ => Log2 t
  end.

(** What must be positive. *)
Fixpoint inside (t : term) : list term :=
  match t with
  | Num 2 1 => []
  | Mul a b | Div a b => inside a ++ inside b
  | Pow a _ | Power a _ | Sqrt a => inside a
  | _ => [t]
  end.

Definition positive_terms (e : positive -> R) (ts : list term) : Prop := Forall (fun t => value e t > 0) ts.

Lemma ln2 : ln 2 > 0.
Proof. rewrite <- ln_1. apply ln_increasing; lra. Qed.

Lemma ln_pow x n : x > 0 -> ln (x ^ n) = INR n * ln x.
Proof.
  intros X. induction n as [|n IH]; [simpl; rewrite ln_1; ring|].
  rewrite S_INR. simpl pow. rewrite ln_mult; [|exact X|now apply pow_lt]. rewrite IH. ring.
Qed.

Lemma log_ok e t : positive_terms e (inside t) -> value e t > 0 /\ log2 (value e t) = value e (log_of t).
Proof.
  pose proof ln2 as L. unfold log2.
  induction t; intros H; try (inversion H; subst; simpl; split; [assumption|reflexivity]).
  - destruct (match p, q with 2%Z, 1%positive => true | _, _ => false end) eqn:E.
    + assert (p = 2%Z /\ q = 1%positive) as [-> ->].
      { destruct p as [|[?|[?|?|]|]|?]; try discriminate; destruct q; try discriminate; auto. }
      simpl. split; [lra|]. field. lra.
    + assert (inside (Num p q) = [Num p q] /\ log_of (Num p q) = Log2 (Num p q)) as [I O].
      { destruct p as [|[?|[?|?|]|]|?]; try (split; reflexivity). destruct q; try (split; reflexivity). discriminate. }
      rewrite I in H. inversion H. subst. split; [assumption|]. now rewrite O.
  - apply Forall_app in H. destruct H as [H1 H2]. destruct (IHt1 H1) as [P1 E1], (IHt2 H2) as [P2 E2].
    simpl. split; [nra|]. rewrite <- E1, <- E2, ln_mult by assumption. field. lra.
  - apply Forall_app in H. destruct H as [H1 H2]. destruct (IHt1 H1) as [P1 E1], (IHt2 H2) as [P2 E2].
    simpl. split; [now apply Rdiv_lt_0_compat|]. rewrite <- E1, <- E2.
    change (value e t1 / value e t2) with (value e t1 * / value e t2). rewrite ln_mult, ln_Rinv; [field; lra|assumption|assumption|now apply Rinv_0_lt_compat].
  - destruct (IHt H) as [P1 E1]. simpl. split; [now apply pow_lt|]. rewrite <- E1, ln_pow by assumption.
    rewrite INR_IZR_INZ. field. lra.
  - destruct (IHt H) as [P1 E1]. simpl. split; [now apply sqrt_lt_R0|]. rewrite <- E1.
    replace (ln (sqrt (value e t))) with (/ 2 * ln (value e t)); [field; lra|].
    rewrite <- (sqrt_sqrt (value e t)) at 1 by lra.
    rewrite ln_mult by now apply sqrt_lt_R0. field.
  - destruct (IHt1 H) as [P1 E1]. simpl. split; [apply exp_pos|]. rewrite <- E1. unfold Rpower. rewrite ln_exp.
    field. lra.
Qed.

Definition root_of (base : term) (q : positive) : term := match q with xH => base | _ => Sqrt base end.

Fixpoint power_of (base t : term) : term :=
  match t with
  | Add a b => Mul (power_of base a) (power_of base b)
  | Num n (1 as q) | Num n (2 as q) =>
      let raised := Pow (root_of base q) (Z.abs_nat n) in
      match n with Zneg _ => Div unit raised | _ => raised end
  | _ => Power base t
  end.

Lemma Rpower_whole x n : x > 0 -> Rpower x (IZR n) = match n with Zneg _ => 1 / x ^ Z.abs_nat n | _ => x ^ Z.abs_nat n end.
Proof.
  intros X. destruct n as [|p|p]; simpl.
  - now rewrite Rpower_O.
  - rewrite <- Rpower_pow by exact X. f_equal. now rewrite INR_IZR_INZ, positive_nat_Z.
  - replace (IZR (Zneg p)) with (- INR (Pos.to_nat p)).
    + rewrite Rpower_Ropp, Rpower_pow by exact X. unfold Rdiv. ring.
    + rewrite INR_IZR_INZ, positive_nat_Z. now rewrite <- opp_IZR.
Qed.

Lemma power_ok e base t : value e base > 0 -> Rpower (value e base) (value e t) = value e (power_of base t).
Proof.
  intros X. induction t; try reflexivity.
  - assert (W : forall q', (q' = 1 \/ q' = 2)%positive -> Rpower (value e base) (value e (Num p q')) =
      value e (match p with Zneg _ => Div unit (Pow (root_of base q') (Z.abs_nat p)) | _ => Pow (root_of base q') (Z.abs_nat p) end)).
    { intros q' [->| ->].
      - simpl value at 2. rewrite Rpower_whole by exact X. now destruct p.
      - assert (Y : Rpower (value e base) (value e (Num p 2)) = Rpower (sqrt (value e base)) (IZR p)).
        { rewrite <- Rpower_sqrt by exact X. rewrite Rpower_mult. f_equal. simpl. field. }
        rewrite Y, Rpower_whole by now apply sqrt_lt_R0. now destruct p. }
    destruct q as [q|[q|q|]|]; try (destruct p; reflexivity).
    + rewrite (W 2%positive) by auto. reflexivity.
    + rewrite (W 1%positive) by auto. reflexivity.
  - simpl. now rewrite Rpower_plus, IHt1, IHt2.
Qed.

Lemma rising_log a b : a > b -> b > 0 -> log2 a > log2 b.
Proof.
  intros A B. unfold log2. pose proof ln2. apply Rmult_gt_compat_r; [now apply Rinv_0_lt_compat|].
  now apply ln_increasing.
Qed.

(** * Integers *)

Definition whole_mono (known : list term) (m : mono) : bool :=
  forallb (fun a => match fst a with Floor _ | Ceil _ => true | x => existsb (same x) known end) m.

Definition whole (known : list term) (t : term) : bool :=
  match plain t with
  | Some p => forallb (fun c => match Qden (snd c) with xH => true | _ => false end && whole_mono known (fst c)) p
  | None => false
  end.

Lemma integer_add x y : integer x -> integer y -> integer (x + y).
Proof. intros [a ->] [b ->]. exists (a + b)%Z. now rewrite plus_IZR. Qed.
Lemma integer_mul x y : integer x -> integer y -> integer (x * y).
Proof. intros [a ->] [b ->]. exists (a * b)%Z. now rewrite mult_IZR. Qed.
Lemma integer_pow x n : integer x -> integer (x ^ n).
Proof. intros X. induction n; simpl; [now exists 1%Z|now apply integer_mul]. Qed.

Lemma whole_ok e known t : Forall (fun a => integer (value e a)) known -> whole known t = true -> integer (value e t).
Proof.
  intros K. unfold whole. destruct (plain t) as [p|] eqn:P; [|discriminate]. rewrite <- (plain_ok e _ _ P).
  clear P t. induction p as [|[m c] p IH]; simpl; intros H; [now exists 0%Z|].
  apply andb_prop in H. destruct H as [H1 H2]. apply andb_prop in H1. destruct H1 as [C M].
  apply integer_add; [|now apply IH]. apply integer_mul.
  - destruct c as [c [q|q|]]; try discriminate. exists c. unfold Q2R. simpl. lra.
  - clear IH H2. induction m as [|[x i] m IH]; simpl in *; [now exists 1%Z|]. apply andb_prop in M. destruct M as [M1 M2].
    apply integer_mul; [|now apply IH]. apply integer_pow.
    assert (Y : (exists t, x = Floor t \/ x = Ceil t) \/ existsb (same x) known = true).
    { destruct x; try (right; exact M1); left; eexists; auto. }
    destruct Y as [(t & [->| ->])|Y]; [apply floor_ok|apply ceil_ok|].
    apply existsb_exists in Y. destruct Y as (y & I & S). apply same_eq in S. subst.
    exact (proj1 (Forall_forall _ _) K _ I).
Qed.

Definition gap (a b d : term) : bool :=
  match plain d, plain (minus a b) with Some p, Some q => pequal p q | _, _ => false end.

Lemma gap_ok e a b d : gap a b d = true -> value e a > value e b -> integer (value e d) -> value e a >= value e b + 1.
Proof.
  unfold gap. destruct (plain d) as [p|] eqn:P; [|discriminate]. destruct (plain (minus a b)) as [q|] eqn:Q; [|discriminate].
  intros H G [z Z]. apply pequal_ok with (e := e) in H. rewrite (plain_ok e _ _ P), (plain_ok e _ _ Q), minus_ok, Z in H.
  assert (0 < z)%Z by (apply lt_IZR; lra). assert (1 <= z)%Z as L by lia. apply IZR_le in L. lra.
Qed.

(** * Terms put in for names *)

Fixpoint lookup (s : list (positive * term)) (n : positive) : term :=
  match s with
  | [] => Var n
  | (m, t) :: s => if Pos.eqb n m then t else lookup s n
  end.

Fixpoint swap (s : list (positive * term)) (t : term) : term :=
  match t with
  | Num _ _ => t
  | Var n => lookup s n
  | Add a b => Add (swap s a) (swap s b) | Mul a b => Mul (swap s a) (swap s b) | Div a b => Div (swap s a) (swap s b)
  | Pow a n => Pow (swap s a) n
  | Max a b => Max (swap s a) (swap s b) | Min a b => Min (swap s a) (swap s b)
  | Sqrt a => Sqrt (swap s a) | Floor a => Floor (swap s a) | Ceil a => Ceil (swap s a) | Log2 a => Log2 (swap s a)
  | Power a b => Power (swap s a) (swap s b)
  end.

Fixpoint without (n : positive) (t : term) : bool :=
  match t with
  | Num _ _ => true
  | Var m => negb (Pos.eqb m n)
  | Add a b | Mul a b | Div a b | Max a b | Min a b | Power a b => without n a && without n b
  | Pow a _ | Sqrt a | Floor a | Ceil a | Log2 a => without n a
  end.

(** A growing name is neither replaced nor captured. *)
Definition apart (s : list (positive * term)) (n : positive) : bool :=
  forallb (fun p => negb (Pos.eqb n (fst p)) && without n (snd p)) s.

Fixpoint replaced (s : list (positive * term)) (f : formula) : option formula :=
  let two (c : formula -> formula -> formula) f g :=
    match replaced s f, replaced s g with Some f, Some g => Some (c f g) | _, _ => None end in
  match f with
  | Gt a b => Some (Gt (swap s a) (swap s b))
  | Ge a b => Some (Ge (swap s a) (swap s b))
  | Eq a b => Some (Eq (swap s a) (swap s b))
  | Int a => Some (Int (swap s a))
  | Tends a xs b => if forallb (apart s) xs then Some (Tends (swap s a) xs (swap s b)) else None
  | Yes => Some Yes | No => Some No
  | Not f => option_map Not (replaced s f)
  | And f g => two And f g | Or f g => two Or f g | Imp f g => two Imp f g | Iff f g => two Iff f g
  end.

Definition through (s : list (positive * term)) (e d : positive -> R) : Prop := forall n, d n = value e (lookup s n).

Lemma swap_ok s e d t : through s e d -> value e (swap s t) = value d t.
Proof.
  intros H. induction t; simpl; rewrite ?IHt, ?IHt1, ?IHt2; try reflexivity. symmetry. apply H.
Qed.

Lemma without_ok n x e t : without n t = true -> value (put n x e) t = value e t.
Proof.
  induction t; simpl; intros H; try (apply andb_prop in H; destruct H);
    rewrite ?IHt, ?IHt1, ?IHt2 by assumption; try reflexivity.
  unfold put. destruct (Pos.eqb n0 n); [discriminate|reflexivity].
Qed.

Lemma through_put s e d n x : through s e d -> apart s n = true -> through s (put n x e) (put n x d).
Proof.
  intros H A m. unfold put at 1. destruct (Pos.eqb m n) eqn:E.
  - apply Pos.eqb_eq in E. subst m. replace (lookup s n) with (Var n); [simpl; unfold put; now rewrite Pos.eqb_refl|].
    clear H. induction s as [|[k t] s IH]; simpl in *; [reflexivity|]. apply andb_prop in A. destruct A as [A1 A2].
    apply andb_prop in A1. destruct A1 as [A1 _]. destruct (Pos.eqb n k); [discriminate|now apply IH].
  - rewrite H. symmetry. apply without_ok. clear H.
    induction s as [|[k t] s IH]; simpl in *; [now rewrite E|]. apply andb_prop in A. destruct A as [A1 A2].
    apply andb_prop in A1. destruct A1 as [_ A1]. destruct (Pos.eqb m k); [exact A1|now apply IH].
Qed.

Lemma through_beyond s M P Q : (forall e d, through s e d -> (P e <-> Q d)) -> forall xs e d, through s e d ->
  forallb (apart s) xs = true -> (beyond M xs e P <-> beyond M xs d Q).
Proof.
  intros PQ. induction xs as [|n xs IH]; simpl; intros e d H A; [now apply PQ|]. apply andb_prop in A.
  destruct A as [A1 A2]. split; intros B x X; specialize (B x X);
    apply (IH (put n x e) (put n x d)); auto; now apply through_put.
Qed.

Lemma replaced_ok s e d f : through s e d -> forall g, replaced s f = Some g -> (meaning e g <-> meaning d f).
Proof.
  intros H. induction f; simpl; intros g G;
    try (injection G as <-; simpl; rewrite ?(swap_ok s e d) by exact H; reflexivity).
  - destruct (forallb (apart s) names) eqn:A; [|discriminate]. injection G as <-. simpl.
    assert (W : forall eps M, beyond M names e (fun e => Rabs (value e (swap s a) - value e (swap s b)) < eps) <->
      beyond M names d (fun e => Rabs (value e a - value e b) < eps)).
    { intros eps M. apply (through_beyond s); auto. intros e' d' T. now rewrite !(swap_ok s e' d'). }
    split; intros L eps E; destruct (L eps E) as [M B]; exists M; now apply W.
  - destruct (replaced s f) as [f'|]; [|discriminate]. injection G as <-. simpl. specialize (IHf _ eq_refl). tauto.
  - destruct (replaced s f1) as [f'|]; [|discriminate]. destruct (replaced s f2) as [g'|]; [|discriminate].
    injection G as <-. simpl. specialize (IHf1 _ eq_refl). specialize (IHf2 _ eq_refl). tauto.
  - destruct (replaced s f1) as [f'|]; [|discriminate]. destruct (replaced s f2) as [g'|]; [|discriminate].
    injection G as <-. simpl. specialize (IHf1 _ eq_refl). specialize (IHf2 _ eq_refl). tauto.
  - destruct (replaced s f1) as [f'|]; [|discriminate]. destruct (replaced s f2) as [g'|]; [|discriminate].
    injection G as <-. simpl. specialize (IHf1 _ eq_refl). specialize (IHf2 _ eq_refl). tauto.
  - destruct (replaced s f1) as [f'|]; [|discriminate]. destruct (replaced s f2) as [g'|]; [|discriminate].
    injection G as <-. simpl. specialize (IHf1 _ eq_refl). specialize (IHf2 _ eq_refl). tauto.
Qed.
