/* The handlers of idemtui as SPIN sees them: a second, independent statement of
 * the same steps, against which the explorer is checked and measured.
 * Set by -D: H (the handler's number), N (deliveries) and the budgets FAIL,
 * LOST, CRASH, SLOW and FORGET. One d_step is one transition. */
#define NONE 0
#define CHECK 1
#define CLAIM 2
#define RELEASE 3
#define LEASE 4
#define FENCE 5
#define KEY 6
#define KEYONLY 7
#define NATURAL 8
#define INCREMENT 9
#define ONETX 10

#define END 7
#define ABSENT 0
#define CLAIMED 1
#define DONE 2
#define FAILED 3
#define HELD 4

byte pc[N];
byte tok[N];
bit seen, live, key;
byte rec, gen, maxtok, charges;
byte fail = FAIL;
byte lost = LOST;
byte crash = CRASH;
byte slow = SLOW;
byte forget = FORGET;

#define P pc[_pid]
#define T tok[_pid]

#if H == FENCE
#define FRESH (T >= maxtok)
#define EFFECT charges++; maxtok = T
#else
#define FRESH true
#if H == KEY || H == KEYONLY
#define EFFECT if :: key == 0 -> key = 1; charges++ :: else fi
#elif H == NATURAL
#define EFFECT charges = 1
#else
#define EFFECT charges++
#endif
#endif

#define CHARGE(at, ok, bad) \
  :: d_step { P == at && FRESH -> EFFECT; P = ok } \
  :: d_step { P == at && FRESH && fail > 0 -> fail--; P = bad } \
  :: d_step { P == at && FRESH && lost > 0 -> EFFECT; lost--; P = bad }

#define ACK(at) :: d_step { P == at -> T = 0; P = END }

active [N] proctype delivery() {
endwait:
  do
#if H == NONE || H == KEYONLY || H == NATURAL || H == INCREMENT
  CHARGE(0, 1, 0)
  ACK(1)
#elif H == CHECK
  :: d_step { P == 0 -> if :: seen -> P = 3 :: else -> P = 1 fi }
  CHARGE(1, 2, 0)
  :: d_step { P == 2 -> seen = 1; P = 3 }
  ACK(3)
#elif H == CLAIM || H == RELEASE
  :: d_step { P == 0 -> if :: rec == ABSENT -> rec = CLAIMED; P = 1 :: else -> P = 2 fi }
#if H == CLAIM
  CHARGE(1, 2, 0)
#else
  CHARGE(1, 2, 3)
  :: d_step { P == 3 -> rec = ABSENT; P = 0 }
#endif
  ACK(2)
#elif H == ONETX
  :: d_step { P == 0 && rec == ABSENT -> rec = HELD; P = 1 }
  :: d_step { P == 0 && rec == DONE -> P = 3 }
  CHARGE(1, 2, 4)
  :: d_step { P == 2 -> rec = DONE; P = 3 }
  ACK(3)
  :: d_step { P == 4 -> rec = ABSENT; P = 0 }
#else
  :: d_step { P == 0 && rec == DONE -> P = 3 }
  :: d_step { P == 0 && rec != DONE && !(rec == CLAIMED && live) -> gen++; T = gen; rec = CLAIMED; live = 1; P = 1 }
  CHARGE(1, 2, 4)
#if H == FENCE
  :: d_step { P == 1 && T < maxtok -> T = 0; P = 0 }
#endif
  :: d_step { P == 2 -> if :: T == gen -> rec = DONE; live = 0 :: else fi; P = 3 }
  ACK(3)
  :: d_step { P == 4 -> if :: T == gen -> rec = FAILED; live = 0 :: else fi; T = 0; P = 0 }
#endif
#if H == ONETX
  :: d_step { P != END && crash > 0 -> if :: P == 1 || P == 2 || P == 4 -> rec = ABSENT :: else fi; crash--; P = 0; T = 0 }
#else
  :: d_step { P != END && crash > 0 -> crash--; P = 0; T = 0 }
#endif
  od
}

#if N == 1
#define HOLDER (tok[0] == gen)
#elif N == 2
#define HOLDER (tok[0] == gen || tok[1] == gen)
#elif N == 3
#define HOLDER (tok[0] == gen || tok[1] == gen || tok[2] == gen)
#else
#define HOLDER (tok[0] == gen || tok[1] == gen || tok[2] == gen || tok[3] == gen)
#endif

active proctype world() {
endwait:
  do
#if H == LEASE || H == FENCE || H == KEY
  :: d_step { rec == CLAIMED && live && !HOLDER -> live = 0 }
  :: d_step { rec == CLAIMED && live && HOLDER && slow > 0 -> slow--; live = 0 }
#endif
#if H == CHECK
  :: d_step { seen && forget > 0 -> forget--; seen = 0 }
#elif H == CLAIM || H == RELEASE
  :: d_step { rec == CLAIMED && forget > 0 -> forget--; rec = ABSENT }
#elif H == LEASE || H == FENCE || H == KEY || H == ONETX
  :: d_step { rec == DONE && forget > 0 -> forget--; rec = ABSENT }
#endif
  :: false
  od
}
