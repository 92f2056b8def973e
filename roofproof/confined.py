"""A sandbox for untrusted code: the process may only read importable files and compute.

There are two layers. On Linux, Landlock (files) and seccomp (the network, processes) deny everything else, for good and
for code in any language. On every system, a Python audit hook denies it to Python code. The hook is not a security
boundary, so `confine` returns the categories that the operating system does not deny.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from collections.abc import Iterable, Sequence
from errno import ENOSYS, EPERM
from functools import cache
from typing import Any

DENIED = ("files", "network", "processes")
# The system files that Python and its libraries read: shared libraries, processors, time zones, random numbers.
SYSTEM = (
    "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/share/zoneinfo", "/etc/ld.so.cache",
    "/etc/localtime", "/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/sys/devices/system", "/dev/null",
    "/dev/urandom",
)  # fmt: skip


def confine(folders: Iterable[str] = (), own: str = "") -> tuple[str, ...]:
    """Deny this process the network, other processes, and all files except importable ones and those in `folders`.

    The process may read these files, and may also write in the folder `own`. Returns the categories of "files",
    "network" and "processes" that the operating system does not deny. This cannot be undone.
    """
    readable = [os.path.realpath(p) for p in (*sys.path, *folders, *_homes(), *SYSTEM) if os.path.exists(p or ".")]
    left = dict.fromkeys(DENIED)
    if sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        libc.prctl(1, 9, 0, 0, 0)  # PR_SET_PDEATHSIG: it is killed when its parent ends
        libc.prctl(38, 1, 0, 0, 0)  # PR_SET_NO_NEW_PRIVS: Landlock and seccomp require it
        if _landlock(libc, readable, [os.path.realpath(own)] if own else []):
            del left["files"]
        if _seccomp(libc):
            del left["network"], left["processes"]
    sys.addaudithook(_hook(readable, os.path.realpath(own) if own else ""))
    return tuple(left)


def _homes() -> tuple[str, ...]:
    return sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix


EXECUTE, READ_FILE, READ_FOLDER = 1 << 0, 1 << 2, 1 << 3


def _landlock(libc: Any, readable: Sequence[str], own: Sequence[str]) -> bool:
    """Deny TCP, signals to other processes, and all files except `readable` and `own` (see landlock(7))."""
    version = libc.syscall(444, None, ctypes.c_size_t(0), 1)
    if version < 1:
        return False
    files = (1 << 13) - 1 | sum(1 << bit for bit, since in ((13, 2), (14, 3), (15, 5)) if version >= since)
    ports, others = (3 if version >= 4 else 0), (3 if version >= 6 else 0)
    rules = struct.pack("QQQ", files, ports, others)[: 8 if version < 4 else 16 if version < 6 else 24]
    ruleset = libc.syscall(444, rules, ctypes.c_size_t(len(rules)), 0)
    for path in (*readable, *own) if ruleset >= 0 else ():
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
        allowed = files & ~EXECUTE if path in own else READ_FILE | (READ_FOLDER if os.path.isdir(path) else 0)
        libc.syscall(445, ruleset, 1, struct.pack("=Qi", allowed, place), 0)
        os.close(place)
    return bool(ruleset >= 0 and libc.syscall(446, ruleset, 0) == 0)


# For each architecture: its audit number, the numbers of the denied system calls, and the numbers of clone and tgkill,
# which threads need. Denied: socket, connect, ptrace, execve, execveat, kill, tkill, rt_sigqueueinfo,
# rt_tgsigqueueinfo, setsid, setpgid, process_vm_readv, process_vm_writev, and on x86_64 also fork and vfork.
CALLS = {
    "x86_64": (0xC000003E, (41, 42, 101, 59, 322, 62, 200, 129, 297, 112, 109, 310, 311, 57, 58), 56, 234),
    "aarch64": (0xC00000B7, (198, 203, 117, 221, 281, 129, 130, 138, 240, 157, 154, 270, 271), 220, 131),
}
COMMON = (424, 425, 438)  # pidfd_send_signal, io_uring_setup, pidfd_getfd
CLONE3, CLONE_THREAD = 435, 0x10000


def _seccomp(libc: Any) -> bool:
    """Deny sockets, new processes and signals to other processes by system call number (see seccomp(2))."""
    machine = CALLS.get(os.uname().machine)
    if machine is None or sys.byteorder != "little":
        return False
    number, denied, clone, tgkill = machine
    load, equal, above, has, end = 0x20, 0x15, 0x35, 0x45, 0x06
    allow, deny = (end, 0, 0, 0x7FFF0000), (end, 0, 0, 0x50000 | EPERM)
    steps = [(load, 0, 0, 4), (equal, 1, 0, number), deny, (load, 0, 0, 0), (above, 0, 1, 0x40000000), deny]
    for call in (*denied, *COMMON):
        steps += [(equal, 0, 1, call), deny]
    steps += [(equal, 0, 1, CLONE3), (end, 0, 0, 0x50000 | ENOSYS)]  # flags cannot be read. libc falls back to clone
    for call, test, value in ((clone, has, CLONE_THREAD), (tgkill, equal, os.getpid())):
        steps += [(equal, 0, 4, call), (load, 0, 0, 16), (test, 0, 1, value), allow, deny]
    code = b"".join(struct.pack("HBBI", *step) for step in [*steps, allow])
    kept = ctypes.create_string_buffer(code)
    return bool(libc.prctl(22, 2, struct.pack("HP", len(code) // 8, ctypes.addressof(kept)), 0, 0) == 0)


STARTS = {"os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.system", "subprocess.Popen"}
CHANGES = {
    "os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.truncate", "os.chmod", "os.chown",
    "os.utime", "os.setxattr", "os.removexattr",
}  # fmt: skip


def _hook(readable: Sequence[str], own: str) -> Any:
    @cache
    def is_in(path: str, folders: Sequence[str]) -> bool:
        real = os.path.realpath(path)
        return any(real == each or real.startswith(each.rstrip(os.sep) + os.sep) for each in folders)

    read, written = (*readable, own), (own,)

    def is_own(given: tuple[Any, ...]) -> bool:
        paths = [os.fsdecode(each) for each in given[:2] if isinstance(each, str | bytes)]
        return bool(own and paths) and all(is_in(path, written) for path in paths)

    def refuse(event: str, given: tuple[Any, ...]) -> None:
        if event in STARTS:
            raise PermissionError("no process may be started from here")
        if event in ("os.kill", "os.killpg", "signal.pthread_kill"):
            raise PermissionError("no signal may be sent from here")
        if event.startswith("socket.") and event not in ("socket.gethostname", "socket.__new__"):
            raise PermissionError("no network may be used from here")
        if event in CHANGES and not is_own(given):
            raise PermissionError("no file may be changed from here")
        if event == "open" and isinstance(given[0], str | bytes):
            _, _, flags = given
            changes = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
            if isinstance(flags, int) and flags & changes and not is_own(given[:1]):
                raise PermissionError("no file may be changed from here")
            if not is_in(os.fsdecode(given[0]), read):
                raise PermissionError("no file may be read from here but what is imported")

    return refuse
