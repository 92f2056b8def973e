(** Phases of equal traffic (Hong and Kung): what a run moves, by what a stretch of it can make.

    A run brings elements into a memory of M bytes, begins sums there, makes products of what is inside, stores sums and
    drops operands; every product may be made again. It moves what is loaded and what is stored. Cut greedily into
    phases that bring or begin X bytes, it has no more than moved/X + 1 of them, and the products of a phase use
    elements of M + X bytes at most: those inside when it began, and those that it brought or began. So some phase makes
    as many products as all there are over the number of phases. *)

From Coq Require Import Reals List ZArith Bool Arith Lia Lra FinFun.
From Roofproof Require Import Projections.
Import ListNotations.
Local Open Scope R_scope.

Section Runs.

Context {E P : Type}.
Variable same_element : forall a b : E, {a = b} + {a <> b}.
Variable same_product : forall a b : P, {a = b} + {a <> b}.
Variable width : E -> R.
Hypothesis width_nonneg : forall e, 0 <= width e.
Variable is_sum : E -> bool.
Variable needs : P -> list E.

Inductive step := Load (e : E) | Begin (e : E) | Store (e : E) | Drop (e : E) | Make (p : P).

Fixpoint bytes (l : list E) : R := match l with [] => 0 | e :: l => width e + bytes l end.

