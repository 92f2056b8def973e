(** What a statement means: all that a reader has to take on trust besides Coq itself.

    A file of an answer states its theorems about real numbers in Coq's own words, with the definitions below. The
    proofs go through [term] and [formula], the formulas of a certificate as data; [value] and [meaning] say what these
    are, and Coq checks that they unfold to what the theorem states. *)

From Coq Require Import Reals List ZArith.
Import ListNotations.
Local Open Scope R_scope.

(** The real numbers, under a name that is never that of a ridge point. *)
Notation real := R.

(** * The roofline *)

(** FLOPs for each byte moved. *)
Definition intensity (flops bytes : R) : R := flops / bytes.

(** Where a chip's two roofs meet: FLOP/s over byte/s. *)
Definition ridge (peak bandwidth : R) : R := peak / bandwidth.

(** Compute-bound against a channel: the intensity over it exceeds the ridge point. *)
Definition compute_bound (flops bytes ridge : R) : Prop := intensity flops bytes > ridge.

(** How long an amount takes at a rate. *)
Definition seconds (amount rate : R) : R := amount / rate.

(** * Functions that Coq's library has under other names *)

Definition floor (x : R) : R := IZR (Int_part x).
Definition ceil (x : R) : R := IZR (- Int_part (- x)).
Definition log2 (x : R) : R := ln x / ln 2.
Definition integer (x : R) : Prop := exists z : Z, x = IZR z.

(** * Formulas as data *)

Inductive term : Set :=
  | Num (p : Z) (q : positive)
  | Var (n : positive)
  | Add (a b : term) | Mul (a b : term) | Div (a b : term)
  | Pow (a : term) (n : nat)
  | Max (a b : term) | Min (a b : term)
  | Sqrt (a : term) | Floor (a : term) | Ceil (a : term) | Log2 (a : term)
  | Power (a b : term).

(** [Tends t xs v]: t tends to v as the names xs grow without bound, each at its own rate, all others fixed. *)
Inductive formula : Set :=
  | Gt (a b : term) | Ge (a b : term) | Eq (a b : term)
  | Int (a : term)
  | Tends (a : term) (names : list positive) (b : term)
  | Yes | No
  | Not (f : formula)
  | And (f g : formula) | Or (f g : formula) | Imp (f g : formula) | Iff (f g : formula).

(** What the names stand for: the first, the second, ... of a list. *)
Fixpoint env (l : list R) (n : positive) {struct l} : R :=
  match l with
  | [] => 1
  | x :: l => match n with xH => x | _ => env l (Pos.pred n) end
  end.

Definition put (n : positive) (x : R) (e : positive -> R) : positive -> R :=
  fun m => if Pos.eqb m n then x else e m.

Fixpoint value (e : positive -> R) (t : term) : R :=
  match t with
  | Num p xH => IZR p
  | Num p q => IZR p / IZR (Zpos q)
  | Var n => e n
  | Add a b => value e a + value e b
  | Mul a b => value e a * value e b
  | Div a b => value e a / value e b
  | Pow a n => value e a ^ n
  | Max a b => Rmax (value e a) (value e b)
  | Min a b => Rmin (value e a) (value e b)
  | Sqrt a => sqrt (value e a)
  | Floor a => floor (value e a)
  | Ceil a => ceil (value e a)
  | Log2 a => log2 (value e a)
  | Power a b => Rpower (value e a) (value e b)
  end.

(** P holds for all values above M of some names. *)
Fixpoint beyond (M : R) (names : list positive) (e : positive -> R) (P : (positive -> R) -> Prop) : Prop :=
  match names with
  | [] => P e
  | n :: names => forall x : R, x > M -> beyond M names (put n x e) P
  end.

Fixpoint meaning (e : positive -> R) (f : formula) : Prop :=
  match f with
  | Gt a b => value e a > value e b
  | Ge a b => value e a >= value e b
  | Eq a b => value e a = value e b
  | Int a => integer (value e a)
  | Tends a names b =>
      forall eps : R, eps > 0 -> exists M : R, beyond M names e (fun e => Rabs (value e a - value e b) < eps)
  | Yes => True
  | No => False
  | Not f => ~ meaning e f
  | And f g => meaning e f /\ meaning e g
  | Or f g => meaning e f \/ meaning e g
  | Imp f g => meaning e f -> meaning e g
  | Iff f g => meaning e f <-> meaning e g
  end.

(** All hypotheses of a theorem hold. *)
Fixpoint all (e : positive -> R) (fs : list formula) : Prop :=
  match fs with
  | [] => True
  | f :: fs => meaning e f /\ all e fs
  end.
