(** The lemma of Hölder, Brascamp and Lieb for projections: points of a lattice, counted by what is seen of them.

    A finite set of points is a list without repetition, a projection the coordinates that a mask keeps. With weights
    n_j/k of the projections that add up to 1 at least for each coordinate, points <= product of seen_j^(n_j/k). The
    proof is by induction on the coordinates: a set is cut into slices of equal first coordinate, and the inequality of
    Hölder puts the slices together. *)

From Coq Require Import Reals List ZArith Lia Lra Bool Arith.
Import ListNotations.
Local Open Scope R_scope.

Definition point := list Z.

(** The coordinates of a point that a mask keeps; those beyond its end are dropped. *)
Fixpoint seen (m : list bool) (p : point) : point :=
  match p with
  | [] => []
  | x :: p => if hd false m then x :: seen (tl m) p else seen (tl m) p
  end.

Definition same_point : forall p q : point, {p = q} + {p <> q} := list_eq_dec Z.eq_dec.
Definition count (l : list point) : nat := length (nodup same_point l).

(** How many different points are seen through a mask. *)
Definition used (m : list bool) (V : list point) : nat := count (map (seen m) V).

(** * Sums, and products of powers *)

Fixpoint sum {A} (xs : list A) (f : A -> R) : R :=
  match xs with [] => 0 | x :: xs => f x + sum xs f end.

Fixpoint weight {B} (P : list (nat * B)) : nat :=
  match P with [] => O | (n, _) :: P => (n + weight P)%nat end.

Fixpoint product {B} (P : list (nat * B)) (g : B -> R) : R :=
  match P with [] => 1 | (n, m) :: P => g m ^ n * product P g end.

Fixpoint weighted {B} (P : list (nat * B)) (g : B -> R) : R :=
  match P with [] => 0 | (n, m) :: P => INR n * g m + weighted P g end.

Lemma sum_le {A} (xs : list A) f g : (forall x, In x xs -> f x <= g x) -> sum xs f <= sum xs g.
Proof.
  induction xs as [|x xs IH]; simpl; intros H; [lra|].
  pose proof (H x (or_introl eq_refl)). assert (sum xs f <= sum xs g) by auto. lra.
Qed.

Lemma sum_nonneg {A} (xs : list A) f : (forall x, 0 <= f x) -> 0 <= sum xs f.
Proof. intros H. induction xs; simpl; [lra|]. pose proof (H a). lra. Qed.

Lemma sum_term {A} (xs : list A) f x : (forall x, 0 <= f x) -> In x xs -> f x <= sum xs f.
Proof.
  intros H. induction xs as [|y xs IH]; simpl; [easy|].
  pose proof (sum_nonneg xs f H). pose proof (H y). intros [-> | Hx]; [lra|]. specialize (IH Hx). lra.
Qed.

Lemma sum_scale {A} (xs : list A) f c : sum xs (fun x => c * f x) = c * sum xs f.
Proof. induction xs; simpl; [lra|]. rewrite IHxs. lra. Qed.

Lemma sum_weighted {A B} (xs : list A) (P : list (nat * B)) (a : B -> A -> R) :
  sum xs (fun x => weighted P (fun m => a m x)) = weighted P (fun m => sum xs (a m)).
Proof.
  induction P as [|[n m] P IH]; simpl.
  - induction xs; simpl; lra.
  - rewrite <- IH. clear IH. induction xs as [|x xs IH]; simpl; [lra|]. rewrite IH. lra.
Qed.

Lemma product_le {B} (P : list (nat * B)) g h : (forall m, 0 <= g m <= h m) -> 0 <= product P g <= product P h.
Proof.
  intros H. induction P as [|[n m] P IH]; simpl; [lra|].
  assert (0 <= g m ^ n) by (apply pow_le; apply H).
  assert (g m ^ n <= h m ^ n) by (apply pow_incr; apply H).
  split; [apply Rmult_le_pos; lra|]. apply Rmult_le_compat; lra.
Qed.

Lemma product_mult {B} (P : list (nat * B)) g h : product P (fun m => g m * h m) = product P g * product P h.
Proof. induction P as [|[n m] P IH]; simpl; [ring|]. rewrite IH, Rpow_mult_distr. ring. Qed.

Lemma product_one {B} (P : list (nat * B)) : product P (fun _ => 1) = 1.
Proof. induction P as [|[n m] P IH]; simpl; [ring|]. rewrite IH, pow1. ring. Qed.