(** [run M m s m']: the steps s lead from what a memory of M bytes holds, m, to m'. A sum leaves by being stored. *)
Inductive run (M : R) : list E -> list step -> list E -> Prop :=
| run_end m : run M m [] m
| run_load e m s m' : bytes (e :: m) <= M -> run M (e :: m) s m' -> run M m (Load e :: s) m'
| run_begin e m s m' : is_sum e = true -> bytes (e :: m) <= M -> run M (e :: m) s m' -> run M m (Begin e :: s) m'
| run_store a e b s m' : run M (a ++ b) s m' -> run M (a ++ e :: b) (Store e :: s) m'
| run_drop a e b s m' : is_sum e = false -> run M (a ++ b) s m' -> run M (a ++ e :: b) (Drop e :: s) m'
| run_make p m s m' : incl (needs p) m -> run M m s m' -> run M m (Make p :: s) m'.

Fixpoint moved (s : list step) : R :=
  match s with
  | [] => 0
  | Load e :: s | Store e :: s => width e + moved s
  | _ :: s => moved s
  end.

Fixpoint made (s : list step) : list P :=
  match s with [] => [] | Make p :: s => p :: made s | _ :: s => made s end.

(** What is brought, and what is begun, which has to be stored later. *)
Fixpoint brought (s : list step) : R :=
  match s with
  | [] => 0
  | Load e :: s | Begin e :: s => width e + brought s
  | _ :: s => brought s
  end.

Lemma bytes_app a b : bytes (a ++ b) = bytes a + bytes b.
Proof. induction a as [|e a IH]; simpl; [lra|]. rewrite IH. lra. Qed.

Lemma bytes_nonneg l : 0 <= bytes l.
Proof. induction l as [|e l IH]; simpl; [lra|]. pose proof (width_nonneg e). lra. Qed.

Lemma bytes_incl l : NoDup l -> forall u, incl l u -> bytes l <= bytes u.
Proof.
  induction l as [|e l IH]; intros N u H; simpl.
  - apply bytes_nonneg.
  - inversion N as [|? ? Ne Nl]; subst. destruct (in_split e u) as [a [b ->]]; [apply H; left; reflexivity|].
    assert (L : bytes l <= bytes (a ++ b)).
    { apply IH; [exact Nl|]. intros x Hx. assert (Ix : In x (a ++ e :: b)) by (apply H; right; exact Hx).
      apply in_app_or in Ix. apply in_or_app. destruct Ix as [|[<-|]]; auto. contradiction. }
    rewrite bytes_app in *. simpl. lra.
Qed.

Definition sums (l : list E) : R := bytes (filter is_sum l).

Lemma sums_cons e l : sums (e :: l) = (if is_sum e then width e else 0) + sums l.
Proof. unfold sums. simpl. destruct (is_sum e); simpl; lra. Qed.

Lemma sums_middle a e b : sums (a ++ e :: b) = (if is_sum e then width e else 0) + sums (a ++ b).
Proof.
  unfold sums. rewrite !filter_app, !bytes_app. simpl. destruct (is_sum e); simpl; lra.
Qed.

(** What is begun is stored: a run that begins and ends without sums moves what it brings and begins. *)
Lemma brought_moved M m s m' : run M m s m' -> sums m + brought s <= moved s + sums m'.
Proof.
  induction 1 as [m|e m s m' _ _ IH|e m s m' S _ _ IH|a e b s m' _ IH|a e b s m' S _ IH|p m s m' _ _ IH]; simpl; [lra|..].
  - rewrite sums_cons in IH. destruct (is_sum e); pose proof (width_nonneg e); lra.
  - rewrite sums_cons, S in IH. lra.
  - rewrite sums_middle. destruct (is_sum e); pose proof (width_nonneg e); lra.
  - rewrite sums_middle, S. lra.
  - exact IH.
Qed.

(** A phase uses what is in some list of M + X bytes. *)
Definition phase (M X : R) (v : list P) : Prop :=
  exists u, bytes u <= M + X /\ forall p, In p v -> incl (needs p) u.

(** Phases that use what lies in A, what B brings with room for `left` bytes more, and what comes after, have made
    v and the products to come; more bytes are still to be brought. *)
Definition covered (M X : R) (m : list E) (products : list P) (more : R) : Prop := forall A B v left,
  bytes A <= M -> 0 <= left -> bytes B + left <= X -> incl m (A ++ B) ->
  (forall p, In p v -> incl (needs p) (A ++ B)) ->
  exists ps, Forall (phase M X) ps /\ incl (v ++ products) (concat ps) /\
    INR (length ps) * X <= more + (X - left) + X.

Lemma covered_brings M X e m products more : 0 < X -> bytes (e :: m) <= M ->
  covered M X (e :: m) products more -> covered M X m products (width e + more).
Proof.
  intros HX F IH A B v left HA HL HB Hm Hv. pose proof (bytes_nonneg B).
  destruct (Rle_dec (width e) left) as [L|L].
  - destruct (IH A (e :: B) v (left - width e)) as [ps [H1 [H2 H3]]]; simpl; try lra.
    + intros x [<-|Hx]; apply in_or_app; [right; left; reflexivity|].
      apply Hm in Hx. apply in_app_or in Hx. destruct Hx; [left|right; right]; assumption.
    + intros p Hp x Hx. apply (Hv p Hp) in Hx. apply in_app_or in Hx. apply in_or_app. simpl. tauto.
    + exists ps. repeat split; auto. simpl. lra.
  - apply Rnot_le_lt in L. destruct (IH (e :: m) [] [] X) as [ps [H1 [H2 H3]]]; simpl in *; try lra.
    + rewrite app_nil_r. apply incl_refl.
    + easy.
    + exists (v :: ps). split; [|split].
      * constructor; [|exact H1]. exists (A ++ B). rewrite bytes_app. split; [lra|exact Hv].
      * simpl. apply incl_app; [apply incl_appl, incl_refl|apply incl_appr, H2].
      * change (length (v :: ps)) with (Datatypes.S (length ps)). rewrite S_INR. lra.
Qed.

Lemma cut_from M X m s m' : 0 < X -> run M m s m' -> covered M X m (made s) (brought s).
Proof.
  intros HX. induction 1 as [m|e m s m' F _ IH|e m s m' S F _ IH|a e b s m' _ IH|a e b s m' S _ IH|p m s m' N _ IH];
    intros A B v left HA HL HB Hm Hv; pose proof (bytes_nonneg B).
  - exists [v]. split; [|split].
    + constructor; [|constructor]. exists (A ++ B). rewrite bytes_app. split; [lra|exact Hv].
    + simpl. rewrite !app_nil_r. apply incl_refl.
    + simpl. lra.
  - exact (covered_brings M X e m _ _ HX F IH A B v left HA HL HB Hm Hv).
  - exact (covered_brings M X e m _ _ HX F IH A B v left HA HL HB Hm Hv).
  - apply (IH A B v left); auto. intros x Hx. apply Hm. apply in_app_or in Hx. apply in_or_app. simpl. tauto.
  - apply (IH A B v left); auto. intros x Hx. apply Hm. apply in_app_or in Hx. apply in_or_app. simpl. tauto.
  - destruct (IH A B (p :: v) left) as [ps [H1 [H2 H3]]]; auto.
    + intros q [<-|Hq]; [intros x Hx; apply Hm, N, Hx|apply Hv, Hq].
    + exists ps. split; [exact H1|split]; [|exact H3]. intros q Hq. apply H2. apply in_app_or in Hq. simpl in *.
      rewrite in_app_iff. tauto.
Qed.

Definition different (v : list P) : nat := length (nodup same_product v).

Lemma different_app a b : (different (a ++ b) <= different a + different b)%nat.
Proof.
  unfold different. rewrite <- app_length. apply NoDup_incl_length; [apply NoDup_nodup|].
  intros x Hx. apply nodup_In, in_app_or in Hx. apply in_or_app. rewrite !nodup_In. exact Hx.
Qed.

Lemma largest (ps : list (list P)) : ps <> [] ->
  exists v, In v ps /\ (different (concat ps) <= length ps * different v)%nat.
Proof.
  induction ps as [|v ps IH]; [easy|]. intros _. destruct ps as [|w ps].
  - exists v. split; [left; reflexivity|]. simpl. rewrite app_nil_r. lia.
  - destruct IH as [u [Hu L]]; [discriminate|].
    pose proof (different_app v (concat (w :: ps))) as D.
    change (concat (v :: w :: ps)) with (v ++ concat (w :: ps)).
    change (length (v :: w :: ps)) with (S (length (w :: ps))). cbn [Nat.mul].
    destruct (le_ge_dec (different v) (different u)) as [C|C].
    + exists u. split; [right; exact Hu|]. lia.
    + exists v. split; [left; reflexivity|].
      pose proof (Nat.mul_le_mono_l (different u) (different v) (length (w :: ps)) C). lia.
Qed.

(** Some phase of a run makes X of its moved + X bytes' share of all products, of elements of M + X bytes. *)
Theorem a_phase M X s m' : 0 <= M -> 0 < X -> run M [] s m' -> sums m' = 0 -> made s <> [] ->
  exists v, v <> [] /\ NoDup v /\ incl v (made s) /\
    bytes (nodup same_element (flat_map needs v)) <= M + X /\
    X * INR (different (made s)) <= (moved s + X) * INR (length v).
Proof.
  intros HM HX H Z Some.
  destruct (cut_from M X [] s m' HX H [] [] [] X) as [ps [Hp [Hi Hl]]]; simpl; try lra; try easy.
  pose proof (brought_moved M [] s m' H) as B. rewrite Z in B. change (sums []) with 0 in B.
  simpl in Hi.
  (* of each phase only what the run makes *)
  set (ps' := map (filter (fun p => if in_dec same_product p (made s) then true else false)) ps).
  assert (Hp' : Forall (phase M X) ps').
  { unfold ps'. apply Forall_map. apply Forall_impl with (2 := Hp). intros v [u [U V]]. exists u. split; [exact U|].
    intros p I. apply filter_In in I. apply V, I. }
  assert (Hi' : incl (made s) (concat ps')).
  { intros p I. pose proof (Hi p I) as J. apply in_concat in J. destruct J as [v [Hv Jv]]. apply in_concat.
    exists (filter (fun p => if in_dec same_product p (made s) then true else false) v). split; [apply in_map; exact Hv|].
    apply filter_In. split; [exact Jv|]. destruct (in_dec same_product p (made s)); [reflexivity|contradiction]. }
  assert (Hl' : INR (length ps') * X <= moved s + X) by (unfold ps'; rewrite map_length; lra).
  assert (Ne : ps' <> []).
  { intros C. rewrite C in Hi'. destruct (made s) as [|p l]; [easy|]. apply (Hi' p). left. reflexivity. }
  destruct (largest ps' Ne) as [v [Iv L]].
  assert (N : (different (made s) <= length ps' * different v)%nat).
  { apply Nat.le_trans with (2 := L). apply NoDup_incl_length; [apply NoDup_nodup|]. intros p I.
    apply nodup_In in I. apply nodup_In. auto. }
  exists (nodup same_product v). repeat split.
  - intros C. assert (D : different v = 0%nat) by (unfold different; rewrite C; reflexivity).
    rewrite D, Nat.mul_0_r in N. unfold different in N. destruct (made s) as [|p l]; [easy|].
    assert (I : In p (nodup same_product (p :: l))) by (apply nodup_In; left; reflexivity).
    destruct (nodup same_product (p :: l)); [easy|simpl in N; lia].
  - apply NoDup_nodup.
  - intros p I. apply nodup_In in I. unfold ps' in Iv. apply in_map_iff in Iv. destruct Iv as [v0 [<- _]].
    apply filter_In in I. destruct I as [_ I]. destruct (in_dec same_product p (made s)); [assumption|discriminate].
  - rewrite Forall_forall in Hp'. destruct (Hp' v Iv) as [u [U V]].
    apply Rle_trans with (bytes u); [|exact U]. apply bytes_incl; [apply NoDup_nodup|].
    intros x I. apply nodup_In, in_flat_map in I. destruct I as [p [I J]]. apply nodup_In in I. apply (V p I x J).
  - change (length (nodup same_product v)) with (different v).
    apply Rle_trans with (X * INR (length ps' * different v)).
    + apply Rmult_le_compat_l; [lra|]. apply le_INR. exact N.
    + rewrite mult_INR, <- Rmult_assoc, (Rmult_comm X). apply Rmult_le_compat_r; [apply pos_INR|exact Hl'].
Qed.

End Runs.

(** * Runs of a nest: a product is a point, and uses of each tensor the element that its mask keeps *)

Definition element := (nat * point)%type.

Definition same_element : forall a b : element, {a = b} + {a <> b}.
Proof. intros [i p] [j q]. destruct (Nat.eq_dec i j), (same_point p q); [left|right|right|right]; congruence. Defined.

Fixpoint parts (i : nat) (masks : list (list bool)) (p : point) : list element :=
  match masks with [] => [] | m :: masks => (i, seen m p) :: parts (S i) masks p end.

Definition width_in (ws : list R) (e : element) : R := nth (fst e) ws 0.
Definition of_tensor (k : nat) (e : element) : bool := Nat.eqb (fst e) k.

Fixpoint taken (f : nat -> R) (i : nat) (masks : list (list bool)) (V : list point) : R :=
  match masks with [] => 0 | m :: masks => f i * INR (used m V) + taken f (S i) masks V end.

Fixpoint apart_elements (i : nat) (masks : list (list bool)) (V : list point) : list element :=
  match masks with
  | [] => []
  | m :: masks => map (pair i) (nodup same_point (map (seen m) V)) ++ apart_elements (S i) masks V
  end.

Lemma apart_elements_in masks : forall i V e, In e (apart_elements i masks V) ->
  (i <= fst e)%nat /\ exists p, In p V /\ In e (parts i masks p).
Proof.
  induction masks as [|m masks IH]; intros i V e; simpl; [easy|]. intros H. apply in_app_or in H. destruct H as [H|H].
  - apply in_map_iff in H. destruct H as [q [<- H]]. apply nodup_In, in_map_iff in H. destruct H as [p [<- H]].
    split; [simpl; lia|]. exists p. auto.
  - apply IH in H. destruct H as [L [p [Hp H]]]. split; [lia|]. exists p. auto.
Qed.

Lemma apart_elements_once masks : forall i V, NoDup (apart_elements i masks V).
Proof.
  induction masks as [|m masks IH]; intros i V; simpl; [constructor|]. apply apart.
  - assert (N : NoDup (nodup same_point (map (seen m) V))) by apply NoDup_nodup.
    induction N as [|q l Nq N IHN]; simpl; constructor; auto. rewrite in_map_iff. intros [q' [E H]].
    inversion E. subst. contradiction.
  - apply IH.
  - intros e H I. apply in_map_iff in H. destruct H as [q [<- _]]. apply apart_elements_in in I. simpl in I. lia.
Qed.

Lemma bytes_map ws i l : bytes (width_in ws) (map (pair i) l) = nth i ws 0 * INR (length l).
Proof.
  induction l as [|q l IH]; [simpl; lra|].
  change (bytes (width_in ws) (map (pair i) (q :: l))) with (nth i ws 0 + bytes (width_in ws) (map (pair i) l)).
  rewrite IH. change (length (q :: l)) with (S (length l)). rewrite S_INR. lra.
Qed.

Lemma taken_bytes ws masks : forall i V,
  taken (fun j => nth j ws 0) i masks V = bytes (width_in ws) (apart_elements i masks V).
Proof.
  induction masks as [|m masks IH]; intros i V; simpl; [reflexivity|].
  rewrite bytes_app, bytes_map, IH. reflexivity.
Qed.

Lemma nth_nonneg ws : Forall (Rle 0) ws -> forall e, 0 <= width_in ws e.
Proof.
  intros H [i q]. unfold width_in. simpl. revert i. induction H as [|w ws Hw H IH]; intros [|i]; simpl; auto; lra.
Qed.

(** All points of a box of given lengths. *)
Fixpoint box (lengths : list nat) : list point :=
  match lengths with [] => [[]] | n :: lengths => together (map Z.of_nat (seq 0 n)) (fun _ => box lengths) end.

Fixpoint volume (lengths : list nat) : R := match lengths with [] => 1 | n :: lengths => INR n * volume lengths end.

Lemma box_once lengths : NoDup (box lengths).
Proof.
  induction lengths as [|n lengths IH]; simpl; [repeat constructor; easy|]. apply together_once; [|auto].
  apply FinFun.Injective_map_NoDup; [intros a b; apply Nat2Z.inj|apply seq_NoDup].
Qed.

Lemma box_length lengths : INR (length (box lengths)) = volume lengths.
Proof.
  induction lengths as [|n lengths IH]; [reflexivity|]. simpl box. rewrite together_length, sum_total. simpl volume.
  rewrite <- IH. generalize (length (box lengths)). intros b.
  assert (G : forall s, sum (map Z.of_nat (seq s n)) (fun _ => INR b) = INR n * INR b).
  { induction n as [|n IHn]; intros s; [simpl; lra|]. simpl seq. simpl map. simpl sum. rewrite IHn, S_INR. lra. }
  apply G.
Qed.

Lemma box_in lengths : forall p, In p (box lengths) -> Forall2 (fun x n => (0 <= x < Z.of_nat n)%Z) p lengths.
Proof.
  induction lengths as [|n lengths IH]; simpl; intros p H.
  - destruct H as [<-|[]]. constructor.
  - apply together_in in H. destruct H as [x [q [-> [Hx Hq]]]]. constructor; [|auto].
    apply in_map_iff in Hx. destruct Hx as [k [<- Hk]]. apply in_seq in Hk. lia.
Qed.

Ltac by_arithmetic := lra.

(** A run that makes the products of a box has a phase whose products and elements are as the lemma and the bounds
    suppose: what moves and X more, times the products of the phase, are at least X times all products. *)
Theorem a_phase_of_a_run (lengths : list nat) (ws : list R) (masks : list (list bool)) (result : nat) (M X : R)
  (steps : list (@step element point)) (inside : list element) :
  Forall (Rle 0) ws -> 0 <= M -> 0 < X -> 0 < volume lengths ->
  run (width_in ws) (of_tensor result) (parts 0 masks) M [] steps inside ->
  (forall e, In e inside -> of_tensor result e = false) ->
  (forall p, In p (made steps) <-> In p (box lengths)) ->
  exists V, V <> [] /\ points_of lengths V /\ taken (fun j => nth j ws 0) 0 masks V <= M + X /\
    X * volume lengths <= (moved (width_in ws) steps + X) * INR (length V).
Proof.
  intros Hw HM HX Hv H Hi Hb. pose proof (nth_nonneg ws Hw) as W.
  assert (Some : made steps <> []).
  { intros C. rewrite <- box_length in Hv. destruct (box lengths) as [|p l] eqn:B; [simpl in Hv; lra|].
    assert (I : In p (made steps)) by (apply Hb; left; reflexivity). rewrite C in I. destruct I. }
  assert (Z : sums (width_in ws) (of_tensor result) inside = 0).
  { clear - Hi. unfold sums. induction inside as [|e l IH]; [reflexivity|]. simpl.
    rewrite (Hi e) by (left; reflexivity). apply IH. intros x I. apply Hi. right. exact I. }
  destruct (a_phase same_element same_point (width_in ws) W (of_tensor result) (parts 0 masks) M X steps inside
    HM HX H Z Some) as [V [V0 [V1 [V2 [V3 V4]]]]].
  exists V. repeat split; auto.
  - intros p I. apply box_in, Hb, V2, I.
  - apply Rle_trans with (2 := V3). rewrite taken_bytes. apply bytes_incl; [exact W|apply apart_elements_once|].
    intros e I. apply apart_elements_in in I. destruct I as [_ [p [Hp I]]]. apply nodup_In, in_flat_map. exists p. auto.
  - apply Rle_trans with (2 := V4). apply Rmult_le_compat_l; [lra|]. rewrite <- box_length. apply le_INR.
    unfold different. apply NoDup_incl_length; [apply box_once|]. intros p I. apply nodup_In, Hb, I.
Qed.