Lemma product_positive {B} (P : list (nat * B)) g : (forall m, 0 < g m) -> 0 < product P g.
Proof. intros H. induction P as [|[n m] P IH]; simpl; [lra|]. apply Rmult_lt_0_compat; [apply pow_lt|]; auto. Qed.

Definition chosen {B} (b : B -> bool) (P : list (nat * B)) := filter (fun q => b (snd q)) P.

(** What is at most 1 may be left out of a product. *)
Lemma product_chosen {B} (P : list (nat * B)) b g :
  (forall m, 0 <= g m <= 1) -> 0 <= product P g <= product (chosen b P) g.
Proof.
  intros H. induction P as [|[n m] P IH]; simpl; [lra|].
  assert (0 <= g m ^ n) by (apply pow_le; apply H).
  assert (g m ^ n <= 1) by (rewrite <- (pow1 n); apply pow_incr; apply H).
  destruct (b m); simpl.
  - split; [apply Rmult_le_pos; lra|]. apply Rmult_le_compat; lra.
  - split; [apply Rmult_le_pos; lra|]. rewrite <- (Rmult_1_l (product (chosen b P) g)). apply Rmult_le_compat; lra.
Qed.

(** * The weighted mean *)

Lemma below_exponential u mu : 0 <= u -> 0 < mu -> u <= mu * exp (u / mu - 1).
Proof.
  intros Hu Hmu. pose proof (exp_ineq1_le (u / mu - 1)).
  replace u with (mu * (1 + (u / mu - 1))) at 1 by (field; lra). apply Rmult_le_compat_l; lra.
Qed.

Lemma product_exponential {B} (P : list (nat * B)) g mu : (forall m, 0 <= g m) -> 0 < mu ->
  product P g <= mu ^ weight P * exp (weighted P g / mu - INR (weight P)).
Proof.
  intros H Hmu. induction P as [|[n m] P IH]; simpl.
  - replace (0 / mu - 0) with 0 by (field; lra). rewrite exp_0. lra.
  - assert (L : g m ^ n <= mu ^ n * exp (INR n * (g m / mu - 1))).
    { clear IH. induction n as [|n IH].
      - simpl. rewrite Rmult_0_l, exp_0. lra.
      - rewrite S_INR. replace ((INR n + 1) * (g m / mu - 1)) with ((g m / mu - 1) + INR n * (g m / mu - 1)) by ring.
        rewrite exp_plus. simpl.
        replace (mu * mu ^ n * (exp (g m / mu - 1) * exp (INR n * (g m / mu - 1)))) with
          ((mu * exp (g m / mu - 1)) * (mu ^ n * exp (INR n * (g m / mu - 1)))) by ring.
        apply Rmult_le_compat; [apply H|apply pow_le; apply H|apply below_exponential; auto|exact IH]. }
    rewrite pow_add, plus_INR.
    replace ((INR n * g m + weighted P g) / mu - (INR n + INR (weight P))) with
      (INR n * (g m / mu - 1) + (weighted P g / mu - INR (weight P))) by (field; lra).
    rewrite exp_plus.
    replace (mu ^ n * mu ^ weight P *
      (exp (INR n * (g m / mu - 1)) * exp (weighted P g / mu - INR (weight P)))) with
      ((mu ^ n * exp (INR n * (g m / mu - 1))) * (mu ^ weight P * exp (weighted P g / mu - INR (weight P)))) by ring.
    apply Rmult_le_compat; auto.
    + apply pow_le; apply H.
    + clear IH L. induction P as [|[n' m'] P IH]; simpl; [lra|]. apply Rmult_le_pos; auto. apply pow_le; apply H.
Qed.

Lemma weighted_nonneg {B} (P : list (nat * B)) g : (forall m, 0 <= g m) -> 0 <= weighted P g.
Proof.
  intros H. induction P as [|[n m] P IH]; simpl; [lra|].
  assert (0 <= INR n * g m) by (apply Rmult_le_pos; [apply pos_INR|apply H]). lra.
Qed.

Lemma product_nothing {B} (P : list (nat * B)) g : (forall m, 0 <= g m) -> (1 <= weight P)%nat -> weighted P g = 0 ->
  product P g = 0.
Proof.
  intros H. induction P as [|[n m] P IH]; simpl; intros W E; [lia|].
  pose proof (weighted_nonneg P g H). assert (0 <= INR n * g m) by (apply Rmult_le_pos; [apply pos_INR|apply H]).
  destruct n as [|n].
  - rewrite IH; [ring|lia|lra].
  - assert (g m = 0).
    { destruct (Rmult_integral (INR (S n)) (g m)) as [Z|Z]; [lra| |exact Z]. rewrite S_INR in Z. pose proof (pos_INR n). lra. }
    rewrite H2. simpl. ring.
Qed.

Lemma mean {B} (P : list (nat * B)) g : (forall m, 0 <= g m) -> (1 <= weight P)%nat ->
  product P g <= (weighted P g / INR (weight P)) ^ weight P.
Proof.
  intros H W. assert (N : 0 < INR (weight P)) by (apply lt_0_INR; lia).
  destruct (Rle_lt_or_eq_dec 0 (weighted P g) (weighted_nonneg P g H)) as [L|L].
  - assert (Hmu : 0 < weighted P g / INR (weight P)) by (apply Rdiv_lt_0_compat; auto).
    pose proof (product_exponential P g _ H Hmu) as E.
    replace (weighted P g / (weighted P g / INR (weight P)) - INR (weight P)) with 0 in E by (field; lra).
    rewrite exp_0, Rmult_1_r in E. exact E.
  - rewrite product_nothing; auto. apply pow_le. rewrite <- L. unfold Rdiv. lra.
Qed.

(** * Hölder's inequality *)

Lemma pow_strict a b k : 0 <= a < b -> (1 <= k)%nat -> a ^ k < b ^ k.
Proof.
  intros H. induction k as [|k IH]; intros K; [lia|]. destruct k as [|k]; [simpl; lra|].
  assert (a ^ S k < b ^ S k) by (apply IH; lia). assert (0 <= a ^ S k) by (apply pow_le; lra).
  change (a * a ^ S k < b * b ^ S k). apply Rle_lt_trans with (b * a ^ S k).
  - apply Rmult_le_compat_r; lra.
  - apply Rmult_lt_compat_l; lra.
Qed.

Lemma root Q k : 0 < Q -> (1 <= k)%nat -> exists r, 0 < r /\ r ^ k = Q.
Proof.
  intros HQ K. exists (Rpower Q (/ INR k)). assert (0 < INR k) by (apply lt_0_INR; lia). split.
  - apply exp_pos.
  - rewrite <- Rpower_pow by apply exp_pos. rewrite Rpower_mult.
    replace (/ INR k * INR k) with 1 by (field; lra). apply Rpower_1. exact HQ.
Qed.

Lemma pow_shorter u k N : 0 <= u <= 1 -> (k <= N)%nat -> u ^ N <= u ^ k.
Proof.
  intros H K. replace N with (k + (N - k))%nat by lia. rewrite pow_add.
  assert (0 <= u ^ k) by (apply pow_le; lra).
  assert (u ^ (N - k) <= 1) by (rewrite <- (pow1 (N - k)); apply pow_incr; lra).
  rewrite <- (Rmult_1_r (u ^ k)) at 2. apply Rmult_le_compat_l; lra.
Qed.

Lemma weighted_most {B} (P : list (nat * B)) b g : (forall m, b m = true -> g m <= 1) ->
  weighted (chosen b P) g <= INR (weight (chosen b P)).
Proof.
  intros H. induction P as [|[n m] P IH]; [simpl; lra|]. unfold chosen in *. simpl. destruct (b m) eqn:E; simpl; auto.
  rewrite plus_INR. pose proof (H m E). pose proof (pos_INR n).
  assert (INR n * g m <= INR n * 1) by (apply Rmult_le_compat_l; lra). lra.
Qed.

Theorem holder {A B} (xs : list A) (P : list (nat * B)) (b : B -> bool) (a : B -> A -> R) (T : B -> R) (f : A -> R) k :
  (1 <= k <= weight (chosen b P))%nat ->
  (forall m, 0 < T m) -> (forall m x, 0 <= a m x) ->
  (forall m x, In x xs -> b m = false -> a m x <= T m) ->
  (forall m, b m = true -> sum xs (a m) <= T m) ->
  (forall x, 0 <= f x) ->
  (forall x, In x xs -> f x ^ k <= product P (fun m => a m x)) ->
  sum xs f ^ k <= product P T.
Proof.
  intros [K W] HT Ha Hno Hyes Hf H.
  set (Q := product P T). assert (HQ : 0 < Q) by (apply product_positive; exact HT).
  destruct (root Q k HQ K) as [r [Hr Er]].
  set (C := chosen b P). fold C in W. assert (N : 0 < INR (weight C)) by (apply lt_0_INR; lia).
  set (u := fun m x => a m x / T m).
  assert (Hu : forall m x, 0 <= u m x).
  { intros. unfold u, Rdiv. apply Rmult_le_pos; [apply Ha|]. left. apply Rinv_0_lt_compat. apply HT. }
  assert (Hu1 : forall m x, In x xs -> u m x <= 1).
  { intros m x Hx. unfold u. apply Rmult_le_reg_r with (T m); [apply HT|].
    replace (a m x / T m * T m) with (a m x) by (field; apply Rgt_not_eq; apply HT). rewrite Rmult_1_l.
    destruct (b m) eqn:E; [|apply Hno; auto]. apply Rle_trans with (sum xs (a m)); [|apply Hyes; auto].
    apply sum_term; auto. }
  assert (Hm : forall x, In x xs -> f x <= r * (weighted C (fun m => u m x) / INR (weight C))).
  { intros x Hx. set (mu := weighted C (fun m => u m x) / INR (weight C)).
    assert (M0 : 0 <= mu).
    { unfold mu, Rdiv. apply Rmult_le_pos; [apply weighted_nonneg; auto|]. left. apply Rinv_0_lt_compat. exact N. }
    assert (M1 : mu <= 1).
    { unfold mu. apply Rmult_le_reg_r with (INR (weight C)); [exact N|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra.
      rewrite Rmult_1_r, Rmult_1_l. apply weighted_most. auto. }
    destruct (Rle_or_lt (f x) (r * mu)) as [L|L]; [exact L|exfalso].
    assert (0 <= r * mu) by (apply Rmult_le_pos; lra).
    pose proof (pow_strict (r * mu) (f x) k (conj H0 L) K) as S. rewrite Rpow_mult_distr, Er in S.
    pose proof (H x Hx) as F.
    assert (E : product P (fun m => a m x) = Q * product P (fun m => u m x)).
    { unfold Q. rewrite <- product_mult. clear - HT. induction P as [|[n m] P' IH]; simpl; [reflexivity|].
      rewrite IH. f_equal. f_equal. unfold u. field. apply Rgt_not_eq. apply HT. }
    assert (L1 : product P (fun m => u m x) <= product C (fun m => u m x)) by (apply product_chosen; auto).
    assert (L2 : product C (fun m => u m x) <= mu ^ weight C) by (apply mean; auto; lia).
    assert (L3 : mu ^ weight C <= mu ^ k) by (apply pow_shorter; auto).
    assert (Q * product P (fun m => u m x) <= Q * mu ^ k) by (apply Rmult_le_compat_l; lra).
    lra. }
  assert (Hs : sum xs f <= r).
  { apply Rle_trans with (sum xs (fun x => r / INR (weight C) * weighted C (fun m => u m x))).
    - apply sum_le. intros x Hx. apply Rle_trans with (1 := Hm x Hx). right. field. lra.
    - rewrite sum_scale, sum_weighted.
      assert (weighted C (fun m => sum xs (u m)) <= INR (weight C)).
      { apply weighted_most. intros m E. unfold u. 
        assert (E2 : sum xs (fun x => a m x / T m) = / T m * sum xs (a m)).
        { rewrite <- sum_scale. clear. induction xs; simpl; [reflexivity|]. rewrite IHxs. unfold Rdiv. ring. }
        rewrite E2. apply Rmult_le_reg_l with (T m); [apply HT|]. rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l, Rmult_1_r.
        + apply Hyes. exact E.
        + apply Rgt_not_eq. apply HT. }
      apply Rle_trans with (r / INR (weight C) * INR (weight C)).
      + apply Rmult_le_compat_l; [|exact H0]. left. apply Rdiv_lt_0_compat; auto.
      + right. field. lra. }
  rewrite <- Er. apply pow_incr. split; [apply sum_nonneg; auto|exact Hs].
Qed.

(** * Slices *)

Fixpoint total (xs : list Z) (f : Z -> nat) : nat := match xs with [] => O | x :: xs => (f x + total xs f)%nat end.

Lemma sum_total xs f : INR (total xs f) = sum xs (fun x => INR (f x)).
Proof. induction xs as [|x xs IH]; [reflexivity|]. simpl total. rewrite plus_INR, IH. reflexivity. Qed.

Definition together (xs : list Z) (g : Z -> list point) := flat_map (fun x => map (cons x) (g x)) xs.

Lemma together_length xs g : length (together xs g) = total xs (fun x => length (g x)).
Proof. induction xs as [|x xs IH]; [reflexivity|]. unfold together in *. simpl.
  rewrite app_length, map_length, IH. reflexivity.
Qed.

Lemma together_in xs g p : In p (together xs g) <-> exists x q, p = x :: q /\ In x xs /\ In q (g x).
Proof.
  unfold together. rewrite in_flat_map. split.
  - intros [x [Hx Hp]]. apply in_map_iff in Hp. destruct Hp as [q [E Hq]]. exists x, q. auto.
  - intros [x [q [-> [Hx Hq]]]]. exists x. split; auto. apply in_map. exact Hq.
Qed.

Lemma apart {A} (a b : list A) : NoDup a -> NoDup b -> (forall x, In x a -> ~ In x b) -> NoDup (a ++ b).
Proof.
  induction a as [|x a IH]; simpl; auto. intros Ha Hb H. inversion Ha; subst. constructor.
  - rewrite in_app_iff. intros [I|I]; [auto|]. apply (H x); auto.
  - apply IH; auto.
Qed.

Lemma together_once xs g : NoDup xs -> (forall x, NoDup (g x)) -> NoDup (together xs g).
Proof.
  intros Hx Hg. induction Hx as [|x xs N Hx IH]; [constructor|]. simpl. apply apart.
  - specialize (Hg x). induction Hg as [|q l Nq Hl IHl]; simpl; constructor; auto.
    rewrite in_map_iff. intros [q' [E Hq]]. inversion E. subst. auto.
  - exact IH.
  - intros p Hp. apply in_map_iff in Hp. destruct Hp as [q [<- _]]. intros I. apply together_in in I.
    destruct I as [y [q' [E [Hy _]]]]. inversion E. subst. auto.
Qed.

Definition firsts (V : list point) : list Z := nodup Z.eq_dec (map (hd 0%Z) V).
Definition slice (V : list point) (x : Z) : list point := map (@tl Z) (filter (fun p => Z.eqb (hd 0%Z p) x) V).

Lemma slice_in d V x q : (forall p, In p V -> length p = S d) -> In q (slice V x) <-> In (x :: q) V.
Proof.
  intros H. unfold slice. rewrite in_map_iff. split.
  - intros [p [<- Hp]]. apply filter_In in Hp. destruct Hp as [Hp E]. apply Z.eqb_eq in E.
    specialize (H p Hp). destruct p as [|y p]; [discriminate|]. simpl in *. subst. exact Hp.
  - intros Hq. exists (x :: q). split; [reflexivity|]. apply filter_In. split; [exact Hq|]. apply Z.eqb_refl.
Qed.

Lemma slice_once d V x : (forall p, In p V -> length p = S d) -> NoDup V -> NoDup (slice V x).
Proof.
  intros H N. unfold slice. induction N as [|p V Np N IH]; simpl; [constructor|].
  assert (H' : forall p, In p V -> length p = S d) by (intros; apply H; right; auto).
  destruct (Z.eqb (hd 0%Z p) x) eqn:E; simpl; auto. constructor; auto. intros I. apply Np.
  pose proof (H p (or_introl eq_refl)) as L. destruct p as [|y p]; [discriminate|]. simpl in *. apply Z.eqb_eq in E. subst.
  apply (proj1 (slice_in d V x p H')). exact I.
Qed.

Lemma count_le l l' : incl l l' -> (count l <= count l')%nat.
Proof.
  intros H. apply NoDup_incl_length; [apply NoDup_nodup|]. intros p Hp. apply nodup_In. apply nodup_In in Hp. auto.
Qed.

Lemma used_some m V : V <> [] -> 0 < INR (used m V).
Proof.
  intros H. apply lt_0_INR. unfold used, count. destruct V as [|p V]; [easy|].
  assert (I : In (seen m p) (nodup same_point (map (seen m) (p :: V)))) by (apply nodup_In; left; reflexivity).
  destruct (nodup same_point (map (seen m) (p :: V))); [easy|]. simpl. lia.
Qed.

Lemma product_used P V : 0 <= product P (fun m => INR (used m V)).
Proof. induction P as [|[n m] P IH]; simpl; [lra|]. apply Rmult_le_pos; [apply pow_le; apply pos_INR|exact IH]. Qed.

Lemma whole_in_slices d V : (forall p, In p V -> length p = S d) -> NoDup V ->
  (length V <= total (firsts V) (fun x => length (slice V x)))%nat.
Proof.
  intros H N. rewrite <- together_length. apply NoDup_incl_length; [exact N|]. intros p Hp. apply together_in.
  pose proof (H p Hp) as L. destruct p as [|x q]; [discriminate|]. exists x, q. repeat split.
  - apply nodup_In. apply in_map_iff. exists (x :: q). auto.
  - apply (slice_in d); auto.
Qed.

Lemma slices_kept d V m : (forall p, In p V -> length p = S d) -> hd false m = true ->
  (total (firsts V) (fun x => used (tl m) (slice V x)) <= used m V)%nat.
Proof.
  intros H E.
  pose (g := fun x => nodup same_point (map (seen (tl m)) (slice V x))).
  change (total (firsts V) (fun x => length (g x)) <= used m V)%nat. rewrite <- together_length. apply NoDup_incl_length.
  - apply together_once; [apply NoDup_nodup|]. intros. apply NoDup_nodup.
  - intros p Hp. apply together_in in Hp. destruct Hp as [x [q [-> [_ Hq]]]]. apply nodup_In in Hq. apply nodup_In.
    apply in_map_iff in Hq. destruct Hq as [q' [<- Hq]]. apply (slice_in d) in Hq; [|exact H].
    apply in_map_iff. exists (x :: q'). simpl. rewrite E. auto.
Qed.

Lemma slice_dropped d V m x : (forall p, In p V -> length p = S d) -> hd false m = false ->
  (used (tl m) (slice V x) <= used m V)%nat.
Proof.
  intros H E. apply count_le. intros q Hq. apply in_map_iff in Hq. destruct Hq as [q' [<- Hq]].
  apply (slice_in d) in Hq; [|exact H]. apply in_map_iff. exists (x :: q'). simpl. rewrite E. auto.
Qed.

(** * The lemma *)

(** The weights of the projections that keep a coordinate. *)
Definition cover (P : list (nat * list bool)) (i : nat) : nat := weight (chosen (fun m => nth i m false) P).

Definition shorter (P : list (nat * list bool)) := map (fun q => (fst q, tl (snd q))) P.

Lemma nth_tl i (m : list bool) : nth i (tl m) false = nth (S i) m false.
Proof. destruct m; [destruct i|]; reflexivity. Qed.

Lemma cover_shorter P i : cover (shorter P) i = cover P (S i).
Proof.
  unfold cover. induction P as [|[n m] P IH]; [reflexivity|]. unfold chosen in *. cbn [shorter map filter snd fst].
  rewrite nth_tl. destruct (nth (S i) m false); simpl; fold (shorter P); rewrite IH; reflexivity.
Qed.

Lemma cover_first P : weight (chosen (hd false) P) = cover P 0.
Proof.
  unfold cover, chosen. f_equal. apply filter_ext. intros [n m]. simpl. destruct m; reflexivity.
Qed.

Lemma product_shorter P V : product (shorter P) (fun m => INR (used m V)) = product P (fun m => INR (used (tl m) V)).
Proof. induction P as [|[n m] P IH]; [reflexivity|]. simpl. fold (shorter P). rewrite IH. reflexivity. Qed.

Theorem points_of_projections d : forall k P V, (1 <= k)%nat -> NoDup V -> (forall p, In p V -> length p = d) ->
  (forall i, (i < d)%nat -> (k <= cover P i)%nat) ->
  INR (length V) ^ k <= product P (fun m => INR (used m V)).
Proof.
  induction d as [|d IH]; intros k P V K N L C.
  - destruct V as [|p V].
    + simpl length. change (INR 0) with 0. rewrite pow_i by lia. apply product_used.
    + assert (V = []) as ->.
      { destruct V as [|q V]; [reflexivity|exfalso]. inversion N as [|? ? Np _]. apply Np.
        pose proof (L p (or_introl eq_refl)). pose proof (L q (or_intror (or_introl eq_refl))).
        destruct p, q; try discriminate. left. reflexivity. }
      simpl length. change (INR 1) with 1. rewrite pow1. rewrite <- (product_one P). apply product_le. intros m. split; [lra|].
      assert (0 < used m [p])%nat by (apply INR_lt; apply used_some; discriminate). apply (le_INR 1). lia.
  - destruct V as [|p0 V0] eqn:EV.
    + simpl length. change (INR 0) with 0. rewrite pow_i by lia. apply product_used.
    + rewrite <- EV in *. assert (Some : V <> []) by (rewrite EV; discriminate). clear EV.
      apply Rle_trans with (sum (firsts V) (fun x => INR (length (slice V x))) ^ k).
      * apply pow_incr. split; [apply pos_INR|]. rewrite <- sum_total. apply le_INR. apply (whole_in_slices d); auto.
      * apply holder with (b := hd false) (a := fun m x => INR (used (tl m) (slice V x))).
        -- split; [exact K|]. rewrite cover_first. apply C. lia.
        -- intros m. apply used_some. exact Some.
        -- intros. apply pos_INR.
        -- intros m x _ E. apply le_INR. apply (slice_dropped d); auto.
        -- intros m E. rewrite <- sum_total. apply le_INR. apply (slices_kept d); auto.
        -- intros. apply pos_INR.
        -- intros x _. rewrite <- product_shorter. apply IH; auto.
           ++ apply (slice_once d); auto.
           ++ intros q Hq. apply (slice_in d) in Hq; auto. apply L in Hq. simpl in Hq. lia.
           ++ intros i Hi. rewrite cover_shorter. apply C. lia.
Qed.

(** * Loops of given lengths, which may have a weight of their own *)

(** A set of points of a box, coordinates from 0 on, each below its length. *)
Definition points_of (lengths : list nat) (V : list point) : Prop :=
  NoDup V /\ forall p, In p V -> Forall2 (fun x n => (0 <= x < Z.of_nat n)%Z) p lengths.

Lemma coordinates lengths V p : points_of lengths V -> In p V -> length p = length lengths.
Proof. intros [_ H] Hp. specialize (H p Hp). clear Hp. induction H; simpl; congruence. Qed.

Definition only (i : nat) : list bool := repeat false i ++ [true].

Fixpoint loops (ts lengths : list nat) : R :=
  match ts, lengths with t :: ts, n :: lengths => INR n ^ t * loops ts lengths | _, _ => 1 end.

Definition covered (k : nat) (P : list (nat * list bool)) (ts : list nat) (d : nat) : bool :=
  Nat.eqb (length ts) d && forallb (fun i => Nat.leb k (cover P i + nth i ts O)) (seq 0 d).

Lemma seen_only i : forall p, (i < length p)%nat -> seen (only i) p = [nth i p 0%Z].
Proof.
  induction i as [|i IH]; intros [|x p] H; simpl in *; try lia.
  - f_equal. clear. induction p; simpl; auto.
  - apply IH. lia.
Qed.

Lemma used_only i lengths V : points_of lengths V -> (i < length lengths)%nat -> (used (only i) V <= nth i lengths O)%nat.
Proof.
  intros G Hi. unfold used, count. pose proof (proj2 G) as H.
  rewrite <- (seq_length (nth i lengths O) 0), <- (map_length (fun j => [Z.of_nat j]) (seq 0 (nth i lengths O))).
  apply NoDup_incl_length; [apply NoDup_nodup|]. intros q Hq. apply nodup_In in Hq. apply in_map_iff in Hq.
  destruct Hq as [p [<- Hp]]. pose proof (H p Hp) as F. pose proof (coordinates lengths V p G Hp) as Lp.
  rewrite seen_only by lia.
  assert (B : (0 <= nth i p 0%Z < Z.of_nat (nth i lengths O))%Z).
  { clear - F Hi Lp. revert i Hi. induction F as [|x n p ls Hx F IH]; intros [|i] Hi; simpl in *; try lia. apply IH; lia. }
  apply in_map_iff. exists (Z.to_nat (nth i p 0%Z)). split; [f_equal; lia|]. apply in_seq. lia.
Qed.

Definition alone (ts : list nat) : list (nat * list bool) :=
  map (fun i => (nth i ts O, only i)) (seq 0 (length ts)).

Lemma weight_app {B} (P Q : list (nat * B)) : weight (P ++ Q) = (weight P + weight Q)%nat.
Proof. induction P as [|[n m] P IH]; [reflexivity|]. simpl. rewrite IH. lia. Qed.

Lemma weight_in {B} (P : list (nat * B)) n m : In (n, m) P -> (n <= weight P)%nat.
Proof.
  induction P as [|[n' m'] P IH]; [easy|]. intros [E|I]; simpl.
  - inversion E. lia.
  - specialize (IH I). lia.
Qed.

Lemma nth_only i : nth i (only i) false = true.
Proof. unfold only. rewrite app_nth2; rewrite repeat_length; [|lia]. replace (i - i)%nat with O by lia. reflexivity. Qed.

Lemma cover_alone P ts i : (i < length ts)%nat -> (cover P i + nth i ts O <= cover (P ++ alone ts) i)%nat.
Proof.
  intros H. unfold cover, chosen. rewrite filter_app, weight_app. apply Nat.add_le_mono_l.
  apply weight_in with (m := only i). apply filter_In. split; [|apply nth_only].
  apply in_map_iff. exists i. split; [reflexivity|]. apply in_seq. lia.
Qed.

Lemma product_app {B} (P Q : list (nat * B)) g : product (P ++ Q) g = product P g * product Q g.
Proof. induction P as [|[n m] P IH]; simpl; [ring|]. rewrite IH. ring. Qed.

Lemma product_alone lengths V : points_of lengths V -> forall ts js,
  length ts = length js ->
  (forall j, In j js -> (j < length lengths)%nat) ->
  product (combine ts (map only js)) (fun m => INR (used m V)) <= loops ts (map (fun j => nth j lengths O) js).
Proof.
  intros H ts. induction ts as [|t ts IH]; intros [|j js] E B; simpl in *; try lra; try discriminate.
  assert (U : INR (used (only j) V) <= INR (nth j lengths O)) by (apply le_INR; apply used_only; auto).
  apply Rmult_le_compat.
  - apply pow_le. apply pos_INR.
  - apply product_used.
  - apply pow_incr. split; [apply pos_INR|exact U].
  - apply IH; auto.
Qed.

Lemma alone_combine ts : alone ts = combine ts (map only (seq 0 (length ts))).
Proof.
  unfold alone. assert (G : forall ts s f, (forall i, (i < length ts)%nat -> f (s + i)%nat = nth i ts O) ->
    map (fun i => (f i, only i)) (seq s (length ts)) = combine ts (map only (seq s (length ts)))).
  { clear. induction ts as [|t ts IH]; intros s f H; [reflexivity|]. simpl. f_equal.
    - f_equal. specialize (H O). simpl in H. rewrite Nat.add_0_r in H. apply H. lia.
    - apply IH. intros i Hi. specialize (H (S i)). simpl in H. rewrite <- H by lia. f_equal. lia. }
  apply (G ts O (fun i => nth i ts O)). reflexivity.
Qed.

Lemma nth_seq (l : list nat) : map (fun j => nth j l O) (seq 0 (length l)) = l.
Proof.
  induction l as [|x l IH]; [reflexivity|]. simpl. f_equal. rewrite <- seq_shift, map_map. exact IH.
Qed.

Theorem points_of_a_nest k P ts lengths V : covered k P ts (length lengths) = true -> (1 <= k)%nat ->
  points_of lengths V ->
  product P (fun m => INR (used m V)) * loops ts lengths >= INR (length V) ^ k.
Proof.
  intros C K H. apply andb_prop in C. destruct C as [E C]. apply Nat.eqb_eq in E. rewrite forallb_forall in C.
  apply Rle_ge. apply Rle_trans with (product (P ++ alone ts) (fun m => INR (used m V))).
  - apply points_of_projections with (d := length lengths); auto.
    + apply H.
    + intros p Hp. apply coordinates with (1 := H). exact Hp.
    + intros i Hi. apply Nat.le_trans with (cover P i + nth i ts O)%nat.
      * apply Nat.leb_le. apply C. apply in_seq. lia.
      * apply cover_alone. lia.
  - rewrite product_app. apply Rmult_le_compat_l.
    + apply product_used.
    + rewrite alone_combine.
      replace (loops ts lengths) with (loops ts (map (fun j => nth j lengths O) (seq 0 (length ts))))
        by (rewrite E, nth_seq; reflexivity).
      apply product_alone with (lengths := lengths); auto.
      * rewrite seq_length. reflexivity.
      * intros j Hj. apply in_seq in Hj. lia.
Qed.

(** What a theorem about a set of points is told: the counts are positive, and the lemma, its factors in any order. *)

Lemma some_used m (V : list point) e : V <> [] -> e = INR (used m V) -> e > 0.
Proof. intros H ->. apply used_some. exact H. Qed.

Lemma some_points (V : list point) e : V <> [] -> e = INR (length V) -> e > 0.
Proof. intros H ->. apply lt_0_INR. destruct V; [easy|]. simpl. lia. Qed.

Ltac rearranged H := apply Rle_ge; eapply Rle_trans; [apply Rge_le; exact H|right; ring].
